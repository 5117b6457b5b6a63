/*
 * preview.h -- what a release will fill, cost and leave, by public facts, before it spends.
 */
#ifndef DPSYN_PREVIEW_H
#define DPSYN_PREVIEW_H

#include "pg/release/request.h"

/* Says so in one NOTICE, of a release that comes next or that dp_explain is asked about. */
extern void dp_preview(const DpReleaseRequest *request, const DpPrepared *prepared);
/*
 * ERROR, with the calls that declare the other columns, where fewer than half of them would be
 * filled, and this was not asked for by the option "partial".
 */
extern void dp_check_columns(const DpPrepared *prepared);

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
