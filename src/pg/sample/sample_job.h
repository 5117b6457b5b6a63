/*
 * sample_job.h -- the job of drawing what a caller of dp_sample asked for.
 *
 * Post-processing: runs in the caller's backend, on what was released.
 */
#ifndef DPSYN_SAMPLE_JOB_H
#define DPSYN_SAMPLE_JOB_H

#include "pg/sample/draw_job.h"
#include "pg/server/compat.h"
#include "utils/jsonb.h"
#include "utils/tuplestore.h"

typedef struct DpSampleArguments
{
	int64 release;
	int64 rows; /* -1: the release's own */
	uint64 seed;
	bool is_seeded; /* by the caller */
	int32 set;
	int32 part, parts;    /* which of so many parts of the rows; part counts from 1 */
	Jsonb *given;         /* what the rows are to meet; NULL: nothing */
	const char *relation; /* whose rows the caller expects; NULL: the row type tells */
} DpSampleArguments;

/* row: the caller's row type. ERROR if the release, the set or the number of rows is not there for
 * the caller. */
extern DpDrawJob *dp_sample_job(const DpSampleArguments *arguments, TupleDesc row);
/* The number of parallel workers that is worth their start; 0: none, or none can be used. */
extern int dp_job_workers(const DpDrawJob *job);
/* Puts all rows into store, with up to that many parallel workers, on which they do not depend. */
extern void dp_job_run(DpDrawJob *job, int workers, Tuplestorestate *store);

#endif
