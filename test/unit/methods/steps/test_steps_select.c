/*
 * test_steps_select.c -- which attributes come first: the best ones where epsilon is
 * large, by the planned distribution where it is not, and for what was planned.
 */
#include "core/methods/steps/steps_select.h"

#include "core/select/aic.h"
#include "core/methods/steps/steps_clusters.h"
#include "unit_data.h"
#include "unit_stat.h"

#define ROWS 240
#define ATTRIBUTES 4
#define SURE (INT64_C(100000) * DP_EPSILON_ONE)

static const uint32_t levels[ATTRIBUTES] = {3, 2, 4, 2};

typedef struct Case
{
	DpArena arena;
	DpDomain domain;
	UnitTable table;
	DpCounter counter;
	DpRequest request;
	DpPlan plan;
	DpMeter meter;
	DpPrng prng;
	DpRng rng;
	DpMeasurement m;
} Case;

/* For AIC: attribute 3 is most certain, and what is most certain next differs by its value. */
static void
fill_uneven(Case *c)
{
	for (uint32_t i = 0; i < ROWS; i++)
	{
		bool rare = dp_prng_below(&c->prng, 8) == 0;

		c->table.code[3][i] = rare;
		c->table.code[1][i] = rare ? 0 : (uint32_t) dp_prng_below(&c->prng, 2);
		c->table.code[0][i] = rare ? (uint32_t) dp_prng_below(&c->prng, 3) : 0;
		c->table.code[2][i] = (uint32_t) dp_prng_below(&c->prng, 4);
	}
}

/* For dependence: what depends on what differs by the value of attribute 0. */
static void
fill_dependent(Case *c)
{
	for (uint32_t i = 0; i < ROWS; i++)
	{
		uint64_t first = dp_prng_below(&c->prng, 10) < 5 ? 0 : 1 + dp_prng_below(&c->prng, 2);
		uint64_t second = dp_prng_below(&c->prng, 2), third = dp_prng_below(&c->prng, 4);

		c->table.code[0][i] = (uint32_t) first;
		c->table.code[1][i] = (uint32_t) second;
		c->table.code[2][i] = (uint32_t) (first == 0 && third < 3 ? second : third);
		c->table.code[3][i] = (uint32_t) (first == 1 ? second : dp_prng_below(&c->prng, 9) / 8);
	}
}

static void
start(Case *c, DpUnit unit, bool dependence)
{
	*c = (Case){.arena = dp_arena_malloc()};
	c->domain = unit_domain(&c->arena, levels, ATTRIBUTES);
	c->table = unit_table(&c->arena, &c->domain, ROWS);
	c->counter = unit_counter(&c->table);
	c->request = (DpRequest){.domain = &c->domain, .unit = unit};
	c->plan = (DpPlan){.request = &c->request};
	unit_fixed_rng(&c->rng, &c->prng, 171);
	if (dependence)
		fill_dependent(c);
	else
		fill_uneven(c);
	c->m = (DpMeasurement){.plan = &c->plan,
						   .domain = &c->domain,
						   .counter = &c->counter,
						   .noise = {.meter = &c->meter, .rng = &c->rng},
						   .arena = &c->arena};
}

static bool
is_here(const Case *c, uint32_t row, const uint32_t *path, const uint32_t *codes, uint32_t n)
{
	for (uint32_t k = 0; k < n; k++)
		if (c->table.code[path[k]][row] != codes[path[k]])
			return false;
	return true;
}

/* floor(1024 sum |n t - r c| / (2 n)) of two attributes, of the rows of a node. */
static int64_t
pair_score(const Case *c, uint32_t a, uint32_t b, const uint32_t *path, const uint32_t *codes,
		   uint32_t depth)
{
	int64_t both[4][4] = {{0}}, row[4] = {0}, column[4] = {0}, n = 0, sum = 0;

	for (uint32_t i = 0; i < ROWS; i++)
	{
		if (!is_here(c, i, path, codes, depth))
			continue;
		both[c->table.code[a][i]][c->table.code[b][i]]++;
		row[c->table.code[a][i]]++;
		column[c->table.code[b][i]]++;
		n++;
	}
	for (int r = 0; r < 4; r++)
		for (int k = 0; k < 4; k++)
			sum += llabs(n * both[r][k] - row[r] * column[k]);
	return n == 0 ? 0 : 1024 * sum / (2 * n);
}

static int64_t
aic_score(const Case *c, uint32_t a, const uint32_t *path, const uint32_t *codes, uint32_t depth)
{
	int64_t count[4] = {0};

	for (uint32_t i = 0; i < ROWS; i++)
		count[c->table.code[a][i]] += is_here(c, i, path, codes, depth);
	return dp_score_aic(count, levels[a]);
}

/* The score of a candidate among those that are left (as bits) in a node. */
static int64_t
plain_score(const Case *c, bool dependence, uint32_t a, uint32_t left, const uint32_t *path,
			const uint32_t *codes, uint32_t depth)
{
	int64_t score = 0;

	if (!dependence)
		return aic_score(c, a, path, codes, depth);
	for (uint32_t b = 0; b < ATTRIBUTES; b++)
		if (b != a && (left >> b & 1))
			score += pair_score(c, a, b, path, codes, depth);
	return score;
}

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

/* ---- groups ---- */

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
	test_clusters(false, 48, "groups by AIC");
	test_clusters(true, 48, "groups by dependence");
	test_clusters(false, 6, "small groups by AIC");
	test_clusters(true, 4, "small groups by dependence");
	test_cluster_sensitivity(false);
	test_cluster_sensitivity(true);
	test_distribution(false, one, dp_aic_sensitivity(&one), "AIC");
	test_distribution(true, one, 3 * 2 * 1024, "dependence");
	test_distribution(true, two, 3 * 2 * 3 * 1024, "dependence, two rows replaced");
	test_sizes();
	return unit_finish();
}
