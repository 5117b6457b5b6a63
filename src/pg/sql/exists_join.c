/*
 * exists_join.c -- joins that only ask whether there are rows, as EXISTS.
 *
 *     FROM accounts a LEFT JOIN payments p ON p.account = a.id AND p.amount > 500 WHERE p.id IS NULL
 *
 * is WHERE NOT EXISTS (SELECT FROM payments p WHERE p.account = a.id AND p.amount > 500): a row that no
 * payment meets comes once. And where aggregates do not see how often a row comes,
 *
 *     SELECT count(DISTINCT a.patient) FROM visits a JOIN visits b ON b.patient = a.patient WHERE b.ward = 2
 *
 * is WHERE EXISTS (SELECT FROM visits b WHERE b.patient = a.patient AND b.ward = 2).
 */
#include "pg/sql/exists_join.h"

#include "nodes/bitmapset.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "parser/parsetree.h"

#include "pg/domain/schema_keys.h"
#include "pg/server/compat_query.h"
#include "pg/sql/absorb.h"
#include "pg/sql/unit_subselect.h"

/* ---- what reads an entry ---- */

static bool
reads(Node *node, int entry)
{
	return bms_is_member(entry, pull_varnos(NULL, node));
}

/* Whether a tree reads columns of one entry alone. */
static bool
reads_only(Node *node, int entry)
{
	return bms_is_subset(pull_varnos(NULL, node), bms_make_singleton(entry));
}

/* Whether the query uses an entry otherwise than in FROM and WHERE. */
static bool
is_used(const Query *query, int entry)
{
	ListCell *cell;

	if (reads((Node *) query->targetList, entry) || reads(query->havingQual, entry) ||
		reads((Node *) query->windowClause, entry))
		return true;
	foreach (cell, dp_entries_in_from((Node *) query->jointree))
		if (rt_fetch(lfirst_int(cell), query->rtable)->lateral)
			return true;
	return false;
}

static bool
is_private(DpPrivacy *privacy, const Query *query, const Node *node)
{
	return IsA(node, RangeTblRef) &&
		   dp_entry_is_private(privacy, query,
							   rt_fetch(((const RangeTblRef *) node)->rtindex, query->rtable));
}

/* Whether conditions tell which rows of an entry there are: what they say of other entries is that columns
 * are equal, and something is. */
static bool
are_of_rows(const List *conditions, int entry)
{
	bool joined = false;
	ListCell *cell;

	foreach (cell, conditions)
	{
		const OpExpr *equal = lfirst(cell);

		if (checkExprHasSubLink(lfirst(cell)))
			return false;
		if (reads_only(lfirst(cell), entry))
			continue;
		if (!dp_is_equality(lfirst(cell)) || !IsA(linitial(equal->args), Var) ||
			!IsA(lsecond(equal->args), Var))
			return false;
		joined = true;
	}
	return joined;
}

/* ---- EXISTS ---- */

/* Variables of the entry become those of the one relation of a sub-select, others those of the query
 * around it. */
static Node *
within(Node *node, void *entry)
{
	if (node != NULL && IsA(node, Var) && ((Var *) node)->varlevelsup == 0)
	{
		Var *column = copyObject((Var *) node);
		bool own = (int) column->varno == *(int *) entry;

		column->varno = own ? 1 : column->varno;
		column->varlevelsup = own ? 0 : 1;
		return (Node *) column;
	}
	return node == NULL ? NULL : expression_tree_mutator(node, within, entry);
}

static Node *
exists(Query *query, int entry, List *conditions)
{
	Query *select = makeNode(Query);
	RangeTblRef *reference = makeNode(RangeTblRef);
	SubLink *exists = makeNode(SubLink);

	select->commandType = CMD_SELECT;
	select->canSetTag = true;
	select->rtable = list_make1(dp_entry_of_rights(select, query, rt_fetch(entry, query->rtable)));
	reference->rtindex = 1;
	select->jointree = makeFromExpr(
		list_make1(reference), within((Node *) make_ands_explicit(copyObject(conditions)), &entry));
	exists->subLinkType = EXISTS_SUBLINK;
	exists->subselect = (Node *) select;
	exists->location = -1;
	query->hasSubLinks = true;
	return (Node *) exists;
}

/* ---- LEFT JOIN ... WHERE b.id IS NULL ---- */

/* b.id IS NULL, of a column that is never NULL by itself */
static bool
says_no_row(const Query *query, const Node *condition, int entry)
{
	const NullTest *test = (const NullTest *) condition;
	const Var *column = IsA(condition, NullTest) ? (const Var *) test->arg : NULL;

	return column != NULL && test->nulltesttype == IS_NULL && IsA(column, Var) &&
		   (int) column->varno == entry && column->varlevelsup == 0 &&
		   dp_column_not_null(rt_fetch(entry, query->rtable)->relid, column->varattno);
}

