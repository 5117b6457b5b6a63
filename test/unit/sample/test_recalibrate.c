/*
 * test_recalibrate.c -- what a child's model tells back of the rows that its rows belong to.
 */
#include "core/sample/parent_priors.h"

#include <math.h>

#include "core/domain/priors.h"
#include "core/sample/model_query.h"
#include "unit.h"

/* The parent has x of 3 levels, of which the last has no rows, and the number of children 0..4. The
 * child knows x as its attribute 1. */
enum
{
	LEVELS = 3,
	COUNTS = 5
};

static const double joint[LEVELS][COUNTS] = {
	{.20, .10, .10, .05, .05}, {.05, .05, .10, .15, .15}, {0, 0, 0, 0, 0}};
static double among[LEVELS]; /* the child's shares of x */
static DpModel parent, child;
static bool count_first; /* the order of the parent's attributes */
static DpStatus of_refit;
static int refits;

static DpStatus
fit(const DpModel *model, void **fitted, const DpTick *tick, DpArena *arena, DpError *error)
{
	(void) tick, (void) arena, (void) error;
	*fitted = (void *) model;
	return DP_OK;
}

static DpStatus
refit(DpModel *model, const DpTick *tick, DpArena *arena, DpError *error)
{
	(void) tick, (void) arena, (void) error;
	CHECK(model == &parent, "the parent is fitted again");
	refits++;
	return of_refit;
}

static uint32_t
cell_of(uint32_t x, uint32_t m)
{
	return count_first ? m * LEVELS + x : x * COUNTS + m;
}

static DpStatus
marginal(const void *fitted, const DpAttributeSet *set, double *out, const DpTick *tick,
		 DpArena *arena)
{
	(void) tick, (void) arena;
	CHECK_I64(set->n, fitted == &parent ? 2 : 1, "the parent is asked for pairs, the child for x");
	for (uint32_t x = 0; x < LEVELS; x++)
	{
		if (fitted == &child)
			out[x] = among[x];
		for (uint32_t m = 0; m < COUNTS && fitted == &parent; m++)
			out[cell_of(x, m)] = joint[x][m];
	}
	return DP_OK;
}

static const DpModelQuery query = {.fit = fit, .refit = refit, .marginal = marginal};
static const DpSampler sampler = {.query = &query};

/* Two tables of the child have x: alone, and with an attribute of 2 levels. Each has noise of
 * variance v, and the sums of two cells have 2 v: together 1 / (1 / v + 1 / 2 v). */
static DpStatus
tells_back(uint32_t full, uint32_t times, DpArena *arena)
{
	static DpAttribute of_parent[2],
		of_child[] = {{.name = "own", .levels = 2}, {.name = "p.x", .levels = LEVELS}};
	static uint32_t own[] = {0}, known_x[] = {1}, both[] = {0, 1};
	static DpTable table[3];
	const uint32_t known[] = {count_first ? UINT32_MAX : 1, count_first ? 1 : UINT32_MAX};
	const DpParentPriors priors = {.parent = &parent,
								   .sampler = &sampler,
								   .known = known,
								   .count = count_first ? 0 : 1,
								   .full = full,
								   .scratch = arena};
	DpError error;

	of_parent[count_first] = (DpAttribute){.name = "x", .levels = LEVELS};
	of_parent[!count_first] = (DpAttribute){.name = "n", .levels = COUNTS};
	for (uint32_t t = 0; t < 3; t++)
		table[t] = (DpTable){.n = 1,
							 .noise = DP_NOISE_LAPLACE,
							 .cost = {.epsilon_nano = 100000000},
							 .sensitivity_l1 = 1};
	table[0].attribute = own, table[0].cells = 2;
	table[1].attribute = known_x, table[1].cells = LEVELS;
	table[2].attribute = both, table[2].cells = 2 * LEVELS, table[2].n = 2;
	parent.domain = (DpDomain){.attributes = 2, .attribute = of_parent};
	child.domain = (DpDomain){.attributes = 2, .attribute = of_child};
	child.tables = 3;
	child.table = table;
	refits = 0;
	return dp_recalibrate(&priors, &child, times, &parent, NULL, arena, &error);
}

static double
counted(uint32_t m, uint32_t full)
{
	return m < full ? m : full;
}

