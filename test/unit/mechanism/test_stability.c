/*
 * test_stability.c -- thresholds and deltas of the stability histogram: the smallest threshold that
 * its delta allows, and the expected error.
 */
#include "core/accounting/budget.h"
#include "core/accounting/privacy_unit.h"
#include "core/mechanism/stability.h"

#include "unit.h"

static const DpUnit row_added = {DP_ADD_REMOVE, 1};
static const DpUnit row_replaced = {DP_REPLACE_ONE, 1};

/*
 * delta in another way than the code's: through logarithms, and for k > 1 by
 * the largest sum over all partitions of up to k rows, not by its two ends.
 */
static long double
log_tail(long double e0, int64_t gap)
{
	return -e0 * (long double) gap - log1pl(expl(-e0));
}

static long double
worst_partition(long double e0, int64_t threshold, int64_t rows, int64_t part_max)
{
	long double worst = 0;

	for (int64_t part = 1; part <= rows && part <= part_max; part++)
	{
		long double sum = expl(log_tail(e0, threshold - part)) +
						  worst_partition(e0, threshold, rows - part, part);

		worst = fmaxl(worst, sum);
	}
	return worst;
}

static long double
rate_of(int64_t epsilon_nano, DpUnit unit)
{
	return (long double) epsilon_nano * 1e-9L / (long double) dp_unit_l1(&unit);
}

/* The two conditions on T, each to a relative tolerance: whether it surely holds (-1) or surely
 * fails (+1), else 0. */
static int
judge_threshold(int64_t epsilon_nano, int64_t delta_atto, DpUnit unit, int64_t threshold)
{
	long double e0 = rate_of(epsilon_nano, unit), tolerance = 1e-14L;
	long double delta = worst_partition(e0, threshold, unit.rows_max, unit.rows_max);
	long double excess = fminl(delta, 1) / ((long double) delta_atto * 1e-18L);

	return excess > 1 + tolerance ? 1 : excess < 1 - tolerance ? -1 : 0;
}

static void
check_threshold(int64_t epsilon_nano, int64_t delta_atto, DpUnit unit)
{
	int64_t t = 0;
	DpStatus status =
		dp_stability_threshold(&(DpStability){{epsilon_nano, delta_atto, 0}, unit}, &t);
	bool enough, smallest;

	if (status != DP_OK)
	{
		CHECK(false, "threshold for epsilon %" PRId64 "e-9, delta %" PRId64 "e-18: status %d",
			  epsilon_nano, delta_atto, status);
		return;
	}
	enough = judge_threshold(epsilon_nano, delta_atto, unit, t) <= 0 && t > unit.rows_max &&
			 dp_stability_delta(epsilon_nano, unit, t) <= delta_atto;
	smallest = t == (int64_t) unit.rows_max + 1 ||
			   judge_threshold(epsilon_nano, delta_atto, unit, t - 1) >= 0;
	CHECK(enough && smallest,
		  "T = %" PRId64 " is smallest for epsilon %" PRId64 "e-9, delta %" PRId64
		  "e-18, %s, %u rows",
		  t, epsilon_nano, delta_atto, unit.neighbours == DP_REPLACE_ONE ? "replace" : "add/remove",
		  unit.rows_max);
}

static void
test_threshold_minimal(void)
{
	const int64_t epsilons[] = {
		1, 1000, 50000000, 123456789, 1000000000, 3000000000, INT64_C(1000000000000000)};
	const int64_t deltas[] = {
		1, 1000000000, 1000000000000, 100000000000000, 300000000000000000, DP_DELTA_ONE};

	for (size_t e = 0; e < sizeof(epsilons) / sizeof(*epsilons); e++)
		for (size_t d = 0; d < sizeof(deltas) / sizeof(*deltas); d++)
			for (uint32_t k = 1; k <= 4; k += 1 + (k == 2))
			{
				check_threshold(epsilons[e], deltas[d], (DpUnit){DP_ADD_REMOVE, k});
				check_threshold(epsilons[e], deltas[d], (DpUnit){DP_REPLACE_ONE, k});
			}
}

