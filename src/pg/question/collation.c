/*
 * collation.c -- whether the texts of an expression agree on a collation.
 *
 * Where two columns of different collations meet, PostgreSQL leaves the collation open, and what needs
 * one fails when it is called: for some row, and so only where there is such a row. It is refused here,
 * before a row is read.
 */
#include "pg/question/asked.h"

#include "catalog/pg_collation.h"
#include "miscadmin.h"
#include "utils/lsyscache.h"

static DP_NORETURN void
refuse(const DpRowExpression *expression)
{
	ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
					errmsg("expression %s cannot be answered", dp_x_words(expression)),
					errdetail("Its columns have different collations."),
					errhint("Use columns that have the same collation.")));
}

/* As PostgreSQL merges them: any other collation goes before the default one. */
static Oid
merged(Oid a, Oid b, const DpRowExpression *expression)
{
	if (!OidIsValid(a) || a == b || (a == DEFAULT_COLLATION_OID && OidIsValid(b)))
		return b;
	if (!OidIsValid(b) || b == DEFAULT_COLLATION_OID)
		return a;
	refuse(expression);
}

/* The common collation of the parts; ERROR: they differ. */
static Oid
of_parts(DpAsked *asked, const DpRowExpression *expression)
{
	Oid collation = InvalidOid;
	ListCell *cell;

	foreach (cell, expression->arguments)
		collation = merged(collation, dp_collation_of(asked, lfirst(cell)), expression);
	return collation;
}

Oid
dp_collation_of(DpAsked *asked, const DpRowExpression *expression)
{
	Oid of_type = get_typcollation(expression->type), collation;

	check_stack_depth();
	if (!OidIsValid(of_type))
		return InvalidOid;
	if (expression->kind == DP_X_COLUMN)
		return dp_asked_column(asked, expression->relation, expression->name)->collation;
	collation = of_parts(asked, expression);
	return OidIsValid(collation) ? collation : of_type;
}

void
dp_check_collation(DpAsked *asked, const DpRowExpression *expression)
{
	(void) of_parts(asked, expression);
}
