/*
 * range_bins.h -- from the noisy counts of fine leaves to the bins of a model, and to what is drawn
 * inside them. Post-processing.
 */
#ifndef DP_RANGE_BINS_H
#define DP_RANGE_BINS_H

#include "core/domain/range.h"

/* Leaves that were released: disjoint intervals of a grid that cover it, and their noisy counts. */
typedef struct DpNoisyLeaves
{
	uint32_t n;           /* >= 1 */
	const int64_t *first; /* [n] first coordinates, ascending from grid.first */
	const int64_t *count; /* [n] rows with noise */
	double stddev_rows;   /* of the noise */
	double rare_rows;     /* what noise alone exceeds in one leaf of a hundred thousand at most */
} DpNoisyLeaves;

/* Fills in what is found of a range, whose grid and bins_max are given. */
extern DpStatus dp_range_find(const DpNoisyLeaves *leaves, DpRange *range, const DpTick *tick,
							  DpArena *arena) DP_MUST_USE;

#endif
