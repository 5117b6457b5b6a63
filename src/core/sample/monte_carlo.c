/*
 * monte_carlo.c -- rows that are drawn once and counted often.
 */
#include "core/sample/monte_carlo.h"

static unsigned char
stride_of(const DpAttribute *attribute)
{
	return attribute->levels <= UINT8_MAX + 1 ? 1 : attribute->levels <= UINT16_MAX + 1 ? 2 : 4;
}

static uint64_t
rows_of(const DpModel *model)
{
	return dp_model_holds_rows(model) && model->domain.attributes > 0
			   ? model->structure_n / model->domain.attributes
			   : DP_SIMULATED_ROWS;
}

uint64_t
dp_monte_carlo_bytes(const DpModel *model)
{
	uint64_t row = 0;

	for (uint32_t a = 0; a < model->domain.attributes; a++)
		row += stride_of(&model->domain.attribute[a]);
	return row * rows_of(model);
}

DpStatus
dp_monte_carlo_allocate(const DpDomain *domain, const DpAttributeSet *kept, uint64_t rows,
						DpMonteCarlo *drawn, DpArena *arena)
{
	uint32_t p = domain->attributes;

	*drawn = (DpMonteCarlo){.rows = rows,
							.column = dp_alloc(arena, p, sizeof(*drawn->column)),
							.stride = dp_alloc(arena, p, sizeof(*drawn->stride))};
	DP_TRY_ALLOC(drawn->column && drawn->stride);
	for (uint32_t k = 0; k < kept->n; k++)
	{
		uint32_t a = kept->attribute[k];

		drawn->stride[a] = stride_of(&domain->attribute[a]);
		drawn->column[a] = dp_alloc(arena, drawn->rows, drawn->stride[a]);
		DP_TRY_ALLOC(drawn->column[a]);
	}
	return DP_OK;
}

static void
keep(DpMonteCarlo *drawn, uint32_t attribute, uint64_t row, uint32_t code)
{
	switch (drawn->stride[attribute])
	{
		case 1:
			((uint8_t *) drawn->column[attribute])[row] = (uint8_t) code;
			return;
		case 2:
			((uint16_t *) drawn->column[attribute])[row] = (uint16_t) code;
			return;
		default:
			((uint32_t *) drawn->column[attribute])[row] = code;
	}
}

void
dp_monte_carlo_keep(DpMonteCarlo *drawn, const DpAttributeSet *kept, uint32_t attributes,
					const uint32_t *codes, uint64_t first, uint64_t rows)
{
	for (uint32_t k = 0; k < kept->n; k++)
		for (uint64_t i = 0; i < rows; i++)
			keep(drawn, kept->attribute[k], first + i, codes[i * attributes + kept->attribute[k]]);
}

void
dp_monte_carlo_codes(const DpMonteCarlo *drawn, uint32_t attribute, uint64_t first, uint32_t n,
					 uint32_t *code)
{
	const void *column = drawn->column[attribute];

	switch (drawn->stride[attribute])
	{
		case 1:
			for (uint32_t i = 0; i < n; i++)
				code[i] = ((const uint8_t *) column)[first + i];
			return;
		case 2:
			for (uint32_t i = 0; i < n; i++)
				code[i] = ((const uint16_t *) column)[first + i];
			return;
		default:
			for (uint32_t i = 0; i < n; i++)
				code[i] = ((const uint32_t *) column)[first + i];
	}
}

DpStatus
dp_monte_carlo_make(const DpSampler *sampler, const DpModel *model, const DpAttributeSet *kept,
					DpMonteCarlo *drawn, const DpTick *tick, DpArena *arena, DpError *error)
{
	uint32_t p = model->domain.attributes;
	uint32_t *codes = dp_alloc(arena, (size_t) p * DP_BLOCK_ROWS, sizeof(*codes));
	DpDrawer drawer;

	DP_TRY_ALLOC(codes);
	DP_TRY(dp_monte_carlo_allocate(&model->domain, kept, rows_of(model), drawn, arena));
	DP_TRY(dp_drawer_prepare(sampler, model, &drawer, tick, arena, error));
	dp_draw_expect(drawer.sampler, drawer.state, drawn->rows);
	for (uint64_t row = 0; row < drawn->rows; row += DP_BLOCK_ROWS)
	{
		uint64_t left = drawn->rows - row;
		DpRowBlock block = {{DP_SIMULATED_SEED, 1, row / DP_BLOCK_ROWS},
							left < DP_BLOCK_ROWS ? (uint32_t) left : DP_BLOCK_ROWS};

		dp_tick(tick, (double) row / (double) drawn->rows);
		DP_TRY(dp_draw_rows(&drawer, &block, codes, tick, error));
		dp_monte_carlo_keep(drawn, kept, p, codes, row, block.rows);
	}
	dp_free(arena, codes, (size_t) p * DP_BLOCK_ROWS, sizeof(*codes));
	return DP_OK;
}
