/*
 * test_graphical_sampler.c -- the distribution of rows drawn from a graphical model.
 */
#include <math.h>
#include <string.h>

#include "unit_distribution.h"

#define SEEDS 400

/* The mean over many seeds: every single row has the model's distribution. */
static void
test_distribution(DpArena *arena, bool systematic)
{
	uint32_t count[CELLS], split[2], all = 0;
	double mean[CELLS] = {0}, split_mean[2] = {0}, worst = 0;
	Distribution distribution;

	build_distribution(arena, systematic, ROWS, &distribution);
	for (uint64_t seed = 0; seed < SEEDS; seed++)
	{
		count_rows(&distribution, seed, ROWS, count, split);
		for (uint32_t i = 0; i < CELLS; i++)
			mean[i] += count[i];
		for (uint32_t i = 0; i < CELLS; i++)
			all += count[i];
		split_mean[0] += split[0];
		split_mean[1] += split[1];
	}
	for (uint32_t i = 0; i < CELLS; i++)
	{
		double expected = distribution.share[i] * ROWS * SEEDS;

		worst = fmax(worst, fabs(mean[i] - expected) / sqrt(expected + 1));
	}
	CHECK(all == ROWS * SEEDS, "every row that is asked for is drawn, its codes are levels");
	CHECK(worst < 5, "%s rows: expected counts of the joint, %.1f standard deviations at most",
		  systematic ? "systematic" : "independent", worst);
	CHECK_NEAR(split_mean[0] / (split_mean[0] + split_mean[1]), 0.25, 0.01,
			   "levels of a group by their shares");
}

static void
test_order(DpArena *arena)
{
	uint32_t codes[2][3 * DP_BLOCK_ROWS * ATTRIBUTES];
	Distribution distribution;

	build_distribution(arena, true, 3 * DP_BLOCK_ROWS, &distribution);
	for (uint32_t i = 0; i < 3; i++)
	{
		dp_graphical_draw_block(distribution.sampler, &(DpRowBlock){{9, 1, i}, DP_BLOCK_ROWS},
								codes[0] + i * DP_BLOCK_ROWS * ATTRIBUTES, NULL);
		dp_graphical_draw_block(distribution.sampler, &(DpRowBlock){{8, 1, i}, DP_BLOCK_ROWS},
								codes[1], NULL); /* in between */
	}
	for (uint32_t i = 3; i-- > 0;)
		dp_graphical_draw_block(distribution.sampler, &(DpRowBlock){{9, 1, i}, DP_BLOCK_ROWS},
								codes[1] + i * DP_BLOCK_ROWS * ATTRIBUTES, NULL);
	CHECK(memcmp(codes[0], codes[1], sizeof(codes[0])) == 0,
		  "blocks are the same in whatever order they are asked for");
}

int
main(void)
{
	DpArena arena = dp_arena_malloc();

	test_distribution(&arena, true);
	test_distribution(&arena, false);
	test_order(&arena);
	dp_arena_malloc_free(&arena);
	return unit_finish();
}
