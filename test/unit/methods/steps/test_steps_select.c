/*
 * test_steps_select.c -- the selection of an order: its distribution and its cost.
 */
#include "core/methods/steps/steps_plan.h"
#include "core/select/aic.h"

#include "unit_stat.h"
#include "unit_steps.h"

/* The best candidate; counted as a tie where another is as good. */
static uint32_t
plain_best(const Case *c, bool dependence, uint32_t left, const uint32_t *path,
		   const uint32_t *codes, uint32_t depth, unsigned *ties)
{
	uint32_t best = ATTRIBUTES;
	int64_t most = INT64_MIN;

	for (uint32_t a = 0; a < ATTRIBUTES; a++)
	{
		int64_t score;

		if (!(left >> a & 1))
			continue;
		score = plain_score(c, dependence, a, left, path, codes, depth);
		*ties += score == most;
		if (score <= most)
			continue;
		most = score;
		best = a;
	}
	return best;
}

static void
test_order(bool dependence, const char *what)
{
	DpStepsSelection selection = {
		.dependence = dependence, .widths = {2, {1, 1}}, .epsilon_each_nano = SURE};
	uint32_t order[ATTRIBUTES], left = (1 << ATTRIBUTES) - 1;
	unsigned wrong = 0, ties = 0;
	DpBudget cost;
	Case c;

	start(&c, (DpUnit){DP_ADD_REMOVE, 1}, dependence);
	MUST(dp_budget_multiply(dp_cost_pure(SURE), 2, &cost));
	dp_meter_init(&c.meter, cost);
	MUST(dp_steps_select_order(&c.m, &selection, order, NULL));
	for (int k = 0; k < 2; k++)
	{
		wrong += order[k] != plain_best(&c, dependence, left, NULL, NULL, 0, &ties);
		left &= ~(1u << order[k]);
	}
	CHECK(wrong == 0 && ties == 0 && order[2] < order[3] &&
			  left == (1u << order[2] | 1u << order[3]),
		  "%s: with a large epsilon the best of what is left comes next, the rest in its order",
		  what);
	CHECK(c.meter.spent.epsilon_nano == 2 * SURE && c.table.scans == 1,
		  "%s: two choices are charged, in one scan", what);
	dp_arena_malloc_free(&c.arena);
}

/* Two layers above the last; in the second each node has its own best. */
static void
test_branches(bool dependence, const char *what)
{
	DpStepsSelection selection = {.dependence = dependence,
								  .widths = {2, {1, 1}},
								  .epsilon_each_nano = SURE,
								  .nodes_max = 1000};
	unsigned wrong = 0, ties = 0, differ = 0;
	uint32_t first, all = (1 << ATTRIBUTES) - 1;
	DpPartition partition;
	DpBudget cost;
	Case c;

	start(&c, (DpUnit){DP_ADD_REMOVE, 1}, dependence);
	MUST(dp_budget_multiply(dp_cost_pure(SURE), 2, &cost));
	dp_meter_init(&c.meter, cost);
	MUST(dp_steps_select_branches(&c.m, &selection, &partition, NULL));
	first = partition.split[0].group[0];
	wrong += first != plain_best(&c, dependence, all, NULL, NULL, 0, &ties);
	for (uint32_t v = 0; v < levels[first]; v++)
	{
		uint32_t codes[ATTRIBUTES] = {0}, got = dp_split_group(&partition.split[1], v)[0];

		codes[first] = v;
		wrong += got != plain_best(&c, dependence, all & ~(1u << first), &first, codes, 1, &ties);
		differ += got != dp_split_group(&partition.split[1], 0)[0];
	}
	CHECK(wrong == 0 && ties == 0, "%s: with a large epsilon each node has its own best", what);
	CHECK(differ > 0, "%s: which is not the same everywhere", what);
	CHECK(c.meter.spent.epsilon_nano == 2 * SURE && c.table.scans == 2,
		  "%s: all nodes of a layer are charged once", what);
	dp_arena_malloc_free(&c.arena);
}

/* Permute-and-flip of n candidates, from the definition: over all orders. */
static void
flip(const double *coin, uint32_t n, uint32_t used, double mass, double *probability)
{
	uint32_t left = n - (uint32_t) __builtin_popcount(used);

	for (uint32_t a = 0; a < n; a++)
	{
		if (used >> a & 1)
			continue;
		probability[a] += mass / left * coin[a];
		if (coin[a] < 1)
			flip(coin, n, used | 1u << a, mass / left * (1 - coin[a]), probability);
	}
}

