/*
 * public_groups.c -- the groups that joins of public tables admit.
 *
 * A counted row is joined to a row of each public table, and these rows satisfy all conditions on
 * them. So a value of a public table can be a group only if its row satisfies the conditions on
 * that table and has a partner in each public table that it is joined to by an equality. Partners
 * must satisfy their own conditions. A query for each table, run as its owner, checks this. A table
 * that is joined by LEFT JOIN has the group of NULL in addition.
 */
#include "pg/question/asked.h"

#include "miscadmin.h"
#include "nodes/bitmapset.h"

#include "pg/domain/public_table.h"

static List *
conjuncts_of(const DpRowExpression *condition, List *conjuncts)
{
	if (condition == NULL)
		return conjuncts;
	return condition->kind == DP_X_AND
			   ? list_concat(conjuncts, list_copy(condition->arguments))
			   : lappend(conjuncts, unconstify(DpRowExpression *, condition));
}

List *
dp_asked_conjuncts(const DpAsked *asked)
{
	List *conjuncts = conjuncts_of(asked->where, NIL);
	ListCell *cell;

	foreach (cell, asked->relations)
		if (!((DpAskedRelation *) lfirst(cell))->outer)
			conjuncts = conjuncts_of(((DpAskedRelation *) lfirst(cell))->on, conjuncts);
	return conjuncts;
}

/* The conditions that hold for every row that is joined to a row of a public table. */
static List *
conjuncts_with(const DpAsked *asked, uint32 relation)
{
	const DpAskedRelation *of = list_nth(asked->relations, (int) relation);
	List *conjuncts = dp_asked_conjuncts(asked);

	return of->outer ? conjuncts_of(of->on, conjuncts) : conjuncts;
}

static bool
is_public(const DpAsked *asked, uint32 relation, bool or_outer)
{
	const DpAskedRelation *of = list_nth(asked->relations, (int) relation);

	return of->is_public && (or_outer || !of->outer);
}

static bool
is_of_relation(const DpRowExpression *condition, const void *relation)
{
	List *columns = dp_x_columns(condition, NIL);
	ListCell *cell;

	foreach (cell, columns)
		if (((DpRowExpression *) lfirst(cell))->relation != *(const uint32 *) relation)
			return false;
	return columns != NIL && !dp_x_has_exists(condition);
}

/* The side of an equality that is a column of the relation. NULL: there is none, or the types of
 * the columns differ. */
static const DpRowExpression *
joined_column(const DpRowExpression *condition, uint32 relation, const DpRowExpression **partner)
{
	if (!dp_x_is_equality(condition))
		return NULL;
	for (int i = 0; i < 2; i++)
	{
		const DpRowExpression *column = list_nth(condition->arguments, i);

		*partner = list_nth(condition->arguments, 1 - i);
		if (column->kind == DP_X_COLUMN && (*partner)->kind == DP_X_COLUMN &&
			column->relation == relation && (*partner)->relation != relation &&
			column->type == (*partner)->type)
			return column;
	}
	return NULL;
}

static char *rows_of(DpAsked *asked, uint32 relation, Bitmapset **seen);

/* The condition that a column has a partner in a table that was not visited yet: x IN (1, 2). NULL:
 * too many partners, so there is no condition. */
static char *
has_partner(DpAsked *asked, const DpRowExpression *column, const DpRowExpression *partner,
			Bitmapset **seen)
{
	List *arguments = list_make1(unconstify(DpRowExpression *, column));
	List *values = dp_asked_read_public(
		asked, partner->relation, psprintf("DISTINCT %s", dp_asked_sql(asked, partner, false)),
		psprintf("%s AND %s IS NOT NULL ORDER BY 1 LIMIT %d",
				 rows_of(asked, partner->relation, seen), dp_asked_sql(asked, partner, false),
				 DP_PUBLIC_VALUES_MAX + 1));
	ListCell *cell;

	if (list_length(values) > DP_PUBLIC_VALUES_MAX)
		return NULL;
	foreach (cell, values)
		arguments = lappend(arguments, dp_x_value(partner->type, lfirst(cell)));
	return values == NIL ? pstrdup("false")
						 : dp_asked_sql(asked, dp_x_of(DP_X_IN, arguments), false);
}

/* " s1 WHERE true AND ...": the rows of a table that satisfy its own conditions and those of tables
 * that were not visited yet. Each table is visited once. */
static char *
rows_of(DpAsked *asked, uint32 relation, Bitmapset **seen)
{
	StringInfoData sql;
	ListCell *cell;

	check_stack_depth();
	*seen = bms_add_member(*seen, (int) relation);
	initStringInfo(&sql);
	appendStringInfo(&sql, " s%u WHERE true", relation);
	foreach (cell, conjuncts_with(asked, relation))
	{
		const DpRowExpression *condition = lfirst(cell), *partner = NULL, *column;
		DpRowExpression *own = dp_x_implied(condition, is_of_relation, &relation);
		char *joined;

		if (own != NULL)
			appendStringInfo(&sql, " AND %s", dp_asked_sql(asked, own, false));
		column = joined_column(condition, relation, &partner);
		if (column == NULL || !is_public(asked, partner->relation, false) ||
			bms_is_member((int) partner->relation, *seen))
			continue;
		joined = has_partner(asked, column, partner, seen);
		if (joined != NULL)
			appendStringInfo(&sql, " AND %s", joined);
	}
	return sql.data;
}

bool
dp_public_groups(DpAsked *asked, const DpRowExpression *expression, DpImage *image, uint32 most)
{
	List *columns = dp_x_columns(expression, NIL), *values;
	Bitmapset *seen = NULL;
	bool is_column;
	uint32 relation;
	ListCell *cell;

	if (columns == NIL)
		return false;
	relation = ((DpRowExpression *) linitial(columns))->relation;
	is_column = expression->kind == DP_X_COLUMN; /* it is NULL if no row is joined */
	if (!is_public(asked, relation, is_column) || !is_of_relation(expression, &relation))
		return false;
	values = dp_asked_read_public(
		asked, relation, psprintf("DISTINCT %s", dp_asked_sql(asked, expression, true)),
		psprintf("%s ORDER BY 1 NULLS LAST LIMIT %u", rows_of(asked, relation, &seen), most + 2));
	*image = (DpImage){.value = palloc(sizeof(char *) * (list_length(values) + 1)),
					   .rest = !is_public(asked, relation, false)};
	foreach (cell, values)
	{
		if (lfirst(cell) == NULL)
			image->rest = true;
		else
			image->value[image->n++] = lfirst(cell);
	}
	return image->n <= most;
}
