/*
 * unit_distribution.h -- a graphical model of three attributes whose joint distribution is known,
 * and counts of the rows that are drawn from it.
 */
#ifndef UNIT_DISTRIBUTION_H
#define UNIT_DISTRIBUTION_H

#include "core/sample/graphical_fit.h"

#include <string.h>

#include "unit_data.h"

#define ATTRIBUTES 3
#define CELLS 24
#define ROWS 1000

static const uint32_t groups[] = {3, 4, 2};
static const double ab[] = {110, 90, 20, 80, 60, 140, 100, 0, 33, 167, 30, 170};
static const double bc[] = {150, 53, 297, 100, 13, 137, 249, 1};
static const double shares[] = {0.25, 1};

typedef struct Distribution
{
	DpGraphical model;
	DpGraphicalSampler *sampler;
	DpLevelSplit split[ATTRIBUTES][4];
	const DpLevelSplit *splits[ATTRIBUTES];
	uint32_t level[ATTRIBUTES][5];
	double share[CELLS]; /* of the joint over groups */
} Distribution;

/* As fitted: the margins of b differ in nothing, so p(a, b) p(c | b). */
static inline void
write_distribution(Distribution *distribution)
{
	double pair_ab[12], pair_bc[8];
	const uint32_t first[] = {0, 1}, second[] = {1, 2};
	const DpAttributeSet sets[] = {{2, first}, {2, second}};

	MUST(dp_graphical_marginal(&distribution->model, &sets[0], pair_ab));
	MUST(dp_graphical_marginal(&distribution->model, &sets[1], pair_bc));
	for (uint32_t i = 0; i < CELLS; i++)
	{
		uint32_t a = i / 8, b = i / 2 % 4, c = i % 2;

		distribution->share[i] =
			pair_ab[a * 4 + b] / 1000 * pair_bc[b * 2 + c] / (pair_bc[b * 2] + pair_bc[b * 2 + 1]);
	}
}

static inline void
build_distribution(DpArena *arena, bool systematic, uint64_t rows, Distribution *distribution)
{
	const DpFitRule rule = {.ridge = 1e-6, .tolerance = 1e-6, .evaluations_max = 500};
	const uint32_t first[] = {0, 1}, second[] = {1, 2};
	const DpAttributeSet sets[] = {{2, first}, {2, second}};

	MUST(dp_graphical_init(
		&distribution->model,
		&(DpGraphicalStart){
			.attributes = ATTRIBUTES, .levels = groups, .total = 1000, .cells_max = 1000},
		arena));
	MUST(dp_graphical_add(&distribution->model, &sets[0], ab, 1));
	MUST(dp_graphical_add(&distribution->model, &sets[1], bc, 1));
	MUST(dp_graphical_fit(&distribution->model, &rule, NULL));
	write_distribution(distribution);
	for (uint32_t a = 0; a < ATTRIBUTES; a++)
	{
		for (uint32_t i = 0; i < 5; i++)
			distribution->level[a][i] = i;
		for (uint32_t g = 0; g < groups[a]; g++)
			distribution->split[a][g] = (DpLevelSplit){1, &distribution->level[a][g], NULL};
		distribution->splits[a] = distribution->split[a];
	}
	distribution->split[0][2] =
		(DpLevelSplit){2, &distribution->level[0][2], (double *) (uintptr_t) shares};
	MUST(dp_graphical_sampler_build(&distribution->model, rows, distribution->splits, systematic,
									&distribution->sampler, arena));
}

/* Rows of each cell of the joint over groups; split[0], split[1]: of the two levels. */
static inline void
count_rows(Distribution *distribution, uint64_t seed, uint32_t rows, uint32_t *count,
		   uint32_t *split)
{
	uint32_t *codes = malloc(sizeof(*codes) * DP_BLOCK_ROWS * ATTRIBUTES);

	memset(count, 0, CELLS * sizeof(*count));
	split[0] = split[1] = 0;
	for (uint32_t first = 0; first < rows; first += DP_BLOCK_ROWS)
	{
		uint32_t n = rows - first < DP_BLOCK_ROWS ? rows - first : DP_BLOCK_ROWS;

		memset(codes, 0xff, sizeof(*codes) * DP_BLOCK_ROWS * ATTRIBUTES);
		dp_graphical_draw_block(distribution->sampler,
								&(DpRowBlock){{seed, 1, first / DP_BLOCK_ROWS}, n}, codes, NULL);
		for (uint32_t i = 0; i < n; i++)
		{
			const uint32_t *row = codes + (size_t) i * ATTRIBUTES;
			uint32_t a = row[0] == 3 ? 2 : row[0];

			if (a < 3 && row[1] < 4 && row[2] < 2)
				count[a * 8 + row[1] * 2 + row[2]]++;
			if (a == 2)
				split[row[0] == 3]++;
		}
	}
	free(codes);
}

#endif
