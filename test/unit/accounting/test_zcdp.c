/*
 * test_zcdp.c -- the conversions between (epsilon, delta)-DP and zCDP: known
 * values, outward rounding, and the divergences that they must not understate.
 * That what they promise is kept under composition: stat_zcdp.c.
 */
#include "core/accounting/budget.h"

#include "unit.h"

typedef struct Conversion
{
	int64_t rho_pico;
	int64_t delta_atto;
	int64_t epsilon_nano;
} Conversion;

/*
 * Computed with 60 digits by another program: the zero of the derivative by 260 bisections, and the
 * bound there, rounded up, or 0 if it is negative.
 */
static const Conversion conversions[] = {
	{INT64_C(1), INT64_C(1), INT64_C(10003)},
	{INT64_C(1), INT64_C(1000000000), INT64_C(4496)},
	{INT64_C(1000), INT64_C(1000000000), INT64_C(181951)},
	{INT64_C(1000000), INT64_C(1000000000000), INT64_C(4496494)},
	{INT64_C(1000000000), INT64_C(1000000000), INT64_C(245119254)},
	{INT64_C(31250000000), INT64_C(1000000000000000), INT64_C(688002456)},
	{INT64_C(100000000000), INT64_C(1000000000), INT64_C(2715481887)},
	{INT64_C(500000000000), INT64_C(10000000000000), INT64_C(4728386985)},
	{INT64_C(1000000000000), INT64_C(1), INT64_C(13415901140)},
	{INT64_C(1000000000000), INT64_C(1000000000), INT64_C(9521463672)},
	{INT64_C(123456789012), INT64_C(987654321), INT64_C(3038949265)},
	{INT64_C(2000000000000), INT64_C(100000000000000000), INT64_C(4897796829)},
	{INT64_C(10000000000000), INT64_C(1000000000000), INT64_C(32221660950)},
	{INT64_C(100000000000000), INT64_C(1000000000), INT64_C(189055652903)},
	{INT64_C(1000000000000000000), INT64_C(1000000000), INT64_C(1009098168322180)},
	{INT64_C(1000000000000000000), INT64_C(1), INT64_C(1012869747353912)},
	{INT64_C(10000000000), INT64_C(500000000000000000), INT64_C(0)},
	{INT64_C(1000000000000), INT64_C(900000000000000000), INT64_C(0)},
	{INT64_C(1000000000000), INT64_C(999999999999999999), INT64_C(0)},
};

typedef struct Pure
{
	int64_t epsilon_nano;
	int64_t rho_pico;
} Pure;

/* epsilon tanh(epsilon/2), likewise. */
static const Pure pures[] = {
	{INT64_C(1), INT64_C(1)},
	{INT64_C(1000), INT64_C(1)},
	{INT64_C(1000000), INT64_C(500000)},
	{INT64_C(10000000), INT64_C(49999584)},
	{INT64_C(100000000), INT64_C(4995837496)},
	{INT64_C(123456789), INT64_C(7611124701)},
	{INT64_C(500000000), INT64_C(122459331202)},
	{INT64_C(1000000000), INT64_C(462117157261)},
	{INT64_C(2000000000), INT64_C(1523188311912)},
	{INT64_C(10000000000), INT64_C(9999092042626)},
	{INT64_C(1000000000000), INT64_C(1000000000000000)},
	{INT64_C(1000000000000000), INT64_C(1000000000000000000)},
};

static void
test_known(void)
{
	for (size_t i = 0; i < sizeof(conversions) / sizeof(*conversions); i++)
	{
		const Conversion *c = &conversions[i];

		CHECK_I64(
			dp_epsilon_of_rho((DpBudget){.rho_pico = c->rho_pico, .delta_atto = c->delta_atto}),
			c->epsilon_nano, "epsilon of rho %" PRId64 "e-12 at delta %" PRId64 "e-18", c->rho_pico,
			c->delta_atto);
	}
	for (size_t i = 0; i < sizeof(pures) / sizeof(*pures); i++)
		CHECK_I64(dp_rho_of_epsilon(pures[i].epsilon_nano), pures[i].rho_pico,
				  "rho of epsilon %" PRId64 "e-9", pures[i].epsilon_nano);
}

