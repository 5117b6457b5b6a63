/*
 * sampler.c -- blocks of rows from a compiled model, and the tables that it was made from.
 */
#include "core/rows/sampler.h"

DpStatus
dp_fail_impossible(DpError *error)
{
	(void) dp_fail(error, DP_ERR_ARGUMENT, "the model gives no row such values");
	dp_fail_detail(error, "By what was released, no row meets the condition.");
	dp_fail_hint(error, "Give fewer columns, or wider ranges.");
	return DP_ERR_ARGUMENT;
}

DpStatus
dp_measured_tables(const DpSampler *sampler, const DpModel *model, DpMeasuredTable **out,
				   DpArena *arena, DpError *error)
{
	DpMeasuredTable *table = dp_alloc(arena, model->tables, sizeof(*table));
	uint32_t sets = model->replicates > 0 ? model->replicates : 1;
	DpModel view;

	if (table == NULL)
		return DP_ERR_MEMORY;
	for (uint32_t t = 0; t < model->tables; t++)
		table[t].table = &model->table[t];
	*out = table;
	for (uint32_t set = 1; set <= sets && sampler->measured != NULL; set++)
	{
		DP_TRY(dp_model_view(model, set, &view));
		DP_TRY(sampler->measured(&view, table + (view.table - model->table), arena, error));
	}
	return DP_OK;
}

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
