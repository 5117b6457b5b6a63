/*
 * steps_sampler.h -- rows from the noisy layers of a tree. Post-processing.
 */
#ifndef DP_STEPS_SAMPLER_H
#define DP_STEPS_SAMPLER_H

#include "core/sample/sampler.h"

extern const DpSampler dp_steps_sampler;

#endif
