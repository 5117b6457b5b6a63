/*
 * existing_groups.c -- of groups by several columns of a public table, those that some row of it has.
 *
 * A question has all combinations of the values of its groups. GROUP BY name, beds of a table of wards
 * means those that a ward has: the answer is read where EXISTS (SELECT FROM wards WHERE name = ... AND
 * beds = ...). A group that is NULL is not compared: an outer join may have left it so.
 */
#include "pg/sql/existing_groups.h"

#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "parser/parsetree.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"

#include "pg/server/compat_query.h"
#include "pg/sql/absorb.h"

static Expr *
is_null(const Var *group)
{
	NullTest *test = makeNode(NullTest);

	test->arg = (Expr *) copyObject(group);
	test->nulltesttype = IS_NULL;
	test->location = -1;
	return (Expr *) test;
}

/* varchar is compared as text. */
static Expr *
as_compared(Var *variable, Oid type)
{
	return variable->vartype == VARCHAROID
			   ? (Expr *) makeRelabelType((Expr *) variable, type, -1, variable->varcollid,
										  COERCE_IMPLICIT_CAST)
			   : (Expr *) variable;
}

/* column = group, within a sub-select of its table alone */
static Expr *
has_value(const Var *group, const TypeCacheEntry *type)
{
	Var *column = copyObject(unconstify(Var *, group)), *outer = copyObject(column);
	Oid left, right;
	Expr *equal;

	column->varno = 1;
	outer->varlevelsup = 1;
	op_input_types(type->eq_opr, &left, &right);
	equal = make_opclause(type->eq_opr, BOOLOID, false, as_compared(column, left),
						  as_compared(outer, right), InvalidOid, group->varcollid);
	set_opfuncid((OpExpr *) equal);
	return equal;
}

static Expr *
some_row(const Query *query, int entry, List *conditions)
{
	Query *select = dp_query_of_entry(query, entry, NIL);
	SubLink *exists = makeNode(SubLink);
	Const *one = makeConst(INT4OID, -1, InvalidOid, sizeof(int32), Int32GetDatum(1), false, true);

	select->jointree->quals = (Node *) make_ands_explicit(conditions);
	select->targetList = list_make1(makeTargetEntry((Expr *) one, 1, pstrdup("one"), false));
	exists->subLinkType = EXISTS_SUBLINK;
	exists->subselect = (Node *) select;
	exists->location = -1;
	return (Expr *) exists;
}

/* Of the groups that are columns of an entry; NULL: it needs none. */
static Expr *
condition_of(Query *query, int entry, const List *groups)
{
	List *nulls = NIL, *conditions = NIL;
	ListCell *cell;

	foreach (cell, groups)
	{
		const Var *group = lfirst(cell);
		const TypeCacheEntry *type;

		if (!IsA(group, Var) || (int) group->varno != entry || group->varlevelsup != 0)
			continue;
		type = lookup_type_cache(group->vartype, TYPECACHE_EQ_OPR);
		if (!OidIsValid(type->eq_opr))
			continue;
		nulls = lappend(nulls, is_null(group));
		conditions = lappend(conditions, has_value(group, type));
	}
	if (list_length(conditions) < 2)
		return NULL;
	return makeBoolExpr(OR_EXPR, lappend(nulls, some_row(query, entry, conditions)), -1);
}

List *
dp_existing_groups(DpPrivacy *privacy, Query *query, const List *groups)
{
	List *conditions = NIL;
	ListCell *cell;

	foreach (cell, dp_entries_in_from((Node *) query->jointree))
	{
		const RangeTblEntry *entry = rt_fetch(lfirst_int(cell), query->rtable);
		Expr *condition =
			entry->rtekind != RTE_RELATION || dp_entry_is_private(privacy, query, entry)
				? NULL
				: condition_of(query, lfirst_int(cell), groups);

		if (condition != NULL)
			conditions = lappend(conditions, condition);
	}
	return conditions;
}
