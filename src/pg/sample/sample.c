/*
 * sample.c -- dp_sample and dp_synthesize: rows from a stored release. Post-processing:
 * nothing here sees more than what was paid for. In FROM, rows_scan.c takes the place of dp_sample.
 *
 * Rows come in blocks of DP_BLOCK_ROWS, each from a stream of its own that (seed, set, block)
 * determines. So a seed means the same rows however many workers draw. If the caller takes one row
 * at a time, rows are drawn as they are asked for. If it takes all at once, sample_job.c does it.
 */
#include "pg/sample/sample.h"

#include "access/htup_details.h"
#include "access/xact.h"
#include "catalog/namespace.h"
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/jsonb.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/numeric.h"
#include "utils/syscache.h"
#include "utils/tuplestore.h"

#include "pg/release/choose.h"
#include "pg/release/request_rights.h"
#include "pg/release/several.h"
#include "pg/sample/target.h"
#include "pg/server/arguments.h"
#include "pg/server/catalog.h"
#include "pg/server/dpsyn.h"

PG_FUNCTION_INFO_V1(dp_sample);
PG_FUNCTION_INFO_V1(dp_sample_of);
PG_FUNCTION_INFO_V1(dp_synthesize);
PG_FUNCTION_INFO_V1(dp_synthesize_with);
PG_FUNCTION_INFO_V1(dp_synthesize_of);

/* ---- what the caller asked for ---- */

TupleDesc
dp_result_row(FunctionCallInfo fcinfo)
{
	TupleDesc row;
	TypeFuncClass class = get_call_result_type(fcinfo, NULL, &row);

	if (class != TYPEFUNC_COMPOSITE && class != TYPEFUNC_COMPOSITE_DOMAIN)
		dp_refuse_target(get_fn_expr_argtype(fcinfo->flinfo, 0));
	return row;
}

/* ---- one row at a time ---- */

typedef struct Stream
{
	DpDrawJob *job;
	uint64 next;   /* row */
	uint32 *codes; /* of the block that holds it */
	DpRowStream rows;
	Datum *values;
	bool *nulls;
} Stream;

static Stream *
stream_create(DpDrawJob *job)
{
	Stream *stream = palloc0(sizeof(Stream));

	stream->job = job;
	stream->next = dp_job_rows_before(job, job->first_block);
	stream->codes = palloc(dp_job_block_bytes(job));
	stream->values = palloc(sizeof(Datum) * Max(job->row->natts, 1));
	stream->nulls = palloc(sizeof(bool) * Max(job->row->natts, 1));
	return stream;
}

static Datum
stream_row(Stream *stream)
{
	DpDrawJob *job = stream->job;

	if (stream->next % DP_BLOCK_ROWS == 0)
	{
		uint64 block = stream->next / DP_BLOCK_ROWS;

		MemoryContextReset(job->scratch);
		dp_job_draw(job, block, stream->codes, &job->progress.tick);
		dp_job_rows(job, block, stream->codes, &stream->rows);
		dp_tick(&job->progress.tick, dp_job_share(job, block));
	}
	dp_job_row(job, &stream->rows, stream->values, stream->nulls);
	stream->next++;
	return HeapTupleGetDatum(heap_form_tuple(job->row, stream->values, stream->nulls));
}

/* ---- the set-returning protocol ---- */

void
dp_check_returns_set(FunctionCallInfo fcinfo, SetFunctionReturnMode mode)
{
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;

	if (result == NULL || !IsA(result, ReturnSetInfo) || (result->allowedModes & mode) == 0)
		ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
						errmsg("set-valued function called in context that cannot accept a set")));
}

Datum
dp_return_all(FunctionCallInfo fcinfo, DpDrawJob *job, int workers)
{
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;
	MemoryContext caller = MemoryContextSwitchTo(result->econtext->ecxt_per_query_memory);
	bool random_access = (result->allowedModes & SFRM_Materialize_Random) != 0;
	Tuplestorestate *store = tuplestore_begin_heap(random_access, false, work_mem);

	result->returnMode = SFRM_Materialize;
	result->setResult = store;
	result->setDesc = CreateTupleDescCopy(job->row);
	MemoryContextSwitchTo(caller);
	dp_job_run(job, workers, store);
	return (Datum) 0;
}

