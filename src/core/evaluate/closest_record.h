/*
 * closest_record.h -- how far rows are from the closest of other rows.
 *
 * SECRET: the rows are exact, and such as the caller may read.
 */
#ifndef DP_CLOSEST_RECORD_H
#define DP_CLOSEST_RECORD_H

#include "core/base/status.h"

/* A column of some rows. Values that differ are 1 apart; of numbers the difference, at most 1. */
typedef struct DpRecordColumn
{
	const uint32_t *code; /* [rows] a value, 0 for NULL */
	/* [rows] divided by the width of their range; NaN: none; NULL: a column of no numbers */
	const double *number;
} DpRecordColumn;

typedef struct DpRecords
{
	uint32_t columns;
	const DpRecordColumn *column;
	uint32_t rows;
} DpRecords;

/* The mean over the columns, of each row of `from` to the closest of `to`: distance[from->rows].
 * This is Gower's distance. Both have the same columns; to has at least one row. */
extern void dp_closest_records(const DpRecords *from, const DpRecords *to, double *distance,
							   const DpTick *tick);

#endif
