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
/*
 * ERROR if most of the information in the rows of a table would be noise because it has many
 * columns without a declaration. Not if the option "partial" allows it or columns are named. Uses
 * the publicly known number of rows, or else that of an ordinary table. The hint says how to get
 * less noise.
 */
extern void dp_check_noise(const DpReleaseRequest *request, const DpPrepared *prepared);

#endif
