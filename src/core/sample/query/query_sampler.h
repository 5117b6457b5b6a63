/*
 * query_sampler.h -- a release that holds answers, from which no rows can be drawn.
 */
#ifndef DP_QUERY_SAMPLER_H
#define DP_QUERY_SAMPLER_H

#include "core/sample/sampler.h"

extern const DpSampler dp_query_sampler;

#endif
