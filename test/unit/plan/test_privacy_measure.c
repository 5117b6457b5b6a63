/*
 * test_privacy_measure.c -- what is paid in rho or in epsilon: how much there is, what a plan
 * charges, and that noise and choices are what was charged for.
 */
#include "core/plan/privacy_measure.h"

#include "unit_data.h"
#include "unit_stat.h"

typedef struct Setting
{
	DpRequest request;
	DpPlan plan;
	DpMeter meter;
	DpPrng prng;
	DpRng rng;
	DpMeasurement m;
} Setting;

static const DpMethod nothing = {.name = "nothing"};

static DpPrivacyMeasure
start(Setting *s, int64_t epsilon_nano, int64_t delta_atto, uint32_t sets, DpUnit unit)
{
	*s = (Setting){.request = {.unit = unit, .budget = {epsilon_nano, delta_atto, 0}}};
	s->plan = (DpPlan){.method = &nothing, .request = &s->request, .sets = sets};
	s->plan.remaining = dp_budget_divide(s->request.budget, sets);
	unit_fixed_rng(&s->rng, &s->prng, 131);
	s->m = (DpMeasurement){.plan = &s->plan, .noise = {.meter = &s->meter, .rng = &s->rng}};
	return dp_privacy_measure_of(&s->plan);
}

static const DpUnit one_row = {DP_ADD_REMOVE, 1}, three_replaced = {DP_REPLACE_ONE, 3};

static void
test_of(void)
{
	int64_t delta = DP_DELTA_ONE / 1000000000;
	int64_t whole =
		dp_rho_of_budget((DpBudget){.epsilon_nano = DP_EPSILON_ONE, .delta_atto = delta});
	DpPrivacyMeasure privacy_measure;
	Setting s;

	privacy_measure = start(&s, DP_EPSILON_ONE, 0, 4, one_row);
	CHECK(!privacy_measure.concentrated && privacy_measure.all == DP_EPSILON_ONE / 4,
		  "without a delta each set has its share of epsilon");
	privacy_measure = start(&s, DP_EPSILON_ONE, delta, 1, one_row);
	CHECK(privacy_measure.concentrated && privacy_measure.all == whole,
		  "with one, the rho that it buys");
	privacy_measure = start(&s, DP_EPSILON_ONE, delta, 4, one_row);
	CHECK(privacy_measure.concentrated && privacy_measure.all <= whole / 4 &&
			  privacy_measure.all > whole / 4 - 10,
		  "of which each set has its share");
	CHECK(dp_epsilon_of_rho((DpBudget){.rho_pico = 4 * privacy_measure.all, .delta_atto = delta}) <=
			  DP_EPSILON_ONE,
		  "and all of it is no more than epsilon at delta");
	CHECK(privacy_measure.all > dp_rho_of_budget((DpBudget){.epsilon_nano = DP_EPSILON_ONE / 4,
															.delta_atto = delta / 4}),
		  "which is more than the rho of a share");
	privacy_measure = start(&s, DP_EPSILON_NANO_MAX, DP_DELTA_ONE / 10, 1, one_row);
	CHECK(privacy_measure.all <= DP_RHO_PICO_MAX, "rho has a limit");
}

static void
test_amounts(DpPrivacyMeasure privacy_measure, const char *what)
{
	int64_t amount = privacy_measure.all / 10,
			surer = dp_privacy_measure_anneal(&privacy_measure, amount);
	DpBudget cost = dp_privacy_measure_cost(&privacy_measure, amount);

	CHECK_NEAR(dp_privacy_measure_stddev(&privacy_measure, surer) /
				   dp_privacy_measure_stddev(&privacy_measure, amount),
			   0.5, 1e-3, "%s: twice as sure has half of the noise", what);
	CHECK_NEAR(dp_privacy_measure_selection_epsilon(&privacy_measure, surer) /
				   dp_privacy_measure_selection_epsilon(&privacy_measure, amount),
			   2, 1e-3, "%s: and twice the epsilon of a selection", what);
	CHECK_I64(dp_privacy_measure_anneal(&privacy_measure, INT64_MAX / 2 + 1), INT64_MAX,
			  "%s: it saturates", what);
	CHECK(privacy_measure.concentrated
			  ? cost.epsilon_nano == 0 && cost.rho_pico == amount
			  : cost.epsilon_nano == amount && cost.rho_pico == dp_rho_of_epsilon(amount),
		  "%s: the cost is of its kind", what);
}

/* ---- plans ---- */

