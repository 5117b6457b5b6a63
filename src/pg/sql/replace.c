/*
 * replace.c -- an aggregating query taken apart: the question that it asks, and the query that
 * computes the rest from the answer.
 */
#include "pg/sql/rewrite.h"

#include "access/transam.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "nodes/parsenodes.h"
#include "nodes/primnodes.h"
#include "optimizer/tlist.h"
#include "parser/parse_agg.h"
#include "parser/parsetree.h"
#include "parser/parse_relation.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"

#include "pg/server/compat.h"
#include "pg/server/compat_query.h"
#include "pg/server/labels.h"
#include "pg/server/numbers.h"
#include "pg/sql/absorb.h"
#include "pg/sql/answer_call.h"
#include "pg/sql/carried.h"
#include "pg/sql/composed_aggregate.h"
#include "pg/sql/existing_groups.h"
#include "pg/sql/expression_interval.h"
#include "pg/sql/grouping_sets.h"
#include "pg/sql/refuse.h"

#define GROUPINGS_MAX 64 /* of a statement: each is a question */

bool
dp_aggregates(const Query *query)
{
	return query->hasAggs || query->groupClause != NIL || query->groupingSets != NIL ||
		   (query->distinctClause != NIL && !query->hasDistinctOn && !query->hasWindowFuncs);
}

bool
dp_is_correlated(const Query *query)
{
	return dp_refers_outside((Node *) query);
}

/* ---- what is asked ---- */

/* A query while it is replaced by an answer. Its columns are those of the answer. */
typedef struct Taken
{
	DpPrivacy *privacy;
	DpCarried carried;
	List *aggregates; /* Aggref *, of the measures */
	List *sets;       /* DpGroupingSet *; NIL: the groups are one grouping */
	List *groupings;  /* of GROUPING(...): lists of numbers of groups */
	List *references; /* of int: of the groups, in the clauses; 0 is none */
	Index depth;      /* of the sub-select at hand, below the query */
	bool of_interval; /* the expression is one whose interval is asked for */
} Taken;

static DpClausePlace
place(const Taken *taken, Node *node)
{
	return (DpClausePlace){taken->privacy->text, exprLocation(node)};
}

/* The column of the answer, as a variable at the depth at hand. */
static Node *
column(Taken *taken, DpAnswerColumn wanted)
{
	List *columns = taken->carried.columns;
	DpAnswerColumn *added;
	int i = 0;

	for (; i < list_length(columns); i++)
	{
		const DpAnswerColumn *has = list_nth(columns, i);

		if (has->part == wanted.part && has->number == wanted.number &&
			has->of_expression == wanted.of_expression)
			break;
	}
	if (i == list_length(columns))
	{
		added = palloc(sizeof(DpAnswerColumn));
		*added = wanted;
		taken->carried.columns = lappend(columns, added);
	}
	return (Node *) makeVar(1, (AttrNumber) (i + 1), wanted.type, wanted.typmod, wanted.collation,
							taken->depth);
}

static const char *
group_name(const Taken *taken, Node *group)
{
	const Var *variable = (const Var *) group;

	return IsA(group, Var) && variable->varattno > 0
			   ? get_rte_attribute_name(rt_fetch(variable->varno, taken->carried.rtable),
										variable->varattno)
			   : "group";
}

static Node *
group_column(Taken *taken, int number)
{
	Node *group = list_nth(taken->carried.groups, number);

	return column(taken, (DpAnswerColumn){.part = DP_PART_GROUP,
										  .number = number,
										  .type = exprType(group),
										  .typmod = exprTypmod(group),
										  .collation = exprCollation(group),
										  .name = group_name(taken, group)});
}

