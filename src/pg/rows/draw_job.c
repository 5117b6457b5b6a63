/*
 * draw_job.c -- rows of a release, block by block: what a backend that draws by itself and its
 * parallel workers have in common.
 */
#include "pg/rows/draw_job.h"

#include "utils/memutils.h"
#include "utils/tuplestore.h"

/* These keep the streams that place values inside bins, and that fill columns, apart from the one
 * that draws codes. */
#define BIN_STREAM UINT64CONST(0x9e3779b97f4a7c15)
#define FILL_STREAM UINT64CONST(0x8cb92ba72f3d8dd7)

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
dp_job_rows_begin(const DpDrawJob *job, uint64 block, DpRowStream *stream)
{
	stream->number = block * DP_BLOCK_ROWS + 1;
	dp_prng_seed(&stream->bins, (DpStream){job->seed ^ BIN_STREAM, job->set, block});
	dp_prng_seed(&stream->fill, (DpStream){job->seed ^ FILL_STREAM, job->set, block});
	dp_filler_begin(job->filler);
}

void
dp_job_row(const DpDrawJob *job, const uint32 *codes, DpRowStream *stream, Datum *values,
		   bool *nulls)
{
	dp_decode_row(job->decoder, codes, &stream->bins, values, nulls);
	dp_fill_row(job->filler, stream->number, &stream->fill, values, nulls);
	stream->number++;
}

void
dp_job_emit(DpDrawJob *job, uint64 block, const uint32 *codes, Tuplestorestate *store)
{
	MemoryContext caller = MemoryContextSwitchTo(job->scratch);
	Datum *values = palloc(sizeof(Datum) * Max(job->row->natts, 1));
	bool *nulls = palloc(sizeof(bool) * Max(job->row->natts, 1));
	uint32 attributes = job->stored->model.domain.attributes;
	uint32 rows = dp_job_block_rows(job, block);
	DpRowStream stream;

	dp_job_rows_begin(job, block, &stream);
	for (uint32 i = 0; i < rows; i++)
	{
		dp_job_row(job, codes + (size_t) i * attributes, &stream, values, nulls);
		tuplestore_putvalues(store, job->row, values, nulls);
	}
	MemoryContextSwitchTo(caller);
	MemoryContextReset(job->scratch);
	dp_tick(&job->progress.tick, (double) (block + 1) / dp_job_blocks(job));
}
