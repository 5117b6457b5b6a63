/*
 * sample.c -- dp_sample and dp_synthesize_with: rows from a stored release.
 * Post-processing: nothing here sees more than what was paid for.
 *
 * Rows come in blocks of DP_BLOCK_ROWS, each from a stream of its own that
 * (seed, set, block) determines: so a seed means the same rows however many
 * workers draw. Few rows, or a caller that takes one row at a time, are drawn
 * here as they are asked for; many rows go to parallel workers (sample_parallel.c)
 * and into a tuplestore, which spills beyond work_mem.
 */
#include "dpsyn.h"

#include "access/htup_details.h"
#include "catalog/pg_class.h"
#include "access/xact.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "optimizer/optimizer.h"
#include "optimizer/cost.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/tuplestore.h"

PG_FUNCTION_INFO_V1(dp_sample);
PG_FUNCTION_INFO_V1(dp_synthesize_with);

/* Below this many elementary draws starting workers takes longer than it saves. */
#define PARALLEL_DRAWS_MIN UINT64CONST(5000000)
#define PARALLEL_DRAWS_A_ROW 16
#define PARALLEL_BLOCKS_PER_WORKER 4

/* Keeps the stream that places values inside bins apart from the one that draws codes. */
#define BIN_STREAM UINT64CONST(0x9e3779b97f4a7c15)

/* ---- jobs ---- */

uint64
dp_job_blocks(const DpDrawJob *job)
{
	return (job->rows + DP_BLOCK_ROWS - 1) / DP_BLOCK_ROWS;
}

uint32
dp_job_block_rows(const DpDrawJob *job, uint64 block)
{
	return (uint32) Min(DP_BLOCK_ROWS, job->rows - block * DP_BLOCK_ROWS);
}

void
dp_job_draw(const DpDrawJob *job, uint64 block, uint32 *codes, const DpTick *tick)
{
	DpError error = {0};

	if (dp_draw_rows(&job->drawer, job->seed, job->set, block, dp_job_block_rows(job, block), codes,
					 tick, &error) != DP_OK)
		dp_raise(&error);
}

static void
job_bin_stream(const DpDrawJob *job, uint64 block, DpPrng *prng)
{
	dp_prng_seed(prng, job->seed ^ BIN_STREAM, job->set, block);
}

void
dp_job_emit(DpDrawJob *job, uint64 block, const uint32 *codes, Tuplestorestate *store)
{
	MemoryContext caller = MemoryContextSwitchTo(job->scratch);
	Datum *values = palloc(sizeof(Datum) * Max(job->row->natts, 1));
	bool *nulls = palloc(sizeof(bool) * Max(job->row->natts, 1));
	uint32 attributes = job->stored->model.domain.attributes;
	uint32 rows = dp_job_block_rows(job, block);
	DpPrng prng;

	job_bin_stream(job, block, &prng);
	for (uint32 i = 0; i < rows; i++)
	{
		dp_decode_row(job->decoder, codes + (size_t) i * attributes, &prng, values, nulls);
		tuplestore_putvalues(store, job->row, values, nulls);
	}
	MemoryContextSwitchTo(caller);
	MemoryContextReset(job->scratch);
	dp_tick(&job->progress.tick, (double) (block + 1) / dp_job_blocks(job));
}

static int
job_workers(const DpDrawJob *job)
{
	int workers = dpsyn_max_parallel_workers < 0 ? max_parallel_workers_per_gather
												 : dpsyn_max_parallel_workers;
	uint64 cost = job->stored->method->draw_cost(&job->stored->model);

	/* what takes few draws a row takes longer to send than to draw */
	if (IsInParallelMode() || cost < PARALLEL_DRAWS_A_ROW || job->rows < PARALLEL_DRAWS_MIN / cost)
		return 0;
	return (int) Min((uint64) workers, dp_job_blocks(job) / PARALLEL_BLOCKS_PER_WORKER);
}

static void
job_run_serial(DpDrawJob *job, Tuplestorestate *store)
{
	uint32 *codes =
		palloc(sizeof(uint32) * DP_BLOCK_ROWS * Max(job->stored->model.domain.attributes, 1));

	for (uint64 block = 0; block < dp_job_blocks(job); block++)
	{
		dp_job_draw(job, block, codes, &job->progress.tick);
		dp_job_emit(job, block, codes, store);
	}
	pfree(codes);
}

/* ---- what the caller asked for ---- */

typedef struct SampleArguments
{
	int64 release;
	int64 rows; /* -1: the release's own */
	bool seed_given;
	int64 seed;
	int32 set;
} SampleArguments;

uint64
dp_fresh_stream(void)
{
	uint64 seed;

	if (!pg_strong_random(&seed, sizeof(seed)))
		ereport(ERROR,
				(errcode(ERRCODE_INTERNAL_ERROR), errmsg("could not generate a random seed")));
	return seed;
}

