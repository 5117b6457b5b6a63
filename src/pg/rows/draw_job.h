/*
 * draw_job.h -- rows of a release, block by block, in whichever process draws them.
 *
 * Post-processing: runs in the caller's backend and its parallel workers, on what was released.
 */
#ifndef DPSYN_DRAW_JOB_H
#define DPSYN_DRAW_JOB_H

#include "pg/server/compat.h"

#include "utils/tuplestore.h"

#include "core/rows/draw.h"
#include "pg/rows/decode.h"
#include "pg/rows/fill_rows.h"
#include "pg/rows/store.h"
#include "pg/server/bridge.h"

typedef struct DpDrawJob
{
	DpStored *stored;
	uint64 seed;
	uint64 set; /* counts from 1 */
	uint64 rows;
	DpModel model; /* of that set */
	DpDrawer drawer;
	/* only where codes become rows */
	DpDecoder *decoder;
	DpFiller *filler;
	TupleDesc row;
	DpProgress progress;
	MemoryContext scratch; /* emptied after each block */
} DpDrawJob;

/* Fills model from stored and set. */
extern void dp_job_view_set(DpDrawJob *job);
/* Fills drawer, for job->rows rows. tick: of the process that draws. */
extern void dp_job_prepare(DpDrawJob *job, const DpTick *tick);

extern uint64 dp_job_blocks(const DpDrawJob *job);
/* Rows of a block. The last one may be short. */
extern uint32 dp_job_block_rows(const DpDrawJob *job, uint64 block);
/* Memory for the codes of a block. */
extern Size dp_job_block_bytes(const DpDrawJob *job);
/* Draws the codes of a block, row by row. tick: of the process that draws. */
extern void dp_job_draw(const DpDrawJob *job, uint64 block, uint32 *codes, const DpTick *tick);
/* What turns the codes of a block into rows, one after the other. */
typedef struct DpRowStream
{
	uint64 number; /* of the row that comes next; counts from 1 */
	DpPrng bins;   /* places values inside their bins */
	DpPrng fill;   /* makes values of columns that are not modelled */
} DpRowStream;

/* Begins a block. */
extern void dp_job_rows_begin(const DpDrawJob *job, uint64 block, DpRowStream *stream);
/* Makes the next row from its codes. values, nulls: one for each column of job->row. */
extern void dp_job_row(const DpDrawJob *job, const uint32 *codes, DpRowStream *stream,
					   Datum *values, bool *nulls);
/* Puts the rows of a block, from their codes, into store, and reports progress. */
extern void dp_job_emit(DpDrawJob *job, uint64 block, const uint32 *codes, Tuplestorestate *store);

#endif
