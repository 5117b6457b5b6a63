/*
 * sampler.c -- blocks of rows from a compiled model.
 */
#include "core/sample/sampler.h"

void
dp_draw_expect(const DpSampler *sampler, void *state, uint64_t rows)
{
	if (sampler->expect != NULL)
		sampler->expect(state, rows);
}

static void
draw_row(const DpSampler *sampler, const void *state, uint64_t row, DpPrng *prng, uint32_t *codes)
{
	if (sampler->fetch == NULL || !sampler->fetch(state, row, codes))
		sampler->draw(state, prng, codes);
}

void
dp_draw_block(const DpSampler *sampler, void *state, uint32_t attributes, const DpRowBlock *block,
			  uint32_t *codes, const DpTick *tick)
{
	DpPrng prng;

	if (sampler->draw_block != NULL)
	{
		sampler->draw_block(state, block, codes, tick);
		return;
	}
	dp_prng_seed(&prng, block->stream);
	for (uint32_t row = 0; row < block->rows; row++)
	{
		dp_tick(tick, -1.0); /* with many columns or sweeps a single row can take long */
		draw_row(sampler, state, block->stream.block * DP_BLOCK_ROWS + row, &prng,
				 codes + (size_t) row * attributes);
	}
}
