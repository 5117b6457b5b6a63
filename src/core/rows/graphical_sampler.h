/*
 * graphical_sampler.h -- rows from a fitted graphical model.
 */
#ifndef DP_GRAPHICAL_SAMPLER_H
#define DP_GRAPHICAL_SAMPLER_H

#include "core/graphical/graphical.h"
#include "core/rows/sampler.h"

typedef struct DpGraphicalSampler DpGraphicalSampler;

/* How the levels of a group are distinguished: by cumulative shares of its levels. */
typedef struct DpLevelSplit
{
	uint32_t n;         /* number of levels; 1: there is nothing to tell apart */
	uint32_t *level;    /* [n] */
	double *cumulative; /* [n], the last one 1 */
} DpLevelSplit;

/*
 * Compiles a fitted model, which need not outlive the sampler. split[a][g] belongs to group g of
 * attribute a. rows is the number that will be drawn unless expect says otherwise. systematic: rows
 * that are drawn together get as even a share of each cell as they can; else each row is drawn by
 * itself.
 */
extern DpStatus dp_graphical_sampler_build(const DpGraphical *model, uint64_t rows,
										   const DpLevelSplit *const *split, bool systematic,
										   DpGraphicalSampler **out, DpArena *arena) DP_MUST_USE;
/* These are draw, draw_block and expect of a DpSampler. */
extern void dp_graphical_draw(const void *sampler, DpPrng *prng, uint32_t *codes);
extern void dp_graphical_draw_block(void *sampler, const DpRowBlock *block, uint32_t *codes,
									const DpTick *tick);
extern void dp_graphical_expect(void *sampler, uint64_t rows);

#endif