TupleDesc
dp_result_row(FunctionCallInfo fcinfo)
{
	TupleDesc row;
	TypeFuncClass class = get_call_result_type(fcinfo, NULL, &row);

	if (class != TYPEFUNC_COMPOSITE && class != TYPEFUNC_COMPOSITE_DOMAIN)
		ereport(ERROR, (errcode(ERRCODE_DATATYPE_MISMATCH), errmsg("target must have a row type"),
						errhint("Write NULL::name_of_the_table.")));
	return row;
}

/* Of rows that were drawn behind the wall, each at a price, there are no more. */
static void
check_rows_held(const DpDrawJob *job)
{
	if (!dp_model_holds_rows(&job->model) || job->rows <= (uint64) job->model.rows)
		return;
	ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					errmsg("the release holds " INT64_FORMAT " rows", job->model.rows),
					errdetail("They are the release itself, and were paid for one by one."),
					errhint("Ask for as many rows at most; others need another release.")));
}

static DpDrawJob *
job_create(const SampleArguments *arguments, TupleDesc row)
{
	DpDrawJob *job = palloc0(sizeof(DpDrawJob));
	DpError error = {0};

	job->stored = dp_stored_get(arguments->release);
	if (arguments->set < 1 || arguments->set > job->stored->sets)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("release " INT64_FORMAT " has no set %d", arguments->release,
							   arguments->set),
						errdetail("It has sets 1 to %d.", job->stored->sets)));
	job->row = BlessTupleDesc(CreateTupleDescCopy(row));
	job->decoder = dp_decoder_create(&job->stored->model.domain, job->row);
	job->seed = arguments->seed_given ? (uint64) arguments->seed : dp_fresh_stream();
	job->set = arguments->set;
	if (dp_model_view(&job->stored->model, (uint32) arguments->set, &job->model) != DP_OK)
		elog(ERROR, "a stored release has fewer sets than its line says");
	job->rows = arguments->rows >= 0 ? arguments->rows : job->model.rows;
	check_rows_held(job);
	job->scratch =
		AllocSetContextCreate(CurrentMemoryContext, "dpsyn rows", ALLOCSET_DEFAULT_SIZES);
	dp_progress_start(&job->progress, "preparing to draw rows");
	if (dp_drawer_prepare(&job->model, &job->stored->arena, &job->progress.tick, &job->drawer,
						  &error) != DP_OK)
		dp_raise(&error);
	dp_draw_expect(job->drawer.method, job->drawer.sampler, job->rows);
	dp_progress_start(&job->progress, "drawing rows");
	return job;
}

/* ---- one row at a time ---- */

typedef struct Stream
{
	DpDrawJob *job;
	uint64 next;   /* row */
	uint32 *codes; /* of the block that holds it */
	DpPrng bins;
	Datum *values;
	bool *nulls;
} Stream;

static Stream *
stream_create(DpDrawJob *job)
{
	Stream *stream = palloc0(sizeof(Stream));

	stream->job = job;
	stream->codes =
		palloc(sizeof(uint32) * DP_BLOCK_ROWS * Max(job->stored->model.domain.attributes, 1));
	stream->values = palloc(sizeof(Datum) * Max(job->row->natts, 1));
	stream->nulls = palloc(sizeof(bool) * Max(job->row->natts, 1));
	return stream;
}

static Datum
stream_row(Stream *stream)
{
	DpDrawJob *job = stream->job;
	uint32 in_block = stream->next % DP_BLOCK_ROWS;

	if (in_block == 0)
	{
		uint64 block = stream->next / DP_BLOCK_ROWS;

		dp_job_draw(job, block, stream->codes, &job->progress.tick);
		job_bin_stream(job, block, &stream->bins);
		dp_tick(&job->progress.tick, (double) stream->next / job->rows);
	}
	dp_decode_row(job->decoder,
				  stream->codes + (size_t) in_block * job->stored->model.domain.attributes,
				  &stream->bins, stream->values, stream->nulls);
	stream->next++;
	return HeapTupleGetDatum(heap_form_tuple(job->row, stream->values, stream->nulls));
}

/* ---- the set-returning protocol ---- */

static void
check_can_return_set(ReturnSetInfo *result)
{
	if (result == NULL || !IsA(result, ReturnSetInfo) ||
		(result->allowedModes & SFRM_ValuePerCall) == 0)
		ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
						errmsg("set-valued function called in context that cannot accept a set")));
}

/* All rows at once, into a tuplestore of the query's. */
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
	if (workers > 0)
		dp_job_run_parallel(job, workers, store);
	else
		job_run_serial(job, store);
	return (Datum) 0;
}

