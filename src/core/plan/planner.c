/*
 * planner.c -- checks a request and plans it: stages and their costs, added up.
 */
#include "core/plan/planner.h"

#include <string.h>

#include "core/base/saturate.h"
#include "core/domain/domain.h"
#include "core/domain/zeros.h"
#include "core/plan/domain_discovery.h"
#include "core/plan/discover_ranges.h"
#include "core/plan/refuse.h"
#include "core/plan/replicates.h"

const DpOptionSpec dp_common_specs[] = {
	{
		.name = "columns",
		.type = DP_OPTION_NAMES,
		.summary = "The columns to model; the default is every column with a public domain.",
	},
	{
		.name = "partial",
		.type = DP_OPTION_BOOLEAN,
		.fallback = "false",
		.summary = "Whether rows are wanted of which most columns are NULL.",
	},
	DP_SPEC_SHARE("range_share", "0.1",
				  "Share of epsilon with which the bins of columns with a range are found."),
	DP_SPEC_SHARE("open_share", "0.1",
				  "Share of epsilon and of delta with which the values of open columns are found."),
	{
		.name = "open_no_false_positives",
		.type = DP_OPTION_SHARE,
		.fallback = "0.9",
		.minimum = 1,
		.maximum = 999999999,
		.summary = "Probability that no value of an open column with a domain is found which "
				   "nobody has.",
	},
	{
		.name = "independent_sets",
		.type = DP_OPTION_BOOLEAN,
		.fallback = "false",
		.summary = "Whether each set is drawn from a measurement of its own, with its part of the "
				   "budget, or all of them from one.",
	},
};
const uint32_t dp_common_specs_n = sizeof(dp_common_specs) / sizeof(dp_common_specs[0]);

/* Where a method does not say in how many tables a row is counted, it is the number of pairs that it
 * releases. */
static void
expect_rest(DpPlan *plan)
{
	DpCostEstimate *estimate = &plan->estimate;
	uint64_t tables = 0;

	for (uint32_t i = 0; i < plan->stages; i++)
	{
		tables = dp_add_saturated(tables, plan->stage[i].tables);
		/* larger tables are looked up, or get noise in occupied cells and above a threshold */
		if (plan->stage[i].cells <= DP_MODEL_CELLS_MAX && plan->stage[i].threshold_rows == 0)
			dp_expect_noise(estimate, plan->stage[i].cells);
	}
	if (estimate->members == 0 && estimate->hashed == 0)
		dp_expect_tables(estimate, tables, 2);
	estimate->scans = plan->scans;
	if (estimate->bytes == 0 && estimate->hashed == 0)
		estimate->bytes = plan->memory_bytes;
}

static DpStatus
check_options(const DpPlan *plan, DpArena *arena, DpError *error)
{
	const DpMethod *method = plan->method;
	uint32_t n = method->specs_n + dp_common_specs_n;
	DpOptionSpec *specs = dp_alloc(arena, n, sizeof(*specs));
	DpStatus status;

	DP_TRY_ALLOC(specs);
	if (method->specs_n > 0)
		memcpy(specs, method->specs, method->specs_n * sizeof(*specs));
	memcpy(specs + method->specs_n, dp_common_specs, dp_common_specs_n * sizeof(*specs));
	status = dp_options_check(plan->request->options, specs, n, method->name, error);
	dp_free(arena, specs, n, sizeof(*specs));
	return status;
}

/* A method that is not DP spends nothing. So its budget must be 0, and it cannot find the values
 * of open attributes or the bins of ranges, which would cost some. */
static DpStatus
check_no_budget(const DpPlan *plan, DpError *error)
{
	const DpBudget *budget = &plan->request->budget;

	if (budget->epsilon_nano != 0 || budget->delta_atto != 0)
	{
		(void) dp_fail(error, DP_ERR_ARGUMENT,
					   "method \"%s\" spends nothing: epsilon and delta must be 0",
					   plan->method->name);
		dp_fail_detail(error, "It gives no differential privacy, which is all that a budget buys.");
		return DP_ERR_ARGUMENT;
	}
	DP_TRY(dp_refuse_ranges(plan, error));
	return dp_refuse_open(plan, "To find its values costs a budget, and there is none.", error);
}

static DpStatus
check_request(const DpPlan *plan, DpError *error)
{
	const DpRequest *request = plan->request;

	if (request->unit.rows_max < 1)
		return dp_fail(error, DP_ERR_ARGUMENT, "a privacy unit must have at least one row");
	if (!dp_unit_valid(&request->unit))
		return dp_fail(error, DP_ERR_ARGUMENT, "unknown neighbouring relation");
	if (plan->method->unprotected)
		return check_no_budget(plan, error);
	if (request->budget.epsilon_nano < 1 || request->budget.epsilon_nano > DP_EPSILON_NANO_MAX)
	{
		(void) dp_fail(error, DP_ERR_ARGUMENT, "epsilon is out of range");
		dp_fail_detail(error, "It must be at least 0.000000001 and at most %lld.",
					   (long long) (DP_EPSILON_NANO_MAX / DP_EPSILON_ONE));
		return DP_ERR_ARGUMENT;
	}
	if (request->budget.delta_atto < 0 || request->budget.delta_atto >= DP_DELTA_ONE)
		return dp_fail(error, DP_ERR_ARGUMENT, "delta must be at least 0 and less than 1");
	if (request->budget.rho_pico != 0)
		return dp_fail(error, DP_ERR_ARGUMENT, "a request has no rho: it follows from its stages");
	return DP_OK;
}