/* The first call decides how the rows will be returned; true if they all have been. */
static bool
sample_start(FunctionCallInfo fcinfo, const DpSampleArguments *arguments)
{
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;
	/* a caller that does not prefer all rows takes them one by one, and may stop at a LIMIT */
	bool all_wanted = (result->allowedModes & SFRM_Materialize) != 0 &&
					  (result->allowedModes & SFRM_Materialize_Preferred) != 0;
	TupleDesc row = arguments->relation != NULL ? dp_listed_row(fcinfo) : dp_result_row(fcinfo);
	MemoryContext work = AllocSetContextCreate(result->econtext->ecxt_per_query_memory,
											   "dpsyn sample", ALLOCSET_DEFAULT_SIZES);
	MemoryContext caller = MemoryContextSwitchTo(work);
	DpDrawJob *job = dp_sample_job(arguments, row);
	FuncCallContext *call;

	/* what belongs to other rows comes in no order of its own */
	if (job->tree != NULL)
		dp_check_returns_set(fcinfo, SFRM_Materialize);
	if (all_wanted || job->tree != NULL)
	{
		dp_return_all(fcinfo, job, dp_job_workers(job));
		MemoryContextSwitchTo(caller);
		MemoryContextDelete(work);
		return true;
	}
	MemoryContextSwitchTo(caller);
	call = SRF_FIRSTCALL_INIT();
	MemoryContextSetParent(work, call->multi_call_memory_ctx);
	caller = MemoryContextSwitchTo(work);
	call->user_fctx = stream_create(job);
	call->max_calls =
		dp_job_rows_before(job, job->end_block) - dp_job_rows_before(job, job->first_block);
	MemoryContextSwitchTo(caller);
	return false;
}

static Datum
sample_next(FunctionCallInfo fcinfo)
{
	FuncCallContext *call = SRF_PERCALL_SETUP();

	if (call->call_cntr < call->max_calls)
		SRF_RETURN_NEXT(call, stream_row((Stream *) call->user_fctx));
	SRF_RETURN_DONE(call);
}

/* ---- SQL ---- */

int64
dp_rows_argument(FunctionCallInfo fcinfo, int argument)
{
	int64 rows;

	if (PG_ARGISNULL(argument))
		return -1;
	rows = PG_GETARG_INT64(argument);
	if (rows < 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("rows must not be negative")));
	return rows;
}

/* An integer whose default is 1. */
static int32
counted_argument(FunctionCallInfo fcinfo, int argument)
{
	return PG_ARGISNULL(argument) ? 1 : PG_GETARG_INT32(argument);
}

static void
check_part(const DpSampleArguments *arguments)
{
	if (arguments->parts < 1 || arguments->part < 1 || arguments->part > arguments->parts)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("part %d of %d parts does not exist", arguments->part, arguments->parts),
				 errdetail("The parts are numbered from 1 to parts.")));
	if (arguments->parts > 1 && !arguments->is_seeded)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("parts of the rows need a seed"),
				 errdetail("Without one each call draws other rows, so that parts would not "
						   "belong together."),
				 errhint("Give all parts the same seed.")));
}

void
dp_sample_arguments(FunctionCallInfo fcinfo, const char *relation, DpSampleArguments *arguments)
{
	if (IsInParallelMode())
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("rows cannot be drawn during a parallel operation"),
				 errhint("Functions that call dp_sample must not be declared PARALLEL SAFE.")));
	dp_check_not_null(fcinfo, 1, "release");
	arguments->relation = relation;
	arguments->release = PG_GETARG_INT64(1);
	arguments->rows = dp_rows_argument(fcinfo, 2);
	arguments->seed = dp_seed_argument(fcinfo, 3);
	arguments->is_seeded = !PG_ARGISNULL(3);
	arguments->set = counted_argument(fcinfo, 4);
	arguments->given = PG_ARGISNULL(5) ? NULL : PG_GETARG_JSONB_P(5);
	arguments->part = counted_argument(fcinfo, 6);
	arguments->parts = counted_argument(fcinfo, 7);
	check_part(arguments);
}

/* relation: NULL where the row type is that of argument 0. */
static Datum
sample(FunctionCallInfo fcinfo, const char *relation)
{
	if (fcinfo->flinfo->fn_extra == NULL)
	{
		DpSampleArguments arguments;
		bool returned;

		dp_sample_arguments(fcinfo, relation, &arguments);
		returned = sample_start(fcinfo, &arguments);
		if (!arguments.is_seeded)
			dp_note_other_rows(arguments.release);
		if (returned)
			return (Datum) 0;
	}
	return sample_next(fcinfo);
}

/* dp_sample(target, release, rows, seed, set, given, part, parts) */
Datum
dp_sample(PG_FUNCTION_ARGS)
{
	dp_check_returns_set(fcinfo, SFRM_ValuePerCall);
	return sample(fcinfo, NULL);
}

/* dp_sample(relation, ...): its columns are those of the caller's column definition list. */
Datum
dp_sample_of(PG_FUNCTION_ARGS)
{
	dp_check_returns_set(fcinfo, SFRM_ValuePerCall);
	dp_check_not_null(fcinfo, 0, "relation");
	return sample(fcinfo, text_to_cstring(PG_GETARG_TEXT_PP(0)));
}

