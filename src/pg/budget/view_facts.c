/*
 * view_facts.c -- whether each row of a view depends on the rows of one privacy unit.
 *
 * Noise is calibrated to a unit that comes, goes or changes with its own rows. In a view like
 *
 *	SELECT ward, count(*) OVER (PARTITION BY ward) >= 100 FROM people
 *
 * one person changes the rows of everybody in the ward. So a view is accepted only if this cannot
 * be, by its definition alone:
 *
 *   - its expressions are immutable and see one row (no aggregate, window function, sub-select on
 *     what is not public, LIMIT, ...);
 *   - of the relations that it joins one alone is not public; or all that are not public are joined
 *     along the unit: from the unit column a chain of equalities leads to a column of each, or a
 *     foreign key leads to a row of the unit.
 *
 * Where one relation alone is not public, the unit column may also be an expression of its columns:
 * a row of the view is made of one of its rows, and the value of the expression tells whose that
 * is. A function that returns sets would give a row to several units, so none may stand in it. For
 * the same reason the relation must stand in FROM itself: a column of a sub-query or view could be
 * one of many values a row, or public.
 *
 * Along the chain, a row in which the unit column holds u is made of rows whose own unit columns
 * hold u, or which refer to such a row. An equality of an outer join leads into the side that it
 * fills with NULL, never out of it, since rows of the other side stay where it does not hold. What
 * is missing from a side filled with NULL is a row of u, too. Rows that are read in two places, as
 * those of a partition and of its parent are, must be those of the same unit in both.
 *
 * An SQL function that is declared immutable, and reads a table all the same, is not noticed.
 */
#include "pg/budget/view_facts.h"

#include "access/relation.h"
#include "catalog/pg_class.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "parser/parsetree.h"
#include "rewrite/prs2lock.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "pg/budget/view_level.h"
#include "pg/server/catalog.h"

static void check_query(const DpViewLevel *above, Oid view, Query *query, AttrNumber unit);

static Query *
view_query(Oid view)
{
	Relation relation = relation_open(view, AccessShareLock);
	Query *query = NULL;

	for (int i = 0; relation->rd_rules != NULL && i < relation->rd_rules->numLocks; i++)
		if (relation->rd_rules->rules[i]->event == CMD_SELECT)
			query = copyObject(linitial_node(Query, relation->rd_rules->rules[i]->actions));
	relation_close(relation, AccessShareLock);
	if (query == NULL)
		elog(ERROR, "dpsyn: view %u has no query", view);
	return query;
}

/* Adds the relations that a query names, whatever it names them for. */
static bool
collect_relations(Node *node, List **relations)
{
	if (node == NULL)
		return false;
	if (IsA(node, RangeTblEntry))
	{
		const RangeTblEntry *entry = (const RangeTblEntry *) node;

		if (OidIsValid(entry->relid))
			*relations = list_append_unique_oid(*relations, entry->relid);
		return false;
	}
	if (IsA(node, Query))
		return query_tree_walker((Query *) node, collect_relations, relations,
								 QTW_EXAMINE_RTES_BEFORE);
	return expression_tree_walker(node, collect_relations, relations);
}

List *
dp_view_reads(Oid view)
{
	List *relations = NIL;

	(void) collect_relations((Node *) view_query(view), &relations);
	/* before PostgreSQL 16 a view names itself as OLD and NEW */
	return list_delete_oid(relations, view);
}

/* The query behind an entry, and the view that has it; NULL: it is a table. */
static Query *
query_behind(const DpViewLevel *level, int number, Oid *view)
{
	const RangeTblEntry *entry = dp_view_entry(level, number);

	*view = entry->rtekind == RTE_RELATION ? entry->relid : level->view;
	if (entry->rtekind == RTE_SUBQUERY)
		return entry->subquery;
	return dp_is_view(entry->relid) ? view_query(entry->relid) : NULL;
}

/* Functions and VALUES in FROM are expressions over the row so far. */
static bool
entry_is_secret(DpViewLevel *level, int number)
{
	const RangeTblEntry *entry = dp_view_entry(level, number);
	DpViewLevel below = *level;
	Query *query;

	if (entry->rtekind != RTE_RELATION && entry->rtekind != RTE_SUBQUERY)
		return false;
	if (entry->tablesample != NULL)
		dp_view_refuse(level->view, "TABLESAMPLE");
	if (entry->rtekind == RTE_RELATION &&
		list_member_oid(level->walk->public_relations, entry->relid))
		return false;
	query = query_behind(level, number, &below.view);
	if (query == NULL)
		return true;
	if (below.view != level->view)
		(void) dp_view_check_expression((Node *) query, &below);
	return dp_view_reads_secret((Node *) query, &below);
}