static void
test_ends(void)
{
	CHECK_I64(dp_rho_of_epsilon(0), 0, "epsilon 0 is rho 0");
	CHECK_I64(dp_rho_of_epsilon(INT64_MAX), INT64_MAX, "the largest epsilon saturates");
	CHECK_I64(dp_rho_of_epsilon(-1), INT64_MAX, "a negative one is the worst");
	CHECK_I64(dp_epsilon_of_rho((DpBudget){.rho_pico = 0, .delta_atto = 0}), 0,
			  "rho 0 is epsilon 0, also at delta 0");
	CHECK_I64(dp_epsilon_of_rho((DpBudget){.rho_pico = 0, .delta_atto = DP_DELTA_ONE}), 0,
			  "and at delta 1");
	CHECK_I64(dp_epsilon_of_rho((DpBudget){.rho_pico = 1, .delta_atto = 0}), INT64_MAX,
			  "rho > 0 has no epsilon at delta 0");
	CHECK_I64(dp_epsilon_of_rho((DpBudget){.rho_pico = INT64_MAX, .delta_atto = DP_DELTA_ONE}), 0,
			  "at delta 1 it needs none");
	CHECK_I64(dp_epsilon_of_rho((DpBudget){.rho_pico = -1, .delta_atto = 1000}), INT64_MAX,
			  "a negative rho is the worst");
	CHECK_I64(dp_epsilon_of_rho((DpBudget){.rho_pico = 1, .delta_atto = -1}), INT64_MAX,
			  "so is a negative delta");
	CHECK_I64(dp_epsilon_of_rho((DpBudget){.rho_pico = 1, .delta_atto = DP_DELTA_ONE + 1}),
			  INT64_MAX, "and one over 1");
	CHECK_I64(dp_rho_of_budget((DpBudget){.epsilon_nano = DP_EPSILON_ONE, .delta_atto = 0}), 0,
			  "nothing for delta 0");
	CHECK_I64(dp_rho_of_budget((DpBudget){.epsilon_nano = INT64_MAX, .delta_atto = 0}), 0,
			  "nor for all of epsilon");
	CHECK_I64(dp_rho_of_budget((DpBudget){.epsilon_nano = -1, .delta_atto = 1000}), 0,
			  "a negative epsilon buys nothing");
	CHECK_I64(dp_rho_of_budget((DpBudget){.epsilon_nano = 1000, .delta_atto = -1}), 0,
			  "nor does a negative delta");
	CHECK_I64(dp_rho_of_budget((DpBudget){.epsilon_nano = 1000, .delta_atto = DP_DELTA_ONE + 1}), 0,
			  "nor one over 1");
	CHECK_I64(dp_rho_of_budget((DpBudget){.epsilon_nano = 0, .delta_atto = 1}), 0,
			  "epsilon 0 at a small delta");
	CHECK_I64(dp_rho_of_budget((DpBudget){.epsilon_nano = INT64_MAX, .delta_atto = 1}), INT64_MAX,
			  "any rho is within the largest epsilon");
}

/*
 * At each epsilon of a geometric grid the result is never below the formula, above it by 1e-9 of it
 * and a pico at most, and never above the usual bound.
 */
