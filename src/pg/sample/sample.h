/*
 * sample.h -- drawing rows of a stored release, and releasing for a target.
 *
 * Post-processing: runs in the caller's backend, on what was released.
 */
#ifndef DPSYN_SAMPLE_H
#define DPSYN_SAMPLE_H

#include "pg/server/compat.h"

#include "nodes/execnodes.h"

#include "pg/release/request.h"
#include "pg/sample/sample_job.h"

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
 * Runs a release of the relation whose row type argument 0 has; arguments number epsilon and
 * epsilon + 1, which is delta, are not NULL. request: has method, options, sets and rows; the rest
 * is filled here. A NOTICE says how to read the release again: again is the function for that.
 */
extern int64 dp_release_target(FunctionCallInfo fcinfo, int epsilon, DpReleaseRequest *request,
							   const char *again);
/* All rows of the job as the result of a set-returning function, with up to that many parallel
 * workers. */
extern Datum dp_return_all(FunctionCallInfo fcinfo, DpDrawJob *job, int workers);

#endif
