/*
 * draw_parallel.h -- rows of a release that parallel workers draw.
 *
 * Post-processing: runs in the caller's backend and its parallel workers, on what was released.
 */
#ifndef DPSYN_DRAW_PARALLEL_H
#define DPSYN_DRAW_PARALLEL_H

#include "pg/server/compat.h"

#include "utils/tuplestore.h"

#include "pg/sample/draw_job.h"

/* Draws all rows into store, with up to that many parallel workers, on which the rows do not
 * depend. */
extern void dp_job_run_parallel(DpDrawJob *job, int workers, Tuplestorestate *store);

#endif
