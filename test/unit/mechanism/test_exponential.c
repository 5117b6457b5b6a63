/*
 * test_exponential.c -- the exponential mechanism under zCDP: its distribution, its
 * epsilon, and the bound on its Renyi divergence, by enumeration.
 */
#include "core/mechanism/mechanism.h"

#include "unit_data.h"

#define CANDIDATES 4
#define DRAWS 40000

/* ---- the epsilon ---- */

static void
test_epsilon(void)
{
	bool largest = true;

	for (int64_t rho = 1; rho < DP_RHO_PICO_MAX / 7; rho = rho * 7 + 3)
	{
		unsigned __int128 square = (unsigned __int128) rho * 8000000;
		unsigned __int128 e = (unsigned __int128) dp_select_epsilon(rho);

		if (dp_select_epsilon(rho) < DP_EPSILON_NANO_MAX)
			largest = largest && e * e <= square && (e + 1) * (e + 1) > square;
	}
	CHECK(largest, "epsilon is the largest with epsilon^2/8 <= rho");
	CHECK_I64(dp_select_epsilon(DP_RHO_ONE / 8), DP_EPSILON_ONE, "rho 1/8: epsilon 1");
	CHECK_I64(dp_select_epsilon(0), 0, "no rho, no epsilon");
}

/* ---- the distribution ---- */

static void
distribution_of(const int64_t *score, double epsilon, double sensitivity, double *p)
{
	double sum = 0;

	for (int i = 0; i < CANDIDATES; i++)
		sum += p[i] = exp(epsilon * (double) score[i] / (2 * sensitivity));
	for (int i = 0; i < CANDIDATES; i++)
		p[i] /= sum;
}

static void
test_distribution(int64_t rho_pico)
{
	const int64_t score[CANDIDATES] = {5, -3, 9, 0};
	double p[CANDIDATES], square = 0;
	int64_t seen[CANDIDATES] = {0};
	DpMeter meter;
	DpPrng prng;
	DpRng rng;

	unit_fixed_rng(&rng, &prng, 44);
	distribution_of(score, (double) dp_select_epsilon(rho_pico) * 1e-9, 4, p);
	for (int i = 0; i < DRAWS; i++)
	{
		size_t chosen = CANDIDATES;

		dp_meter_init(&meter, dp_cost_concentrated(rho_pico));
		MUST(dp_select_concentrated(&(DpNoiseSource){.meter = &meter, .rng = &rng},
									&(DpScores){score, CANDIDATES, 4}, rho_pico, &chosen));
		seen[chosen]++;
	}
	for (int i = 0; i < CANDIDATES; i++)
		square +=
			((double) seen[i] - DRAWS * p[i]) * ((double) seen[i] - DRAWS * p[i]) / (DRAWS * p[i]);
	CHECK(square < 32, "the distribution of the exponential mechanism: chi-square %.1f, 3 degrees",
		  square);
	CHECK_I64(meter.spent.rho_pico, rho_pico, "it charges rho");
	CHECK_I64(meter.spent.epsilon_nano + meter.spent.delta_atto, 0, "and nothing else");
}

/* ---- the distribution over some candidates ---- */

static bool
may_be_chosen(void *context, size_t candidate)
{
	return ((const bool *) context)[candidate];
}

/* The best candidate and another one are not allowed. */
static void
test_allowed(int64_t rho_pico)
{
	const int64_t score[CANDIDATES] = {5, -3, 9, 0};
	const bool may[CANDIDATES] = {true, false, false, true}, none[CANDIDATES] = {false};
	double p[CANDIDATES], share, sigma;
	int64_t seen[CANDIDATES] = {0};
	bool refused[CANDIDATES];
	size_t chosen = CANDIDATES;
	DpAllowed allowed = {may_be_chosen, (void *) (uintptr_t) may, refused};
	DpMeter meter;
	DpPrng prng;
	DpRng rng;

	unit_fixed_rng(&rng, &prng, 46);
	distribution_of(score, (double) dp_select_epsilon(rho_pico) * 1e-9, 4, p);
	share = p[0] / (p[0] + p[3]);
	for (int i = 0; i < DRAWS; i++)
	{
		memset(refused, 0, sizeof(refused));
		dp_meter_init(&meter, dp_cost_concentrated(rho_pico));
		MUST(dp_select_allowed(&(DpNoiseSource){.meter = &meter, .rng = &rng},
							   &(DpScores){score, CANDIDATES, 4}, &allowed, rho_pico, &chosen));
		seen[chosen]++;
	}
	sigma = sqrt(DRAWS * share * (1 - share));
	CHECK(seen[1] == 0 && seen[2] == 0, "who may not be chosen is not");
	CHECK(fabs((double) seen[0] - DRAWS * share) < 5 * sigma,
		  "the others have the law over them alone: %lld of %.0f", (long long) seen[0],
		  DRAWS * share);
	CHECK_I64(meter.spent.rho_pico, rho_pico, "it charges rho once");
	allowed.context = (void *) (uintptr_t) none;
	memset(refused, 0, sizeof(refused));
	dp_meter_init(&meter, dp_cost_concentrated(rho_pico));
	MUST(dp_select_allowed(&(DpNoiseSource){.meter = &meter, .rng = &rng},
						   &(DpScores){score, CANDIDATES, 4}, &allowed, rho_pico, &chosen));
	CHECK(chosen == CANDIDATES, "nobody, where nobody may be chosen");
	dp_meter_init(&meter, dp_cost_concentrated(rho_pico - 1));
	CHECK_STATUS(dp_select_allowed(&(DpNoiseSource){.meter = &meter},
								   &(DpScores){score, CANDIDATES, 4}, &allowed, rho_pico, &chosen),
				 DP_ERR_OVERDRAW, "nothing is drawn that was not paid for");
}

