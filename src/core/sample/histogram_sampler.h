/*
 * histogram_sampler.h -- rows from noisy tables that divide the columns among them: each table
 * gives one of its cells.
 */
#ifndef DP_HISTOGRAM_SAMPLER_H
#define DP_HISTOGRAM_SAMPLER_H

#include "core/sample/sampler.h"

extern const DpSampler dp_histogram_sampler;

#endif