static void
test_rho_rounding(void)
{
	bool outward = true, near = true, usual = true, monotone = true;
	int64_t before = 0;

	for (int64_t nano = 1; nano <= DP_EPSILON_NANO_MAX; nano += 1 + nano / 50)
	{
		long double epsilon = (long double) nano * 1e-9L;
		long double rho = epsilon * (1 - 2 / (expl(epsilon) + 1)) * 1e12L; /* tanh, otherwise */
		int64_t got = dp_rho_of_epsilon(nano);

		outward = outward && (long double) got >= rho * (1 - 1e-15L) - 1e-7L;
		near = near && (long double) got <= rho * (1 + 1e-9L) + 1;
		usual = usual && (long double) got <= fminl(epsilon * epsilon / 2, epsilon) * 1e12L + 1;
		monotone = monotone && got >= before;
		before = got;
	}
	CHECK(outward, "rho of epsilon is not below epsilon tanh(epsilon/2)");
	CHECK(near, "nor above it by more than 1e-9 of it and a pico");
	CHECK(usual, "nor above epsilon^2/2, or epsilon");
	CHECK(monotone, "and grows with epsilon");
}

static const long double orders[] = {1.0001L, 1.01L, 1.3L, 2, 3, 5, 10, 32, 100, 1000, 10000};
#define ORDERS (sizeof(orders) / sizeof(*orders))

/* ln(exp(a) + exp(b)) */
static long double
log_add(long double a, long double b)
{
	return fmaxl(a, b) + log1pl(expl(-fabsl(a - b)));
}

static long double
renyi_randomised_response(long double epsilon, long double alpha)
{
	long double log_p = -log1pl(expl(-epsilon)), log_q = -epsilon + log_p;

	return log_add(alpha * log_p + (1 - alpha) * log_q, alpha * log_q + (1 - alpha) * log_p) /
		   (alpha - 1);
}

/*
 * Discrete Laplace against itself shifted by s, e0 = epsilon/s, term by term: beyond both centres
 * the terms are geometric.
 */
static long double
renyi_laplace(long double epsilon, int64_t s, long double alpha)
{
	long double e0 = epsilon / (long double) s;
	long double log_top = logl(-expm1l(-e0)) - log1pl(expl(-e0)), log_tail = -logl(-expm1l(-e0));
	long double sum = -(1 - alpha) * epsilon + log_tail; /* z <= 0 */

	sum = log_add(sum, -alpha * epsilon + log_tail); /* z >= s */
	for (int64_t z = 1; z < s; z++)
		sum =
			log_add(sum, -alpha * e0 * (long double) z - (1 - alpha) * e0 * (long double) (s - z));
	return (sum + log_top) / (alpha - 1);
}

/* Cancellation of up to 1e-19 in a logarithm, over alpha - 1. */
static bool
exceeds(long double divergence, long double alpha, int64_t rho_pico)
{
	return divergence >
		   alpha * (long double) rho_pico * 1e-12L * (1 + 1e-15L) + 1e-17L / (alpha - 1);
}

static void
test_divergences(void)
{
	unsigned over_response = 0, over_laplace = 0;

	for (int64_t nano = 10; nano <= INT64_C(200000000000); nano += nano / 7)
		for (size_t i = 0; i < ORDERS; i++)
		{
			long double epsilon = (long double) nano * 1e-9L;
			int64_t rho = dp_rho_of_epsilon(nano);

			over_response += exceeds(renyi_randomised_response(epsilon, orders[i]), orders[i], rho);
			for (int64_t s = 1; s <= 9; s = s * 2 + 1)
				over_laplace += exceeds(renyi_laplace(epsilon, s, orders[i]), orders[i], rho);
		}
	CHECK_I64(over_response, 0, "no divergence of randomised response is over alpha rho");
	CHECK_I64(over_laplace, 0, "none of discrete Laplace noise");
}

/* The bound is the limit at order 1, so a thousandth less of rho would be caught. */
static void
test_divergence_tight(void)
{
	bool tight = true, caught = true;

	for (int64_t nano = 10000000; nano <= INT64_C(50000000000); nano += nano / 3)
	{
		long double epsilon = (long double) nano * 1e-9L, alpha = 1.00001L;
		int64_t rho = dp_rho_of_epsilon(nano);
		long double divergence = renyi_randomised_response(epsilon, alpha);

		tight = tight && divergence >= alpha * (long double) rho * 1e-12L * (1 - 1e-3L);
		caught = caught && exceeds(divergence, alpha, rho - rho / 500);
	}
	CHECK(tight, "randomised response attains rho as alpha falls to 1");
	CHECK(caught, "and the check would see a rho that is too small by 1/500");
	CHECK_NEAR(renyi_laplace(0.8L, 1, 3), renyi_randomised_response(0.8L, 3), 1e-15L,
			   "discrete Laplace noise, shifted by 1, is randomised response");
}