/* Returns the entries below a node of FROM. */
static Bitmapset *
from_collect(DpViewLevel *level, Node *node, bool nullable)
{
	Bitmapset *left = NULL, *right = NULL, *into = NULL;
	ListCell *cell;
	JoinExpr *join;

	if (IsA(node, RangeTblRef))
	{
		int entry = ((RangeTblRef *) node)->rtindex;

		if (entry_is_secret(level, entry))
			level->secret = bms_add_member(level->secret, entry);
		if (nullable)
			level->nullable = bms_add_member(level->nullable, entry);
		return bms_make_singleton(entry);
	}
	if (IsA(node, FromExpr))
	{
		foreach (cell, ((FromExpr *) node)->fromlist)
			left = bms_join(left, from_collect(level, lfirst(cell), nullable));
		dp_view_equalities(level, ((FromExpr *) node)->quals, NULL);
		return left;
	}
	join = castNode(JoinExpr, node);
	if (join->jointype == JOIN_FULL)
		dp_view_refuse(level->view, "FULL JOIN");
	left = from_collect(level, join->larg, nullable || join->jointype == JOIN_RIGHT);
	right = from_collect(level, join->rarg, nullable || join->jointype == JOIN_LEFT);
	if (join->jointype != JOIN_INNER)
		into = bms_copy(join->jointype == JOIN_LEFT ? right : left);
	dp_view_equalities(level, join->quals, into);
	return bms_join(left, right);
}

static void
check_entry(DpViewLevel *level, int entry)
{
	Oid view;
	Query *query = query_behind(level, entry, &view);

	if (query == NULL)
		dp_view_base_add(level, entry);
	else
		check_query(level, view, query, level->tie[entry].column);
}

/* An expression of the columns of one row. */
typedef struct RowExpression
{
	const DpViewLevel *level;
	int entry; /* of that row */
} RowExpression;

static bool
sees_more_than_a_row(Node *node, RowExpression *row)
{
	if (node == NULL)
		return false;
	if (IsA(node, SubLink))
		return true;
	if (IsA(node, Var))
		return dp_view_place(row->level, node).entry != row->entry;
	return expression_tree_walker(node, sees_more_than_a_row, row);
}

/* Whether the unit is a value that is computed from each row of an entry, one value a row. */
static bool
unit_is_computed(const DpViewLevel *level, Node *unit, int entry)
{
	RowExpression row = {level, entry};
	const RangeTblEntry *from = rt_fetch(entry, level->query->rtable);

	/* a column of a sub-query or view may itself be of a public relation, or one of many */
	if (from->rtekind != RTE_RELATION || dp_is_view(from->relid))
		return false;
	return level->alone && !expression_returns_set(unit) && !sees_more_than_a_row(unit, &row);
}

/* unit_expression: that of the column that must hold the unit; NULL: none must. */
static void
check_joins(DpViewLevel *level, Node *unit_expression)
{
	DpViewPlace unit = dp_view_place(level, unit_expression);
	int first = bms_next_member(level->secret, -1);
	int entry = -1;

	if (bms_membership(level->secret) == BMS_SINGLETON)
	{
		if (bms_is_member(first, level->nullable))
			dp_view_refuse(level->view, "an outer join that keeps public rows without a match");
		if (unit.entry == first)
			level->tie[first] = unit;
		else if (unit_expression != NULL && !unit_is_computed(level, unit_expression, first))
			dp_view_refuse(level->view,
						   "a unit_column that is not from the relation whose rows it tells "
						   "apart, one value a row");
		check_entry(level, first);
		return;
	}
	level->alone = false;
	if (unit.entry == 0 || !bms_is_member(unit.entry, level->secret) ||
		bms_is_member(unit.entry, level->nullable))
		dp_view_refuse(
			level->view,
			"a join of relations that are not public, without a unit_column from one of them");
	dp_view_follow_unit(level, unit);
	while ((entry = bms_next_member(level->secret, entry)) >= 0)
	{
		if (level->tie[entry].entry == 0)
			dp_view_refuse(level->view, "a join that is not along the unit");
		check_entry(level, entry);
	}
}

/* unit: the column of the query that must hold the unit; 0: none. */
static void
check_query(const DpViewLevel *above, Oid view, Query *query, AttrNumber unit)
{
	DpViewLevel level = {.walk = above->walk, .view = view, .query = query, .alone = above->alone};
	int entries = list_length(query->rtable) + 1;
	Node *expression = NULL;

	check_stack_depth();
	level.tie = palloc0(sizeof(DpViewPlace) * entries);
	level.parent = palloc0(sizeof(DpViewKey) * entries);
	(void) from_collect(&level, (Node *) query->jointree, false);
	if (bms_is_empty(level.secret) && !dp_view_reads_secret((Node *) query, &level))
		return; /* nobody's rows */
	dp_view_check_constructs(view, query);
	if (unit > 0)
		expression = (Node *) list_nth_node(TargetEntry, query->targetList, unit - 1)->expr;
	if (!bms_is_empty(level.secret))
		check_joins(&level, expression);
}

void
dp_check_view(Oid view, const char *unit_column, List *public_relations)
{
	DpViewWalk walk = {public_relations, NIL};
	DpViewLevel level = {.walk = &walk, .view = view, .query = view_query(view), .alone = true};

	(void) dp_view_check_expression((Node *) level.query, &level);
	check_query(&level, view, level.query, unit_column ? get_attnum(view, unit_column) : 0);
}
