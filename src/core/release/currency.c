/*
 * currency.c -- noise and selections paid for in rho or in epsilon.
 */
#include "currency.h"

/*
 * Sets that are measured apart share the rho of the whole, which is more than the rho of a
 * share: rho is about the square of epsilon.
 */
DpCurrency
dp_currency_of(const DpPlan *plan)
{
	DpCurrency currency = {.unit = plan->request->unit, .all = plan->remaining.epsilon_nano};
	DpBudget whole;

	if (plan->remaining.delta_atto < 1 ||
		dp_budget_multiply(plan->remaining, plan->sets, &whole) != DP_OK)
		return currency;
	currency.concentrated = true;
	currency.all = dp_rho_of_budget(whole.epsilon_nano, whole.delta_atto);
	currency.all = currency.all < DP_RHO_PICO_MAX ? currency.all : DP_RHO_PICO_MAX;
	currency.all /= plan->sets;
	return currency;
}

DpBudget
dp_currency_cost(const DpCurrency *currency, int64_t amount)
{
	return currency->concentrated ? dp_cost_concentrated(amount) : dp_cost_pure(amount);
}

int64_t
dp_currency_twice_as_sure(const DpCurrency *currency, int64_t amount)
{
	int64_t factor = currency->concentrated ? 4 : 2;

	return amount > INT64_MAX / factor ? INT64_MAX : amount * factor;
}

double
dp_currency_stddev(const DpCurrency *currency, int64_t amount)
{
	return currency->concentrated ? dp_gaussian_stddev(amount, dp_unit_l2_squared(&currency->unit))
								  : dp_laplace_stddev(amount, dp_unit_l1(&currency->unit));
}

double
dp_currency_selection_epsilon(const DpCurrency *currency, int64_t amount)
{
	int64_t nano = currency->concentrated ? dp_select_epsilon(amount) : amount;

	return (double) nano / DP_EPSILON_ONE;
}

/* ---- plans ---- */

static DpStatus
too_little(const char *name, DpError *error)
{
	(void) dp_fail(error, DP_ERR_ARGUMENT, "the budget is too small for stage \"%s\"", name);
	dp_fail_hint(error, "Ask for more epsilon or delta, or for fewer columns or rounds.");
	return DP_ERR_ARGUMENT;
}

/* The mechanisms check their arguments before they charge or draw: a run over no cells rehearses. */
static DpStatus
rehearse_noise(const DpCurrency *currency, int64_t amount)
{
	DpMeter meter;

	dp_meter_init(&meter, dp_currency_cost(currency, amount));
	if (currency->concentrated)
		return dp_gaussian_release(&meter, NULL, NULL, 0, amount,
								   dp_unit_l2_squared(&currency->unit), NULL, NULL);
	return dp_laplace_release(&meter, NULL, NULL, 0, amount, dp_unit_l1(&currency->unit), NULL,
							  NULL);
}

/* A meter without anything in it tells a bad argument from a good one. */
static DpStatus
rehearse_selection(const DpCurrency *currency, int64_t amount, int64_t sensitivity)
{
	const int64_t score = 0;
	DpMeter meter;
	DpStatus status;
	size_t chosen;

	dp_meter_init(&meter, (DpBudget){0});
	status = currency->concentrated
				 ? dp_select_concentrated(&meter, NULL, &score, 1, amount, sensitivity, &chosen)
				 : dp_select(&meter, NULL, &score, 1, amount, sensitivity, &chosen);
	return status == DP_ERR_OVERDRAW ? DP_OK : status;
}

DpStatus
dp_currency_plan(DpPlan *plan, const DpCurrency *currency, const char *name, uint64_t tables,
				 int64_t each, uint64_t cells, DpError *error)
{
	DpStage stage = {
		.name = name,
		.mechanism = currency->concentrated ? "discrete Gaussian" : "discrete Laplace",
		.tables = tables,
		.each = dp_currency_cost(currency, each),
		.cells = cells,
	};

	if (tables == 0)
		return DP_OK;
	if (each < 1 || rehearse_noise(currency, each) != DP_OK)
		return too_little(name, error);
	DP_TRY(dp_budget_multiply(stage.each, tables, &stage.total));
	stage.noise_stddev_rows = dp_currency_stddev(currency, each);
	return dp_plan_stage(plan, &stage, error);
}

