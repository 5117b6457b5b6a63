/*
 * sql_function.c -- dp_sql and dp_sql_json: a SELECT, given as text, answered privately whatever the
 * session's settings are.
 *
 * The text is the caller's, and it is read, planned and run as any statement of the caller's is.
 */
#include "pg/server/catalog.h"
#include "pg/server/compat.h"

#include "access/xact.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_type.h"
#include "executor/executor.h"
#include "executor/tstoreReceiver.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "nodes/parsenodes.h"
#include "parser/parsetree.h"
#include "tcop/dest.h"
#include "tcop/tcopprot.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/snapmgr.h"
#include "utils/tuplestore.h"

#include "pg/server/arguments.h"
#include "pg/server/bridge.h"
#include "pg/server/compat_query.h"
#include "pg/server/numbers.h"
#include "pg/sql/expression_interval.h"
#include "pg/sql/rewrite.h"

PG_FUNCTION_INFO_V1(dp_sql);
PG_FUNCTION_INFO_V1(dp_sql_json);

/* ---- reading it ---- */

static DP_NORETURN void
raise_not_select(void)
{
	ereport(ERROR, (errcode(ERRCODE_SYNTAX_ERROR), errmsg("the query must be one SELECT"),
					errdetail("Nothing was spent.")));
}

/* The arguments of both functions: query, epsilon, delta, confidence, max_rows_per_unit,
 * max_sum_per_unit. */
static void
read_ask(FunctionCallInfo fcinfo, DpAskFor *ask)
{
	dp_check_first_no_null(fcinfo, 4);
	ask->epsilon_nano = dp_epsilon_argument(fcinfo, 1, true, "epsilon");
	ask->delta_atto = dp_delta_argument(fcinfo, 2, true);
	ask->confidence = dp_confidence_argument(fcinfo, 3);
	ask->max_rows_per_unit = dp_max_rows_argument(fcinfo, 4);
	ask->max_sum_per_unit = dp_max_sum_argument(fcinfo, 5);
}

static Query *
read_query(const char *text)
{
	List *statements = pg_parse_query(text);
	List *queries;

	if (list_length(statements) != 1)
		raise_not_select();
	queries =
		pg_analyze_and_rewrite_fixedparams(linitial_node(RawStmt, statements), text, NULL, 0, NULL);
	if (list_length(queries) != 1 || linitial_node(Query, queries)->commandType != CMD_SELECT)
		raise_not_select();
	return linitial_node(Query, queries);
}

/* Rows of a private query as jsonb, with the interval of each noisy number. */

#define PARTS 3

static const char *const functions[PARTS] = {"dp_std_error", "dp_low", "dp_high"};

static const char *const keys[PARTS + 1] = {"estimate", "std_error", "low", "high"};

/* ---- columns with intervals ---- */

static Expr *
part_of(Node *aggregate, int part)
{
	Oid function = dp_function_of_users(functions[part], ANYELEMENTOID);

	return (Expr *) makeFuncExpr(function, FLOAT8OID, list_make1(copyObject(aggregate)), InvalidOid,
								 InvalidOid, COERCE_EXPLICIT_CALL);
}

/* Adds a column in front of those that are there for sorting alone, and gives its number. */
static AttrNumber
add_column(Query *query, Expr *expression)
{
	AttrNumber number = (AttrNumber) (list_length(query->targetList) + 1);

	query->targetList =
		lappend(query->targetList, makeTargetEntry(expression, number, pstrdup("part"), false));
	return number;
}

static Node *
without_casts(Node *node)
{
	while (IsA(node, RelabelType))
		node = (Node *) ((RelabelType *) node)->arg;
	return node;
}

static bool add_parts(Query *query, int column, AttrNumber *parts);

/* The same parts of a column of a sub-query, handed through. */
static bool
hand_through(Query *query, const Var *variable, AttrNumber *parts)
{
	RangeTblEntry *entry = rt_fetch(variable->varno, query->rtable);
	AttrNumber inner[PARTS];

	if (entry->rtekind != RTE_SUBQUERY || variable->varattno <= 0 ||
		!add_parts(entry->subquery, variable->varattno, inner))
		return false;
	for (int i = 0; i < PARTS; i++)
	{
		entry->eref->colnames = lappend(entry->eref->colnames, makeString(pstrdup("part")));
		parts[i] = add_column(
			query, (Expr *) makeVar(variable->varno, inner[i], FLOAT8OID, -1, InvalidOid, 0));
	}
	return true;
}