static void
test_distribution(bool dependence, DpUnit unit, int64_t sensitivity, const char *what)
{
	DpStepsSelection selection = {.dependence = dependence, .widths = {1, {1}}};
	double coin[ATTRIBUTES], probability[ATTRIBUTES] = {0};
	uint64_t observed[ATTRIBUTES] = {0};
	int64_t score[ATTRIBUTES], best = INT64_MIN, worst = INT64_MAX;
	Case c;

	start(&c, unit, dependence);
	for (uint32_t a = 0; a < ATTRIBUTES; a++)
	{
		score[a] = plain_score(&c, dependence, a, (1 << ATTRIBUTES) - 1, NULL, NULL, 0);
		best = score[a] > best ? score[a] : best;
		worst = score[a] < worst ? score[a] : worst;
	}
	/* such that the worst has a coin of about e^-2 */
	selection.epsilon_each_nano = 4 * DP_EPSILON_ONE * sensitivity / (best - worst);
	for (uint32_t a = 0; a < ATTRIBUTES; a++)
		coin[a] = exp(-(double) selection.epsilon_each_nano * 1e-9 * (double) (best - score[a]) /
					  (2 * (double) sensitivity));
	flip(coin, ATTRIBUTES, 0, 1, probability);
	for (int run = 0; run < 3000; run++)
	{
		uint32_t order[ATTRIBUTES];

		dp_meter_init(&c.meter, dp_cost_pure(selection.epsilon_each_nano));
		MUST(dp_steps_select_order(&c.m, &selection, order, NULL));
		observed[order[0]]++;
	}
	CHECK(unit_chi_square_p(observed, probability, ATTRIBUTES, 3000) > UNIT_P_MIN,
		  "%s: the first choice follows permute-and-flip", what);
	dp_arena_malloc_free(&c.arena);
}

static void
test_sizes(void)
{
	DpArena arena = dp_arena_malloc();
	const uint32_t many[] = {10, 7, 9, 8, 6};
	DpDomain domain = unit_domain(&arena, many, 5);
	DpStepsSelection selection = {.widths = {2, {1, 2}}, .nodes_max = 720};
	const DpUnit unit = {DP_ADD_REMOVE, 1}, large = {DP_REPLACE_ONE, 1000000};
	const DpLayerWidths none = {0, {0}};

	CHECK(dp_steps_choices(&selection.widths, 5) == 3 && dp_steps_choices(&none, 5) == 0,
		  "the attributes above the last layer are choices");
	CHECK(dp_steps_branches_fit(&selection, &domain), "10 x 9 x 8 nodes where 720 are allowed");
	selection.nodes_max = 719;
	CHECK(!dp_steps_branches_fit(&selection, &domain), "or 719");
	unit_open(&domain.attribute[0]);
	CHECK(dp_steps_branches_fit(&selection, &domain), "an open column counts as one level");
	CHECK(dp_steps_selectable(&selection, large, 5), "AIC moves little, for any unit");
	selection.dependence = true;
	CHECK(dp_steps_selectable(&selection, unit, 5) && !dp_steps_selectable(&selection, large, 5),
		  "a sum of dependences moves more");
	selection.nodes_max = UINT64_MAX;
	for (int a = 0; a < 5; a++)
		domain.attribute[a].levels = 200;
	CHECK(!dp_steps_branches_fit(&selection, &domain),
		  "cells that are counted at once are limited");
	dp_arena_malloc_free(&arena);
}

int
main(void)
{
	const DpUnit one = {DP_ADD_REMOVE, 1}, two = {DP_REPLACE_ONE, 2};

	test_order(false, "AIC");
	test_order(true, "dependence");
	test_branches(false, "AIC");
	test_branches(true, "dependence");
	test_distribution(false, one, dp_aic_sensitivity(&one), "AIC");
	test_distribution(true, one, 3 * 2 * 1024, "dependence");
	test_distribution(true, two, 3 * 2 * 3 * 1024, "dependence, two rows replaced");
	test_sizes();
	return unit_finish();
}
