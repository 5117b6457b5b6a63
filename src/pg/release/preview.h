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
 * ERROR, with what leaves less of it, where most of what the rows of a table say would be noise, since
 * it has many columns of which nothing is declared, and this was not asked for by the option
 * "partial", nor were columns named. Of as many rows as are publicly known, or else as an ordinary
 * table has.
 */
extern void dp_check_noise(const DpReleaseRequest *request, const DpPrepared *prepared);

#endif
