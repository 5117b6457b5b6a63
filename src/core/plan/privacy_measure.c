/*
 * privacy_measure.c -- noise and selections that are paid for in rho or in epsilon.
 */
#include "core/plan/privacy_measure.h"

#include "core/plan/refuse.h"

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
 * Independent sets share the rho of the whole budget, and so do plans that have one budget
 * together. This is more than each would get by converting its share of epsilon, since rho is about
 * the square of epsilon.
 */
DpPrivacyMeasure
dp_privacy_measure_of(const DpPlan *plan)
{
	DpPrivacyMeasure privacy_measure = {.unit = plan->request->unit,
										.all = plan->remaining.epsilon_nano};
	DpBudget whole;

	if (plan->remaining.delta_atto < 1 ||
		dp_budget_multiply(plan->remaining, plan->sets, &whole) != DP_OK)
		return privacy_measure;
	privacy_measure.concentrated = true;
	privacy_measure.all = dp_rho_of_budget(unshare(whole, plan->request->share_nano));
	privacy_measure.all =
		privacy_measure.all < DP_RHO_PICO_MAX ? privacy_measure.all : DP_RHO_PICO_MAX;
	if (plan->request->share_nano > 0)
		privacy_measure.all = dp_share_floor(privacy_measure.all, plan->request->share_nano);
	privacy_measure.all /= plan->sets;
	return privacy_measure;
}

DpBudget
dp_privacy_measure_cost(const DpPrivacyMeasure *privacy_measure, int64_t amount)
{
	return privacy_measure->concentrated ? dp_cost_concentrated(amount) : dp_cost_pure(amount);
}

int64_t
dp_privacy_measure_anneal(const DpPrivacyMeasure *privacy_measure, int64_t amount)
{
	int64_t factor = privacy_measure->concentrated ? 4 : 2;

	return amount > INT64_MAX / factor ? INT64_MAX : amount * factor;
}

double
dp_privacy_measure_stddev(const DpPrivacyMeasure *privacy_measure, int64_t amount)
{
	return privacy_measure->concentrated
			   ? dp_gaussian_stddev(dp_unit_gaussian(&privacy_measure->unit, amount))
			   : dp_laplace_stddev(dp_unit_laplace(&privacy_measure->unit, amount));
}

double
dp_privacy_measure_selection_epsilon(const DpPrivacyMeasure *privacy_measure, int64_t amount)
{
	int64_t nano = privacy_measure->concentrated ? dp_select_epsilon(amount) : amount;

	return (double) nano / DP_EPSILON_ONE;
}

/* ---- plans ---- */

/* The mechanisms check their arguments before they charge or draw, so that a run over no cells
 * is a preflight. */
static DpStatus
preflight_noise(const DpPrivacyMeasure *privacy_measure, int64_t amount)
{
	DpMeter meter;

	dp_meter_init(&meter, dp_privacy_measure_cost(privacy_measure, amount));
	return dp_privacy_measure_release(&(DpNoiseSource){.meter = &meter}, privacy_measure, amount,
									  NULL, 0, NULL);
}

/* An empty meter tells a bad argument from a good one. */
static DpStatus
preflight_selection(const DpPrivacyMeasure *privacy_measure, int64_t amount, int64_t sensitivity)
{
	const int64_t score = 0;
	const DpScores scores = {.score = &score, .n = 1, .sensitivity = sensitivity};
	DpMeter meter;
	DpStatus status;
	size_t chosen;

	dp_meter_init(&meter, (DpBudget){0});
	status = dp_privacy_measure_select(&(DpNoiseSource){.meter = &meter}, privacy_measure, amount,
									   &scores, &chosen);
	return status == DP_ERR_OVERDRAW ? DP_OK : status;
}

/* Completes a stage of tables or of selections with its costs, and appends it. */
static DpStatus
append_stage(DpPlan *plan, const DpPrivacyMeasure *privacy_measure,
			 const DpPrivacyMeasureStage *paid, DpStage *stage, DpError *error)
{
	stage->name = paid->name;
	stage->tables = paid->times;
	stage->each = dp_privacy_measure_cost(privacy_measure, paid->each);
	DP_TRY(dp_budget_multiply(stage->each, paid->times, &stage->total));
	return dp_plan_stage(plan, stage, error);
}