static void
test_threshold_known(void)
{
	int64_t t = 0;
	DpUnit crowd = {DP_REPLACE_ONE, UINT32_MAX};

	/* 1 + ceil(ln(1/(delta (1 + a)))/e0), of the stability histogram */
	MUST(dp_stability_threshold(&(DpStability){{1000000000, 1000000000, 0}, row_added}, &t));
	CHECK_I64(t, 1 + (int64_t) ceil(log(1e9 / (1 + exp(-1.0)))), "add/remove, (1, 1e-9)");
	MUST(
		dp_stability_threshold(&(DpStability){{1000000000, 100000000000000, 0}, row_replaced}, &t));
	CHECK_I64(t, 1 + (int64_t) ceil(2 * log(1e4 / (1 + exp(-0.5)))), "replace, (1, 1e-4)");
	MUST(dp_stability_threshold(
		&(DpStability){{1000000000, 1000000000, 0}, (DpUnit){DP_ADD_REMOVE, 1000}}, &t));
	CHECK_I64(t, 1 + (int64_t) ceil(1000 * log(1000e9 / (1 + exp(-0.001)))),
			  "1,000 rows in 1,000 cells outweigh 1,000 in one");
	CHECK_STATUS(dp_stability_threshold(&(DpStability){{1, 1, 0}, crowd}, &t), DP_ERR_RANGE,
				 "a threshold over 2^62 is refused");
	MUST(dp_stability_threshold(&(DpStability){{DP_EPSILON_NANO_MAX, 1, 0}, crowd}, &t));
	CHECK(t > UINT32_MAX, "T exceeds rows_max = 2^32 - 1");
}

static void
test_threshold_arguments(void)
{
	const DpUnit nobody = {DP_ADD_REMOVE, 0}, strange = {(DpNeighbours) 2, 1};
	int64_t t = 77;

	CHECK_STATUS(dp_stability_threshold(&(DpStability){{0, 1, 0}, row_added}, &t), DP_ERR_ARGUMENT,
				 "epsilon 0");
	CHECK_STATUS(dp_stability_threshold(&(DpStability){{-1, 1, 0}, row_added}, &t), DP_ERR_ARGUMENT,
				 "epsilon < 0");
	CHECK_STATUS(
		dp_stability_threshold(&(DpStability){{DP_EPSILON_NANO_MAX + 1, 1, 0}, row_added}, &t),
		DP_ERR_ARGUMENT, "epsilon over 1e6");
	CHECK_STATUS(dp_stability_threshold(&(DpStability){{1, 0, 0}, row_added}, &t), DP_ERR_ARGUMENT,
				 "delta 0");
	CHECK_STATUS(dp_stability_threshold(&(DpStability){{1, DP_DELTA_ONE + 1, 0}, row_added}, &t),
				 DP_ERR_ARGUMENT, "delta over 1");
	CHECK_STATUS(dp_stability_threshold(&(DpStability){{1, 1, 0}, nobody}, &t), DP_ERR_ARGUMENT,
				 "no rows");
	CHECK_STATUS(dp_stability_threshold(&(DpStability){{1, 1, 0}, strange}, &t), DP_ERR_ARGUMENT,
				 "no such relation");
	CHECK_I64(t, 77, "outputs are untouched");
	CHECK_I64(dp_stability_delta(0, row_added, 100), DP_DELTA_ONE, "no epsilon: delta is 1");
	CHECK_I64(dp_stability_delta(1000000000, (DpUnit){DP_ADD_REMOVE, 3}, 3), DP_DELTA_ONE,
			  "T <= rows_max: delta is 1");
	CHECK_I64(dp_stability_delta(DP_EPSILON_NANO_MAX, row_added, INT64_C(1) << 62), 1,
			  "delta never rounds to 0");
}

static bool
delta_is_rounded_up(int64_t epsilon_nano, int64_t threshold)
{
	long double exact = expl(log_tail(rate_of(epsilon_nano, row_added), threshold - 1)) * 1e18L;
	long double got = (long double) dp_stability_delta(epsilon_nano, row_added, threshold);

	return got >= exact * (1 - 1e-16L) && got <= exact * (1 + 1e-14L) + 1;
}

