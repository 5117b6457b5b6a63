/*
 * range_sampler.h -- from a bin of a range to one of its values: first the fine leaf, then the
 * value inside.
 */
#ifndef DP_RANGE_SAMPLER_H
#define DP_RANGE_SAMPLER_H

#include "core/base/prng.h"
#include "core/domain/range.h"

typedef struct DpRangeSampler DpRangeSampler;

/* The range must have bins, and must outlive the sampler. NULL: no memory. */
extern DpRangeSampler *dp_range_sampler_create(const DpRange *range, DpArena *arena) DP_MUST_USE;
/* A coordinate of a bin. */
extern int64_t dp_range_draw(const DpRangeSampler *sampler, uint32_t bin, DpPrng *prng);
/* The same among first..last, by the same density; false: no coordinate of the bin is there. */
extern bool dp_range_draw_between(const DpRangeSampler *sampler, uint32_t bin, int64_t first,
								  int64_t last, DpPrng *prng, int64_t *coordinate);

#endif