/* Whether an expression is an aggregate, or a number that is computed from aggregates. */
static bool
has_interval(Node *expression)
{
	if (IsA(expression, Aggref) && ((Aggref *) expression)->agglevelsup == 0)
		return !type_is_array(exprType(expression)); /* of a list of percentiles */
	return contain_aggs_of_level(expression, 0) && dp_is_number(exprType(expression)) &&
		   !checkExprHasSubLink(expression) && !contain_windowfuncs(expression) &&
		   !contain_volatile_functions(expression);
}

/* Adds columns for the interval of a column; false: it has none. */
static bool
add_parts(Query *query, int column, AttrNumber *parts)
{
	Node *expression;

	if (query->setOperations != NULL || query->distinctClause != NIL || query->hasTargetSRFs ||
		column > list_length(query->targetList))
		return false;
	expression = (Node *) list_nth_node(TargetEntry, query->targetList, column - 1)->expr;
	expression = DP_FLATTEN_JOINS(query, without_casts(expression));
	if (IsA(expression, Var) && ((Var *) expression)->varlevelsup == 0 && !query->hasAggs &&
		query->groupClause == NIL)
		return hand_through(query, (Var *) expression, parts);
	if (!has_interval(expression))
		return false;
	for (int i = 0; i < PARTS; i++)
		parts[i] = add_column(query, part_of(expression, i));
	return true;
}

/* ---- jsonb ---- */

static Expr *
key(const char *words)
{
	return (Expr *) makeConst(TEXTOID, -1, DEFAULT_COLLATION_OID, -1, CStringGetTextDatum(words),
							  false, false);
}

static Expr *
object(List *arguments)
{
	return (Expr *) makeFuncExpr(arguments == NIL ? F_JSONB_BUILD_OBJECT_
												  : F_JSONB_BUILD_OBJECT_ANY,
								 JSONBOID, arguments, InvalidOid, InvalidOid, COERCE_EXPLICIT_CALL);
}

static Expr *
number_object(Expr *estimate, const AttrNumber *parts)
{
	List *arguments = list_make2(key(keys[0]), estimate);

	for (int i = 0; i < PARTS; i++)
		arguments = lappend(lappend(arguments, key(keys[i + 1])),
							makeVar(1, parts[i], FLOAT8OID, -1, InvalidOid, 0));
	return object(arguments);
}

/* The row of the query, which is entry 1 of the one around it. */
static Expr *
row_object(Query *query)
{
	int columns = list_length(query->targetList);
	List *arguments = NIL;

	for (int i = 0; i < columns; i++)
	{
		const TargetEntry *target = list_nth_node(TargetEntry, query->targetList, i);
		AttrNumber parts[PARTS];
		Expr *value;

		if (target->resjunk)
			continue;
		value = (Expr *) makeVarFromTargetEntry(1, (TargetEntry *) target);
		if (add_parts(query, i + 1, parts))
			value = number_object(value, parts);
		arguments = lappend(lappend(arguments, key(target->resname)), value);
	}
	return object(arguments);
}

/*
 * A query that gives each row of this one as jsonb. A column that is an aggregate, here or in the
 * sub-query that it comes from, becomes {"estimate", "std_error", "low", "high"}; any other one is
 * the value that it has. Before the query is rewritten.
 */
static Query *
result_as_json(Query *query)
{
	Query *around = makeNode(Query);
	RangeTblEntry *entry = makeNode(RangeTblEntry);
	RangeTblRef *reference = makeNode(RangeTblRef);
	Expr *row = row_object(query);
	ListCell *cell;

	entry->rtekind = RTE_SUBQUERY;
	entry->subquery = query;
	entry->eref = makeAlias("query", NIL);
	entry->inFromCl = true;
	foreach (cell, query->targetList)
		entry->eref->colnames = lappend(
			entry->eref->colnames, makeString(pstrdup(lfirst_node(TargetEntry, cell)->resname
														  ? lfirst_node(TargetEntry, cell)->resname
														  : "?column?")));
	reference->rtindex = 1;
	around->commandType = CMD_SELECT;
	around->canSetTag = true;
	around->rtable = list_make1(entry);
	around->jointree = makeFromExpr(list_make1(reference), NULL);
	around->targetList = list_make1(makeTargetEntry(row, 1, pstrdup("row"), false));
	return around;
}

