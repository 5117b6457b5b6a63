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
 * is WHERE EXISTS (SELECT FROM visits b WHERE b.patient = a.patient AND b.ward = 2). So are joins within IN
 * and EXISTS: account IN (SELECT a.id FROM accounts a JOIN clients c ON c.id = a.client WHERE c.sex = 'f')
 * is account IN (SELECT id FROM accounts WHERE client IN (SELECT id FROM clients WHERE sex = 'f')).
 */
#include "pg/sql/exists_join.h"

#include "nodes/bitmapset.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "parser/parsetree.h"
#include "utils/lsyscache.h"

#include "pg/budget/parent.h"
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

/* Whether there is another private relation in FROM. */
static bool
is_only_private(DpPrivacy *privacy, const Query *query, int entry)
{
	ListCell *cell;

	foreach (cell, dp_entries_in_from((Node *) query->jointree))
		if (lfirst_int(cell) != entry &&
			dp_entry_is_private(privacy, query, rt_fetch(lfirst_int(cell), query->rtable)))
			return false;
	return true;
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

/* Whether a tree has variables of a query around it, or a sub-select that depends on this one. */
static bool
refers_to_other_levels(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (IsA(node, Query))
		return dp_refers_outside(node);
	if (IsA(node, Var))
		return ((Var *) node)->varlevelsup > 0;
	return expression_tree_walker(node, refers_to_other_levels, context);
}

/* What conditions on the rows of an entry say of other entries, where that is that columns are equal; NIL:
 * they say nothing of them, or something else. */
static List *
equalities_of(const List *conditions, int entry)
{
	List *equalities = NIL;
	ListCell *cell;

	foreach (cell, conditions)
	{
		OpExpr *equal = lfirst(cell);

		if (refers_to_other_levels((Node *) equal, NULL))
			return NIL;
		if (dp_reads_only((Node *) equal, entry))
			continue;
		if (!dp_is_equality((Node *) equal) || !IsA(linitial(equal->args), Var) ||
			!IsA(lsecond(equal->args), Var))
			return NIL;
		equalities = lappend(equalities, equal);
	}
	return equalities;
}

/* ---- EXISTS ---- */

/* EXISTS (SELECT of the rows of an entry). */
static SubLink *
subselect(Query *query, int entry, List *conditions)
{
	SubLink *sublink = makeNode(SubLink);

	sublink->subLinkType = EXISTS_SUBLINK;
	sublink->subselect = (Node *) dp_query_of_entry(query, entry, conditions);
	sublink->location = -1;
	query->hasSubLinks = true;
	return sublink;
}

/* other = (column of the entry), as other IN (SELECT column ...). NULL: it cannot be written so. */
static SubLink *
in(Query *query, int entry, const OpExpr *equal, List *rest)
{
	bool left = ((const Var *) linitial(equal->args))->varno == entry;
	OpExpr *test = copyObject(unconstify(OpExpr *, equal));
	Var *column = list_nth(test->args, left ? 0 : 1), *other = list_nth(test->args, left ? 1 : 0);
	Param *selected = makeNode(Param);
	SubLink *sublink;

	if (left && !OidIsValid(get_commutator(test->opno)))
		return NULL;
	sublink = subselect(query, entry, rest);
	((Query *) sublink->subselect)->targetList = list_make1(makeTargetEntry(
		(Expr *) dp_within_entry((Node *) column, entry), 1, pstrdup("key"), false));
	selected->paramkind = PARAM_SUBLINK;
	selected->paramid = 1;
	selected->paramtype = column->vartype;
	selected->paramtypmod = column->vartypmod;
	selected->paramcollid = column->varcollid;
	selected->location = -1;
	test->opno = left ? get_commutator(test->opno) : test->opno;
	test->opfuncid = InvalidOid;
	set_opfuncid(test);
	test->args = list_make2(other, selected);
	sublink->subLinkType = ANY_SUBLINK;
	sublink->operName = list_make1(makeString(pstrdup("=")));
	sublink->testexpr = (Node *) test;
	return sublink;
}

/* ---- LEFT JOIN ... WHERE b.id IS NULL ---- */

/* Whether a row that is met has a value there, since a strict operator compares it. */
static bool
is_compared(const Var *column, const List *equalities)
{
	ListCell *cell, *argument;

	foreach (cell, equalities)
	{
		const OpExpr *equal = lfirst(cell);

		foreach (argument, equal->args)
		{
			const Var *compared = lfirst(argument);

			if (op_strict(equal->opno) && compared->varno == column->varno &&
				compared->varattno == column->varattno)
				return true;
		}
	}
	return false;
}

/* b.id IS NULL, of a column that is never NULL by itself or that the join compares */
static bool
says_no_row(const Query *query, const Node *condition, int entry, const List *equalities)
{
	const NullTest *test = (const NullTest *) condition;
	const Var *column = IsA(condition, NullTest) ? (const Var *) test->arg : NULL;

	return column != NULL && test->nulltesttype == IS_NULL && IsA(column, Var) &&
		   (int) column->varno == entry && column->varlevelsup == 0 &&
		   (is_compared(column, equalities) ||
			dp_column_not_null(rt_fetch(entry, query->rtable)->relid, column->varattno));
}

/* Whether conditions of other joins read an entry. */
static bool
is_read_elsewhere(const Query *query, JoinExpr *join, int entry)
{
	Node *on = join->quals, *where = query->jointree->quals;
	bool found;

	join->quals = query->jointree->quals = NULL;
	found = reads((Node *) query->jointree, entry);
	join->quals = on;
	query->jointree->quals = where;
	return found;
}

/* WHERE with NOT EXISTS in place of what says that no row of the entry was met; NIL: it says so nowhere. */
static List *
without_row(Query *query, const JoinExpr *join, int entry)
{
	List *on = dp_conjuncts(join->quals, NIL), *where = NIL, *equalities = equalities_of(on, entry);
	bool found = false;
	ListCell *cell;

	foreach (cell, dp_conjuncts(query->jointree->quals, NIL))
	{
		if (says_no_row(query, lfirst(cell), entry, equalities))
			found = true;
		else if (reads(lfirst(cell), entry))
			return NIL;
		else
			where = lappend(where, lfirst(cell));
	}
	return found && equalities != NIL
			   ? lappend(where, makeBoolExpr(NOT_EXPR, list_make1(subselect(query, entry, on)), -1))
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
		is_used(query, ((RangeTblRef *) join->rarg)->rtindex) ||
		is_read_elsewhere(query, join, ((RangeTblRef *) join->rarg)->rtindex) ||
		is_only_private(privacy, query, ((RangeTblRef *) join->rarg)->rtindex))
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
		*conditions = dp_conjuncts(((FromExpr *) node)->quals, *conditions);
		return;
	}
	if (!IsA(node, JoinExpr) || join->jointype != JOIN_INNER)
	{
		*items = lappend(*items, node);
		return;
	}
	take_apart(join->larg, items, conditions);
	take_apart(join->rarg, items, conditions);
	*conditions = dp_conjuncts(join->quals, *conditions);
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