DpStatus
dp_currency_plan_selection(DpPlan *plan, const DpCurrency *currency, const char *name,
						   uint64_t selections, int64_t each, int64_t sensitivity, DpError *error)
{
	DpStage stage = {
		.name = name,
		.mechanism = currency->concentrated ? "exponential mechanism" : "permute-and-flip",
		.tables = selections,
	};

	if (selections == 0)
		return DP_OK;
	if (each < 1 || rehearse_selection(currency, each, sensitivity) != DP_OK)
		return too_little(name, error);
	stage.each = dp_currency_cost(currency, each);
	DP_TRY(dp_budget_multiply(stage.each, selections, &stage.total));
	return dp_plan_stage(plan, &stage, error);
}

/*
 * The cost of a total that is taken in charges parts, whatever these are. The rho of epsilon grows
 * faster than epsilon, so that parts have no more than the whole, but each of them is rounded up.
 */
static DpStatus
cost_in_parts(const DpCurrency *currency, int64_t total, uint64_t charges, DpBudget *cost)
{
	int64_t roundings = currency->concentrated ? 0 : (int64_t) charges;

	return dp_budget_add(dp_currency_cost(currency, total), dp_cost_concentrated(roundings), cost);
}

/* One stage for both: what each takes of the total is decided as rounds go by. */
DpStatus
dp_currency_plan_rounds(DpPlan *plan, const DpCurrency *currency, const char *name, uint64_t tables,
						int64_t select, int64_t release, int64_t total, int64_t sensitivity,
						DpError *error)
{
	DpStage stage = {
		.name = name,
		.mechanism = currency->concentrated ? "exponential mechanism, discrete Gaussian"
											: "permute-and-flip, discrete Laplace",
		.tables = tables,
		.each = dp_currency_cost(currency, select + release),
	};

	if (select < 1 || release < 1 || rehearse_noise(currency, release) != DP_OK ||
		rehearse_selection(currency, select, sensitivity) != DP_OK)
		return too_little(name, error);
	DP_TRY(cost_in_parts(currency, total, 2 * tables, &stage.total));
	stage.noise_stddev_rows = dp_currency_stddev(currency, release);
	return dp_plan_stage(plan, &stage, error);
}

/* ---- behind the wall ---- */

DpStatus
dp_currency_release(const DpMeasurement *m, const DpCurrency *currency, const int64_t *exact,
					uint64_t cells, int64_t amount, int64_t *out)
{
	if (currency->concentrated)
		return dp_gaussian_release(m->meter, m->rng, exact, cells, amount,
								   dp_unit_l2_squared(&currency->unit), out, m->tick);
	return dp_laplace_release(m->meter, m->rng, exact, cells, amount, dp_unit_l1(&currency->unit),
							  out, m->tick);
}

DpStatus
dp_currency_select(const DpMeasurement *m, const DpCurrency *currency, const int64_t *scores,
				   size_t n, int64_t amount, int64_t sensitivity, size_t *chosen)
{
	if (currency->concentrated)
		return dp_select_concentrated(m->meter, m->rng, scores, n, amount, sensitivity, chosen);
	return dp_select(m->meter, m->rng, scores, n, amount, sensitivity, chosen);
}

void
dp_currency_describe(const DpCurrency *currency, int64_t amount, DpTable *table)
{
	table->storage = DP_DENSE;
	table->noise = currency->concentrated ? DP_NOISE_GAUSSIAN : DP_NOISE_LAPLACE;
	table->cost = dp_currency_cost(currency, amount);
	table->sensitivity_l1 = dp_unit_l1(&currency->unit);
	table->sensitivity_l2_squared =
		currency->concentrated ? dp_unit_l2_squared(&currency->unit) : 0;
}
