/*
 * range_boundaries.h -- where the bins of a range could have one more edge, and to give them one.
 * Post-processing.
 */
#ifndef DP_RANGE_BOUNDARIES_H
#define DP_RANGE_BOUNDARIES_H

#include "core/domain/range.h"

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
