/*
 * test_systematic_batch.c -- rows of a batch: each cell as often as the model says, columns that
 * know the same drawn behind each other, levels of a group that are distinguished.
 *
 * Covers clique_conditional.c.
 */
#include "core/sample/clique_conditional.h"
#include "core/sample/graphical_fit.h"
#include "core/sample/systematic_batch.h"

#include <math.h>
#include <string.h>

#include "unit_arena.h"
#include "unit_data.h"

/* b and d know a, c knows b, e knows c and d; the nodes of b and d do not stand together at first.
 */
#define ATTRIBUTES 5
#define ROWS 3000
#define SEEDS 300

static const uint32_t groups[] = {3, 4, 2, 3, 2};
static const uint32_t ab[] = {0, 1}, bc[] = {1, 2}, ad[] = {0, 3}, cd[] = {2, 3, 4};

typedef struct Distribution
{
	DpGraphical model;
	DpGraphicalSampler *sampler;
	DpLevelSplit split[ATTRIBUTES][4];
	const DpLevelSplit *splits[ATTRIBUTES];
	uint32_t level[ATTRIBUTES][5];
} Distribution;

static const double shares[] = {0.75, 1};

/* Levels 0 and 4 of b are one group, and those of d are the groups in another order. */
static void
split_levels(Distribution *distribution)
{
	for (uint32_t a = 0; a < ATTRIBUTES; a++)
	{
		for (uint32_t i = 0; i < 5; i++)
			distribution->level[a][i] = a == 3 ? 2 - i : i;
		for (uint32_t g = 0; g < groups[a]; g++)
			distribution->split[a][g] = (DpLevelSplit){1, &distribution->level[a][g], NULL};
		distribution->splits[a] = distribution->split[a];
	}
	distribution->level[1][4] = 3;
	distribution->level[1][3] = 4; /* level[1][3..4]: the levels of the last group */
	distribution->split[1][3] =
		(DpLevelSplit){2, &distribution->level[1][3], (double *) (uintptr_t) shares};
}

static void
add_table(Distribution *distribution, const uint32_t *attribute, uint32_t n, DpPrng *prng)
{
	const DpAttributeSet set = {n, attribute};
	double count[24];
	uint32_t cells = 1;

	for (uint32_t k = 0; k < n; k++)
		cells *= groups[attribute[k]];
	for (uint32_t i = 0; i < cells; i++)
		count[i] = 1 + 100 * dp_prng_unit(prng);
	MUST(dp_graphical_add(&distribution->model, &set, count, 1));
}

static void
build_distribution(DpArena *arena, Distribution *distribution)
{
	const DpFitRule rule = {.ridge = 1e-6, .tolerance = 1e-6, .evaluations_max = 500};
	DpPrng prng;

	dp_prng_seed(&prng, (DpStream){11, 1, 1});
	MUST(dp_graphical_init(
		&distribution->model,
		&(DpGraphicalStart){
			.attributes = ATTRIBUTES, .levels = groups, .total = ROWS, .cells_max = 1000},
		arena));
	add_table(distribution, ab, 2, &prng);
	add_table(distribution, bc, 2, &prng);
	add_table(distribution, ad, 2, &prng);
	add_table(distribution, cd, 3, &prng);
	MUST(dp_graphical_fit(&distribution->model, &rule, NULL));
	split_levels(distribution);
	MUST(dp_graphical_sampler_build(&distribution->model, ROWS, distribution->splits, true,
									&distribution->sampler, arena));
}

/* Reads levels as groups. false: they are no levels. */
static bool
groups_of(const Distribution *distribution, const uint32_t *codes, uint32_t *group)
{
	for (uint32_t a = 0; a < ATTRIBUTES; a++)
	{
		group[a] = groups[a];
		for (uint32_t g = 0; g < groups[a]; g++)
			for (uint32_t i = 0; i < distribution->split[a][g].n; i++)
				if (distribution->split[a][g].level[i] == codes[a])
					group[a] = g;
		if (group[a] == groups[a])
			return false;
	}
	return true;
}