/* The number of the measure that an aggregate is; equal ones are one. */
static int
measure_number(Taken *taken, Aggref *aggregate)
{
	Aggref *own = copyObject(aggregate);
	int i = 0;
	ListCell *cell;

	IncrementVarSublevelsUp((Node *) own, -(int) taken->depth, taken->depth);
	foreach (cell, taken->aggregates)
	{
		if (equal(lfirst(cell), own))
			return i;
		i++;
	}
	taken->aggregates = lappend(taken->aggregates, own);
	taken->carried.measures =
		lappend(taken->carried.measures, dp_carried_measure(own, taken->privacy->text));
	return i;
}

static Node *
measure_column(Taken *taken, Aggref *aggregate, DpAnswerPart part)
{
	Oid type = part == DP_PART_ESTIMATE ? aggregate->aggtype : FLOAT8OID;

	return column(taken, (DpAnswerColumn){.part = part,
										  .number = measure_number(taken, aggregate),
										  .type = type,
										  .typmod = -1,
										  .name = get_func_name(aggregate->aggfnoid)});
}

/* The group to which a clause refers; -1: it is a constant. */
static int
group_referred_to(const Taken *taken, int reference)
{
	ListCell *cell;

	foreach (cell, taken->references)
	{
		const List *pair = lfirst(cell);

		if (linitial_int(pair) == reference)
			return lsecond_int(pair);
	}
	return -1;
}

/* The group that an expression is; -1: it is none. */
static int
group_number(const Taken *taken, Node *node)
{
	int i = 0;
	ListCell *cell;

	foreach (cell, taken->carried.groups)
	{
		Node *group = lfirst(cell);

		if (taken->depth > 0)
		{
			group = copyObject(group);
			IncrementVarSublevelsUp(group, (int) taken->depth, 0);
		}
		if (equal(group, node))
			return i;
		i++;
	}
	return -1;
}

static Node *take(Node *node, void *context);

/* The number of an expression of the answer's columns whose interval a call asks for. */
static int
expression_number(Taken *taken, FuncExpr *call, Node *expression)
{
	List **expressions = &taken->carried.expressions;
	Node *own;
	int i = 0;
	ListCell *cell;

	taken->of_interval = true;
	own = take(copyObject(expression), taken);
	taken->of_interval = false;
	if (taken->depth > 0 || checkExprHasSubLink(own) || contain_volatile_functions(own) ||
		contain_windowfuncs(own) || (!dp_is_number(exprType(own)) && exprType(own) != CASHOID))
		dp_refuse_clause(place(taken, (Node *) call), "the interval of this expression",
						 "dp_low, dp_high and dp_std_error take an aggregate, or a number that is "
						 "computed from aggregates without sub-selects and windows.");
	foreach (cell, *expressions)
	{
		if (equal(lfirst(cell), own))
			return i;
		i++;
	}
	*expressions = lappend(*expressions, own);
	return i;
}

/* dp_low(count(*)) and the like. */
static Node *
interval_column(Taken *taken, FuncExpr *call, DpAnswerPart part)
{
	Node *argument = linitial(call->args);

	while (IsA(argument, RelabelType))
		argument = (Node *) ((RelabelType *) argument)->arg;
	if (IsA(argument, Aggref) && ((Aggref *) argument)->agglevelsup == taken->depth &&
		dp_composed_aggregate((Aggref *) argument, false) == NULL)
		return measure_column(taken, (Aggref *) argument, part);
	return column(taken, (DpAnswerColumn){.part = part,
										  .number = expression_number(taken, call, argument),
										  .of_expression = true,
										  .type = FLOAT8OID,
										  .typmod = -1,
										  .name = "interval"});
}

/* Each aggregate is a measure. */
static Node *
take_measures(Node *node, void *context)
{
	if (node == NULL)
		return NULL;
	if (IsA(node, Aggref))
		return measure_column(context, (Aggref *) node, DP_PART_ESTIMATE);
	return expression_tree_mutator(node, take_measures, context);
}

/* bool_or, bool_and and every, by the number of rows that decide them. */

