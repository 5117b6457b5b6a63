/*
 * table_distance.h -- how far two contingency tables over the same cells are apart.
 *
 * SECRET: the counts are exact, of rows that the caller may read.
 */
#ifndef DP_TABLE_DISTANCE_H
#define DP_TABLE_DISTANCE_H

#include <stdint.h>

/* Two tables of the same cells. Each total is the sum of its counts, and at least 1. */
typedef struct DpTablePair
{
	const int64_t *first; /* [cells] */
	const int64_t *second;
	uint64_t cells;
	int64_t first_total;
	int64_t second_total;
} DpTablePair;

/* Half the sum of the absolute differences of shares: 0 for equal shares, 1 for no common cell. */
extern double dp_table_total_variation(const DpTablePair *pair);
/* The largest absolute difference of shares. */
extern double dp_table_largest_difference(const DpTablePair *pair);

#endif
