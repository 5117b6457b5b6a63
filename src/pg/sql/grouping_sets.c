/*
 * grouping_sets.c -- GROUPING SETS, ROLLUP and CUBE: a question for each of the groupings.
 *
 * SELECT a, b, count(*) ... GROUP BY ROLLUP (a, b) is three SELECTs, of which UNION ALL is read. Each is
 * paid for and stored as if it had been written by itself.
 */
#include "pg/sql/grouping_sets.h"

#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "rewrite/rewriteManip.h"

#include "pg/sql/answer_call.h"

/* One of the groupings: which column (from 1) of its answer a column of all is; 0: it has none. */
typedef struct Grouping
{
	const DpCarried *all;
	const DpGroupingSet *set;
	const List *groupings;
	AttrNumber *place;
	Index depth; /* of the sub-select at hand */
} Grouping;

/* The value of a column in a grouping that lacks it. */
static Node *
without_column(const Grouping *grouping, const DpAnswerColumn *column)
{
	int32 bits = 0;
	ListCell *cell;

	if (column->part != DP_PART_GROUPING)
		return (Node *) makeNullConst(column->type, column->typmod, column->collation);
	foreach (cell, (const List *) list_nth(grouping->groupings, column->number))
		bits = bits << 1 | !bms_is_member(lfirst_int(cell), grouping->set->groups);
	return (Node *) makeConst(INT4OID, -1, InvalidOid, sizeof(int32), Int32GetDatum(bits), false,
							  true);
}

static Node *
column_of(const Grouping *grouping, int i)
{
	const DpAnswerColumn *column = list_nth(grouping->all->columns, i);

	return grouping->place[i] == 0 ? without_column(grouping, column)
								   : (Node *) makeVar(1, grouping->place[i], column->type,
													  column->typmod, column->collation, 0);
}

static Node *
put_columns(Node *node, void *context)
{
	Grouping *grouping = context;

	if (node == NULL)
		return NULL;
	if (IsA(node, Query))
	{
		Node *query;

		grouping->depth++;
		query = (Node *) query_tree_mutator((Query *) node, put_columns, grouping, 0);
		grouping->depth--;
		return query;
	}
	if (!IsA(node, Var) || ((Var *) node)->varlevelsup != grouping->depth)
		return expression_tree_mutator(node, put_columns, grouping);
	node = column_of(grouping, ((Var *) node)->varattno - 1);
	IncrementVarSublevelsUp(node, (int) grouping->depth, 0);
	return node;
}

/* The question of a grouping. */
static DpCarried
carried_of(Grouping *grouping)
{
	DpCarried carried = *grouping->all;
	const DpGroupingSet *set = grouping->set;
	ListCell *cell;

	carried.groups = carried.columns = NIL;
	for (int g = -1; (g = bms_next_member(set->groups, g)) >= 0;)
		carried.groups = lappend(carried.groups, list_nth(grouping->all->groups, g));
	grouping->place = palloc0(sizeof(AttrNumber) * (list_length(grouping->all->columns) + 1));
	foreach (cell, grouping->all->columns)
	{
		DpAnswerColumn *column = palloc(sizeof(DpAnswerColumn));

		*column = *(DpAnswerColumn *) lfirst(cell);
		if (column->part == DP_PART_GROUPING ||
			(column->part == DP_PART_GROUP && !bms_is_member(column->number, set->groups)))
			continue;
		if (column->part == DP_PART_GROUP)
			column->number = bms_member_index(set->groups, column->number);
		carried.columns = lappend(carried.columns, column);
		grouping->place[foreach_current_index(cell)] = (AttrNumber) list_length(carried.columns);
	}
	carried.expressions = (List *) put_columns((Node *) carried.expressions, grouping);
	return carried;
}

/* Whether a condition is of groups that a grouping has. */
static bool
holds_of(const Grouping *grouping, Node *condition)
{
	ListCell *cell;

	foreach (cell, pull_vars_of_level(condition, 0))
		if (grouping->place[lfirst_node(Var, cell)->varattno - 1] == 0)
			return false;
	return true;
}