/*
 * count(*) FILTER (WHERE x) for bool_or(x), and count(*) FILTER (WHERE NOT x) for bool_and(x): if there
 * is such a row, the first is true, and the second false. NULL: it is another aggregate.
 */
static Aggref *
deciding_rows(const Aggref *aggregate, bool *is_and)
{
	Aggref *rows;
	Expr *decides;

	if (aggregate->aggfnoid != F_BOOL_OR && aggregate->aggfnoid != F_BOOL_AND &&
		aggregate->aggfnoid != F_EVERY)
		return NULL;
	*is_and = aggregate->aggfnoid != F_BOOL_OR;
	decides = copyObject(linitial_node(TargetEntry, aggregate->args)->expr);
	if (*is_and)
		decides = makeBoolExpr(NOT_EXPR, list_make1(decides), -1);
	if (aggregate->aggfilter != NULL)
		decides = makeBoolExpr(AND_EXPR, list_make2(copyObject(aggregate->aggfilter), decides), -1);
	rows = copyObject((Aggref *) aggregate);
	rows->aggfnoid = F_COUNT_;
	rows->aggtype = rows->aggtranstype = INT8OID;
	rows->args = rows->aggargtypes = rows->aggdistinct = rows->aggorder = NIL;
	rows->aggstar = true;
	rows->aggfilter = decides;
	return rows;
}

/* The aggregate, by the low end of the interval of that count: whether noise alone cannot explain that
 * there are such rows. */
static Node *
decided(Node *low, bool is_and)
{
	Const *none = makeConst(FLOAT8OID, -1, InvalidOid, sizeof(float8), Float8GetDatum(0), false,
							FLOAT8PASSBYVAL);
	Expr *is_there = (Expr *) makeFuncExpr(F_FLOAT8GT, BOOLOID, list_make2(low, none), InvalidOid,
										   InvalidOid, COERCE_EXPLICIT_CALL);

	return (Node *) (is_and ? makeBoolExpr(NOT_EXPR, list_make1(is_there), -1) : is_there);
}

static Node *
aggregate_column(Taken *taken, Aggref *aggregate)
{
	bool is_and;
	Node *composed = dp_composed_aggregate(aggregate, !taken->of_interval);
	Aggref *rows = composed == NULL ? deciding_rows(aggregate, &is_and) : NULL;

	if (composed != NULL)
		return take_measures(composed, taken);
	return rows != NULL ? decided(measure_column(taken, rows, DP_PART_LOW), is_and)
						: measure_column(taken, aggregate, DP_PART_ESTIMATE);
}

/* GROUPING(a, b): without sets of groups all are groups. */
static Node *
grouping_column(Taken *taken, const GroupingFunc *grouping)
{
	List *groups = NIL;
	int number;
	ListCell *cell;

	if (taken->sets == NIL)
		return (Node *) makeConst(INT4OID, -1, InvalidOid, sizeof(int32), Int32GetDatum(0), false,
								  true);
	foreach (cell, grouping->refs)
		groups = lappend_int(groups, group_referred_to(taken, lfirst_int(cell)));
	for (number = 0; number < list_length(taken->groupings); number++)
		if (equal(list_nth(taken->groupings, number), groups))
			break;
	if (number == list_length(taken->groupings))
		taken->groupings = lappend(taken->groupings, groups);
	return column(taken, (DpAnswerColumn){.part = DP_PART_GROUPING,
										  .number = number,
										  .type = INT4OID,
										  .typmod = -1,
										  .name = "grouping"});
}