/* First call: decides how the rows will go out. true: they all did. */
static bool
sample_start(FunctionCallInfo fcinfo, const SampleArguments *arguments)
{
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;
	/* what is not preferred is taken row by row, perhaps with a LIMIT: then rows are drawn as they go */
	bool all_wanted = (result->allowedModes & SFRM_Materialize) != 0 &&
					  (result->allowedModes & SFRM_Materialize_Preferred) != 0;
	TupleDesc row = dp_result_row(fcinfo);
	MemoryContext work = AllocSetContextCreate(result->econtext->ecxt_per_query_memory,
											   "dpsyn sample", ALLOCSET_DEFAULT_SIZES);
	MemoryContext caller = MemoryContextSwitchTo(work);
	DpDrawJob *job = job_create(arguments, row);
	FuncCallContext *call;

	if (all_wanted)
	{
		dp_return_all(fcinfo, job, job_workers(job));
		MemoryContextSwitchTo(caller);
		MemoryContextDelete(work);
		return true;
	}
	MemoryContextSwitchTo(caller);
	call = SRF_FIRSTCALL_INIT();
	MemoryContextSetParent(work, call->multi_call_memory_ctx);
	caller = MemoryContextSwitchTo(work);
	call->user_fctx = stream_create(job);
	call->max_calls = job->rows;
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

static int32
set_argument(FunctionCallInfo fcinfo, int argument)
{
	return PG_ARGISNULL(argument) ? 1 : PG_GETARG_INT32(argument);
}

Datum
dp_sample(PG_FUNCTION_ARGS)
{
	check_can_return_set((ReturnSetInfo *) fcinfo->resultinfo);
	if (fcinfo->flinfo->fn_extra == NULL)
	{
		SampleArguments arguments = {0};

		if (IsInParallelMode())
			ereport(ERROR,
					(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
					 errmsg("rows cannot be drawn during a parallel operation"),
					 errhint("Functions that call dp_sample must not be declared PARALLEL SAFE.")));

		if (PG_ARGISNULL(1))
			ereport(ERROR,
					(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED), errmsg("release must not be null")));
		arguments.release = PG_GETARG_INT64(1);
		arguments.rows = dp_rows_argument(fcinfo, 2);
		arguments.seed_given = !PG_ARGISNULL(3);
		arguments.seed = PG_ARGISNULL(3) ? 0 : PG_GETARG_INT64(3);
		arguments.set = set_argument(fcinfo, 4);
		if (sample_start(fcinfo, &arguments))
			return (Datum) 0;
	}
	return sample_next(fcinfo);
}

/* The relation whose row type target has. */
static Oid
target_relation(FunctionCallInfo fcinfo)
{
	Oid type = get_fn_expr_argtype(fcinfo->flinfo, 0);
	Oid relation = OidIsValid(type) ? get_typ_typrelid(getBaseType(type)) : InvalidOid;

	if (!OidIsValid(relation) || get_rel_relkind(relation) == RELKIND_COMPOSITE_TYPE)
		ereport(ERROR, (errcode(ERRCODE_DATATYPE_MISMATCH),
						errmsg("target must have the row type of a protected relation"),
						errhint("Write NULL::name_of_the_table.")));
	return relation;
}

int64
dp_release_target(FunctionCallInfo fcinfo, const char *method, int first, int32 sets, int64 rows,
				  const char *again)
{
	Jsonb *options;
	DpReleaseRequest request = {
		.relation = target_relation(fcinfo), .user = GetUserId(), .rows = rows};
	int64 release;

	options = PG_GETARG_JSONB_P(first + 2);
	request.method = pstrdup(method);
	request.epsilon_nano = dp_epsilon_from_numeric(PG_GETARG_NUMERIC(first), true, "epsilon");
	request.delta_atto = dp_delta_from_numeric(PG_GETARG_NUMERIC(first + 1), true, "delta");
	request.options = JsonbToCString(NULL, &options->root, VARSIZE_ANY_EXHDR(options));
	request.sets = sets;
	request.row_type = format_type_be(get_fn_expr_argtype(fcinfo->flinfo, 0));
	dp_resolve_method(&request);
	release = dp_run_release(&request);
	ereport(
		NOTICE,
		(errmsg("release " INT64_FORMAT " is stored; %s at no cost with %s(NULL::%s, " INT64_FORMAT
				")",
				release, strcmp(again, "dp_sample") == 0 ? "draw from it again" : "read it again",
				again, request.row_type, release)));
	return release;
}

Datum
dp_synthesize_with(PG_FUNCTION_ARGS)
{
	check_can_return_set((ReturnSetInfo *) fcinfo->resultinfo);
	if (fcinfo->flinfo->fn_extra == NULL)
	{
		SampleArguments arguments = {.set = 1};

		(void) dp_result_row(fcinfo);
		arguments.rows = dp_rows_argument(fcinfo, 5);
		arguments.seed_given = !PG_ARGISNULL(7);
		arguments.seed = PG_ARGISNULL(7) ? 0 : PG_GETARG_INT64(7);
		for (int i = 1; i <= 4; i++)
			if (PG_ARGISNULL(i))
				ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
								errmsg("method, epsilon, delta and options must not be null")));
		arguments.release = dp_release_target(fcinfo, text_to_cstring(PG_GETARG_TEXT_PP(1)), 2,
											  set_argument(fcinfo, 6), arguments.rows, "dp_sample");
		if (sample_start(fcinfo, &arguments))
			return (Datum) 0;
	}
	return sample_next(fcinfo);
}
