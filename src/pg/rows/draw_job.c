/*
 * draw_job.c -- rows of a release, block by block: what a backend that draws by itself and its
 * parallel workers have in common.
 */
#include "pg/rows/draw_job.h"

#include "utils/memutils.h"
#include "utils/tuplestore.h"

#include "pg/rows/fitted.h"

/* Keeps the stream that places values inside bins apart from the one that draws codes. */
#define BIN_STREAM UINT64CONST(0x9e3779b97f4a7c15)

void
dp_job_view_set(DpDrawJob *job)
{
	if (dp_model_view(&job->stored->model, (uint32) job->set, &job->model) != DP_OK)
		elog(ERROR, "a stored release has fewer sets than its line says");
}

void
dp_job_prepare(DpDrawJob *job, const DpTick *tick)
{
	DpError error = {0};

	if (dp_drawer_prepare(job->stored->method->sampler, &job->model, &job->drawer, tick,
						  &job->stored->arena, &error) != DP_OK)
		dp_raise(&error);
	dp_draw_expect(job->drawer.sampler, job->drawer.state, job->rows);
}

void
dp_raise_unconditional(const DpStored *stored)
{
	ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("release " INT64_FORMAT " cannot be drawn from under a condition", stored->id),
			 errdetail("Its method is %s. Conditional rows need a model that can be asked: that of "
					   "mst, aim, cipher, mwem, privbayes, steps, uh, flat or marginal, of a size "
					   "within its limits.",
					   stored->method->name),
			 errhint("Draw rows, and keep those that meet the condition.")));
}

void
dp_job_prepare_own(DpDrawJob *job)
{
	const DpSampler *sampler = job->stored->method->sampler;
	const DpGiven *given = dp_condition_given(&job->condition);
	const DpFitted *fitted;
	DpError error = {0};
	DpStatus status;

	/* without a condition a seed must mean the rows of the method's own sampler */
	if (given == NULL && (sampler->query == NULL || sampler->query->sampler != sampler))
	{
		dp_job_prepare(job, &job->progress.tick);
		return;
	}
	fitted = dp_fitted_get(job->stored, (uint32) job->set, &job->progress.tick);
	if (fitted->fitted == NULL)
	{
		if (given != NULL)
			dp_raise_unconditional(job->stored);
		dp_job_prepare(job, &job->progress.tick);
		return;
	}
	status = dp_drawer_compile(sampler->query, fitted->fitted, &fitted->model, given, &job->drawer,
							   &job->progress.tick, &job->stored->arena, &error);
	if (status != DP_OK)
	{
		error.status = status;
		dp_raise(&error);
	}
	dp_draw_expect(job->drawer.sampler, job->drawer.state, job->rows);
}

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

Size
dp_job_block_bytes(const DpDrawJob *job)
{
	return sizeof(uint32) * DP_BLOCK_ROWS * Max(job->stored->model.domain.attributes, 1);
}

void
dp_job_draw(const DpDrawJob *job, uint64 block, uint32 *codes, const DpTick *tick)
{
	DpError error = {0};

	if (dp_draw_rows(&job->drawer,
					 &(DpRowBlock){{job->seed, job->set, block}, dp_job_block_rows(job, block)},
					 codes, tick, &error) != DP_OK)
		dp_raise(&error);
}

void
dp_job_bin_stream(const DpDrawJob *job, uint64 block, DpPrng *prng)
{
	dp_prng_seed(prng, (DpStream){job->seed ^ BIN_STREAM, job->set, block});
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

	dp_job_bin_stream(job, block, &prng);
	for (uint32 i = 0; i < rows; i++)
	{
		dp_decode_row(job->decoder, codes + (size_t) i * attributes, &prng, values, nulls);
		tuplestore_putvalues(store, job->row, values, nulls);
	}
	MemoryContextSwitchTo(caller);
	MemoryContextReset(job->scratch);
	dp_tick(&job->progress.tick, (double) (block + 1) / dp_job_blocks(job));
}