/* WHERE with NOT EXISTS in place of what says that no row of the entry was met; NIL: it says so nowhere. */
static List *
without_row(Query *query, const JoinExpr *join, int entry)
{
	List *on = make_ands_implicit((Expr *) join->quals), *where = NIL;
	bool found = false;
	ListCell *cell;

	foreach (cell, make_ands_implicit((Expr *) query->jointree->quals))
	{
		if (says_no_row(query, lfirst(cell), entry))
			found = true;
		else if (reads(lfirst(cell), entry))
			return NIL;
		else
			where = lappend(where, lfirst(cell));
	}
	return found && are_of_rows(on, entry)
			   ? lappend(where, makeBoolExpr(NOT_EXPR, list_make1(exists(query, entry, on)), -1))
			   : NIL;
}

/* A part of FROM that each row must pass, without such joins. */
static Node *
without_missing(DpPrivacy *privacy, Query *query, Node *node)
{
	JoinExpr *join = (JoinExpr *) node;
	List *where;
	ListCell *cell;

	if (IsA(node, FromExpr))
		foreach (cell, ((FromExpr *) node)->fromlist)
			lfirst(cell) = without_missing(privacy, query, lfirst(cell));
	if (!IsA(node, JoinExpr))
		return node;
	join->larg = without_missing(privacy, query, join->larg);
	if (join->jointype == JOIN_INNER)
		join->rarg = without_missing(privacy, query, join->rarg);
	if (join->jointype != JOIN_LEFT || !is_private(privacy, query, join->rarg) ||
		is_used(query, ((RangeTblRef *) join->rarg)->rtindex))
		return node;
	where = without_row(query, join, ((RangeTblRef *) join->rarg)->rtindex);
	if (where == NIL)
		return node;
	query->jointree->quals = (Node *) make_ands_explicit(where);
	return join->larg;
}

/* ---- joins of a relation with itself ---- */

/* What stands in FROM, and the conditions on it, as far as it is joined by inner joins. */
static void
take_apart(Node *node, List **items, List **conditions)
{
	JoinExpr *join = (JoinExpr *) node;
	ListCell *cell;

	if (IsA(node, FromExpr))
	{
		foreach (cell, ((FromExpr *) node)->fromlist)
			take_apart(lfirst(cell), items, conditions);
		*conditions =
			list_concat(*conditions, make_ands_implicit((Expr *) ((FromExpr *) node)->quals));
		return;
	}
	if (!IsA(node, JoinExpr) || join->jointype != JOIN_INNER)
	{
		*items = lappend(*items, node);
		return;
	}
	take_apart(join->larg, items, conditions);
	take_apart(join->rarg, items, conditions);
	*conditions = list_concat(*conditions, make_ands_implicit((Expr *) join->quals));
}

static bool
sees_duplicates(Node *node, void *context)
{
	if (node == NULL || IsA(node, Query))
		return false;
	if (IsA(node, Aggref))
		return ((Aggref *) node)->aggdistinct == NIL;
	return expression_tree_walker(node, sees_duplicates, context);
}

static bool
is_twice(const Query *query, const List *items, int entry)
{
	ListCell *cell;

	foreach (cell, items)
	{
		int other =
			IsA(lfirst(cell), RangeTblRef) ? ((RangeTblRef *) lfirst(cell))->rtindex : entry;

		if (other != entry &&
			rt_fetch(other, query->rtable)->relid == rt_fetch(entry, query->rtable)->relid)
			return true;
	}
	return false;
}

/* Whether an item became a condition. */
static bool
take_item(DpPrivacy *privacy, Query *query, List **items, List **conditions, const Node *item)
{
	int entry = IsA(item, RangeTblRef) ? ((const RangeTblRef *) item)->rtindex : 0;
	List *of_rows = NIL, *rest = NIL;
	ListCell *cell;

	if (entry == 0 || !is_private(privacy, query, item) || !is_twice(query, *items, entry) ||
		is_used(query, entry))
		return false;
	foreach (cell, *items)
		if (lfirst(cell) != item && reads(lfirst(cell), entry))
			return false;
	foreach (cell, *conditions)
		if (reads(lfirst(cell), entry))
			of_rows = lappend(of_rows, lfirst(cell));
		else
			rest = lappend(rest, lfirst(cell));
	if (!are_of_rows(of_rows, entry))
		return false;
	*items = list_delete_ptr(*items, unconstify(Node *, item));
	*conditions = lappend(rest, exists(query, entry, of_rows));
	return true;
}

static void
self_joins_as_exists(DpPrivacy *privacy, Query *query)
{
	List *items = NIL, *conditions = NIL;
	bool any = false;
	ListCell *cell;

	if (!query->hasAggs || sees_duplicates((Node *) query->targetList, NULL) ||
		sees_duplicates(query->havingQual, NULL))
		return;
	take_apart((Node *) query->jointree, &items, &conditions);
	foreach (cell, list_copy(items))
		any |= take_item(privacy, query, &items, &conditions, lfirst(cell));
	if (any)
		query->jointree = makeFromExpr(items, (Node *) make_ands_explicit(conditions));
}

void
dp_joins_as_exists(DpPrivacy *privacy, Query *query)
{
	query->jointree = (FromExpr *) without_missing(privacy, query, (Node *) query->jointree);
	self_joins_as_exists(privacy, query);
}