/* Any alpha is a bound: none of a fine grid may be below what is found, but for rounding up. */
static void
test_epsilon_smallest(void)
{
	const int64_t deltas[] = {1, 1000000000, 1000000000000, 10000000000000000, DP_DELTA_ONE / 2};
	bool smallest = true, monotone = true;

	for (int d = 0; d < 5; d++)
	{
		long double delta = (long double) deltas[d] * 1e-18L;
		int64_t before = 0;

		for (int64_t rho = 1; rho <= DP_RHO_PICO_MAX; rho += 1 + rho / 2)
		{
			long double best = INFINITY, got;

			for (long double x = 1e-12L; x < 1e9L; x *= 1.01L)
				best = fminl(best, (1 + x) * (long double) rho * 1e-12L + logl(x / (1 + x)) -
									   (logl(delta) + logl(1 + x)) / x);
			got = (long double) dp_epsilon_of_rho(
				(DpBudget){.rho_pico = rho, .delta_atto = deltas[d]});
			smallest = smallest && got <= fmaxl(best, 0) * 1e9L * (1 + 1e-12L) + 1;
			monotone = monotone && got >= (long double) before &&
					   dp_epsilon_of_rho((DpBudget){.rho_pico = rho,
													.delta_atto = deltas[d] * 2}) <= (int64_t) got;
			before = (int64_t) got;
		}
	}
	CHECK(smallest, "no order gives a smaller epsilon than the one found");
	CHECK(monotone, "epsilon grows with rho and falls with delta");
}

static void
test_round_trip(void)
{
	const int64_t deltas[] = {
		1, 1000, 1000000000, 1000000000000, 100000000000000000, DP_DELTA_ONE - 1};
	bool within = true, largest = true;

	for (int64_t nano = 1; nano <= DP_EPSILON_NANO_MAX; nano += 1 + nano * 3)
		for (int d = 0; d < 6; d++)
		{
			int64_t rho =
				dp_rho_of_budget((DpBudget){.epsilon_nano = nano, .delta_atto = deltas[d]});

			within = within && dp_epsilon_of_rho(
								   (DpBudget){.rho_pico = rho, .delta_atto = deltas[d]}) <= nano;
			largest = largest && (rho == INT64_MAX ||
								  dp_epsilon_of_rho((DpBudget){.rho_pico = rho + 1,
															   .delta_atto = deltas[d]}) > nano);
		}
	CHECK(within, "the rho of a budget is within it");
	CHECK(largest, "and a pico more is not");
}

/* What zCDP is for: of many pure mechanisms, the sum of rho says less than the sum of epsilon. */
static void
test_gain(void)
{
	int64_t rho =
		dp_rho_of_budget((DpBudget){.epsilon_nano = DP_EPSILON_ONE, .delta_atto = 1000000000});
	int64_t each = DP_EPSILON_ONE / 1000;

	CHECK(rho / dp_rho_of_epsilon(each) > 20 * 1000,
		  "at delta 1e-9, epsilon 1 pays for %" PRId64 " mechanisms of epsilon 0.001",
		  rho / dp_rho_of_epsilon(each));
	CHECK(dp_epsilon_of_rho((DpBudget){.rho_pico = dp_rho_of_epsilon(DP_EPSILON_ONE),
									   .delta_atto = 1000000000}) > DP_EPSILON_ONE,
		  "of one, epsilon itself says more");
}

int
main(void)
{
	test_known();
	test_ends();
	test_rho_rounding();
	test_divergences();
	test_divergence_tight();
	test_epsilon_smallest();
	test_round_trip();
	test_gain();
	return unit_finish();
}