static void
test_plan(int64_t delta_atto, const char *what)
{
	Setting s;
	DpPrivacyMeasure privacy_measure = start(&s, DP_EPSILON_ONE, delta_atto, 1, three_replaced);
	int64_t each = privacy_measure.all / 100;
	DpBudget twice;

	MUST(dp_privacy_measure_plan(&s.plan, &privacy_measure,
								 &(DpPrivacyMeasureStage){"nothing", 0, 0}, NULL));
	MUST(dp_privacy_measure_plan_selection(&s.plan, &privacy_measure,
										   &(DpPrivacyMeasureStage){"nothing", 0, 0}, 1, NULL));
	CHECK_I64(s.plan.stages, 0, "%s: no tables are no stage", what);
	MUST(dp_privacy_measure_plan(&s.plan, &privacy_measure,
								 &(DpPrivacyMeasureStage){"tables", 7, each}, NULL));
	MUST(dp_budget_multiply(dp_privacy_measure_cost(&privacy_measure, each), 7, &twice));
	CHECK(memcmp(&s.plan.cost, &twice, sizeof(twice)) == 0, "%s: tables cost seven times one",
		  what);
	CHECK(s.plan.stage[0].noise_stddev_rows == dp_privacy_measure_stddev(&privacy_measure, each) &&
			  s.plan.stage[0].tables == 7,
		  "%s: a stage shows its noise", what);
	MUST(dp_privacy_measure_plan_selection(&s.plan, &privacy_measure,
										   &(DpPrivacyMeasureStage){"choices", 7, each}, 5, NULL));
	MUST(dp_budget_add(twice, twice, &twice));
	CHECK(memcmp(&s.plan.cost, &twice, sizeof(twice)) == 0, "%s: and so do choices", what);
	CHECK_STATUS(dp_privacy_measure_plan(&s.plan, &privacy_measure,
										 &(DpPrivacyMeasureStage){"tables", 1, 0}, NULL),
				 DP_ERR_ARGUMENT, "%s: noise for nothing", what);
	CHECK_STATUS(dp_privacy_measure_plan_selection(
					 &s.plan, &privacy_measure, &(DpPrivacyMeasureStage){"choices", 1, 0}, 1, NULL),
				 DP_ERR_ARGUMENT, "%s: a choice for nothing", what);
	CHECK_STATUS(dp_privacy_measure_plan_selection(&s.plan, &privacy_measure,
												   &(DpPrivacyMeasureStage){"choices", 1, each}, 0,
												   NULL),
				 DP_ERR_ARGUMENT, "%s: a choice without sensitivity", what);
	CHECK_STATUS(dp_privacy_measure_plan(&s.plan, &privacy_measure,
										 &(DpPrivacyMeasureStage){"tables", 200, each}, NULL),
				 delta_atto > 0 ? DP_OK : DP_ERR_OVERDRAW,
				 "%s: more epsilon than there is; of rho dp_plan sees to it", what);
}

/* Whatever rounds take of a total in so many charges, it is no more than was planned. */
static void
test_rounds(int64_t delta_atto, const char *what)
{
	unsigned over = 0;
	Setting s;
	DpPrivacyMeasure privacy_measure = start(&s, DP_EPSILON_ONE, delta_atto, 1, one_row);

	for (int round = 0; round < 300; round++)
	{
		uint64_t tables = 1 + dp_prng_below(&s.prng, 20);
		int64_t total = round < 100 ? (int64_t) (4 * tables) : privacy_measure.all / 2,
				left = total;
		DpBudget spent = {0, 0, 0};

		s.plan.stages = 0;
		s.plan.cost = spent;
		MUST(dp_privacy_measure_plan_rounds(
			&s.plan, &privacy_measure,
			&(DpPrivacyMeasureRounds){"rounds", tables, total / (4 * (int64_t) tables),
									  total / (4 * (int64_t) tables), total, 1},
			NULL));
		for (uint64_t i = 0; i < 2 * tables; i++)
		{
			int64_t part =
				i + 1 == 2 * tables ? left : (int64_t) dp_prng_below(&s.prng, (uint64_t) left + 1);

			left -= part;
			MUST(dp_budget_add(spent, dp_privacy_measure_cost(&privacy_measure, part), &spent));
		}
		over += spent.epsilon_nano > s.plan.cost.epsilon_nano ||
				spent.rho_pico > s.plan.cost.rho_pico || s.plan.cost.epsilon_nano > total;
	}
	CHECK_I64(over, 0, "%s: 300 ways to take a total in parts fit what was planned for it", what);
	CHECK_STATUS(dp_privacy_measure_plan_rounds(&s.plan, &privacy_measure,
												&(DpPrivacyMeasureRounds){"rounds", 1, 0, 1, 2, 1},
												NULL),
				 DP_ERR_ARGUMENT, "%s: a choice for nothing", what);
	CHECK_STATUS(dp_privacy_measure_plan_rounds(&s.plan, &privacy_measure,
												&(DpPrivacyMeasureRounds){"rounds", 1, 1, 0, 2, 1},
												NULL),
				 DP_ERR_ARGUMENT, "%s: a table for nothing", what);
}

