/*
 * noisy_leaves.h -- what is released of a range before its bins are found: leaves and their counts.
 */
#ifndef DP_NOISY_LEAVES_H
#define DP_NOISY_LEAVES_H

#include "core/domain/range.h"

/* Leaves that were released: disjoint intervals of a grid that cover it, and their noisy counts. */
typedef struct DpNoisyLeaves
{
	uint32_t n;           /* >= 1 */
	const int64_t *first; /* [n] first coordinates, ascending from grid.first */
	const int64_t *count; /* [n] rows with noise */
	double stddev_rows;   /* of the noise */
	double rare_rows;     /* what noise alone exceeds in one leaf of a hundred thousand at most */
	/* values that were counted apart (dp_grid_marks): their rows are in no leaf */
	uint32_t marks;
	const int64_t *mark;       /* [marks] ascending */
	const int64_t *mark_count; /* [marks] with the same noise */
} DpNoisyLeaves;

#endif
