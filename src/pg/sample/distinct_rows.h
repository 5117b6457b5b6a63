/*
 * distinct_rows.h -- values by which the rows of one parent differ.
 *
 * Post-processing: runs in the caller's backend, on what was released.
 *
 * Rows of one parent have levels with values for them all (distinct_codes.h). Values inside bins, ends
 * of ranges, distances and computed columns may be alike all the same. Such a row is drawn again:
 * first its values, inside the same bins, then all of it. If that takes too long, it is left out.
 */
#ifndef DPSYN_DISTINCT_ROWS_H
#define DPSYN_DISTINCT_ROWS_H

#include "pg/server/compat.h"

#include "pg/sample/draw_job.h"

typedef struct DpDistinctValues DpDistinctValues;

/* Of the rows of a part of a release; the job must outlive it. NULL: they need not differ. */
extern DpDistinctValues *dp_distinct_rows_create(const DpDrawJob *job);
/* At the beginning of a block. */
extern void dp_distinct_rows_begin(DpDistinctValues *distinct);
/*
 * Makes row number `row` of one parent, [rows x columns], differ from those before it. It was drawn
 * last, with these codes. false: no such row was found.
 */
extern bool dp_distinct_rows_keep(DpDistinctValues *distinct, DpRowStream *stream,
								  const uint32 *codes, uint32 row, Datum *values, bool *nulls);

#endif
