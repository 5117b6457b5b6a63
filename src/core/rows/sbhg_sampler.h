/*
 * sbhg_sampler.h -- a Gibbs sampler on the noisy conditional histograms of each column given a few
 * others.
 */
#ifndef DP_SBHG_SAMPLER_H
#define DP_SBHG_SAMPLER_H

#include "core/rows/sampler.h"

extern const DpSampler dp_sbhg_sampler;

#endif