/* ---- the bound ---- */

static double
renyi(const double *p, const double *q, double order)
{
	double sum = 0;

	for (int i = 0; i < CANDIDATES; i++)
		sum += pow(p[i], order) * pow(q[i], 1 - order);
	return log(sum) / (order - 1);
}

/* All pairs of scores in 0..3 whose entries differ by one sensitivity at most. */
static void
test_bound(void)
{
	const double orders[] = {1.01, 1.5, 2, 4, 16, 64};
	double worst = 0, range_worst = 0, epsilon = 1.3, p[CANDIDATES], q[CANDIDATES];

	for (int a = 0; a < 256; a++)
		for (int change = 0; change < 81; change++)
		{
			int64_t one[CANDIDATES], other[CANDIDATES];
			double low = INFINITY, high = -INFINITY;

			for (int i = 0, x = a, y = change; i < CANDIDATES; i++, x /= 4, y /= 3)
			{
				one[i] = x % 4;
				other[i] = one[i] + y % 3 - 1;
			}
			distribution_of(one, epsilon, 1, p);
			distribution_of(other, epsilon, 1, q);
			for (int i = 0; i < CANDIDATES; i++)
			{
				low = fmin(low, log(p[i] / q[i]));
				high = fmax(high, log(p[i] / q[i]));
			}
			range_worst = fmax(range_worst, high - low);
			for (size_t k = 0; k < sizeof(orders) / sizeof(orders[0]); k++)
				worst = fmax(worst, renyi(p, q, orders[k]) / orders[k]);
		}
	CHECK(range_worst <= epsilon * (1 + 1e-12) && range_worst > 0.99 * epsilon,
		  "log ratios stay within an interval of epsilon, and fill it: %.4f", range_worst);
	CHECK(worst <= epsilon * epsilon / 8, "divergence / order at most epsilon^2/8: %.4f of %.4f",
		  worst, epsilon * epsilon / 8);
	CHECK(worst > 0.7 * epsilon * epsilon / 8, "which is nearly attained");
}

static void
test_errors(void)
{
	const int64_t score[] = {1, 2};
	DpMeter meter;
	size_t chosen = 7;

	dp_meter_init(&meter, dp_cost_concentrated(99));
	CHECK_STATUS(dp_select_concentrated(&(DpNoiseSource){.meter = &meter}, &(DpScores){score, 2, 1},
										100, &chosen),
				 DP_ERR_OVERDRAW, "more than the meter holds: nothing is drawn");
	dp_meter_init(&meter, dp_cost_concentrated(1000));
	CHECK_STATUS(dp_select_concentrated(&(DpNoiseSource){.meter = &meter}, &(DpScores){score, 0, 1},
										100, &chosen),
				 DP_ERR_ARGUMENT, "no candidates");
	CHECK_STATUS(dp_select_concentrated(&(DpNoiseSource){.meter = &meter}, &(DpScores){score, 2, 0},
										100, &chosen),
				 DP_ERR_ARGUMENT, "no sensitivity");
	CHECK(chosen == 7, "errors leave the choice alone");
}

int
main(void)
{
	test_epsilon();
	test_distribution(DP_RHO_ONE / 8);
	test_distribution(DP_RHO_ONE * 2);
	test_allowed(DP_RHO_ONE / 8);
	test_allowed(DP_RHO_ONE * 2);
	test_bound();
	test_errors();
	return unit_finish();
}
