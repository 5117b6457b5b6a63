/*
 * test_mechanism_internal.c -- what mechanisms share: rates as reduced fractions, coins
 * of a gap, and noise that leaves nothing exact behind where it fails.
 */
#include "core/mechanism/internal.h"

#include "unit_data.h"
#include "unit_stat.h"

static bool
is_reduced(DpFraction rate)
{
	uint64_t a = rate.numerator, b = rate.denominator;

	while (b != 0)
	{
		uint64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a == 1;
}

/* Whether a fraction is epsilon / (times x sensitivity x 10^9), exactly. */
static bool
is_rate(DpFraction rate, int64_t epsilon_nano, uint64_t times, int64_t sensitivity)
{
	unsigned __int128 left = (unsigned __int128) rate.numerator * times * (uint64_t) sensitivity;
	unsigned __int128 right = (unsigned __int128) rate.denominator * (uint64_t) epsilon_nano;

	/* both sides times 10^9, where that fits */
	return left * DP_EPSILON_ONE == right && is_reduced(rate);
}

static void
test_rates(void)
{
	unsigned wrong = 0, taken = 0;
	const int64_t score = 0;
	DpFraction rate;
	DpPrng prng;

	dp_prng_seed(&prng, (DpStream){211, 0, 0});
	for (int round = 0; round < 20000; round++)
	{
		int64_t epsilon = 1 + (int64_t) dp_prng_below(&prng, UINT64_C(1) << (1 + round % 40));
		int64_t sensitivity = 1 + (int64_t) dp_prng_below(&prng, UINT64_C(1) << (1 + round % 20));

		if (dp_laplace_rate((DpLaplace){epsilon, sensitivity}, &rate) == DP_OK)
		{
			wrong += !is_rate(rate, epsilon, 1, sensitivity);
			taken++;
		}
		if (dp_select_rate(&(DpScores){&score, 1, sensitivity}, epsilon, &rate) == DP_OK)
			wrong += !is_rate(rate, epsilon, 2, sensitivity);
	}
	CHECK_I64(wrong, 0, "rates are epsilon over sensitivity, or half of it, exactly and reduced");
	CHECK(taken > 15000, "most are taken");
	CHECK_STATUS(dp_laplace_rate((DpLaplace){0, 1}, &rate), DP_ERR_ARGUMENT, "no epsilon");
	CHECK_STATUS(dp_laplace_rate((DpLaplace){DP_EPSILON_NANO_MAX + 1, 1}, &rate), DP_ERR_ARGUMENT,
				 "too much epsilon");
	CHECK_STATUS(dp_select_rate(&(DpScores){&score, 1, 0}, 1, &rate), DP_ERR_ARGUMENT,
				 "no sensitivity");
	CHECK_STATUS(dp_select_rate(&(DpScores){&score, 0, 1}, 1, &rate), DP_ERR_ARGUMENT, "no score");
	CHECK_STATUS(dp_laplace_rate((DpLaplace){1, INT64_MAX}, &rate), DP_ERR_RANGE,
				 "noise of over 64 bits");
	CHECK_OK(dp_laplace_rate((DpLaplace){1, 36028797}, &rate), "noise of a width below 2^55");
	CHECK_STATUS(dp_laplace_rate((DpLaplace){1, 36028798}, &rate), DP_ERR_RANGE, "and above");
	CHECK(dp_epsilon_valid(1) && dp_epsilon_valid(DP_EPSILON_NANO_MAX) && !dp_epsilon_valid(0) &&
			  !dp_epsilon_valid(-1) && !dp_epsilon_valid(DP_EPSILON_NANO_MAX + 1),
		  "what epsilon can be");
}

static void
test_divisor(void)
{
	unsigned wrong = 0;

	for (uint64_t a = 0; a < 120; a++)
		for (uint64_t b = 0; b < 120; b++)
		{
			uint64_t most = 0;

			for (uint64_t d = 1; d <= 120; d++)
				most = a % d == 0 && b % d == 0 ? d : most;
			wrong += a + b > 0 && dp_common_divisor(a, b) != most;
		}
	CHECK_I64(wrong, 0, "the greatest common divisor of all pairs below 120");
	CHECK(dp_common_divisor(UINT64_MAX, UINT64_MAX - 1) == 1, "and of large ones");
}

/* heads with exp(-rate x gap): small gaps, and those whose product with the rate leaves 64 bits. */
static void
test_gaps(void)
{
	const DpFraction third = {1, 3}, huge = {UINT64_MAX / 2, 1}, even = {UINT64_C(1) << 32, 1};
	const uint64_t gaps[] = {0, 1, 4, 9};
	DpPrng prng;
	DpRng rng;
	bool out;

	unit_fixed_rng(&rng, &prng, 212);
	for (int i = 0; i < 4; i++)
	{
		double survives = exp(-(double) gaps[i] / 3);
		double probability[] = {survives, 1 - survives};
		uint64_t observed[2] = {0};

		for (int k = 0; k < 30000; k++)
		{
			MUST(dp_gap_survives(&rng, third, gaps[i], &out));
			observed[!out]++;
		}
		CHECK(i == 0 ? observed[1] == 0
					 : unit_chi_square_p(observed, probability, 2, 30000) > UNIT_P_MIN,
			  "a gap of %d at a third survives with exp(-%d/3)", (int) gaps[i], (int) gaps[i]);
	}
	MUST(dp_gap_survives(&rng, huge, UINT64_MAX, &out));
	CHECK(!out, "one that is too large for 64 bits does not");
	MUST(dp_gap_survives(&rng, even, UINT64_C(1) << 32, &out));
	CHECK(!out, "nor does one of which 64 bits would be 0");
}

/* ---- noise ---- */

static DpStatus
one_more(DpRng *rng, uint64_t numerator, uint64_t denominator, int64_t *out)
{
	unsigned *calls = rng->context;

	*out = (int64_t) (numerator * 10 + denominator);
	return (*calls)++ == 7 ? DP_ERR_RANDOM : DP_OK;
}

static void
test_noise(void)
{
	const int64_t scores[] = {-5, 9, 3, 9, INT64_MIN};
	int64_t counts[20], out[20];
	unsigned calls = 8;
	bool right = true, zero = true;
	DpRng rng = {.context = &calls};
	const DpNoiseSource source = {.rng = &rng};
	const DpNoiseDistribution distribution = {one_more, {3, 4}};

	for (int i = 0; i < 20; i++)
		counts[i] = i;
	MUST(dp_noise_add(&source, distribution, counts, 20, out));
	for (int i = 0; i < 20; i++)
		right &= out[i] == i + 34;
	CHECK(right && calls == 28, "each count gets noise of its own, of the width that is asked for");
	calls = 0;
	CHECK_STATUS(dp_noise_add(&source, distribution, counts, 20, counts), DP_ERR_RANDOM,
				 "a source that fails");
	for (int i = 0; i < 20; i++)
		zero &= counts[i] == 0;
	CHECK(zero, "leaves nothing exact behind");
	calls = 8;
	counts[3] = INT64_MAX;
	CHECK_STATUS(dp_noise_add(&source, distribution, counts, 20, out), DP_ERR_RANGE,
				 "nor does a sum over 64 bits");
	for (int i = 0; i < 20; i++)
		zero &= out[i] == 0;
	CHECK(zero, "nothing at all");
	CHECK_I64(dp_best_score(&(DpScores){scores, 5, 1}), 9, "the best score");
	CHECK_I64(dp_best_score(&(DpScores){scores + 4, 1, 1}), INT64_MIN, "of one");
}

int
main(void)
{
	test_rates();
	test_divisor();
	test_gaps();
	test_noise();
	return unit_finish();
}
