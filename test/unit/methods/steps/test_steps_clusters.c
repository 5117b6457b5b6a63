/*
 * test_steps_clusters.c -- groups of attributes as candidates: what is chosen, and the sensitivity.
 */
#include "core/methods/steps/steps_clusters.h"
#include "core/select/aic.h"

#include "unit_steps.h"

static int64_t
floor_of_difference(const int64_t *score, uint32_t group, uint32_t all)
{
	int64_t sum[2] = {0, 0}, part, whole;
	int n[2] = {0, 0};

	for (uint32_t a = 0; a < ATTRIBUTES; a++)
		if (all >> a & 1)
		{
			int side = group >> a & 1;

			sum[side] += score[a];
			n[side]++;
		}
	part = sum[1] * n[0] - sum[0] * n[1];
	whole = n[0] * n[1];
	return (part - ((part % whole) + whole) % whole) / whole;
}

static uint64_t
cells_of(uint32_t group)
{
	uint64_t cells = 1;

	for (uint32_t a = 0; a < ATTRIBUTES; a++)
		cells *= group >> a & 1 ? levels[a] : 1;
	return cells;
}

/* The best group of those left; groups above it make its cells. */
static uint32_t
plain_group(const Case *c, bool dependence, uint32_t left, uint64_t cells_max, unsigned *ties)
{
	int64_t score[ATTRIBUTES] = {0}, most = INT64_MIN;
	uint32_t best = 0, above = ((1 << ATTRIBUTES) - 1) & ~left;

	for (uint32_t a = 0; a < ATTRIBUTES; a++)
		score[a] = plain_score(c, dependence, a, left, NULL, NULL, 0);
	for (uint32_t group = 1; group < left; group++)
	{
		int64_t difference;

		if ((group & ~left) != 0 || cells_of(group | above) > cells_max)
			continue;
		difference = floor_of_difference(score, group, left);
		*ties += difference == most;
		if (difference <= most)
			continue;
		most = difference;
		best = group;
	}
	return best;
}

static void
test_clusters(bool dependence, uint64_t cells_max, const char *what)
{
	DpStepsSelection selection = {.dependence = dependence,
								  .clusters = true,
								  .widths = {2, {1, 1}},
								  .epsilon_each_nano = SURE,
								  .nodes_max = cells_max};
	uint32_t order[ATTRIBUTES], left = (1 << ATTRIBUTES) - 1, at = 0, chosen = 0;
	unsigned wrong = 0, ties = 0;
	DpLayerWidths widths;
	DpBudget cost;
	Case c;

	start(&c, (DpUnit){DP_ADD_REMOVE, 1}, dependence);
	MUST(dp_budget_multiply(dp_cost_pure(SURE), 2, &cost));
	dp_meter_init(&c.meter, cost);
	MUST(dp_steps_select_clusters(&c.m, &selection, order, &widths, NULL));
	for (uint32_t l = 0; l < widths.layers; l++)
	{
		uint32_t group = 0, best = plain_group(&c, dependence, left, cells_max, &ties);

		for (uint32_t k = 0; k < widths.width[l]; k++)
			group |= 1u << order[at++];
		wrong += group != best;
		left &= ~group;
		chosen |= group;
	}
	for (; at < ATTRIBUTES; at++)
		left &= ~(1u << order[at]);
	CHECK(wrong == 0 && ties == 0 && left == 0 && chosen < (1 << ATTRIBUTES) - 1 &&
			  cells_of(chosen) <= cells_max,
		  "%s: with a large epsilon the group with the largest difference of means comes next",
		  what);
	CHECK(widths.layers == 2 || plain_group(&c, dependence, ~chosen & 15, cells_max, &ties) == 0,
		  "%s: %u layers, as long as there are groups", what, widths.layers);
	CHECK(c.meter.spent.epsilon_nano == (int64_t) widths.layers * SURE && c.table.scans == 1,
		  "%s: each is charged, in one scan", what);
	dp_arena_malloc_free(&c.arena);
}

/* How far a row can move the difference of means, by search: tables of few rows and of one value
 * have the worst. */
static void
test_cluster_sensitivity(bool bic)
{
	const DpStepsSelection selection = {.clusters = true, .bic = bic};
	const DpUnit unit = {DP_ADD_REMOVE, 1};
	int64_t most = dp_steps_cluster_sensitivity(&selection, &unit, ATTRIBUTES), worst = 0;
	DpPrng prng;

	dp_prng_seed(&prng, (DpStream){5, 0, 0});
	for (int i = 0; i < 20000; i++)
	{
		int64_t count[ATTRIBUTES][4] = {{0}}, score[2][ATTRIBUTES];
		uint64_t rows = dp_prng_below(&prng, 12), constant = dp_prng_below(&prng, 16);

		for (uint64_t r = 0; r <= rows; r++)
			for (uint32_t a = 0; a < ATTRIBUTES; a++)
			{
				uint64_t value = constant >> a & 1 ? 0 : dp_prng_below(&prng, levels[a]);

				if (r == rows)
					score[0][a] =
						bic ? dp_score_bic(count[a], levels[a]) : dp_score_aic(count[a], levels[a]);
				count[a][r == rows && dp_prng_below(&prng, 2) ? levels[a] - 1 : value]++;
				if (r == rows)
					score[1][a] =
						bic ? dp_score_bic(count[a], levels[a]) : dp_score_aic(count[a], levels[a]);
			}
		for (uint32_t group = 1; group < 15; group++)
		{
			int64_t moved = llabs(floor_of_difference(score[1], group, 15) -
								  floor_of_difference(score[0], group, 15));

			worst = moved > worst ? moved : worst;
		}
	}
	CHECK(worst <= most && 2 * worst > most, "%s: a row moves the difference by %.3f of %.3f",
		  bic ? "BIC" : "AIC", (double) worst / DP_AIC_UNIT, (double) most / DP_AIC_UNIT);
}

int
main(void)
{
	test_clusters(false, 48, "groups by AIC");
	test_clusters(true, 48, "groups by dependence");
	test_clusters(false, 6, "small groups by AIC");
	test_clusters(true, 4, "small groups by dependence");
	test_cluster_sensitivity(false);
	test_cluster_sensitivity(true);
	return unit_finish();
}
