/*
 * method.c -- what a plan says by its method: options, and what it expects to take.
 */
#include "core/plan/method.h"

#include "core/base/saturate.h"

int64_t
dp_plan_option(const DpPlan *plan, const char *name)
{
	return dp_option_integer(plan->request->options, plan->method->specs, plan->method->specs_n,
							 name);
}

DpCostEstimate
dp_plan_cost_estimate(const DpPlan *plan, uint64_t rows)
{
	DpCostEstimate expected = plan->estimate;

	if (plan->method->expect != NULL)
		plan->method->expect(plan, rows, &expected);
	return expected;
}

double
dp_plan_seconds(const DpPlan *plan, uint64_t rows)
{
	DpCostEstimate expected = dp_plan_cost_estimate(plan, rows);

	return plan->sets *
		   dp_cost_estimate_seconds_of(&expected, plan->request->domain->attributes, rows);
}

uint64_t
dp_plan_bytes(const DpPlan *plan, uint64_t rows)
{
	DpCostEstimate expected = dp_plan_cost_estimate(plan, rows);
	uint64_t bytes = dp_cost_estimate_bytes_of(&expected, rows);

	return dp_add_saturated(dp_cost_estimate_worker_bytes(plan->request->domain->attributes),
							bytes < plan->memory_bytes ? bytes : plan->memory_bytes);
}
