/*
 * sql_function.c -- dp_sql and dp_sql_json: a SELECT, given as text, answered privately whatever the
 * session's settings are.
 *
 * The text is the caller's, and it is read, planned and run as any statement of the caller's is.
 */
#include "pg/server/compat.h"

#include "access/xact.h"
#include "executor/executor.h"
#include "executor/tstoreReceiver.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "tcop/dest.h"
#include "tcop/tcopprot.h"
#include "utils/builtins.h"
#include "utils/snapmgr.h"
#include "utils/tuplestore.h"

#include "pg/server/arguments.h"
#include "pg/server/bridge.h"
#include "pg/sql/json_result.h"
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
	ask->delta_atto = dp_delta_argument(fcinfo, 2, true, "delta");
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

/* The query, which now reads noisy answers. ERROR if it reads nothing that is protected. */
static Query *
private_query(FunctionCallInfo fcinfo, const char *text, bool as_json)
{
	DpPrivacy privacy = {.how = {.all = true}, .text = text};
	Query *query;

	read_ask(fcinfo, &privacy.how.ask);
	query = read_query(text);
	if (as_json)
		query = dp_result_as_json(query);
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
	QueryDesc *running;

	SetTuplestoreDestReceiverParams(receiver, result->setResult, CurrentMemoryContext, false, NULL,
									NULL);
	planned = DP_PLAN_QUERY(query, text, 0, NULL);
	PushCopiedSnapshot(GetActiveSnapshot());
	UpdateActiveSnapshotCommandId();
	running = CreateQueryDesc(planned, text, GetActiveSnapshot(), InvalidSnapshot, receiver, NULL,
							  NULL, 0);
	ExecutorStart(running, 0);
	DP_EXECUTOR_RUN(running);
	ExecutorFinish(running);
	ExecutorEnd(running);
	FreeQueryDesc(running);
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
