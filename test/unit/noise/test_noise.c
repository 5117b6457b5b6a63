/*
 * test_noise.c -- noise at the edges of its arguments, and where the source of random bytes fails.
 */
#include "core/base/code_key.h"
#include "core/noise/noise.h"

#include "unit_stat.h"

static void
test_arguments(DpRng *rng)
{
	bool flag = true;
	uint64_t y = 7;
	int64_t z = 7;

	CHECK_STATUS(dp_discrete_gaussian(rng, 0, 1, &z), DP_ERR_ARGUMENT, "Gaussian: variance 0");
	CHECK_STATUS(dp_discrete_gaussian(rng, 1, 0, &z), DP_ERR_ARGUMENT, "Gaussian: denominator 0");
	CHECK_STATUS(dp_discrete_gaussian(rng, DP_GAUSSIAN_TERM_MAX + 1, 1, &z), DP_ERR_RANGE,
				 "Gaussian: a numerator over 2^60");
	CHECK_STATUS(dp_discrete_gaussian(rng, 1, DP_GAUSSIAN_TERM_MAX + 1, &z), DP_ERR_RANGE,
				 "Gaussian: a denominator over 2^60");
	CHECK_STATUS(dp_bernoulli_exp_square(rng, 1, 0, 1, &flag), DP_ERR_ARGUMENT, "square: a is 0");
	CHECK_STATUS(dp_bernoulli_exp_square(rng, 1, 1, 0, &flag), DP_ERR_ARGUMENT, "square: b is 0");
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
		MUST(dp_bernoulli_exp_square(rng, ~(unsigned __int128) 0, 1, 1, &flag));
		never |= flag;
		MUST(dp_bernoulli_exp_square(rng, ~(unsigned __int128) 0, UINT64_MAX, UINT64_MAX, &flag));
		never |= flag;
		MUST(dp_bernoulli_exp_square(rng, 0, 1, UINT64_MAX, &flag));
		always &= flag;
	}
	CHECK(!never, "odds of 0 and exp(-2^64) never come up, and take no 2^64 flips");
	CHECK(always, "odds of 1 and exp(-0) always do");
	CHECK_I64(zero, 0, "geometric with a = exp(-2^64) is 0");
}

/*
 * t is near 2^64, so t v is over 64 bits for each v > 0. With s = t the result is still ordinary.
 */
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
	CHECK_STATUS(dp_discrete_gaussian(&rng, 1, 2, &z), DP_ERR_RANDOM, "Gaussian: source fails");
	CHECK_STATUS(dp_bernoulli_exp_square(&rng, 7, 2, 3, &flag), DP_ERR_RANDOM,
				 "square: source fails");
	CHECK(flag && y == 7 && z == 7, "outputs are untouched");
}

static DpStatus
draw_one(DpRng *rng, bool gaussian, int64_t *z)
{
	return gaussian ? dp_discrete_gaussian(rng, 100, 1, z) : dp_discrete_laplace(rng, 1, 10, z);
}

/* Fails after each possible number of fills: no path loops on or hands out a value. */
static void
test_failure_midway(bool gaussian)
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
			status = draw_one(&rng, gaussian, &z);
		reported = reported && status == DP_ERR_RANDOM && source.calls == good + 1;
	}
	CHECK(reported, "a source that fails in the middle of a draw of %s noise is reported at once",
		  gaussian ? "Gaussian" : "Laplace");
}

int
main(void)
{
	DpRng rng;

	unit_seeded(&rng);
	test_arguments(&rng);
	test_certain(&rng);
	test_large_terms(&rng);
	test_failure();
	test_failure_midway(false);
	test_failure_midway(true);
	unit_seeded_end(&rng);
	return unit_finish();
}
