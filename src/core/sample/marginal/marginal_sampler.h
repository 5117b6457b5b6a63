/*
 * marginal_sampler.h -- each column by itself from its noisy margin, or the rows that the release
 * holds.
 */
#ifndef DP_MARGINAL_SAMPLER_H
#define DP_MARGINAL_SAMPLER_H

#include "core/sample/sampler.h"

extern const DpSampler dp_marginal_sampler;

#endif
