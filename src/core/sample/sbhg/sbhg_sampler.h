/*
 * sbhg_sampler.h -- a Gibbs sampler on the noisy conditional histograms of each column given a few
 * others.
 */
#ifndef DP_SBHG_SAMPLER_H
#define DP_SBHG_SAMPLER_H

#include "core/sample/sampler.h"

extern const DpSampler dp_sbhg_sampler;

/* One step of a row's chain. Sweep 0 is the start. */
typedef struct DpChainStep
{
	uint32_t sweep;
	uint32_t attribute;
	bool drawn;      /* false: its parents' values were never released, and it keeps its value */
	uint32_t given;  /* of its parents, the values of so many, the first, were used */
	uint32_t before; /* at the start: no value */
	uint32_t after;
} DpChainStep;

typedef struct DpChainView
{
	void *context;
	/* codes: the row after the step; at the start, of the attributes up to the step's. */
	void (*step)(void *context, const DpChainStep *step, const uint32_t *codes);
} DpChainView;

/* A sampler that can show its chains. */
typedef struct DpSbhgTrace DpSbhgTrace;

extern DpStatus dp_sbhg_trace_prepare(const DpModel *model, DpSbhgTrace **trace, const DpTick *tick,
									  DpArena *arena, DpError *error) DP_MUST_USE;
/* Draws a row of a block, 0..DP_BLOCK_ROWS-1, as the sampler's draw_block does, and shows each
 * step. codes: [attributes]. */
extern void dp_sbhg_trace(DpSbhgTrace *trace, const DpStream *stream, uint32_t row,
						  const DpChainView *view, uint32_t *codes);

#endif