/* The conditions on an entry; rest: on others alone. */
static List *
conditions_on(const List *conditions, int entry, List **rest)
{
	List *on = NIL;
	ListCell *cell;

	*rest = NIL;
	foreach (cell, conditions)
		if (reads(lfirst(cell), entry))
			on = lappend(on, lfirst(cell));
		else
			*rest = lappend(*rest, lfirst(cell));
	return on;
}

/* The entry that an item is, and that no other item reads; 0: it is none. */
static int
entry_of(const List *items, const Node *item)
{
	int entry = IsA(item, RangeTblRef) ? ((const RangeTblRef *) item)->rtindex : 0;
	ListCell *cell;

	foreach (cell, items)
		if (lfirst(cell) != item && reads(lfirst(cell), entry))
			return 0;
	return entry;
}

/* Whether the column of an entry that equals another one says whose its rows are. */
static bool
is_by_owner(DpPrivacy *privacy, const Query *query, const OpExpr *equal, int entry)
{
	const Var *column = linitial(equal->args);
	bool below;

	return dp_says_whose(privacy, query, column->varno == entry ? column : lsecond(equal->args),
						 &below);
}

/* Whether an item became a condition. */
static bool
take_item(DpPrivacy *privacy, Query *query, List **items, List **conditions, const Node *item)
{
	int entry = entry_of(*items, item);
	List *on, *rest, *equalities;

	if (entry == 0 || !is_private(privacy, query, item) || !is_twice(query, *items, entry) ||
		is_used(query, entry))
		return false;
	on = conditions_on(*conditions, entry, &rest);
	equalities = equalities_of(on, entry);
	if (list_length(equalities) != 1 || !is_by_owner(privacy, query, linitial(equalities), entry))
		return false;
	*items = list_delete_ptr(*items, unconstify(Node *, item));
	*conditions = lappend(rest, subselect(query, entry, on));
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

/* ---- joins within IN and EXISTS ---- */

/* Whether rows of other items belong to rows of this entry. */
static bool
is_above(const Query *query, const List *items, int entry)
{
	DpDataset dataset;
	ListCell *cell;

	foreach (cell, items)
		if (IsA(lfirst(cell), RangeTblRef) &&
			dp_dataset_find(rt_fetch(((RangeTblRef *) lfirst(cell))->rtindex, query->rtable)->relid,
							false, &dataset) &&
			list_member_oid(dp_dataset_parents(&dataset), rt_fetch(entry, query->rtable)->relid))
			return true;
	return false;
}

/* Makes an item IN of another one: a public table, or what its rows belong to. */
static bool
item_as_in(DpPrivacy *privacy, Query *query, List **items, List **conditions, const Node *item)
{
	int entry = entry_of(*items, item);
	List *on, *rest, *equalities;
	SubLink *nested;

	if (entry == 0 || is_used(query, entry) ||
		rt_fetch(entry, query->rtable)->rtekind != RTE_RELATION ||
		(is_private(privacy, query, item) && !is_above(query, *items, entry)))
		return false;
	on = conditions_on(*conditions, entry, &rest);
	equalities = equalities_of(on, entry);
	if (list_length(equalities) != 1)
		return false;
	nested = in(query, entry, linitial(equalities),
				list_delete_ptr(list_copy(on), linitial(equalities)));
	if (nested == NULL)
		return false;
	*items = list_delete_ptr(*items, unconstify(Node *, item));
	*conditions = lappend(rest, nested);
	return true;
}

void
dp_joins_as_in(DpPrivacy *privacy, Query *query)
{
	List *items = NIL, *conditions = NIL;
	Query nested = *query;
	bool any = true;
	ListCell *cell;

	take_apart((Node *) query->jointree, &items, &conditions);
	while (any && list_length(items) > 1)
	{
		any = false;
		foreach (cell, list_copy(items))
			any |= item_as_in(privacy, &nested, &items, &conditions, lfirst(cell));
	}
	if (list_length(items) > 1 || !IsA(linitial(items), RangeTblRef))
		return;
	query->hasSubLinks = nested.hasSubLinks;
	query->jointree =
		makeFromExpr(items, conditions == NIL ? NULL : (Node *) make_ands_explicit(conditions));
}

void
dp_joins_as_exists(DpPrivacy *privacy, Query *query)
{
	query->jointree = (FromExpr *) without_missing(privacy, query, (Node *) query->jointree);
	self_joins_as_exists(privacy, query);
}
