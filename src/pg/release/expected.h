/*
 * expected.h -- how long a release and its rows will take, and how much memory, by public facts.
 */
#ifndef DPSYN_EXPECTED_H
#define DPSYN_EXPECTED_H

#include "pg/release/request.h"

/*
 * The most accurate number of rows among the releases that the user may draw from, of equals the
 * last. It has noise where the number is secret. 0: there is none.
 */
extern int64 dp_rows_released(int32 dataset, Oid user);
/* How many rows the relation has, as far as that is publicly known; 0: it is not. */
extern int64 dp_rows_known(const DpReleaseRequest *request, const DpPrepared *prepared);
/* CPU seconds that the release is expected to take, of as many rows as are publicly known. */
extern double dp_cost_estimate_seconds(const DpReleaseRequest *request, const DpPrepared *prepared);
/* The same of drawing the rows of all tables with dp_sample: as many as are asked for, or as are known
 * or assumed. */
extern double dp_cost_estimate_draw_seconds(const DpReleaseRequest *request,
											const DpPrepared *prepared);
/* The worker's memory at its peak. */
extern uint64 dp_cost_estimate_bytes(const DpReleaseRequest *request, const DpPrepared *prepared);

#endif