DpStatus
dp_privacy_measure_plan(DpPlan *plan, const DpPrivacyMeasure *privacy_measure,
						const DpPrivacyMeasureStage *paid, DpError *error)
{
	DpStage stage = {.mechanism =
						 privacy_measure->concentrated ? "discrete Gaussian" : "discrete Laplace"};

	if (paid->times == 0)
		return DP_OK;
	if (paid->each < 1 || preflight_noise(privacy_measure, paid->each) != DP_OK)
		return dp_refuse_budget(paid->name, error);
	stage.noise_stddev_rows = dp_privacy_measure_stddev(privacy_measure, paid->each);
	return append_stage(plan, privacy_measure, paid, &stage, error);
}

DpStatus
dp_privacy_measure_plan_selection(DpPlan *plan, const DpPrivacyMeasure *privacy_measure,
								  const DpPrivacyMeasureStage *paid, int64_t sensitivity,
								  DpError *error)
{
	DpStage stage = {.mechanism = privacy_measure->concentrated ? "exponential mechanism"
																: "permute-and-flip"};

	if (paid->times == 0)
		return DP_OK;
	if (paid->each < 1 || preflight_selection(privacy_measure, paid->each, sensitivity) != DP_OK)
		return dp_refuse_budget(paid->name, error);
	return append_stage(plan, privacy_measure, paid, &stage, error);
}

/*
 * The cost of a total that is taken in charges parts, whatever the parts are. The rho that belongs
 * to an epsilon grows faster than the epsilon, so the parts have no more than the whole; but each
 * of them is rounded up.
 */
static DpStatus
cost_in_parts(const DpPrivacyMeasure *privacy_measure, int64_t total, uint64_t charges,
			  DpBudget *cost)
{
	int64_t roundings = privacy_measure->concentrated ? 0 : (int64_t) charges;

	return dp_budget_add(dp_privacy_measure_cost(privacy_measure, total),
						 dp_cost_concentrated(roundings), cost);
}

/* Plans one stage for selections and tables: what each takes of the total is decided as rounds
 * go by. */
DpStatus
dp_privacy_measure_plan_rounds(DpPlan *plan, const DpPrivacyMeasure *privacy_measure,
							   const DpPrivacyMeasureRounds *rounds, DpError *error)
{
	DpStage stage = {
		.name = rounds->name,
		.mechanism = privacy_measure->concentrated ? "exponential mechanism, discrete Gaussian"
												   : "permute-and-flip, discrete Laplace",
		.tables = rounds->tables,
		.each = dp_privacy_measure_cost(privacy_measure, rounds->select + rounds->release),
	};

	if (rounds->select < 1 || rounds->release < 1 ||
		preflight_noise(privacy_measure, rounds->release) != DP_OK ||
		preflight_selection(privacy_measure, rounds->select, rounds->sensitivity) != DP_OK)
		return dp_refuse_budget(rounds->name, error);
	DP_TRY(cost_in_parts(privacy_measure, rounds->total, 2 * rounds->tables, &stage.total));
	stage.noise_stddev_rows = dp_privacy_measure_stddev(privacy_measure, rounds->release);
	return dp_plan_stage(plan, &stage, error);
}

/* ---- behind the wall ---- */

DpStatus
dp_privacy_measure_release(const DpNoiseSource *noise, const DpPrivacyMeasure *privacy_measure,
						   int64_t amount, const int64_t *exact, uint64_t cells, int64_t *out)
{
	if (privacy_measure->concentrated)
		return dp_gaussian_release(noise, dp_unit_gaussian(&privacy_measure->unit, amount), exact,
								   cells, out);
	return dp_laplace_release(noise, dp_unit_laplace(&privacy_measure->unit, amount), exact, cells,
							  out);
}

DpStatus
dp_privacy_measure_select(const DpNoiseSource *noise, const DpPrivacyMeasure *privacy_measure,
						  int64_t amount, const DpScores *scores, size_t *chosen)
{
	if (privacy_measure->concentrated)
		return dp_select_concentrated(noise, scores, amount, chosen);
	return dp_select(noise, scores, amount, chosen);
}

void
dp_privacy_measure_describe(const DpPrivacyMeasure *privacy_measure, int64_t amount, DpTable *table)
{
	table->storage = DP_DENSE;
	table->noise = privacy_measure->concentrated ? DP_NOISE_GAUSSIAN : DP_NOISE_LAPLACE;
	table->cost = dp_privacy_measure_cost(privacy_measure, amount);
	table->sensitivity_l1 = dp_unit_l1(&privacy_measure->unit);
	table->sensitivity_l2_squared =
		privacy_measure->concentrated ? dp_unit_l2_squared(&privacy_measure->unit) : 0;
}
