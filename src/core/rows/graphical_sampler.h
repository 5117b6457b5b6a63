/*
 * graphical_sampler.h -- rows from a fitted graphical model.
 */
#ifndef DP_GRAPHICAL_SAMPLER_H
#define DP_GRAPHICAL_SAMPLER_H

#include "graphical.h"
#include "rng.h"

typedef struct DpGraphicalSampler DpGraphicalSampler;

/* How the levels of a group are told apart: cumulative shares of its levels. */
typedef struct DpSplit
{
	uint32_t n;         /* levels; 1: nothing to tell */
	uint32_t *level;    /* [n] */
	double *cumulative; /* [n], the last one 1 */
} DpSplit;

/*
 * Compiles a fitted model, which need not outlive it. split[a][g] is of group g of attribute a. rows
 * is what will be drawn unless expect says otherwise. systematic: rows that are drawn together get as
 * even a share of each cell as they can; else each row is drawn for itself.
 */
extern DpStatus dp_graphical_sampler_build(const DpGraphical *model, const DpSplit *const *split,
										   uint64_t rows, bool systematic, DpArena *arena,
										   DpGraphicalSampler **out) DP_MUST_USE;
/* As a method's draw, draw_block and expect. */
extern void dp_graphical_draw(const void *sampler, DpPrng *prng, uint32_t *codes);
extern void dp_graphical_draw_block(void *sampler, uint64_t seed, uint64_t set, uint64_t block,
									uint32_t rows, uint32_t *codes, const DpTick *tick);
extern void dp_graphical_expect(void *sampler, uint64_t rows);

#endif
