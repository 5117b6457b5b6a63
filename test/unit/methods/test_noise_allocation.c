/*
 * test_noise_allocation.c -- half widths of intervals that a plan of a query promises.
 *
 * Covers query_plan.c.
 */
#include "core/methods/noise_allocation.h"

#include "core/domain/query.h"
#include "unit_data.h"

static const uint32_t levels[] = {2, 11};
static const DpGrid grids[] = {{.first = 1, .step = 1}, {.last = 10, .step = 1}};
static const bool nullable[] = {false, false};

/* The half widths of all rows, and of a sum, in one query. */
static bool
plan_of(DpArena *arena, int64_t epsilon_nano, uint32_t measures, double *half)
{
	DpDomain *domain = dp_alloc(arena, 1, sizeof(*domain));
	DpMeasure *measure = dp_alloc(arena, 2, sizeof(*measure));
	DpQuery *query = dp_alloc(arena, 1, sizeof(*query));
	DpRequest *request = dp_alloc(arena, 1, sizeof(*request));
	DpPlan plan;
	DpError error;

	*domain = unit_domain(arena, levels, 2);
	measure[0] = (DpMeasure){.kind = DP_COUNT_ROWS, .column = DP_NO_COLUMN};
	measure[1] = (DpMeasure){.kind = DP_SUM, .column = 1};
	*query =
		(DpQuery){.measures = measures, .measure = measure, .grid = grids, .nullable = nullable};
	*request = (DpRequest){.domain = domain,
						   .unit = {DP_ADD_REMOVE, 1},
						   .budget = {epsilon_nano, 0, 0},
						   .options = &(DpOptions){0},
						   .query = query};
	if (dp_plan(dp_method_find("query"), request, &plan, arena, &error) != DP_OK)
	{
		unit_note("%s", error.message);
		return false;
	}
	CHECK(!dp_query_finds_bounds(&plan), "rows that are units need no bound");
	return dp_query_half_widths(&plan, 0.95, half, arena) == DP_OK;
}

int
main(void)
{
	DpArena arena = dp_arena_malloc();
	double one[2], more[2], both[2];

	CHECK(plan_of(&arena, DP_EPSILON_ONE, 1, one), "a plan of a count");
	/* P[|Z| > h] = 2 a^(h + 1) / (1 + a), a = 1/e: at most .05 from h = 3 on */
	CHECK_NEAR(one[0], 3, 1e-9, "its half width is the quantile of the noise");
	CHECK(plan_of(&arena, DP_EPSILON_ONE / 10, 1, more), "a tenth of epsilon");
	CHECK(more[0] >= 28 && more[0] <= 31, "is ten times the noise");
	CHECK(plan_of(&arena, DP_EPSILON_ONE, 2, both), "a plan of a count and a sum");
	CHECK(both[0] > one[0], "they share the budget");
	CHECK(both[1] > 8 * both[0] && both[1] < 12 * both[0],
		  "a value up to 10 needs ten times the noise");
	dp_arena_malloc_free(&arena);
	return unit_finish();
}
