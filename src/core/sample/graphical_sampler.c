/*
 * graphical_sampler.c -- rows from a fitted graphical model, clique by clique.
 *
 * The attributes of a clique that its separator lacks are drawn together, given the separator: at
 * the root first, then at its children. An independent row draws a cell by the cumulative shares
 * of its slice, which is the cells with its codes in the separator. Systematic rows come in batches
 * (systematic_batch.h).
 *
 * A batch is drawn when its first block is asked for, from its own stream, and kept until another
 * batch is asked for. What a row is depends on the seed, the set and the number of rows drawn in
 * all, and not on how rows are fetched.
 */
#include "core/sample/graphical_fit.h"

#include <string.h>

#include "core/sample/clique_conditional.h"
#include "core/sample/systematic_batch.h"

#define BATCH_STREAM UINT64_C(0x5851f42d4c957f2d) /* keeps batches apart from blocks */

struct DpGraphicalSampler
{
	uint32_t attributes;
	const uint32_t *levels; /* of groups */
	uint32_t nodes;
	DpCliqueConditional *node;
	const DpLevelSplit *const *split;
	uint64_t rows;
	DpSystematicBatch *batch; /* NULL: each row is drawn by itself */
	bool batch_is_there;
	DpStream batch_stream; /* its block is the number of the batch */
	uint64_t batch_rows;
};

/* ---- making ---- */

/* Moves each node behind the first node that knows the same attributes, for a batch. The nodes that
 * draw them stay before it. */
static void
gather_nodes(DpCliqueConditional *node, uint32_t nodes)
{
	for (uint32_t i = 0; i < nodes; i++)
		for (uint32_t j = i + 1; j < nodes; j++)
		{
			DpCliqueConditional moved = node[j];

			if (!dp_graphical_know_the_same(&node[i], &moved))
				continue;
			memmove(&node[i + 2], &node[i + 1], (j - i - 1) * sizeof(*node));
			node[++i] = moved;
		}
}

DpStatus
dp_graphical_sampler_build(const DpGraphical *model, uint64_t rows,
						   const DpLevelSplit *const *split, bool systematic,
						   DpGraphicalSampler **out, DpArena *arena)
{
	DpGraphicalSampler *sampler = dp_alloc(arena, 1, sizeof(*sampler));

	DP_TRY_ALLOC(sampler);
	sampler->attributes = model->attributes;
	sampler->levels = model->levels;
	sampler->split = split;
	sampler->rows = rows;
	sampler->nodes = model->tree.cliques;
	sampler->node = dp_alloc(arena, sampler->nodes, sizeof(*sampler->node));
	DP_TRY_ALLOC(sampler->node);
	for (uint32_t i = 0; i < sampler->nodes; i++)
		DP_TRY(dp_clique_conditional_compile(model, i, &sampler->node[i], arena));
	if (systematic)
	{
		gather_nodes(sampler->node, sampler->nodes);
		DP_TRY(
			dp_systematic_batch_create(&(DpSystematicBatchModel){.attributes = sampler->attributes,
																 .levels = sampler->levels,
																 .nodes = sampler->nodes,
																 .node = sampler->node,
																 .split = split},
									   &sampler->batch, arena));
	}
	*out = sampler;
	return DP_OK;
}

/* ---- one row ---- */

void
dp_graphical_draw(const void *sampler_in, DpPrng *prng, uint32_t *codes)
{
	const DpGraphicalSampler *sampler = sampler_in;

	for (uint32_t i = 0; i < sampler->nodes; i++)
	{
		const DpCliqueConditional *node = &sampler->node[i];
		uint64_t slice = dp_set_cell(&node->known, sampler->levels, codes);

		dp_set_codes(&node->drawn, sampler->levels,
					 dp_cumulative_find(node->cumulative + slice * node->cells, node->cells,
										dp_prng_unit(prng)),
					 codes);
	}
	for (uint32_t a = 0; a < sampler->attributes; a++)
	{
		const DpLevelSplit *split = &sampler->split[a][codes[a]];

		codes[a] =
			split->n == 1
				? split->level[0]
				: split->level[dp_cumulative_find(split->cumulative, split->n, dp_prng_unit(prng))];
	}
}

/* ---- blocks ---- */

/* The number of rows of a batch: all of it, or what is left of the expected rows. */
static uint64_t
rows_of_batch(const DpGraphicalSampler *sampler, uint64_t batch, uint64_t least)
{
	uint64_t full = dp_systematic_batch_capacity(sampler->batch);
	uint64_t left = sampler->rows / full > batch    ? full
					: sampler->rows / full == batch ? sampler->rows % full
													: 0;

	return left >= least ? left : full;
}

static void
have_batch(DpGraphicalSampler *sampler, DpStream batch, uint64_t rows, const DpTick *tick)
{
	DpStream own = batch;
	DpPrng prng;

	if (sampler->batch_is_there && sampler->batch_stream.seed == batch.seed &&
		sampler->batch_stream.set == batch.set && sampler->batch_stream.block == batch.block &&
		sampler->batch_rows == rows)
		return;
	sampler->batch_is_there = false; /* the tick may not come back */
	own.seed ^= BATCH_STREAM;
	dp_prng_seed(&prng, own);
	dp_systematic_batch_draw(sampler->batch, &prng, rows, tick);
	sampler->batch_stream = batch;
	sampler->batch_rows = rows;
	sampler->batch_is_there = true;
}

void
dp_graphical_draw_block(void *sampler_in, const DpRowBlock *block, uint32_t *codes,
						const DpTick *tick)
{
	DpGraphicalSampler *sampler = sampler_in;
	DpStream batch = block->stream;
	uint64_t blocks, first;

	if (sampler->batch == NULL)
	{
		DpPrng prng;

		dp_prng_seed(&prng, block->stream);
		for (uint32_t row = 0; row < block->rows; row++)
		{
			dp_tick(tick, -1.0);
			dp_graphical_draw(sampler, &prng, codes + (size_t) row * sampler->attributes);
		}
		return;
	}
	blocks = dp_systematic_batch_capacity(sampler->batch) / DP_BLOCK_ROWS;
	first = batch.block % blocks * DP_BLOCK_ROWS;
	batch.block /= blocks;
	have_batch(sampler, batch, rows_of_batch(sampler, batch.block, first + block->rows), tick);
	dp_systematic_batch_rows(sampler->batch, first, block->rows, codes);
}

void
dp_graphical_expect(void *sampler_in, uint64_t rows)
{
	((DpGraphicalSampler *) sampler_in)->rows = rows;
}
