/*
 * method.c -- what is the same for every method: registry, planning, running a
 * plan, drawing blocks.
 */
#include "method.h"

#include <string.h>

#include "discover.h"
#include "methods.h"
#include "sets.h"
#include "zeros.h"

const DpMethod *const dp_methods[] = {
	&dp_method_sba,  &dp_method_sbhg,      &dp_method_steps,     &dp_method_uh,
	&dp_method_flat, &dp_method_privbayes, &dp_method_cipher,    &dp_method_mwem,
	&dp_method_mst,  &dp_method_aim,       &dp_method_pegs,      &dp_method_pegs_ldiversity,
	&dp_method_pmi,  &dp_method_marginal,  &dp_method_histogram, &dp_method_cathist};
const uint32_t dp_methods_n = sizeof(dp_methods) / sizeof(dp_methods[0]);

const DpOptionSpec dp_common_specs[] = {
	{
		.name = "attributes",
		.type = DP_OPTION_NAMES,
		.summary = "The columns to model; the default is every column with a public domain.",
	},
	{
		.name = "open_share",
		.type = DP_OPTION_SHARE,
		.fallback = "0.1",
		.minimum = 1000000,
		.maximum = 900000000,
		.summary = "Share of epsilon and of delta with which the values of open columns are found.",
	},
	{
		.name = "open_rho",
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

const DpMethod *
dp_method_find(const char *name)
{
	for (uint32_t i = 0; i < dp_methods_n; i++)
	{
		if (strcmp(dp_methods[i]->name, name) == 0)
			return dp_methods[i];
	}
	return NULL;
}

/* A caller that asked for an error gets one, also where a leaf only returned its status. */
static DpStatus
explain(DpStatus status, DpError *error)
{
	if (status == DP_OK || error == NULL || error->status == status)
		return status;
	return dp_fail(error, status, "%s", dp_status_text(status));
}

static DpStatus
check_options(const DpPlan *plan, DpArena *arena, DpError *error)
{
	const DpMethod *method = plan->method;
	uint32_t n = method->specs_n + dp_common_specs_n;
	DpOptionSpec *specs = dp_alloc(arena, n, sizeof(*specs));
	DpStatus status;

	if (specs == NULL)
		return DP_ERR_MEMORY;
	if (method->specs_n > 0)
		memcpy(specs, method->specs, method->specs_n * sizeof(*specs));
	memcpy(specs + method->specs_n, dp_common_specs, dp_common_specs_n * sizeof(*specs));
	status = dp_options_check(plan->request->options, specs, n, method->name, error);
	dp_free(arena, specs, n, sizeof(*specs));
	return status;
}

/* What is not DP costs nothing, and so finds nothing out at a cost either. */
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
	if (dp_open_attributes(plan->request->domain) == 0)
		return DP_OK;
	(void) dp_fail(error, DP_ERR_ARGUMENT, "method \"%s\" takes no open columns",
				   plan->method->name);
	dp_fail_hint(error, "Leave them out with option \"attributes\", or let their categories be "
						"defined.");
	return DP_ERR_ARGUMENT;
}

static DpStatus
check_request(const DpPlan *plan, DpError *error)
{
	const DpRequest *request = plan->request;

	if (request->unit.rows_max < 1)
		return dp_fail(error, DP_ERR_ARGUMENT, "a privacy unit must have at least one row");
	if (request->unit.neighbours != DP_ADD_REMOVE && request->unit.neighbours != DP_REPLACE_ONE)
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

/* The rho of the stages that have no epsilon of their own. */
static int64_t
concentrated_rho(const DpPlan *plan)
{
	int64_t rho_pico = 0;

	for (uint32_t i = 0; i < plan->stages; i++)
	{
		if (plan->stage[i].total.epsilon_nano == 0)
			rho_pico += plan->stage[i].total.rho_pico; /* a part of plan->cost: no overflow */
	}
	return rho_pico;
}

/*
 * The release is said to be (epsilon, delta)-DP with what the request asks for, and
 * a stage with rho alone adds nothing to either sum: so its conversion is checked
 * here, once for all methods. The two accounts are those of docs/methods/mechanisms.md.
 */
static DpStatus
check_conversion(const DpPlan *plan, int64_t rho_alone_pico, DpError *error)
{
	DpBudget left;

	DP_TRY(dp_budget_left(plan->request->budget, plan->cost, &left));
	if (dp_epsilon_of_rho(rho_alone_pico, left.delta_atto) <= left.epsilon_nano ||
		dp_epsilon_of_rho(plan->cost.rho_pico, left.delta_atto) <=
			plan->request->budget.epsilon_nano)
		return DP_OK;
	return dp_fail(error, DP_ERR_OVERDRAW,
				   "the stages of method \"%s\" would cost more than the request has",
				   plan->method->name);
}

/* The remainders that equal shares leave are charged too: who asks for 1 pays 1. Of rho nothing
 * was asked for, so its charge is the sum of the stages. */
static DpStatus
charge_in_full(DpPlan *plan, DpError *error)
{
	int64_t rho_alone_pico = concentrated_rho(plan);

	if (rho_alone_pico > 0)
		DP_TRY(check_conversion(plan, rho_alone_pico, error));
	plan->cost.epsilon_nano = plan->request->budget.epsilon_nano;
	if (plan->cost.delta_atto > 0 || rho_alone_pico > 0)
		plan->cost.delta_atto = plan->request->budget.delta_atto;
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
	plan->discovery_rho_nano = common_option(request, "open_rho");
	if (!plan->method->keeps_open)
		DP_TRY(dp_discover_plan(plan, common_option(request, "open_share"), arena, error));
	DP_TRY(dp_sets_divide(plan, common_option(request, "independent_sets"), error));
	DP_TRY(dp_sets_plan(plan, arena, error));
	return charge_in_full(plan, error);
}

DpStatus
dp_plan(const DpMethod *method, const DpRequest *request, DpArena *arena, DpPlan *plan,
		DpError *error)
{
	*plan = (DpPlan){.method = method, .request = request, .remaining = request->budget};
	if (error != NULL)
		error->status = DP_OK;
	return explain(plan_checked(plan, arena, error), error);
}

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
dp_plan_counts(DpPlan *plan, uint64_t bytes)
{
	if (bytes > plan->scan_bytes)
		plan->scan_bytes = bytes;
}

void
dp_announce(const DpMeasurement *m, const char *name)
{
	if (m->stage != NULL)
		m->stage(m->stage_context, name);
}

/* The model's domain: discovered, or a copy in which the method itself closes what is open. */
static DpStatus
settle_domain(DpMeasurement *m, DpModel *model, DpError *error)
{
	if (m->plan->method->keeps_open)
		return dp_domain_copy(m->arena, m->domain, &model->domain);
	if (dp_open_attributes(m->domain) > 0)
		dp_announce(m, "discover values");
	DP_TRY(dp_discover(m, &model->domain, error));
	m->domain = &model->domain;
	return DP_OK;
}

static DpStatus
measure_discovered(DpMeasurement *m, DpModel *model, DpError *error)
{
	DP_TRY(settle_domain(m, model, error));
	model->unit = m->plan->request->unit;
	model->method = dp_strdup(m->arena, m->plan->method->name);
	if (model->method == NULL)
		return DP_ERR_MEMORY;
	DP_TRY(dp_sets_measure(m, model, error));
	return dp_model_check(model, error);
}

DpStatus
dp_measure(const DpPlan *plan, const DpCounter *counter, DpMeter *meter, DpRng *rng, DpArena *arena,
		   const DpTick *tick, void (*stage)(void *context, const char *name), void *stage_context,
		   DpModel *model, DpError *error)
{
	DpMeasurement m = {
		.plan = plan,
		.domain = plan->request->domain,
		.counter = counter,
		.meter = meter,
		.rng = rng,
		.arena = arena,
		.tick = tick,
		.stage = stage,
		.stage_context = stage_context,
	};
	DpBudget left;

	*model = (DpModel){.rows = 0};
	if (error != NULL)
		error->status = DP_OK;
	/* A meter that cannot pay for all stages is refused before any data is touched. */
	if (dp_budget_subtract(meter->limit, meter->spent, &left) != DP_OK ||
		dp_budget_subtract(left, plan->cost, &left) != DP_OK)
		return dp_fail(error, DP_ERR_OVERDRAW, "the meter holds less than the plan costs");
	return explain(measure_discovered(&m, model, error), error);
}

DpStatus
dp_model_method(const DpModel *model, const DpMethod **method, DpError *error)
{
	*method = dp_method_find(model->method);
	if (*method == NULL)
		return dp_fail(error, DP_ERR_CORRUPT, "stored model: it is of an unknown method");
	for (uint32_t i = 0; i < model->tables && !(*method)->gaussian; i++)
		if (model->table[i].noise == DP_NOISE_GAUSSIAN)
			return dp_fail(error, DP_ERR_CORRUPT,
						   "stored model: its method has no tables with Gaussian noise");
	return DP_OK;
}

void
dp_draw_expect(const DpMethod *method, void *sampler, uint64_t rows)
{
	if (method->expect != NULL)
		method->expect(sampler, rows);
}

static void
draw_row(const DpMethod *method, const void *sampler, uint64_t row, DpPrng *prng, uint32_t *codes)
{
	if (method->fetch == NULL || !method->fetch(sampler, row, codes))
		method->draw(sampler, prng, codes);
}

void
dp_draw_block(const DpMethod *method, void *sampler, uint32_t attributes, uint64_t seed,
			  uint64_t set, uint64_t block, uint32_t rows, uint32_t *codes, const DpTick *tick)
{
	DpPrng prng;

	if (method->draw_block != NULL)
	{
		method->draw_block(sampler, seed, set, block, rows, codes, tick);
		return;
	}
	dp_prng_seed(&prng, seed, set, block);
	for (uint32_t row = 0; row < rows; row++)
	{
		dp_tick(tick, -1.0); /* many columns, many sweeps: a row alone can take long */
		draw_row(method, sampler, block * DP_BLOCK_ROWS + row, &prng,
				 codes + (size_t) row * attributes);
	}
}
