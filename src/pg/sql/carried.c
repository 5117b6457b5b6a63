/*
 * carried.c -- a question within a plan of PostgreSQL, as nodes that it can copy.
 */
#include "pg/sql/carried.h"

#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "pg/sql/absorb.h"
#include "pg/sql/answer_call.h"
#include "pg/sql/session_constants.h"

/* ---- what is known when the plan runs ---- */

static Param *
external(Node *node, List **externals)
{
	Param *param = makeNode(Param);
	int number = 0;
	ListCell *cell;

	foreach (cell, *externals)
	{
		number++;
		if (equal(lfirst(cell), node))
			break;
	}
	if (cell == NULL)
	{
		*externals = lappend(*externals, node);
		number = list_length(*externals);
	}
	param->paramkind = PARAM_EXTERN;
	param->paramid = number;
	param->paramtype = exprType(node);
	param->paramtypmod = exprTypmod(node);
	param->paramcollid = exprCollation(node);
	param->location = exprLocation(node);
	return param;
}

typedef struct Outside
{
	List **externals;
	int depth; /* of the sub-query at hand, below the question */
} Outside;

/* A sub-select that depends on nothing outside of it, and was answered by itself. Taken out of a
 * sub-query it stands one query further out, where a CTE would be another one. */
static bool
is_answered(const SubLink *sublink, const Outside *outside)
{
	return !dp_refers_outside(sublink->subselect) && dp_reads_answer(sublink->subselect) &&
		   (outside->depth == 0 || !dp_reads_outer_cte(sublink->subselect));
}

/* x IN (SELECT ...) of one column as x = ANY (an array); NULL: it is another kind. */
static Node *
as_array(const SubLink *sublink, List **externals)
{
	const OpExpr *test = (const OpExpr *) sublink->testexpr;
	SubLink *array;
	ScalarArrayOpExpr *any;
	Oid type;

	if (sublink->subLinkType != ANY_SUBLINK || test == NULL || !IsA(test, OpExpr) ||
		!IsA(lsecond(test->args), Param) || contain_vars_of_level(lsecond(test->args), 0))
		return NULL;
	type = get_array_type(exprType(lsecond(test->args)));
	if (!OidIsValid(type))
		return NULL;
	array = copyObject((SubLink *) sublink);
	array->subLinkType = ARRAY_SUBLINK;
	array->testexpr = NULL;
	array->operName = NIL;
	any = makeNode(ScalarArrayOpExpr);
	any->opno = test->opno;
	any->opfuncid = test->opfuncid;
	any->useOr = true;
	any->inputcollid = test->inputcollid;
	any->args = list_make2(copyObject(linitial(test->args)), external((Node *) array, externals));
	any->location = sublink->location;
	return (Node *) any;
}

static Node *
take_out(Node *node, void *context)
{
	Outside *outside = context;
	Node *array;

	if (node == NULL)
		return NULL;
	if (IsA(node, Param) && ((Param *) node)->paramkind == PARAM_EXTERN)
		return (Node *) external(node, outside->externals);
	if (IsA(node, SubLink) && is_answered((SubLink *) node, outside))
	{
		if (((SubLink *) node)->subLinkType == EXPR_SUBLINK)
			return (Node *) external(node, outside->externals);
		array = as_array((SubLink *) node, outside->externals);
		if (array != NULL)
			return array;
	}
	if (IsA(node, Query))
	{
		outside->depth++;
		node = (Node *) query_tree_mutator((Query *) node, take_out, context, 0);
		outside->depth--;
		return node;
	}
	return expression_tree_mutator(node, take_out, context);
}

static Node *
put_in(Node *node, void *values)
{
	if (node == NULL)
		return NULL;
	if (IsA(node, Param) && ((Param *) node)->paramkind == PARAM_EXTERN)
		return list_nth(values, ((Param *) node)->paramid - 1);
	if (IsA(node, Query))
		return (Node *) query_tree_mutator((Query *) node, put_in, values, 0);
	return expression_tree_mutator(node, put_in, values);
}

/* ---- parts as nodes ---- */

static List *
measure_numbers(const DpCarriedMeasure *measure)
{
	return list_make5_int(measure->kind, measure->descending, measure->distinct, measure->location,
						  measure->pair);
}

static List *
measure_trees(const DpCarriedMeasure *measure)
{
	return list_make4(measure->argument, measure->filter, measure->fraction, measure->other);
}

