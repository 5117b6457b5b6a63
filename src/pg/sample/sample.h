/*
 * sample.h -- drawing rows of a stored release, and releasing for a target.
 *
 * Post-processing: runs in the caller's backend, on what was released.
 */
#ifndef DPSYN_SAMPLE_H
#define DPSYN_SAMPLE_H

#include "postgres.h"

#include "nodes/execnodes.h"
#include "utils/jsonb.h"
#include "utils/tuplestore.h"

#include "pg/release/request.h"
#include "pg/sample/draw_job.h"
#include "pg/server/compat.h"

/*
 * The job of drawing what a caller of dp_sample asked for.
 *
 * Post-processing: runs in the caller's backend, on what was released.
 */

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
/* Puts all rows into store, with up to that many parallel workers; the rows do not depend on their
 * number. */
extern void dp_job_run(DpDrawJob *job, int workers, Tuplestorestate *store);

/* ---- arguments ---- */

/* The row type that a function returning SETOF anyelement is to return; ERROR if it is none. */
extern TupleDesc dp_result_row(FunctionCallInfo fcinfo);
/* ERROR unless the caller can take the result in this way. */
extern void dp_check_returns_set(FunctionCallInfo fcinfo, SetFunctionReturnMode mode);
/* "rows"; -1 for NULL. ERROR for a negative number. */
extern int64 dp_rows_argument(FunctionCallInfo fcinfo, int argument);
/* All of dp_sample. relation: NULL where the row type is that of argument 0. */
extern void dp_sample_arguments(FunctionCallInfo fcinfo, const char *relation,
								DpSampleArguments *arguments);

/* ---- work ---- */

/*
 * Fills in a release of the relation whose row type argument 0 has; arguments number epsilon and
 * epsilon + 1, which is delta, are not NULL. request: has method, options, sets and rows.
 */
extern void dp_request_target(FunctionCallInfo fcinfo, int epsilon, DpReleaseRequest *request);
/* Runs it. A NOTICE says how to read the release again: again is the function for that. */
extern int64 dp_release_requested(DpReleaseRequest *request, const char *again);
/* All rows of the job as the result of a set-returning function, with up to that many parallel
 * workers. */
extern Datum dp_return_all(FunctionCallInfo fcinfo, DpDrawJob *job, int workers);

/* A release, and what came of it. */

/* Runs a release, and says in NOTICEs which open columns came to little. Returns its number. */
extern int64 dp_release_and_report(const DpReleaseForest *forest);

#endif