static Node *
take(Node *node, void *context)
{
	Taken *taken = context;
	DpAnswerPart part;
	int group;

	if (node == NULL)
		return NULL;
	if (IsA(node, Query))
	{
		taken->depth++;
		node = (Node *) query_tree_mutator((Query *) node, take, context, 0);
		taken->depth--;
		return node;
	}
	group = group_number(taken, node);
	if (group >= 0)
		return group_column(taken, group);
	if (IsA(node, Aggref) && ((Aggref *) node)->agglevelsup == taken->depth)
		return aggregate_column(taken, (Aggref *) node);
	if (IsA(node, FuncExpr) && dp_interval_function(((FuncExpr *) node)->funcid, &part))
		return interval_column(taken, (FuncExpr *) node, part);
	if (IsA(node, GroupingFunc) && ((GroupingFunc *) node)->agglevelsup == taken->depth)
		return grouping_column(taken, (GroupingFunc *) node);
	if (IsA(node, Var) && ((Var *) node)->varlevelsup == taken->depth)
		dp_refuse_clause(place(taken, node), "a column that is not in GROUP BY",
						 "Name it in GROUP BY.");
	return expression_tree_mutator(node, take, context);
}

/* ---- groups ---- */

/* Columns that the key of their table determines, which is a group. */
static bool
add_dependent_groups(Node *node, void *context)
{
	Taken *taken = context;

	if (node == NULL || IsA(node, Aggref) || IsA(node, SubLink) || group_number(taken, node) >= 0)
		return false;
	if (IsA(node, Var) && ((Var *) node)->varlevelsup == 0)
		taken->carried.groups = lappend(taken->carried.groups, node);
	return expression_tree_walker(node, add_dependent_groups, context);
}

static DpGroupingSet *
grouping_set(const Taken *taken, const List *references)
{
	DpGroupingSet *set = palloc0(sizeof(DpGroupingSet));
	ListCell *cell;

	foreach (cell, references)
	{
		int group = group_referred_to(taken, lfirst_int(cell));

		if (group >= 0)
			set->groups = bms_add_member(set->groups, group);
	}
	return set;
}

/* Constants are no groups, unless some rows are NULL there: there is one group of all rows. */
static void
take_groups(Taken *taken, Query *query)
{
	List *clauses = query->groupClause;
	ListCell *cell;

	if (clauses == NIL && !query->hasAggs)
		clauses = query->distinctClause;
	foreach (cell, clauses)
	{
		Node *group = get_sortgroupclause_expr(lfirst(cell), query->targetList);

		if ((contain_vars_of_level(group, 0) || query->groupingSets != NIL) &&
			!list_member(taken->carried.groups, group))
			taken->carried.groups = lappend(taken->carried.groups, group);
		taken->references =
			lappend(taken->references,
					list_make2_int((int) lfirst_node(SortGroupClause, cell)->tleSortGroupRef,
								   group_number(taken, group)));
	}
	foreach (cell, expand_grouping_sets(query->groupingSets, query->groupDistinct, GROUPINGS_MAX))
		taken->sets = lappend(taken->sets, grouping_set(taken, lfirst(cell)));
	if (query->groupingSets != NIL && taken->sets == NIL)
		dp_refuse_clause((DpClausePlace){taken->privacy->text, -1}, "a CUBE of so many groups",
						 "Name the groupings that are needed with GROUPING SETS.");
	if (query->constraintDeps != NIL)
	{
		(void) add_dependent_groups((Node *) query->targetList, taken);
		(void) add_dependent_groups(query->havingQual, taken);
	}
	for (int i = 0; i < list_length(taken->carried.groups); i++)
		(void) group_column(taken, i);
}

/* ---- groups that WHERE rules out ---- */

/* Whether a condition compares groups with constants, by PostgreSQL's own operators: it has no error,
 * and needs nothing but the groups. */
