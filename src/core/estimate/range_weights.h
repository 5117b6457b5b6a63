/*
 * range_weights.h -- from the noisy counts of leaves to segments of a range, and how many rows are
 * in each. Post-processing.
 */
#ifndef DP_RANGE_WEIGHTS_H
#define DP_RANGE_WEIGHTS_H

#include "core/estimate/noisy_leaves.h"

/* Where a piece is. */
typedef enum DpRangeEnd
{
	DP_RANGE_BODY,
	DP_RANGE_LOWER_TAIL,
	DP_RANGE_UPPER_TAIL,
	DP_RANGE_ALONE /* far out, and stands out of the tail */
} DpRangeEnd;

/* Disjoint intervals of a grid that cover it: leaves, and those of a tail in parts. */
typedef struct DpRangeSegments
{
	const DpGrid *grid;
	uint32_t n;      /* >= 1 */
	int64_t *first;  /* [n] first coordinates, ascending from grid->first */
	double *weight;  /* [n] rows, >= 0 */
	DpRangeEnd *end; /* [n] */
} DpRangeSegments;

/* What is found of the range is not read. Categories with a hierarchy have
 * no ends: what is first among them is not the least. */
extern DpStatus dp_range_segments(const DpNoisyLeaves *leaves, const DpRange *range,
								  DpRangeSegments *segments, DpArena *arena) DP_MUST_USE;
/* How many values a piece has, given the first ones of n and the grid that they cover. */
extern uint64_t dp_range_values(const int64_t *first, uint32_t n, const DpGrid *grid, uint32_t i);

#endif
