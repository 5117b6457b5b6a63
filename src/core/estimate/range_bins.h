/*
 * range_bins.h -- from the noisy counts of fine leaves to the bins of a model, and to what is drawn
 * inside them. Post-processing.
 */
#ifndef DP_RANGE_BINS_H
#define DP_RANGE_BINS_H

#include "core/domain/range.h"

/* What is released of a range before its bins are found: leaves and their counts. */

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

/* Finds the bins of a range whose grid and bins_max are given. */
extern DpStatus dp_range_find(const DpNoisyLeaves *leaves, DpRange *range, const DpTick *tick,
							  DpArena *arena) DP_MUST_USE;

/*
 * From the noisy counts of leaves to segments of a range, and how many rows are in each. Post-
 * processing.
 */

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
								  const DpTick *tick, DpRangeSegments *segments,
								  DpArena *arena) DP_MUST_USE;
/* How many values a piece has, given the first ones of n and the grid that they cover. */
extern uint64_t dp_range_values(const int64_t *first, uint32_t n, const DpGrid *grid, uint32_t i);

/* Where the bins of a range could have one more edge, and to give them one. Post-processing. */

/* Intervals that divide the bins of a range. */
typedef struct DpRangeParts
{
	uint32_t n;     /* >= the range's bins */
	int64_t *first; /* [n] first coordinates, ascending: those of all bins are among them */
} DpRangeParts;

/* Divides the bins of a range at cells, so that about one in wanted of all weight is in a part.
 * What has no weight is not divided. */
extern DpStatus dp_range_parts(const DpRange *range, uint32_t wanted, DpRangeParts *parts,
							   DpArena *arena) DP_MUST_USE;
/* Lets a bin begin at a coordinate, grid.first < at <= grid.last. The weight of a leaf that it cuts
 * is divided as its values are. Does nothing where one begins there. */
extern DpStatus dp_range_add_edge(DpRange *range, int64_t at, DpArena *arena) DP_MUST_USE;

#endif