static RangeTblRef *
reference_to(int entry)
{
	RangeTblRef *reference = makeNode(RangeTblRef);

	reference->rtindex = entry;
	return reference;
}

static Query *
query_of(Grouping *grouping, const List *conditions)
{
	DpCarried carried = carried_of(grouping);
	Query *query = makeNode(Query);
	RangeTblEntry *entry = dp_answer_entry(&carried);
	List *holding = NIL;
	ListCell *cell;

	foreach (cell, conditions)
		if (holds_of(grouping, lfirst(cell)))
			holding = lappend(holding, put_columns(lfirst(cell), grouping));
	query->commandType = CMD_SELECT;
	query->canSetTag = true;
	query->rtable = list_make1(entry);
	query->jointree = makeFromExpr(list_make1(reference_to(1)),
								   holding == NIL ? NULL : (Node *) make_ands_explicit(holding));
	foreach (cell, grouping->all->columns)
	{
		const DpAnswerColumn *column = lfirst(cell);
		int i = foreach_current_index(cell);

		query->targetList = lappend(
			query->targetList, makeTargetEntry((Expr *) column_of(grouping, i),
											   (AttrNumber) (i + 1), pstrdup(column->name), false));
	}
	query->hasSubLinks =
		checkExprHasSubLink((Node *) entry->functions) || checkExprHasSubLink((Node *) holding);
	return query;
}

static RangeTblEntry *
entry_of(Query *query, const char *name)
{
	RangeTblEntry *entry = makeNode(RangeTblEntry);
	ListCell *cell;

	entry->rtekind = RTE_SUBQUERY;
	entry->subquery = query;
	entry->eref = makeAlias(name, NIL);
	entry->inFromCl = true;
	foreach (cell, query->targetList)
		entry->eref->colnames = lappend(
			entry->eref->colnames, makeString(pstrdup(lfirst_node(TargetEntry, cell)->resname)));
	return entry;
}

static Node *
united(const DpCarried *carried, Node *above, Node *below)
{
	SetOperationStmt *both = makeNode(SetOperationStmt);
	ListCell *cell;

	both->op = SETOP_UNION;
	both->all = true;
	both->larg = above;
	both->rarg = below;
	foreach (cell, carried->columns)
	{
		const DpAnswerColumn *column = lfirst(cell);

		both->colTypes = lappend_oid(both->colTypes, column->type);
		both->colTypmods = lappend_int(both->colTypmods, column->typmod);
		both->colCollations = lappend_oid(both->colCollations, column->collation);
	}
	return (Node *) both;
}

RangeTblEntry *
dp_grouping_sets_entry(const DpCarried *carried, const List *sets, const List *groupings,
					   const List *conditions)
{
	Query *all = makeNode(Query);
	ListCell *cell;

	all->commandType = CMD_SELECT;
	all->canSetTag = true;
	all->jointree = makeFromExpr(NIL, NULL);
	foreach (cell, sets)
	{
		Grouping grouping = {.all = carried, .set = lfirst(cell), .groupings = groupings};
		Query *query = query_of(&grouping, conditions);
		Node *reference = (Node *) reference_to(foreach_current_index(cell) + 1);

		all->rtable = lappend(all->rtable, entry_of(query, "grouping"));
		all->setOperations =
			all->setOperations == NULL ? reference : united(carried, all->setOperations, reference);
	}
	if (list_length(sets) == 1)
		return entry_of(linitial_node(RangeTblEntry, all->rtable)->subquery, "answer");
	foreach (cell, carried->columns)
	{
		const DpAnswerColumn *column = lfirst(cell);
		AttrNumber number = (AttrNumber) (foreach_current_index(cell) + 1);

		all->targetList = lappend(
			all->targetList, makeTargetEntry((Expr *) makeVar(1, number, column->type,
															  column->typmod, column->collation, 0),
											 number, pstrdup(column->name), false));
	}
	return entry_of(all, "answer");
}
