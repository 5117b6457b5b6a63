/*
 * test_discover_ranges.c -- bins of ranges: how a plan pays for them, with epsilon or with rho, and
 * what a release without noise worth speaking of finds.
 *
 * Covers place_boundaries.c.
 */
#include "core/exact/boundary_scores.h"
#include "core/mechanism/mechanism.h"
#include "core/mechanism/privtree.h"
#include "core/plan/discover_ranges.h"

#include "unit_data.h"

#define ROWS 4000
#define SCALE_RUNS 50

static DpStatus
plan_method(DpArena *arena, const char *method, const DpDomain *domain, DpUnit unit,
			DpBudget budget, DpPlan *plan, DpError *error)
{
	DpRequest *request = dp_alloc(arena, 1, sizeof(*request));
	UnitOptions *none = dp_alloc(arena, 1, sizeof(*none));

	*request =
		(DpRequest){.domain = domain, .unit = unit, .budget = budget, .options = &none->options};
	return dp_plan(dp_method_find(method), request, plan, arena, error);
}

static DpDomain
two_ranges(DpArena *arena)
{
	const uint32_t levels[] = {3, 2, 2};
	DpDomain domain = unit_domain(arena, levels, 3);

	unit_range(arena, &domain.attribute[1], 1000, 16);
	unit_range(arena, &domain.attribute[2], 5000000, 32);
	domain.attribute[2].has_other = true;
	dp_attribute_count_levels(&domain.attribute[2]);
	return domain;
}

static void
test_plan(void)
{
	const DpUnit one = {DP_ADD_REMOVE, 1};
	DpArena arena = dp_arena_malloc();
	DpDomain domain = two_ranges(&arena);
	DpBudget pure = {DP_EPSILON_ONE, 0, 0}, both = {DP_EPSILON_ONE, 1000000000, 0};
	int64_t rho;
	DpPlan plan;
	DpError error;

	MUST(plan_method(&arena, "sbhg", &domain, one, both, &plan, &error));
	CHECK(!plan.range.concentrated && plan.range.edge == 6250000 &&
			  plan.range.tree_epsilon_nano == 18750000 && plan.range.leaves == 18750000,
		  "a quarter of a tenth for four edges; of the rest a quarter for the tree of each of two, "
		  "and "
		  "another for its leaves");
	CHECK(plan.remaining.epsilon_nano == 900000000, "the method has the rest");
	CHECK(plan.stage[0].tables == 2 && plan.stage[0].total.epsilon_nano == 37500000 &&
			  plan.stage[1].total.epsilon_nano == 37500000 && plan.stage[2].tables == 4 &&
			  plan.stage[2].total.epsilon_nano == 25000000,
		  "stages show it");
	MUST(plan_method(&arena, "mst", &domain, one, pure, &plan, &error));
	CHECK(!plan.range.concentrated, "without delta epsilon is paid");
	MUST(plan_method(&arena, "mst", &domain, one, both, &plan, &error));
	rho =
		dp_rho_of_budget((DpBudget){.epsilon_nano = DP_EPSILON_ONE, .delta_atto = both.delta_atto});
	CHECK(plan.range.concentrated && plan.cost.rho_pico <= rho &&
			  plan.cost.rho_pico > rho / 100 * 99,
		  "else rho, and all stages have no more than the request's");
	CHECK(plan.stage[0].total.rho_pico <= rho / 26 && plan.stage[0].total.rho_pico > rho / 28 &&
			  plan.stage[0].total.rho_pico + plan.stage[1].total.rho_pico +
					  plan.stage[2].total.rho_pico <=
				  rho / 10 &&
			  plan.stage[2].total.rho_pico > rho / 41 && plan.stage[0].total.epsilon_nano == 0,
		  "of which ranges have a tenth");
	domain.attribute[2].has_other = false;
	dp_attribute_count_levels(&domain.attribute[2]);
	MUST(plan_method(&arena, "sbhg", &domain, one, both, &plan, &error));
	CHECK(plan.range.edge == 0 && plan.range.leaves == 25000000,
		  "where nothing may be missing there are no edges to pay for");
	unit_open(&domain.attribute[0]);
	MUST(plan_method(&arena, "mst", &domain, one, both, &plan, &error));
	CHECK(!plan.range.concentrated, "with open columns epsilon is paid");
	CHECK_STATUS(plan_method(&arena, "sbhg", &domain, one, (DpBudget){20, 1000, 0}, &plan, &error),
				 DP_ERR_ARGUMENT, "too small a budget is refused");
	dp_arena_malloc_free(&arena);
}

/* Bins are found as before, without the scan and the tables for edges. */
static void
test_large_units(void)
{
	const uint32_t most = DP_SELECT_SENSITIVITY_MAX / DP_EDGE_SCORE_UNIT;
	const DpBudget budget = {100 * DP_EPSILON_ONE, 0, 0};
	DpArena arena = dp_arena_malloc();
	DpDomain domain = two_ranges(&arena);
	DpPlan some, none;
	DpError error;

	MUST(plan_method(&arena, "marginal", &domain, (DpUnit){DP_ADD_REMOVE, most}, budget, &some,
					 &error));
	CHECK_OK(plan_method(&arena, "marginal", &domain, (DpUnit){DP_ADD_REMOVE, most + 1}, budget,
						 &none, &error),
			 "where no score is possible for a unit of so many rows, bins are");
	CHECK(some.range.edge > 0 && none.range.edge == 0, "but no edges");
	CHECK_I64(some.scans - none.scans, 1, "edges are a scan");
	CHECK_I64(some.memory_bytes - none.memory_bytes, (16 + 128) * (33 + 128) * 8,
			  "and memory for a pair of ranges in parts");
	dp_arena_malloc_free(&arena);
}