static bool
is_of_groups(Node *node, const Taken *taken)
{
	List *parts;
	ListCell *cell;

	if (node == NULL)
		return true;
	if (IsA(node, Const) || IsA(node, Param) || group_number(taken, node) >= 0)
		return true;
	if (IsA(node, RelabelType))
		return is_of_groups((Node *) ((RelabelType *) node)->arg, taken);
	if (IsA(node, NullTest))
		return is_of_groups((Node *) ((NullTest *) node)->arg, taken);
	if (IsA(node, BoolExpr))
		parts = ((BoolExpr *) node)->args;
	else if (IsA(node, ArrayExpr))
		parts = ((ArrayExpr *) node)->elements;
	else if (IsA(node, OpExpr) && exprType(node) == BOOLOID &&
			 ((OpExpr *) node)->opno < FirstUnpinnedObjectId)
		parts = ((OpExpr *) node)->args;
	else if (IsA(node, ScalarArrayOpExpr) &&
			 ((ScalarArrayOpExpr *) node)->opno < FirstUnpinnedObjectId)
		parts = ((ScalarArrayOpExpr *) node)->args;
	else
		return false;
	foreach (cell, parts)
		if (!is_of_groups(lfirst(cell), taken))
			return false;
	return true;
}

/* All of a WHERE that must hold and is of groups. What an outer join can leave out need not hold. */
static void
collect_conditions(Node *node, const Taken *taken, List **conditions)
{
	ListCell *cell;

	if (node == NULL || IsA(node, RangeTblRef))
		return;
	if (IsA(node, FromExpr))
	{
		foreach (cell, ((FromExpr *) node)->fromlist)
			collect_conditions(lfirst(cell), taken, conditions);
		collect_conditions(((FromExpr *) node)->quals, taken, conditions);
	}
	else if (IsA(node, JoinExpr))
	{
		const JoinExpr *join = (const JoinExpr *) node;

		if (join->jointype != JOIN_INNER && join->jointype != JOIN_LEFT)
			return;
		collect_conditions(join->larg, taken, conditions);
		if (join->jointype == JOIN_LEFT)
			return;
		collect_conditions(join->rarg, taken, conditions);
		collect_conditions(join->quals, taken, conditions);
	}
	else if (is_andclause(node))
		foreach (cell, ((BoolExpr *) node)->args)
			collect_conditions(lfirst(cell), taken, conditions);
	else if (is_of_groups(node, taken))
		*conditions = lappend(*conditions, node);
}

/* Groups with public values are returned whether or not there are rows in them, except those that
 * WHERE rules out by their values alone. */
static List *
ruling_out(Taken *taken, Query *query)
{
	List *conditions = NIL;

	if (taken->carried.groups == NIL)
		return NIL;
	collect_conditions((Node *) taken->carried.jointree, taken, &conditions);
	conditions =
		list_concat(conditions, dp_existing_groups(taken->privacy, query, taken->carried.groups));
	return (List *) take((Node *) conditions, taken);
}

/* ---- the relations ---- */

static void
check_entry(DpPrivacy *privacy, const RangeTblEntry *entry, bool is_private)
{
	DpClausePlace nowhere = {privacy->text, -1};

	if (entry->tablesample != NULL)
		dp_refuse_clause(nowhere, "TABLESAMPLE", "Ask about all rows.");
	if (entry->rtekind == RTE_RELATION && !entry->inh)
		dp_refuse_clause(nowhere, "ONLY", "Name the relation without it.");
	if (!is_private && entry->securityQuals != NIL)
		dp_refuse_clause(
			nowhere,
			psprintf("a join with relation %s, which has row security,", entry->eref->aliasname),
			"A public table has no row security.");
	if (entry->rtekind == RTE_SUBQUERY && dp_selects_from_answer(entry->subquery))
		dp_refuse_clause(
			nowhere,
			psprintf("a join of rows with the noisy numbers of \"%s\"", entry->eref->aliasname),
			"Use them as a sub-select of one value, or join two answers.");
	if (entry->rtekind != RTE_RELATION && entry->rtekind != RTE_SUBQUERY)
		dp_refuse_clause(
			nowhere, psprintf("a join with \"%s\", which is no relation,", entry->eref->aliasname),
			entry->rtekind == RTE_VALUES
				? "Compare a column whose values differ by =, or ends of ranges that do not "
				  "overlap. In LEFT JOIN from it, group by it and count columns of the rows."
				: "Join it with an answer: FROM d LEFT JOIN (SELECT ..., count(*) FROM ... GROUP "
				  "BY "
				  "...) q ON q.day = d.day.");
}