/* The relation that argument 0, target, names: by its row type, or by name. */
static Oid
target_relation(FunctionCallInfo fcinfo)
{
	Oid type = get_fn_expr_argtype(fcinfo->flinfo, 0);
	Oid relation = OidIsValid(type) ? get_typ_typrelid(getBaseType(type)) : InvalidOid;

	if (type == TEXTOID)
	{
		dp_check_not_null(fcinfo, 0, "relation");
		return dp_relation_named(text_to_cstring(PG_GETARG_TEXT_PP(0)));
	}
	if (!OidIsValid(relation))
		dp_refuse_target(type);
	if (get_rel_relkind(relation) == RELKIND_COMPOSITE_TYPE)
		ereport(ERROR, (errcode(ERRCODE_DATATYPE_MISMATCH),
						errmsg("target must have the row type of a protected relation"),
						errhint("Write NULL::name_of_the_table.")));
	return relation;
}

void
dp_request_target(FunctionCallInfo fcinfo, int epsilon, DpReleaseRequest *request)
{
	request->relation = target_relation(fcinfo);
	request->user = GetUserId();
	request->epsilon_nano = dp_epsilon_argument(fcinfo, epsilon, true, "epsilon");
	request->delta_atto = dp_delta_argument(fcinfo, epsilon + 1, true);
	request->row_type = format_type_be(get_rel_type_id(request->relation));
	dp_resolve_method(request);
}

int64
dp_release_requested(DpReleaseRequest *request, const char *again)
{
	DpReleaseForest forest = dp_forest_single(request);
	int64 release = dp_release_and_report(&forest);

	if (strcmp(again, "dp_sample") == 0)
		ereport(NOTICE, (errmsg("release " INT64_FORMAT " is stored; draw from it again at no cost "
								"with dp_sample(NULL::%s, " INT64_FORMAT ")",
								release, request->row_type, release)));
	else
		ereport(NOTICE, (errmsg("release " INT64_FORMAT " is stored; read it again at no cost with "
								"%s(" INT64_FORMAT ")",
								release, again, release)));
	return release;
}

/* relation: NULL where the row type is that of argument 0. method and epsilon: arguments; delta and
 * rows stand behind epsilon, options, sets and seed at the end. */
static Datum
synthesize(FunctionCallInfo fcinfo, const char *relation, int method, int epsilon)
{
	if (fcinfo->flinfo->fn_extra == NULL)
	{
		DpSampleArguments arguments = {.relation = relation, .set = 1, .part = 1, .parts = 1};
		DpReleaseRequest request = {0};

		if (relation != NULL)
			dp_check_listed(dp_listed_row(fcinfo), dp_relation_named(relation));
		else
			(void) dp_result_row(fcinfo);
		arguments.rows = dp_rows_argument(fcinfo, epsilon + 2);
		arguments.seed = dp_seed_argument(fcinfo, 7);
		if (PG_ARGISNULL(method) || PG_ARGISNULL(epsilon) || PG_ARGISNULL(epsilon + 1) ||
			PG_ARGISNULL(5))
			ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
							errmsg("method, epsilon, delta and options must not be null")));
		request.method = text_to_cstring(PG_GETARG_TEXT_PP(method));
		dp_check_question_rights(PG_GETARG_JSONB_P(5));
		request.options = dp_options_argument(fcinfo, 5);
		request.sets = counted_argument(fcinfo, 6);
		request.rows = arguments.rows;
		request.draws = true;
		dp_request_target(fcinfo, epsilon, &request);
		arguments.release = dp_release_requested(&request, "dp_sample");
		if (sample_start(fcinfo, &arguments))
			return (Datum) 0;
	}
	return sample_next(fcinfo);
}

/* dp_synthesize(target, epsilon, delta, rows, method, options, sets, seed) */
Datum
dp_synthesize(PG_FUNCTION_ARGS)
{
	dp_check_returns_set(fcinfo, SFRM_ValuePerCall);
	return synthesize(fcinfo, NULL, 4, 1);
}

/* dp_synthesize_with(target, method, epsilon, delta, rows, options, sets, seed), for dp_synthesize_METHOD */
Datum
dp_synthesize_with(PG_FUNCTION_ARGS)
{
	dp_check_returns_set(fcinfo, SFRM_ValuePerCall);
	return synthesize(fcinfo, NULL, 1, 2);
}

/* dp_synthesize(relation, epsilon, delta, rows, method, options, sets, seed): its columns are those
 * of the caller's column definition list. */
Datum
dp_synthesize_of(PG_FUNCTION_ARGS)
{
	dp_check_returns_set(fcinfo, SFRM_ValuePerCall);
	dp_check_not_null(fcinfo, 0, "relation");
	return synthesize(fcinfo, text_to_cstring(PG_GETARG_TEXT_PP(0)), 4, 1);
}
