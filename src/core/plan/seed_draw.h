/*
 * seed_draw.h -- rows drawn from a seed pool, with the randomness of the release.
 */
#ifndef DP_SEED_DRAW_H
#define DP_SEED_DRAW_H

#include "core/domain/seed_pool.h"
#include "core/noise/rng.h"

/* Draws a row of the pool, each copy with the same probability. If pool is NULL, it is a uniform
 * row of the whole domain. */
extern DpStatus dp_seed_pool_draw(const DpSeedPool *pool, const DpDomain *domain, DpRng *rng,
								  uint32_t *row) DP_MUST_USE;

#endif
