/*
 * unit_draw.h -- budgets of releases, and rows drawn from them block by block.
 */
#ifndef UNIT_DRAW_H
#define UNIT_DRAW_H

#include "core/sample/draw.h"

#include "unit_data.h"

static inline DpBudget
epsilon(int64_t nano)
{
	return (DpBudget){.epsilon_nano = nano, .delta_atto = INT64_C(1000000000000000)};
}

static inline DpStatus
draw_rows(const DpModel *model, DpArena *arena, uint32_t rows, uint32_t *codes)
{
	DpDrawer drawer;

	DP_TRY(dp_drawer_prepare(unit_sampler(model), model, &drawer, NULL, arena, NULL));
	for (uint32_t first = 0; first < rows; first += DP_BLOCK_ROWS)
		DP_TRY(
			dp_draw_rows(&drawer,
						 &(DpRowBlock){{1, 1, first / DP_BLOCK_ROWS},
									   rows - first < DP_BLOCK_ROWS ? rows - first : DP_BLOCK_ROWS},
						 codes + (size_t) first * drawer.domain->attributes, NULL, NULL));
	return DP_OK;
}

#endif