/* The largest distance, in rows, of the mean counts of a table from the model's. */
static double
worst_of(Distribution *distribution, const uint32_t *attribute, uint32_t n, const double *mean,
		 double *in_one)
{
	const DpAttributeSet set = {n, attribute};
	double expected[24], worst = 0;
	uint32_t cells = 1;

	MUST(dp_graphical_marginal(&distribution->model, &set, expected));
	for (uint32_t k = 0; k < n; k++)
		cells *= groups[attribute[k]];
	for (uint32_t i = 0; i < cells; i++)
	{
		worst = fmax(worst, fabs(mean[i] - expected[i]) / sqrt(expected[i] / SEEDS + 1e-3));
		*in_one = fmax(*in_one, fabs(mean[i] - expected[i]));
	}
	return worst;
}

static uint32_t
cell_of(const uint32_t *group, const uint32_t *attribute, uint32_t n)
{
	uint32_t cell = 0;

	for (uint32_t k = 0; k < n; k++)
		cell = cell * groups[attribute[k]] + group[attribute[k]];
	return cell;
}

static void
check_last(void)
{
	static const double ends_empty[] = {0.25, 0.5, 1, 1, 1}, ends_full[] = {0, 0.5, 1};
	uint64_t last = dp_cumulative_last(ends_empty, 5);

	CHECK(last == 2 && dp_cumulative_last(ends_full, 3) == 2, "the last cell that has a weight");
	CHECK(dp_cumulative_find(ends_empty, last + 1, 1) == 2, "a place rounded to 1 is that cell");
}

int
main(void)
{
	static const uint32_t across[] = {1, 3}, far[] = {0, 4};
	static const uint32_t *const set[] = {ab, bc, ad, cd, across, far};
	static const uint32_t n[] = {2, 2, 2, 3, 2, 2};
	double mean[6][24] = {{0}}, first[24] = {0}, off = 0, worst = 0, split[2] = {0};
	uint32_t *codes = malloc(sizeof(*codes) * DP_BLOCK_ROWS * ATTRIBUTES);
	DpArena arena = dp_arena_malloc();
	bool levels = true;
	Distribution distribution;

	check_last();
	build_distribution(&arena, &distribution);
	for (uint64_t seed = 0; seed < SEEDS; seed++)
		for (uint32_t row = 0; row < ROWS; row += DP_BLOCK_ROWS)
		{
			uint32_t rows = ROWS - row < DP_BLOCK_ROWS ? ROWS - row : DP_BLOCK_ROWS;

			memset(codes, 0xff, sizeof(*codes) * DP_BLOCK_ROWS * ATTRIBUTES);
			dp_graphical_draw_block(distribution.sampler,
									&(DpRowBlock){{seed, 1, row / DP_BLOCK_ROWS}, rows}, codes,
									NULL);
			for (uint32_t i = 0; i < rows; i++)
			{
				uint32_t group[ATTRIBUTES];

				levels &= groups_of(&distribution, codes + (size_t) i * ATTRIBUTES, group);
				if (!levels)
					break;
				for (int s = 0; s < 6; s++)
					mean[s][cell_of(group, set[s], n[s])] += 1.0 / SEEDS;
				if (seed == 0)
					first[cell_of(group, ab, 2)]++;
				if (group[1] == 3)
					split[codes[(size_t) i * ATTRIBUTES + 1] == 3]++;
			}
		}
	CHECK(levels, "codes are levels");
	for (int s = 0; s < 6; s++)
	{
		double in_one = 0;

		worst = fmax(worst, worst_of(&distribution, set[s], n[s], mean[s], &in_one));
	}
	CHECK(worst < 5, "tables near and far are the model's, %.1f standard deviations off at most",
		  worst);
	(void) worst_of(&distribution, ab, 2, first, &off);
	CHECK(off < 3, "a pair of one tile has its rows, %.1f off at most", off);
	CHECK_NEAR(split[1] / (split[0] + split[1]), 0.25, 0.01, "levels of a group by their shares");
	free(codes);
	dp_arena_malloc_free(&arena);
	return unit_finish();
}