static void
test_unprotected(void)
{
	DpArena arena = dp_arena_malloc();
	DpDomain domain = two_ranges(&arena);
	DpPlan plan;
	DpError error;

	CHECK_STATUS(plan_method(&arena, "pegs_ldiversity", &domain, (DpUnit){DP_ADD_REMOVE, 1},
							 (DpBudget){0}, &plan, &error),
				 DP_ERR_ARGUMENT, "a method without a budget cannot find bins");
	CHECK(strstr(error.message, "range") != NULL, "and says so: %s", error.message);
	dp_arena_malloc_free(&arena);
}

/* The share that one value has of the weight of its bin. */
static double
heavy_hitter_share(const DpRange *range, int64_t value)
{
	uint32_t bin = dp_range_bin(range, value);
	double own = 0, all = 0;

	for (uint32_t i = 0; i < range->leaves; i++)
	{
		if (dp_range_bin(range, range->leaf[i]) == bin)
			all += (double) range->weight[i];
		if (range->leaf[i] == value && dp_range_leaf_last(range, i) == value)
			own += (double) range->weight[i];
	}
	return own / all;
}

static void
test_find(const char *method, DpBudget budget)
{
	DpArena arena = dp_arena_malloc();
	DpDomain domain = two_ranges(&arena);
	UnitTable table = unit_table(&arena, &domain, ROWS);
	DpCounter counter = unit_counter(&table);
	const DpRange *first, *second;
	DpError error;
	DpModel model;
	DpMeter meter;
	DpPlan plan;
	DpPrng prng;
	DpRng rng;

	for (uint32_t i = 0; i < ROWS; i++)
	{
		table.code[0][i] = i % 3;
		table.code[1][i] = i % 2 == 0 ? 7 : 100 + i % 50; /* a hitter, and a part that is even */
		table.code[2][i] = i % 4 == 0 ? UNIT_MISSING : 4000000 + i;
	}
	MUST(plan_method(&arena, method, &domain, (DpUnit){DP_ADD_REMOVE, 1}, budget, &plan, &error));
	dp_meter_init(&meter, plan.cost);
	unit_fixed_rng(&rng, &prng, 3);
	CHECK_OK(dp_measure(&(DpMeasurement){.plan = &plan,
										 .counter = &counter,
										 .noise = {.meter = &meter, .rng = &rng},
										 .arena = &arena},
						&model, &error),
			 "%s: a release with ranges", method);
	first = model.domain.attribute[1].range;
	second = model.domain.attribute[2].range;
	CHECK(first->state == DP_RANGE_FOUND && second->state == DP_RANGE_FOUND, "bins are found");
	CHECK(heavy_hitter_share(first, 7) > 0.99,
		  "a spike is a bin of its own, but for empty neighbours");
	CHECK(second->bin[dp_range_bin(second, 4001000)] > 3900000, "bins are where rows are");
	CHECK_I64(model.domain.attribute[2].levels, second->bins + 1, "and NULL is a level");
	dp_arena_malloc_free(&arena);
}

/* An eighth of the rows is in 1..1000 of a range up to 2^40, too few for the tree to divide it. */
static uint64_t
far_weight(uint64_t seed)
{
	DpArena arena = dp_arena_malloc();
	DpDomain domain = two_ranges(&arena);
	UnitTable table;
	DpCounter counter;
	const DpRange *range;
	uint64_t far = 0;
	DpError error;
	DpModel model;
	DpMeter meter;
	DpPlan plan;
	DpPrng prng;
	DpRng rng;

	unit_range(&arena, &domain.attribute[2], INT64_C(1) << 40, 32);
	table = unit_table(&arena, &domain, ROWS);
	counter = unit_counter(&table);
	for (uint32_t i = 0; i < ROWS; i++)
		table.code[2][i] = i % 8 == 0 ? 1 + i / 4 : 0;
	MUST(plan_method(&arena, "marginal", &domain, (DpUnit){DP_ADD_REMOVE, 1},
					 (DpBudget){DP_EPSILON_ONE, 0, 0}, &plan, &error));
	dp_meter_init(&meter, plan.cost);
	unit_fixed_rng(&rng, &prng, seed);
	MUST(dp_measure(&(DpMeasurement){.plan = &plan,
									 .counter = &counter,
									 .noise = {.meter = &meter, .rng = &rng},
									 .arena = &arena},
					&model, &error));
	range = model.domain.attribute[2].range;
	for (uint32_t i = 0; i < range->leaves; i++)
		if (dp_range_leaf_last(range, i) > 100000)
			far += range->weight[i];
	dp_arena_malloc_free(&arena);
	return far;
}

static void
test_scale(void)
{
	int with_far_rows = 0;

	for (uint64_t seed = 1; seed <= SCALE_RUNS; seed++)
		with_far_rows += far_weight(seed) > 0;
	CHECK_I64(with_far_rows, 0, "rows stay of their scale");
}

int
main(void)
{
	test_plan();
	test_large_units();
	test_unprotected();
	test_scale();
	test_find("marginal", (DpBudget){100 * DP_EPSILON_ONE, 0, 0});
	test_find("mst", (DpBudget){20 * DP_EPSILON_ONE, 1000000000, 0});
	return unit_finish();
}
