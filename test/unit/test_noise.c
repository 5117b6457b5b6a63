/*
 * test_noise.c -- arguments, extremes and failure of the samplers. Their
 * distributions: test_noise_exact.c (by enumeration) and stat_noise.c (by draws).
 */
#include "noise.h"

#include "unit_stat.h"

static void
test_arguments(DpRng *rng)
{
	bool flag = true;
	uint64_t y = 7;
	int64_t z = 7;

	CHECK_STATUS(dp_bernoulli(rng, 1, 0, &flag), DP_ERR_ARGUMENT, "bernoulli: denominator 0");
	CHECK_STATUS(dp_bernoulli(rng, 3, 2, &flag), DP_ERR_ARGUMENT, "bernoulli: odds over 1");
	CHECK_STATUS(dp_bernoulli_exp(rng, 1, 0, &flag), DP_ERR_ARGUMENT, "exp: denominator 0");
	CHECK_STATUS(dp_geometric_exp(rng, 0, 1, &y), DP_ERR_ARGUMENT, "geometric: rate 0");
	CHECK_STATUS(dp_geometric_exp(rng, 1, 0, &y), DP_ERR_ARGUMENT, "geometric: denominator 0");
	CHECK_STATUS(dp_discrete_laplace(rng, 0, 1, &z), DP_ERR_ARGUMENT, "Laplace: rate 0");
	CHECK_STATUS(dp_discrete_laplace(rng, 1, 0, &z), DP_ERR_ARGUMENT, "Laplace: denominator 0");
	CHECK(flag && y == 7 && z == 7, "outputs are untouched");
}

static void
test_certain(DpRng *rng)
{
	bool never = false, always = true, flag;
	uint64_t zero = 0;

	for (int i = 0; i < 1000; i++)
	{
		uint64_t y;

		MUST(dp_bernoulli(rng, 0, 5, &flag));
		never |= flag;
		MUST(dp_bernoulli(rng, 5, 5, &flag));
		always &= flag;
		MUST(dp_bernoulli_exp(rng, 0, 9, &flag));
		always &= flag;
		MUST(dp_bernoulli_exp(rng, UINT64_MAX, 1, &flag));
		never |= flag;
		MUST(dp_bernoulli_exp(rng, UINT64_MAX, 1000, &flag));
		never |= flag;
		MUST(dp_geometric_exp(rng, UINT64_MAX, 1, &y));
		zero |= y;
	}
	CHECK(!never, "odds of 0 and exp(-2^64) never come up, and take no 2^64 flips");
	CHECK(always, "odds of 1 and exp(-0) always do");
	CHECK_I64(zero, 0, "geometric with a = exp(-2^64) is 0");
}

/* t near 2^64: t v leaves 64 bits at every v > 0. With s = t the result is ordinary all the same. */
static void
test_large_terms(DpRng *rng)
{
	unsigned large = 0, failed = 0, huge = 0, bad = 0;

	for (int i = 0; i < 20000; i++)
	{
		uint64_t y;
		int64_t z = 77;
		DpStatus status;

		MUST(dp_geometric_exp(rng, UINT64_MAX, UINT64_MAX, &y));
		large += y >= 1;
		bad += y > 60;
		status = dp_geometric_exp(rng, 1, UINT64_MAX, &y);
		failed += status == DP_ERR_RANGE;
		bad += status != DP_OK && status != DP_ERR_RANGE;
		status = dp_discrete_laplace(rng, 1, UINT64_MAX, &z);
		huge += status == DP_ERR_RANGE && z == 77;
		bad += status != DP_OK && (status != DP_ERR_RANGE || z != 77);
	}
	CHECK_I64(bad, 0, "large terms give a result or DP_ERR_RANGE, out untouched");
	CHECK_NEAR(large / 20000.0, exp(-1.0), 0.02, "s = t = 2^64 - 1: P[y >= 1] = 1/e");
	CHECK_NEAR(failed / 20000.0, exp(-1.0), 0.02, "b = 2^64: geometric overflows with 1/e");
	CHECK_NEAR(huge / 20000.0, exp(-0.5), 0.02, "b = 2^64: Laplace overflows with exp(-1/2)");
}

static void
test_failure(void)
{
	UnitSource source = {.calls_good = 0};
	DpRng rng;
	bool flag = true;
	uint64_t y = 7;
	int64_t z = 7;

	dp_rng_init(&rng, unit_source_fill, &source);
	CHECK_STATUS(dp_bernoulli(&rng, 1, 2, &flag), DP_ERR_RANDOM, "bernoulli: source fails");
	CHECK_STATUS(dp_bernoulli_exp(&rng, 1, 2, &flag), DP_ERR_RANDOM, "exp: source fails");
	CHECK_STATUS(dp_bernoulli_exp(&rng, 3, 2, &flag), DP_ERR_RANDOM, "exp over 1: source fails");
	CHECK_STATUS(dp_geometric_exp(&rng, 1, 2, &y), DP_ERR_RANDOM, "geometric: source fails");
	CHECK_STATUS(dp_discrete_laplace(&rng, 1, 2, &z), DP_ERR_RANDOM, "Laplace: source fails");
	CHECK(flag && y == 7 && z == 7, "outputs are untouched");
}

/* Fails after each possible number of fills: no path loops on or hands out a value. */
static void
test_failure_midway(void)
{
	bool reported = true;

	for (unsigned good = 1; good < 20; good++)
	{
		UnitSource source = {
			.calls_good = good, .word = {UINT64_MAX / 3, 1, UINT64_MAX / 5 * 4}, .word_n = 3};
		DpStatus status = DP_OK;
		DpRng rng;
		int64_t z;

		dp_rng_init(&rng, unit_source_fill, &source);
		for (int i = 0; i < 1000000 && status == DP_OK; i++)
			status = dp_discrete_laplace(&rng, 1, 10, &z);
		reported = reported && status == DP_ERR_RANDOM && source.calls == good + 1;
	}
	CHECK(reported, "a source that fails in the middle of a draw is reported at once");
}

int
main(void)
{
	DpRng rng;

	unit_urandom(&rng);
	test_arguments(&rng);
	test_certain(&rng);
	test_large_terms(&rng);
	test_failure();
	test_failure_midway();
	unit_urandom_close(&rng);
	return unit_finish();
}