static DpCarriedMeasure *
unpack_measure(const List *numbers, const List *trees)
{
	DpCarriedMeasure *measure = palloc0(sizeof(DpCarriedMeasure));

	measure->kind = linitial_int(numbers);
	measure->descending = lsecond_int(numbers) != 0;
	measure->distinct = lthird_int(numbers) != 0;
	measure->location = lfourth_int(numbers);
	measure->pair = list_nth_int(numbers, 4);
	measure->argument = linitial(trees);
	measure->filter = lsecond(trees);
	measure->fraction = lthird(trees);
	measure->other = lfourth(trees);
	return measure;
}

static List *
pack_column(const DpAnswerColumn *column)
{
	return lappend_int(list_make5_int(column->part, column->number, (int) column->type,
									  column->typmod, (int) column->collation),
					   column->of_expression);
}

static DpAnswerColumn *
unpack_column(const List *numbers)
{
	DpAnswerColumn *column = palloc0(sizeof(DpAnswerColumn));

	column->part = linitial_int(numbers);
	column->number = lsecond_int(numbers);
	column->type = (Oid) lthird_int(numbers);
	column->typmod = lfourth_int(numbers);
	column->collation = (Oid) list_nth_int(numbers, 4);
	column->of_expression = list_nth_int(numbers, 5) != 0;
	return column;
}

static Const *
int64_const(int64 value)
{
	return makeConst(INT8OID, -1, InvalidOid, sizeof(int64), Int64GetDatum(value), false,
					 FLOAT8PASSBYVAL);
}

static Const *
float8_const(float8 value)
{
	return makeConst(FLOAT8OID, -1, InvalidOid, sizeof(float8), Float8GetDatum(value), false,
					 FLOAT8PASSBYVAL);
}

static List *
pack_ask(const DpAskFor *ask)
{
	List *nodes = list_make5(int64_const(ask->epsilon_nano), int64_const(ask->delta_atto),
							 float8_const(ask->confidence),
							 makeConst(INTERVALOID, -1, InvalidOid, sizeof(Interval),
									   PointerGetDatum(ask->refresh), ask->refresh == NULL, false),
							 int64_const(ask->max_rows_per_unit));

	return list_concat(
		nodes, list_make2(float8_const(ask->max_sum_per_unit), int64_const(ask->has_no_effect)));
}

static void
unpack_ask(const List *nodes, DpAskFor *ask)
{
	const Const *refresh = lfourth(nodes);

	ask->epsilon_nano = DatumGetInt64(linitial_node(Const, nodes)->constvalue);
	ask->delta_atto = DatumGetInt64(lsecond_node(Const, nodes)->constvalue);
	ask->confidence = DatumGetFloat8(lthird_node(Const, nodes)->constvalue);
	ask->refresh = refresh->constisnull ? NULL : DatumGetIntervalP(refresh->constvalue);
	ask->max_rows_per_unit = (int) DatumGetInt64(((Const *) list_nth(nodes, 4))->constvalue);
	ask->max_sum_per_unit = DatumGetFloat8(((Const *) list_nth(nodes, 5))->constvalue);
	ask->has_no_effect = DatumGetInt64(((Const *) list_nth(nodes, 6))->constvalue) != 0;
}

/*
 * ---- the whole question: range table, trees, numbers of measures, columns, ask, expressions ----
 */

#define COLUMNS 3
#define ASK 4
#define EXPRESSIONS 5

/* As a list of nodes that copyObject copies. Params and sub-selects are taken out of the trees, into
 * externals: expressions, that Params number n (from 1) of the trees stand for. */
static List *
carry(const DpCarried *carried, List **externals)
{
	List *trees = NIL, *numbers = NIL, *columns = NIL, *tree;
	Outside outside = {externals, 0};
	ListCell *cell;

	foreach (cell, carried->measures)
	{
		trees = lappend(trees, measure_trees(lfirst(cell)));
		numbers = lappend(numbers, measure_numbers(lfirst(cell)));
	}
	foreach (cell, carried->columns)
		columns = lappend(columns, pack_column(lfirst(cell)));
	tree = list_make3(carried->jointree, carried->groups, trees);
	*externals = NIL;
	return lappend(list_make5(range_table_mutator(carried->rtable, take_out, &outside, 0),
							  expression_tree_mutator((Node *) tree, take_out, &outside), numbers,
							  columns, pack_ask(&carried->ask)),
				   carried->expressions);
}

