/*
 * test_plan.c -- stages of a plan.
 */

#include "unit_data.h"

static void
test_stages(void)
{
	DpRequest request = {.budget = {100, 10, 0}};
	DpPlan plan = {.request = &request};
	DpStage stage = {.name = "x", .total = {60, 5, 700}};
	DpError error;

	MUST(dp_plan_stage(&plan, &stage, &error));
	CHECK(plan.stages == 1 && plan.cost.epsilon_nano == 60 && plan.cost.delta_atto == 5 &&
			  plan.cost.rho_pico == 700,
		  "a stage adds its cost, its rho too, which no request names");
	CHECK_STATUS(dp_plan_stage(&plan, &stage, &error), DP_ERR_OVERDRAW, "epsilon is not overdrawn");
	stage.total = (DpBudget){1, 6, 0};
	CHECK_STATUS(dp_plan_stage(&plan, &stage, &error), DP_ERR_OVERDRAW, "delta is not overdrawn");
	CHECK(plan.stages == 1 && plan.cost.epsilon_nano == 60, "and nothing was added");
	stage.total = (DpBudget){0, 0, INT64_MAX};
	CHECK_STATUS(dp_plan_stage(&plan, &stage, &error), DP_ERR_RANGE, "rho does not wrap");
	stage.total = (DpBudget){0, 0, 0};
	for (int i = 1; i < DP_STAGES_MAX; i++)
		MUST(dp_plan_stage(&plan, &stage, &error));
	CHECK_STATUS(dp_plan_stage(&plan, &stage, &error), DP_ERR_INTERNAL, "one stage too many");
}

int
main(void)
{
	DpArena arena = dp_arena_malloc();

	test_stages();
	dp_arena_malloc_free(&arena);
	return unit_finish();
}