static void
test_delta_rounding(void)
{
	bool up = true;

	for (int64_t t = 2; t < 2000; t++)
		up = up && delta_is_rounded_up(20000000, t) && delta_is_rounded_up(500000000, t);
	CHECK(up, "delta is rounded up, by less than one atto and 1e-14 of it");
}

static void
test_expected_error_figures(void)
{
	/* cells with 1, 2, ... rows as in a numpy prototype's check */
	const int cells[] = {128, 298, 244, 186, 84, 46, 9, 4, 1};
	const double epsilon[] = {1, 3, 5, 10}, want[] = {3002.35, 2922.93, 2292.55, 983.78};
	int64_t counts[1000];
	size_t n = 0;
	int64_t rows = 0;

	for (int c = 0; c < 9; c++)
		for (int i = 0; i < cells[c]; i++)
			rows += counts[n++] = c + 1;
	CHECK(n == 1000 && rows == 3000, "3,000 rows in 1,000 cells");
	for (int e = 0; e < 4; e++)
	{
		double b = 2.0 / epsilon[e];
		double got = dp_stability_expected_error_continuous(counts, n, b, 1.0 + b * log(1e4));

		CHECK_NEAR(got, want[e], 0.01, "the prototype's figure at epsilon %g: %.2f", epsilon[e],
				   got);
	}
}

/* Sums the distribution cell by cell, term by term, with no closed form. */
static double
error_by_sum(double e0, int64_t count, int64_t threshold)
{
	double a = exp(-e0), sum = 0.0;

	for (int64_t z = -3000; z <= 3000; z++)
	{
		double mass = (1 - a) / (1 + a) * pow(a, (double) llabs(z));

		sum += mass * (count + z >= threshold ? (double) llabs(z) : (double) count);
	}
	return sum;
}

static double
error_by_integral(double b, double count, double threshold)
{
	double sum = 0.0, step = b / 500.0;

	for (double z = -40.0 * b + step / 2; z < 40.0 * b; z += step)
		sum += step * exp(-fabs(z) / b) / (2 * b) * (count + z >= threshold ? fabs(z) : count);
	return sum;
}

static void
test_expected_error_forms(void)
{
	const int64_t epsilons[] = {100000000, 1000000000, 5000000000};
	double worst = 0.0, worst_continuous = 0.0, got;

	for (int e = 0; e < 3; e++)
		for (int k = 0; k < 2; k++)
		{
			DpUnit unit = k == 0 ? row_added : row_replaced;
			double e0 = (double) rate_of(epsilons[e], unit);
			int64_t t;

			MUST(dp_stability_threshold(&(DpStability){{epsilons[e], 1000000000000, 0}, unit}, &t));
			for (int64_t c = 1; c < 2 * t; c += 1 + t / 40)
			{
				MUST(dp_stability_expected_error(
					&c, 1, &(DpStability){{epsilons[e], 1000000000000, 0}, unit}, &got));
				worst = fmax(worst, fabs(got / error_by_sum(e0, c, t) - 1));
				got = dp_stability_expected_error_continuous(&c, 1, 1 / e0, (double) t);
				worst_continuous =
					fmax(worst_continuous,
						 fabs(got / error_by_integral(1 / e0, (double) c, (double) t) - 1));
			}
		}
	CHECK_NEAR(worst, 0, 1e-9, "the discrete closed form is the sum");
	CHECK_NEAR(worst_continuous, 0, 2e-3, "the continuous closed form is the integral");
	CHECK_STATUS(dp_stability_expected_error(NULL, 0, &(DpStability){{0, 1, 0}, row_added}, &got),
				 DP_ERR_ARGUMENT, "invalid arguments are refused");
}

int
main(void)
{
	test_threshold_minimal();
	test_threshold_known();
	test_threshold_arguments();
	test_delta_rounding();
	test_expected_error_figures();
	test_expected_error_forms();
	return unit_finish();
}
