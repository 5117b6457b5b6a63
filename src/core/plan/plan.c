/*
 * plan.c -- plans, stage by stage.
 */
#include "core/plan/plan.h"

#include "core/base/decimal.h"

DpStatus
dp_plan_stage(DpPlan *plan, const DpStage *stage, DpError *error)
{
	DpBudget cost;
	DpBudget left;

	if (plan->stages >= DP_STAGES_MAX)
		return dp_fail(error, DP_ERR_INTERNAL, "a plan has too many stages");
	DP_TRY(dp_budget_add(plan->cost, stage->total, &cost));
	if (dp_budget_left(plan->request->budget, cost, &left) != DP_OK)
		return dp_fail(error, DP_ERR_OVERDRAW, "stage \"%s\" would cost more than the request has",
					   stage->name);
	plan->stage[plan->stages++] = *stage;
	plan->cost = cost;
	return DP_OK;
}

void
dp_plan_noise(const DpPlan *plan, double *least, double *largest)
{
	*least = *largest = 0;
	for (uint32_t i = 0; i < plan->stages; i++)
	{
		double stddev = plan->stage[i].known ? 0 : plan->stage[i].noise_stddev_rows;

		if (stddev == 0)
			continue;
		if (*least == 0 || stddev < *least)
			*least = stddev;
		if (stddev > *largest)
			*largest = stddev;
	}
}

void
dp_plan_counts(DpPlan *plan, uint64_t bytes)
{
	if (bytes > plan->scan_bytes)
		plan->scan_bytes = bytes;
}

DpStatus
dp_plan_no_false_positives(const DpPlan *plan, const char *option, int64_t spec_nano,
						   int64_t *no_false_positives_nano, DpError *error)
{
	int64_t least_nano = plan->request->no_false_positives_nano;
	char words[DP_DECIMAL_BYTES];

	*no_false_positives_nano = spec_nano;
	if (least_nano == 0 || spec_nano >= least_nano)
		return DP_OK;
	*no_false_positives_nano = least_nano;
	if (!dp_option_given(plan->request->options, option))
		return DP_OK;
	(void) dp_fail(error, DP_ERR_ARGUMENT, "option \"%s\" is smaller than the relation allows",
				   option);
	dp_fail_detail(error, "It must be %s at least.", dp_decimal_print(least_nano, 9, words));
	dp_fail_hint(error, "Its custodian sets the least one with dp_alter_protection.");
	return DP_ERR_ARGUMENT;
}