static void
check_entries(DpPrivacy *privacy, const Query *query)
{
	ListCell *cell;

	foreach (cell, dp_entries_in_from((Node *) query->jointree))
	{
		const RangeTblEntry *entry = rt_fetch(lfirst_int(cell), query->rtable);

		check_entry(privacy, entry, dp_entry_is_private(privacy, query, entry));
		if (entry->rtekind == RTE_SUBQUERY)
			check_entries(privacy, entry->subquery);
	}
}

List *
dp_kept_entries(DpPrivacy *privacy, Query *query, const Query *of, List *kept)
{
	ListCell *cell;

	check_stack_depth();
	foreach (cell, of->rtable)
	{
		const RangeTblEntry *entry = lfirst_node(RangeTblEntry, cell);
		RangeTblEntry *copy;

		if (entry->rtekind == RTE_SUBQUERY && entry->subquery != NULL)
			kept = dp_kept_entries(privacy, query, entry->subquery, kept);
		if (entry->rtekind == RTE_RELATION ? dp_entry_is_private(privacy, of, entry)
										   : !OidIsValid(entry->relid))
			continue;
		copy = dp_entry_of_rights(query, of, entry);
		copy->rtekind = RTE_RELATION;
		copy->subquery = NULL;
		copy->inFromCl = false;
		copy->lateral = false;
		kept = lappend(kept, copy);
	}
	return kept;
}

/* ---- all of it ---- */

static void
read_answer(Query *query, const Taken *taken, List *conditions, List *kept)
{
	RangeTblRef *reference = makeNode(RangeTblRef);
	RangeTblEntry *entry =
		taken->sets == NIL
			? dp_answer_entry(&taken->carried)
			: dp_grouping_sets_entry(&taken->carried, taken->sets, taken->groupings, conditions);

	if (taken->sets != NIL)
		conditions = NIL;
	if (query->havingQual != NULL)
		conditions = lappend(conditions, query->havingQual);
	reference->rtindex = 1;
	query->jointree = makeFromExpr(
		list_make1(reference), conditions == NIL ? NULL : (Node *) make_ands_explicit(conditions));
	query->rtable = lcons(entry, kept);
	/* what the question waits for is a part of its call now, wherever it stood */
	query->hasSubLinks |=
		checkExprHasSubLink((Node *) entry->functions) || checkExprHasSubLink((Node *) conditions);
	query->havingQual = NULL;
	query->groupClause = query->groupingSets = NIL;
	query->groupDistinct = false;
	query->hasAggs = false;
	query->constraintDeps = NIL;
}

void
dp_replace(DpPrivacy *privacy, Query *query)
{
	Taken taken = {.privacy = privacy};
	List *kept, *conditions;

	if (query->rowMarks != NIL)
		dp_refuse_clause((DpClausePlace){privacy->text, -1}, "FOR UPDATE", NULL);
	check_entries(privacy, query);
	dp_flatten_variables(query);
	kept = dp_kept_entries(privacy, query, query, NIL);
	taken.carried.rtable = query->rtable;
	taken.carried.jointree = query->jointree;
	taken.carried.ask = privacy->how.ask;
	take_groups(&taken, query);
	query->targetList = (List *) take((Node *) query->targetList, &taken);
	query->havingQual = take(query->havingQual, &taken);
	conditions = ruling_out(&taken, query);
	if (taken.carried.columns == NIL)
		dp_refuse_clause((DpClausePlace){privacy->text, -1},
						 "a SELECT without aggregates and groups", NULL);
	read_answer(query, &taken, conditions, kept);
}
