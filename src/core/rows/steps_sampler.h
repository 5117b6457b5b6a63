/*
 * steps_sampler.h -- rows from the noisy layers of a tree. Post-processing.
 */
#ifndef DP_STEPS_SAMPLER_H
#define DP_STEPS_SAMPLER_H

#include "method.h"

extern DpStatus dp_steps_prepare(const DpModel *model, DpArena *arena, const DpTick *tick,
								 void **sampler, DpError *error) DP_MUST_USE;
extern void dp_steps_draw(const void *sampler, DpPrng *prng, uint32_t *codes);
extern uint64_t dp_steps_draw_cost(const DpModel *model);

#endif