/* The query, which now reads noisy answers. ERROR if it reads nothing that is protected. */
static Query *
private_query(FunctionCallInfo fcinfo, const char *text, bool as_json)
{
	DpPrivacy privacy = {.how = {.all = true}, .text = text};
	Query *query;

	read_ask(fcinfo, &privacy.how.ask);
	query = read_query(text);
	if (as_json)
		query = result_as_json(query);
	if (!dp_rewrite_privately(&privacy, query))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("the query reads no protected relation"),
						errhint("Run it without dp_sql.")));
	return query;
}

/* ---- running it ---- */

/*
 * The positions of errors are in the text of the query, and not in the statement that calls dp_sql.
 */
static void
point_into_query(void *text)
{
	int position = geterrposition();

	if (position <= 0)
		return;
	errposition(0);
	internalerrposition(position);
	internalerrquery(text);
}

static void
run_into(Query *query, const char *text, ReturnSetInfo *result)
{
	DestReceiver *receiver = CreateDestReceiver(DestTuplestore);
	PlannedStmt *planned;

	SetTuplestoreDestReceiverParams(receiver, result->setResult, CurrentMemoryContext, false, NULL,
									NULL);
	planned = DP_PLAN_QUERY(query, text, 0, NULL);
	PushCopiedSnapshot(GetActiveSnapshot());
	UpdateActiveSnapshotCommandId();
	dp_run_planned(planned, text, NULL, receiver);
	PopActiveSnapshot();
	receiver->rDestroy(receiver);
}

/* ERROR, before anything is asked, unless the columns are those that the caller's statement names. */
static void
check_columns(const Query *query, TupleDesc expected)
{
	TupleDesc row = ExecCleanTypeFromTL(query->targetList);

	if (row->natts != expected->natts)
		ereport(ERROR, (errcode(ERRCODE_DATATYPE_MISMATCH),
						errmsg("the query has %d columns, where %d are named", row->natts,
							   expected->natts),
						errdetail("Nothing was spent.")));
	for (int i = 0; i < row->natts; i++)
		if (TupleDescAttr(row, i)->atttypid != TupleDescAttr(expected, i)->atttypid)
			ereport(ERROR, (errcode(ERRCODE_DATATYPE_MISMATCH),
							errmsg("column \"%s\" of the query is of type %s, not %s",
								   NameStr(TupleDescAttr(row, i)->attname),
								   format_type_be(TupleDescAttr(row, i)->atttypid),
								   format_type_be(TupleDescAttr(expected, i)->atttypid)),
							errdetail("Nothing was spent.")));
}

static void
answer(FunctionCallInfo fcinfo, bool as_json)
{
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;
	char *query_text = PG_ARGISNULL(0) ? NULL : text_to_cstring(PG_GETARG_TEXT_PP(0));
	ErrorContextCallback context = {error_context_stack, point_into_query, query_text};
	Query *query;

	if (result == NULL || !IsA(result, ReturnSetInfo) || result->expectedDesc == NULL)
		ereport(ERROR, (errcode(ERRCODE_SYNTAX_ERROR),
						errmsg("a list of the query's columns and their types is required"),
						errhint("SELECT * FROM dp_sql('SELECT count(*) FROM visits', 0.1) AS "
								"(n bigint); dp_sql_json needs none.")));
	error_context_stack = &context;
	query = private_query(fcinfo, query_text, as_json);
	InitMaterializedSRF(fcinfo, MAT_SRF_USE_EXPECTED_DESC);
	check_columns(query, result->setDesc);
	run_into(query, query_text, result);
	error_context_stack = context.previous;
}

Datum
dp_sql(PG_FUNCTION_ARGS)
{
	answer(fcinfo, false);
	return (Datum) 0;
}

Datum
dp_sql_json(PG_FUNCTION_ARGS)
{
	answer(fcinfo, true);
	return (Datum) 0;
}
