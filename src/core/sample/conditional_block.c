/*
 * conditional_block.c -- draws from conditional distributions, for all rows of a block at once.
 *
 * First the slots of all rows are computed, column by column, and then all rows are drawn. No draw
 * waits for the one before it, so that a processor has several on their way.
 */
#include <string.h>

#include "core/sample/conditional.h"

DpStatus
dp_code_columns_init(DpCodeColumns *block, uint32_t columns, DpArena *arena)
{
	*block = (DpCodeColumns){.columns = columns};
	block->code = dp_alloc(arena, (uint64_t) columns * DP_BLOCK_ROWS, sizeof(*block->code));
	block->random = dp_alloc(arena, DP_BLOCK_ROWS, sizeof(*block->random));
	block->slot = dp_alloc(arena, DP_BLOCK_ROWS, sizeof(*block->slot));
	block->row = dp_alloc(arena, columns, sizeof(*block->row));
	return block->code && block->random && block->slot && block->row ? DP_OK : DP_ERR_MEMORY;
}

void
dp_code_columns_to_rows(const DpCodeColumns *block, uint32_t *codes)
{
	for (uint32_t a = 0; a < block->columns; a++)
	{
		const uint32_t *code = block->code + (size_t) a * DP_BLOCK_ROWS;

		for (uint32_t r = 0; r < block->rows; r++)
			codes[(size_t) r * block->columns + a] = code[r];
	}
}

static void
find_direct_slots(const DpConditional *conditional, const DpConditionalLevel *level,
				  DpCodeColumns *block)
{
	memset(block->slot, 0, block->rows * sizeof(*block->slot));
	for (uint32_t k = 0; k < level->parents; k++)
	{
		const uint32_t *code = block->code + (size_t) conditional->parent[k] * DP_BLOCK_ROWS;
		uint32_t stride = (uint32_t) level->stride[k];

		for (uint32_t r = 0; r < block->rows; r++)
			block->slot[r] += code[r] * stride;
	}
}

/* The codes of the parents of one row, as dp_conditional_slot takes them. */
static void
gather_parents(const DpConditional *conditional, const DpCodeColumns *block, uint32_t r)
{
	for (uint32_t k = 0; k < conditional->parents; k++)
	{
		uint32_t a = conditional->parent[k];

		block->row[a] = block->code[(size_t) a * DP_BLOCK_ROWS + r];
	}
}

static void
find_hashed_slots(const DpConditional *conditional, const DpConditionalLevel *level,
				  DpCodeColumns *block)
{
	for (uint32_t r = 0; r < block->rows; r++)
	{
		gather_parents(conditional, block, r);
		block->slot[r] = (uint32_t) dp_conditional_slot(conditional, level, block->row);
	}
}

void
dp_conditional_draw_block(const DpConditional *conditional, uint32_t first, bool keep,
						  DpCodeColumns *block, uint32_t target, DpPrng *prng)
{
	const DpConditionalLevel *level = &conditional->level[first];
	uint32_t *code = block->code + (size_t) target * DP_BLOCK_ROWS;

	dp_prng_fill(prng, block->random, DP_BLOCK_ROWS); /* so that fewer rows are the first of more */
	if (level->direct)
		find_direct_slots(conditional, level, block);
	else
		find_hashed_slots(conditional, level, block);
	for (uint32_t r = 0; r < block->rows; r++)
	{
		const DpConditionalSlot *slot = &level->slot[block->slot[r]];

		if (slot->n > 0)
			code[r] = dp_alias_pick(level->entry + slot->first, slot->n, block->random[r]);
		else if (!keep)
		{
			gather_parents(conditional, block, r);
			(void) dp_conditional_pick(conditional, first + 1, block->row, block->random[r],
									   &code[r]);
		}
	}
}