DpCarried *
dp_carried(const List *nodes, const List *values)
{
	DpCarried *carried = palloc0(sizeof(DpCarried));
	List *tree = (List *) dp_fix_session_constants(
		expression_tree_mutator(lsecond(nodes), put_in, (void *) values));
	ListCell *cell, *numbers;

	carried->rtable = range_table_mutator(linitial(nodes), put_in, (void *) values, 0);
	carried->jointree = linitial_node(FromExpr, tree);
	carried->groups = lsecond(tree);
	forboth(cell, (List *) lthird(tree), numbers, (List *) lthird(nodes)) carried->measures =
		lappend(carried->measures, unpack_measure(lfirst(numbers), lfirst(cell)));
	foreach (cell, (List *) list_nth(nodes, COLUMNS))
		carried->columns = lappend(carried->columns, unpack_column(lfirst(cell)));
	unpack_ask(list_nth(nodes, ASK), &carried->ask);
	carried->expressions = list_nth(nodes, EXPRESSIONS);
	return carried;
}

int
dp_carried_groups(const List *nodes)
{
	int groups = 0;
	ListCell *cell;

	foreach (cell, (List *) list_nth(nodes, COLUMNS))
		groups += linitial_int(lfirst(cell)) == DP_PART_GROUP;
	return groups;
}

bool
dp_carried_is_only_group(const List *nodes, int column)
{
	List *columns = list_nth(nodes, COLUMNS);

	return dp_carried_groups(nodes) == 1 && column >= 1 && column <= list_length(columns) &&
		   linitial_int(list_nth(columns, column - 1)) == DP_PART_GROUP;
}

/* ---- as it is asked ---- */

static double
fraction_of(const DpCarriedMeasure *measure)
{
	Node *value = eval_const_expressions(NULL, (Node *) measure->fraction);
	double fraction;

	if (!IsA(value, Const) || ((Const *) value)->constisnull)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("the fraction of a percentile must be a constant")));
	fraction = DatumGetFloat8(((Const *) value)->constvalue);
	if (!(fraction >= 0 && fraction <= 1))
		ereport(ERROR, (errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
						errmsg("percentile value %g is not between 0 and 1", fraction)));
	return measure->descending ? 1 - fraction : fraction;
}

DpQuestion *
dp_carried_question(const DpCarried *carried, const char *text)
{
	DpQuestion *question = palloc0(sizeof(DpQuestion));
	ListCell *cell;

	question->rtable = carried->rtable;
	question->jointree = carried->jointree;
	question->groups = carried->groups;
	question->text = text;
	foreach (cell, carried->measures)
	{
		const DpCarriedMeasure *asked = lfirst(cell);
		DpQuestionMeasure *measure = palloc0(sizeof(DpQuestionMeasure));

		measure->kind = asked->kind;
		measure->pair = asked->pair;
		measure->argument = asked->argument;
		measure->other = asked->other;
		measure->filter = asked->filter;
		measure->fraction = asked->fraction != NULL ? fraction_of(asked) : 0;
		measure->distinct = asked->distinct;
		measure->location = asked->location;
		question->measures = lappend(question->measures, measure);
	}
	return question;
}

/* ---- an entry of a range table ---- */

static RangeTblFunction *
rows_call(const DpCarried *carried)
{
	RangeTblFunction *function = makeNode(RangeTblFunction);
	List *externals;
	List *nodes = carry(carried, &externals);
	Const *pointer =
		makeConst(INTERNALOID, -1, InvalidOid, sizeof(Datum), PointerGetDatum(nodes), false, true);
	ListCell *cell;

	function->funcexpr =
		(Node *) makeFuncExpr(dp_answer_function(), RECORDOID, lcons(pointer, externals),
							  InvalidOid, InvalidOid, COERCE_EXPLICIT_CALL);
	((FuncExpr *) function->funcexpr)->funcretset = true;
	foreach (cell, carried->columns)
	{
		const DpAnswerColumn *column = lfirst(cell);

		function->funccolcount++;
		function->funccolnames = lappend(function->funccolnames, makeString(pstrdup(column->name)));
		function->funccoltypes = lappend_oid(function->funccoltypes, column->type);
		function->funccoltypmods = lappend_int(function->funccoltypmods, column->typmod);
		function->funccolcollations = lappend_oid(function->funccolcollations, column->collation);
	}
	return function;
}

RangeTblEntry *
dp_answer_entry(const DpCarried *carried)
{
	RangeTblEntry *entry = makeNode(RangeTblEntry);
	RangeTblFunction *function = rows_call(carried);

	entry->rtekind = RTE_FUNCTION;
	entry->functions = list_make1(function);
	entry->eref = makeAlias("answer", copyObject(function->funccolnames));
	entry->inFromCl = true;
	return entry;
}
