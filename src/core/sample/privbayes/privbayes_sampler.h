/*
 * privbayes_sampler.h -- rows from the noisy tables of a network: each column is drawn given its
 * parents. Post-processing.
 */
#ifndef DP_PRIVBAYES_SAMPLER_H
#define DP_PRIVBAYES_SAMPLER_H

#include "core/sample/sampler.h"

extern const DpSampler dp_privbayes_sampler;

#endif
