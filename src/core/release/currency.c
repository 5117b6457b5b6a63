/*
 * currency.c -- noise and selections that are paid for in rho or in epsilon.
 */
#include "core/release/currency.h"

#include "core/release/refuse.h"

/* The budget of which a request has its share. */
static DpBudget
unshare(DpBudget budget, int64_t share_nano)
{
	if (share_nano > 0)
	{
		budget.epsilon_nano = dp_share_whole(budget.epsilon_nano, share_nano);
		budget.delta_atto = dp_share_whole(budget.delta_atto, share_nano);
	}
	return budget;
}

/*
 * Independent sets share the rho of the whole budget, and so do plans that have one budget together.
 * This is more than each would get by converting its share of epsilon, since rho is about the square
 * of epsilon.
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
	currency.all = dp_rho_of_budget(unshare(whole, plan->request->share_nano));
	currency.all = currency.all < DP_RHO_PICO_MAX ? currency.all : DP_RHO_PICO_MAX;
	if (plan->request->share_nano > 0)
		currency.all = dp_share_floor(currency.all, plan->request->share_nano);
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
	return currency->concentrated ? dp_gaussian_stddev(dp_unit_gaussian(&currency->unit, amount))
								  : dp_laplace_stddev(dp_unit_laplace(&currency->unit, amount));
}

double
dp_currency_selection_epsilon(const DpCurrency *currency, int64_t amount)
{
	int64_t nano = currency->concentrated ? dp_select_epsilon(amount) : amount;

	return (double) nano / DP_EPSILON_ONE;
}

/* ---- plans ---- */

/* The mechanisms check their arguments before they charge or draw, so that a run over no cells
 * is a rehearsal. */
static DpStatus
rehearse_noise(const DpCurrency *currency, int64_t amount)
{
	DpMeter meter;

	dp_meter_init(&meter, dp_currency_cost(currency, amount));
	return dp_currency_release(&(DpNoiseSource){.meter = &meter}, currency, amount, NULL, 0, NULL);
}

/* An empty meter tells a bad argument from a good one. */
static DpStatus
rehearse_selection(const DpCurrency *currency, int64_t amount, int64_t sensitivity)
{
	const int64_t score = 0;
	const DpScores scores = {.score = &score, .n = 1, .sensitivity = sensitivity};
	DpMeter meter;
	DpStatus status;
	size_t chosen;

	dp_meter_init(&meter, (DpBudget){0});
	status =
		dp_currency_select(&(DpNoiseSource){.meter = &meter}, currency, amount, &scores, &chosen);
	return status == DP_ERR_OVERDRAW ? DP_OK : status;
}

/* Completes a stage of tables or of selections with its costs, and appends it. */
static DpStatus
append_stage(DpPlan *plan, const DpCurrency *currency, const DpCurrencyStage *paid, DpStage *stage,
			 DpError *error)
{
	stage->name = paid->name;
	stage->tables = paid->times;
	stage->each = dp_currency_cost(currency, paid->each);
	DP_TRY(dp_budget_multiply(stage->each, paid->times, &stage->total));
	return dp_plan_stage(plan, stage, error);
}

DpStatus
dp_currency_plan(DpPlan *plan, const DpCurrency *currency, const DpCurrencyStage *paid,
				 DpError *error)
{
	DpStage stage = {.mechanism =
						 currency->concentrated ? "discrete Gaussian" : "discrete Laplace"};

	if (paid->times == 0)
		return DP_OK;
	if (paid->each < 1 || rehearse_noise(currency, paid->each) != DP_OK)
		return dp_refuse_budget(paid->name, error);
	stage.noise_stddev_rows = dp_currency_stddev(currency, paid->each);
	return append_stage(plan, currency, paid, &stage, error);
}

DpStatus
dp_currency_plan_selection(DpPlan *plan, const DpCurrency *currency, const DpCurrencyStage *paid,
						   int64_t sensitivity, DpError *error)
{
	DpStage stage = {.mechanism =
						 currency->concentrated ? "exponential mechanism" : "permute-and-flip"};

	if (paid->times == 0)
		return DP_OK;
	if (paid->each < 1 || rehearse_selection(currency, paid->each, sensitivity) != DP_OK)
		return dp_refuse_budget(paid->name, error);
	return append_stage(plan, currency, paid, &stage, error);
}

/*
 * The cost of a total that is taken in charges parts, whatever the parts are. The rho that belongs
 * to an epsilon grows faster than the epsilon, so the parts have no more than the whole; but each
 * of them is rounded up.
 */
static DpStatus
cost_in_parts(const DpCurrency *currency, int64_t total, uint64_t charges, DpBudget *cost)
{
	int64_t roundings = currency->concentrated ? 0 : (int64_t) charges;

	return dp_budget_add(dp_currency_cost(currency, total), dp_cost_concentrated(roundings), cost);
}

/* Plans one stage for selections and tables: what each takes of the total is decided as rounds
 * go by. */
DpStatus
dp_currency_plan_rounds(DpPlan *plan, const DpCurrency *currency, const DpCurrencyRounds *rounds,
						DpError *error)
{
	DpStage stage = {
		.name = rounds->name,
		.mechanism = currency->concentrated ? "exponential mechanism, discrete Gaussian"
											: "permute-and-flip, discrete Laplace",
		.tables = rounds->tables,
		.each = dp_currency_cost(currency, rounds->select + rounds->release),
	};

	if (rounds->select < 1 || rounds->release < 1 ||
		rehearse_noise(currency, rounds->release) != DP_OK ||
		rehearse_selection(currency, rounds->select, rounds->sensitivity) != DP_OK)
		return dp_refuse_budget(rounds->name, error);
	DP_TRY(cost_in_parts(currency, rounds->total, 2 * rounds->tables, &stage.total));
	stage.noise_stddev_rows = dp_currency_stddev(currency, rounds->release);
	return dp_plan_stage(plan, &stage, error);
}

/* ---- behind the wall ---- */

DpStatus
dp_currency_release(const DpNoiseSource *noise, const DpCurrency *currency, int64_t amount,
					const int64_t *exact, uint64_t cells, int64_t *out)
{
	if (currency->concentrated)
		return dp_gaussian_release(noise, dp_unit_gaussian(&currency->unit, amount), exact, cells,
								   out);
	return dp_laplace_release(noise, dp_unit_laplace(&currency->unit, amount), exact, cells, out);
}

DpStatus
dp_currency_select(const DpNoiseSource *noise, const DpCurrency *currency, int64_t amount,
				   const DpScores *scores, size_t *chosen)
{
	if (currency->concentrated)
		return dp_select_concentrated(noise, scores, amount, chosen);
	return dp_select(noise, scores, amount, chosen);
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