/* ---- behind the wall ---- */

#define CELLS 40000

static void
test_release(int64_t delta_atto, const char *what)
{
	static int64_t exact[CELLS], noisy[CELLS];
	Setting s;
	DpPrivacyMeasure privacy_measure = start(&s, DP_EPSILON_ONE, delta_atto, 1, three_replaced);
	int64_t amount = privacy_measure.all / 4;
	DpBudget cost = dp_privacy_measure_cost(&privacy_measure, amount);
	double stddev = dp_privacy_measure_stddev(&privacy_measure, amount), sum = 0, squares = 0;
	DpTable table = {.n = 0};

	for (int i = 0; i < CELLS; i++)
		exact[i] = i;
	dp_meter_init(&s.meter, cost);
	MUST(dp_privacy_measure_release(&s.m.noise, &privacy_measure, amount, exact, CELLS, noisy));
	CHECK(memcmp(&s.meter.spent, &cost, sizeof(cost)) == 0, "%s: a table is charged once", what);
	CHECK_STATUS(dp_privacy_measure_release(&s.m.noise, &privacy_measure, 1, exact, 1, noisy),
				 DP_ERR_OVERDRAW, "%s: and no other fits the meter", what);
	for (int i = 0; i < CELLS; i++)
	{
		double z = (double) (noisy[i] - exact[i]);

		sum += z;
		squares += z * z;
	}
	CHECK(fabs(sum / CELLS) < 6 * stddev / sqrt(CELLS), "%s: noise has mean 0", what);
	CHECK_NEAR(sqrt(squares / CELLS), stddev, 0.05 * stddev, "%s: and the width that is shown",
			   what);
	dp_privacy_measure_describe(&privacy_measure, amount, &table);
	CHECK(table.storage == DP_DENSE && memcmp(&table.cost, &cost, sizeof(cost)) == 0 &&
			  table.sensitivity_l1 == 6 &&
			  table.sensitivity_l2_squared == (privacy_measure.concentrated ? 18 : 0) &&
			  table.noise == (privacy_measure.concentrated ? DP_NOISE_GAUSSIAN : DP_NOISE_LAPLACE),
		  "%s: a table says what it was released with", what);
}

/* Of two: the exponential mechanism for rho, permute-and-flip for epsilon. */
static void
test_select(int64_t delta_atto, const char *what)
{
	Setting s;
	DpPrivacyMeasure privacy_measure = start(&s, DP_EPSILON_ONE, delta_atto, 1, one_row);
	int64_t amount = privacy_measure.all / 2;
	double rate = dp_privacy_measure_selection_epsilon(&privacy_measure, amount) / (2 * 7);
	int64_t score[] = {0, (int64_t) (1 / rate)};
	double coin = exp(-rate * (double) score[1]);
	double probability[] = {privacy_measure.concentrated ? coin / (1 + coin) : coin / 2, 0};
	uint64_t observed[2] = {0};
	bool charged = true;

	probability[1] = 1 - probability[0];
	for (int i = 0; i < 20000; i++)
	{
		DpBudget cost = dp_privacy_measure_cost(&privacy_measure, amount);
		size_t chosen;

		dp_meter_init(&s.meter, cost);
		MUST(dp_privacy_measure_select(&s.m.noise, &privacy_measure, amount,
									   &(DpScores){score, 2, 7}, &chosen));
		charged &= memcmp(&s.meter.spent, &cost, sizeof(cost)) == 0;
		observed[chosen]++;
	}
	CHECK(charged, "%s: a choice is charged once", what);
	CHECK(unit_chi_square_p(observed, probability, 2, 20000) > UNIT_P_MIN,
		  "%s: and has the epsilon that is shown", what);
}

int
main(void)
{
	int64_t delta = DP_DELTA_ONE / 1000000000;
	Setting s;

	test_of();
	test_amounts(start(&s, DP_EPSILON_ONE, 0, 1, one_row), "epsilon");
	test_amounts(start(&s, DP_EPSILON_ONE, delta, 1, one_row), "rho");
	for (int concentrated = 0; concentrated < 2; concentrated++)
	{
		const char *what = concentrated ? "rho" : "epsilon";

		test_plan(concentrated ? delta : 0, what);
		test_rounds(concentrated ? delta : 0, what);
		test_release(concentrated ? delta : 0, what);
		test_select(concentrated ? delta : 0, what);
	}
	return unit_finish();
}
