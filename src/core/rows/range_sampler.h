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

#endif
