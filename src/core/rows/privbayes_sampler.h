/*
 * privbayes_sampler.h -- rows from the noisy tables of a network, each column
 * given its parents. Post-processing.
 */
#ifndef DP_PRIVBAYES_SAMPLER_H
#define DP_PRIVBAYES_SAMPLER_H

#include "method.h"

extern DpStatus dp_privbayes_prepare(const DpModel *model, DpArena *arena, const DpTick *tick,
									 void **sampler, DpError *error) DP_MUST_USE;
extern void dp_privbayes_draw(const void *sampler, DpPrng *prng, uint32_t *codes);
extern uint64_t dp_privbayes_draw_cost(const DpModel *model);

#endif