/* What stages cost, and the rho of those that have no epsilon of their own. */
typedef struct StageCosts
{
	DpBudget all;
	int64_t rho_alone_pico; /* a part of all */
} StageCosts;

static DpStatus
stage_costs_add(const DpPlan *plan, StageCosts *costs)
{
	for (uint32_t i = 0; i < plan->stages; i++)
	{
		DP_TRY(dp_budget_add(costs->all, plan->stage[i].total, &costs->all));
		if (plan->stage[i].total.epsilon_nano == 0)
			costs->rho_alone_pico += plan->stage[i].total.rho_pico;
	}
	return DP_OK;
}

/*
 * The release is (epsilon, delta)-DP with what the request asks for. A stage with rho alone adds
 * nothing to either sum, so its conversion is checked here, once for all methods. The two accounts
 * are those of docs/methods/mechanisms.md.
 */
static DpStatus
check_conversion(const StageCosts *costs, DpBudget budget)
{
	DpBudget left;

	DP_TRY(dp_budget_left(budget, costs->all, &left));
	if (costs->rho_alone_pico == 0 ||
		dp_epsilon_of_rho((DpBudget){.rho_pico = costs->rho_alone_pico,
									 .delta_atto = left.delta_atto}) <= left.epsilon_nano ||
		dp_epsilon_of_rho((DpBudget){.rho_pico = costs->all.rho_pico,
									 .delta_atto = left.delta_atto}) <= budget.epsilon_nano)
		return DP_OK;
	return DP_ERR_OVERDRAW;
}

/* The whole budget of the request, with the remainders of equal shares: a request of epsilon 1 pays
 * 1. A request has no rho; the charge is the sum over the stages. */
static DpBudget
charge_of(const StageCosts *costs, DpBudget budget)
{
	DpBudget charge = costs->all;

	charge.epsilon_nano = budget.epsilon_nano;
	if (charge.delta_atto > 0 || costs->rho_alone_pico > 0)
		charge.delta_atto = budget.delta_atto;
	return charge;
}

static DpStatus
charge_in_full(DpPlan *plan, DpError *error)
{
	StageCosts costs = {.rho_alone_pico = 0};

	DP_TRY(stage_costs_add(plan, &costs));
	if (plan->request->share_nano == 0 && check_conversion(&costs, plan->request->budget) != DP_OK)
		return dp_fail(error, DP_ERR_OVERDRAW,
					   "the stages of method \"%s\" would cost more than the request has",
					   plan->method->name);
	plan->cost = charge_of(&costs, plan->request->budget);
	return DP_OK;
}

DpStatus
dp_plans_check(const DpPlan *const *plan, uint32_t plans, DpBudget budget, DpBudget *cost)
{
	StageCosts costs = {.rho_alone_pico = 0};

	for (uint32_t i = 0; i < plans; i++)
		DP_TRY(stage_costs_add(plan[i], &costs));
	DP_TRY(check_conversion(&costs, budget));
	*cost = charge_of(&costs, budget);
	return DP_OK;
}

static int64_t
common_option(const DpRequest *request, const char *name)
{
	return dp_option_integer(request->options, dp_common_specs, dp_common_specs_n, name);
}

static DpStatus
plan_checked(DpPlan *plan, DpArena *arena, DpError *error)
{
	const DpRequest *request = plan->request;

	DP_TRY(check_options(plan, arena, error));
	DP_TRY(check_request(plan, error));
	DP_TRY(dp_domain_check(request->domain, error));
	DP_TRY(dp_zeros_possible(request->domain, error));
	DP_TRY(dp_ranges_plan(plan, common_option(request, "range_share"), error));
	DP_TRY(dp_plan_no_false_positives(plan, "open_no_false_positives",
									  common_option(request, "open_no_false_positives"),
									  &plan->discovery_no_false_positives_nano, error));
	if (plan->method->bounds_open)
		plan->open_levels = (uint32_t) dp_plan_option(plan, "open_levels");
	if (!plan->method->keeps_open)
		DP_TRY(dp_domain_discovery_plan(plan, common_option(request, "open_share"), arena, error));
	DP_TRY(dp_replicates_divide(plan, common_option(request, "independent_sets"), error));
	DP_TRY(dp_replicates_plan(plan, arena, error));
	expect_rest(plan);
	return charge_in_full(plan, error);
}

DpStatus
dp_plan(const DpMethod *method, const DpRequest *request, DpPlan *plan, DpArena *arena,
		DpError *error)
{
	*plan = (DpPlan){.method = method, .request = request, .remaining = request->budget};
	if (error != NULL)
		error->status = DP_OK;
	return dp_fail_filled(error, plan_checked(plan, arena, error));
}