/* Shares of m, given x, are tilted evenly in min(m, full), and have the child's mean. */
static void
is_tilted(const DpPrior *prior, uint32_t x, uint32_t full, double mean)
{
	double all = 0, children = 0, total = 0, slope = 0;

	for (uint64_t i = 0; i < prior->cells; i++)
		total += (double) prior->count[i];
	for (uint32_t m = 0; m < COUNTS; m++)
	{
		double share = (double) prior->count[cell_of(x, m)] / total;

		all += share;
		children += share * counted(m, full);
		if (m == 1)
			slope = log(share / joint[x][1]) -
					log((double) prior->count[cell_of(x, 0)] / total / joint[x][0]);
	}
	CHECK_NEAR(all, .5, 1e-9, "as many rows have the level as before");
	CHECK_NEAR(children / all, mean, 1e-6, "the mean is the child's");
	for (uint32_t m = 1; m < COUNTS; m++)
		CHECK_NEAR(log((double) prior->count[cell_of(x, m)] / total / joint[x][m]) -
					   log((double) prior->count[cell_of(x, 0)] / total / joint[x][0]),
				   slope * counted(m, full), 1e-6, "the tilt is even");
}

/* Rows with x = 0 have `low` children that count on average, and those with x = 1 `high`. */
static void
tells_means(uint32_t full, double low, double high, DpArena *arena)
{
	double laplace = 2 / (.1 * .1), squares = 0;
	const DpPrior *prior;
	DpError error;

	parent.rows = 1000;
	child.rows = (int64_t) (1000 * 3 * (low + high) / 2 + .5); /* each counts thrice */
	among[0] = low / (low + high);
	among[1] = high / (low + high);
	of_refit = DP_OK;
	MUST(tells_back(full, 3, arena));
	CHECK_I64(refits, 1, "the parent is fitted once");
	CHECK_I64(parent.domain.priors, 1, "one attribute is known");
	MUST(dp_priors_check(&parent.domain, &error));
	prior = parent.domain.prior;
	CHECK_I64(prior->n, 2, "with the number of children");
	is_tilted(prior, 0, full, low);
	is_tilted(prior, 1, full, high);
	for (uint32_t m = 0; m < COUNTS; m++)
	{
		CHECK_I64(prior->count[cell_of(2, m)], 0, "a level that no row has stays so");
		squares += counted(m, full) * counted(m, full);
	}
	CHECK_NEAR((double) prior->uncertainty_nano / 1e9,
			   sqrt(laplace / (1 + .5) / squares) / 3 / 1000, 1e-4 * sqrt(laplace) / 1000,
			   "the mean is as sure as the child's margin");
}

/* A mean that is out of reach is as near as the tilt goes, and nothing overflows. */
static void
stays_in_bounds(DpArena *arena)
{
	DpError error;

	parent.rows = 10;
	child.rows = 1000000;
	among[0] = 1;
	among[1] = 0;
	of_refit = DP_OK;
	MUST(tells_back(4, 1, arena));
	MUST(dp_priors_check(&parent.domain, &error));
	for (uint32_t x = 0; x < 2; x++)
		for (uint32_t m = 0; m < COUNTS; m++)
			CHECK(parent.domain.prior->count[cell_of(x, m)] > 0, "no number is ruled out");
}

static void
leaves_alone(DpArena *arena)
{
	parent.rows = child.rows = 100;
	of_refit = DP_ERR_LIMIT;
	MUST(tells_back(2, 1, arena));
	CHECK_I64(refits, 1, "it was tried");
	CHECK_I64(parent.domain.priors, 0, "a parent that would be too large is told nothing");
	of_refit = DP_OK;
	child.rows = 0;
	MUST(tells_back(2, 1, arena));
	parent.rows = 0;
	child.rows = 100;
	MUST(tells_back(2, 1, arena));
	CHECK_I64(parent.domain.priors + (uint32_t) refits, 0, "noise alone tells nothing");
}

int
main(void)
{
	DpArena arena = dp_arena_malloc();

	for (int order = 0; order < 2; order++)
	{
		count_first = order == 1;
		tells_means(4, 1.0, 2.5, &arena);
		tells_means(4, 2.2, 1.6, &arena);
		tells_means(2, .8, 1.5, &arena);
		tells_means(1, .6, .9, &arena);
		stays_in_bounds(&arena);
		leaves_alone(&arena);
	}
	dp_arena_malloc_free(&arena);
	return unit_finish();
}
