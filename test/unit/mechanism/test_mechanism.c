/*
 * test_mechanism.c -- thresholds, expected errors, charges and failure of the
 * mechanisms. Their distributions: test_noise_exact.c, stat_noise.c; their privacy:
 * stat_privacy.c.
 */
#include "core/mechanism/mechanism.h"
#include "core/accounting/stddev.h"

#include "unit_stat.h"

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

static void
test_stddev(void)
{
	CHECK_NEAR(dp_laplace_stddev((DpLaplace){.epsilon_nano = 1000000000, .sensitivity_l1 = 1}),
			   sqrt(2 * exp(-1)) / (1 - exp(-1)), 1e-12, "standard deviation at epsilon 1");
	CHECK_NEAR(dp_laplace_stddev((DpLaplace){.epsilon_nano = 1, .sensitivity_l1 = 1}) /
				   (sqrt(2) * 1e9),
			   1, 1e-8, "at epsilon 1e-9");
	CHECK(dp_laplace_stddev((DpLaplace){.epsilon_nano = DP_EPSILON_NANO_MAX, .sensitivity_l1 = 1}) <
			  1e-100,
		  "at epsilon 1e6");
}

static void
test_gaussian_stddev(void)
{
	CHECK_NEAR(
		dp_gaussian_stddev((DpGaussian){.rho_pico = DP_RHO_ONE / 2, .sensitivity_l2_squared = 16}),
		4, 1e-12, "sigma is 4 rows");
	CHECK_NEAR(dp_gaussian_stddev((DpGaussian){.rho_pico = 1, .sensitivity_l2_squared = 1}),
			   sqrt(5e11), 1e-6, "at rho 1e-12");
	CHECK_NEAR(
		dp_gaussian_stddev((DpGaussian){.rho_pico = DP_RHO_ONE, .sensitivity_l2_squared = 8}), 2,
		1e-12, "2 rows, by the formula");
	CHECK_NEAR(
		dp_gaussian_stddev((DpGaussian){.rho_pico = DP_RHO_ONE + 1, .sensitivity_l2_squared = 8}),
		2, 1e-11, "and just below, by the sum");
	/* of the distribution with sigma^2 = 1/8: 2 (e^-4 + 4 e^-16 + ...)/(1 + 2 (e^-4 + e^-16 +
	 * ...)) */
	CHECK_NEAR(
		dp_gaussian_stddev((DpGaussian){.rho_pico = 4 * DP_RHO_ONE, .sensitivity_l2_squared = 1}),
		sqrt(2 * (exp(-4) + 4 * exp(-16)) / (1 + 2 * (exp(-4) + exp(-16)))), 1e-12, "a fine sigma");
	CHECK(dp_gaussian_stddev(
			  (DpGaussian){.rho_pico = DP_RHO_PICO_MAX, .sensitivity_l2_squared = 1}) < 1e-100,
		  "at rho 1e6");
}

/* Every call that must draw nothing is made on a source that counts. */
typedef struct Bench
{
	UnitSource source;
	DpRng rng;
	DpMeter meter;
	int64_t counts[3];
	int64_t out[3];
	int64_t threshold;
	size_t chosen;
} Bench;

static void
bench_init(Bench *bench, DpBudget limit, unsigned calls_good)
{
	*bench = (Bench){.source = {.calls_good = calls_good},
					 .counts = {5, 6, 7},
					 .out = {77, 77, 77},
					 .threshold = 77,
					 .chosen = 77};
	dp_rng_init(&bench->rng, unit_source_fill, &bench->source);
	dp_meter_init(&bench->meter, limit);
}

/* Nothing was drawn or charged. What a release would have written is what it was before, or zeros
 * after a release that failed. */
static bool
untouched(const Bench *b)
{
	bool same = true;

	for (int i = 0; i < 3; i++)
		same &= b->out[i] == b->out[0];
	return b->source.calls == 0 && b->meter.spent.epsilon_nano == 0 &&
		   b->meter.spent.rho_pico == 0 && same && (b->out[0] == 0 || b->out[0] == 77) &&
		   b->threshold == 77 && b->chosen == 77;
}

static DpStatus
laplace(Bench *b, int64_t epsilon_nano, int64_t sensitivity)
{
	return dp_laplace_release(
		&(DpNoiseSource){.meter = &b->meter, .rng = &b->rng},
		(DpLaplace){.epsilon_nano = epsilon_nano, .sensitivity_l1 = sensitivity}, b->counts, 3,
		b->out);
}

static DpStatus
gaussian(Bench *b, int64_t rho_pico, int64_t sensitivity_squared)
{
	return dp_gaussian_release(
		&(DpNoiseSource){.meter = &b->meter, .rng = &b->rng},
		(DpGaussian){.rho_pico = rho_pico, .sensitivity_l2_squared = sensitivity_squared},
		b->counts, 3, b->out);
}

static DpStatus
stability(Bench *b, int64_t epsilon_nano, int64_t delta_atto)
{
	return dp_stability_release(&(DpNoiseSource){.meter = &b->meter, .rng = &b->rng},
								&(DpStability){{epsilon_nano, delta_atto, 0}, row_added}, b->counts,
								3, b->out, &b->threshold);
}

static DpStatus
selection(Bench *b, int64_t epsilon_nano, int64_t sensitivity, size_t n)
{
	return dp_select(&(DpNoiseSource){.meter = &b->meter, .rng = &b->rng},
					 &(DpScores){b->counts, n, sensitivity}, epsilon_nano, &b->chosen);
}

static void
test_overdraw(void)
{
	Bench b;

	bench_init(&b, (DpBudget){1000, 10, INT64_MAX}, 100);
	CHECK_STATUS(laplace(&b, 1001, 1), DP_ERR_OVERDRAW, "Laplace over the limit");
	CHECK(untouched(&b) && b.meter.broken, "draws nothing, writes nothing, breaks the meter");
	CHECK_STATUS(laplace(&b, 1, 1), DP_ERR_OVERDRAW, "a smaller one fails too");
	CHECK_STATUS(stability(&b, 1, 1), DP_ERR_OVERDRAW, "so does every other mechanism");
	CHECK_STATUS(selection(&b, 1, 1, 3), DP_ERR_OVERDRAW, "on that meter");
	CHECK(untouched(&b), "and still nothing was drawn");
	bench_init(&b, (DpBudget){1000, 10, INT64_MAX}, 100);
	CHECK_STATUS(stability(&b, 1000, 11), DP_ERR_OVERDRAW, "stability over delta");
	CHECK(untouched(&b), "draws nothing");
	bench_init(&b, (DpBudget){1000, 10, INT64_MAX}, 100);
	CHECK_STATUS(selection(&b, 1001, 1, 3), DP_ERR_OVERDRAW, "selection over the limit");
	CHECK(untouched(&b), "draws nothing");
}

/* Each mechanism charges its rho, so that a limit of rho alone stops it. */
static void
test_overdraw_rho(void)
{
	const DpBudget limit = {1000000000, 10, dp_rho_of_epsilon(1000000000) - 1};
	Bench b;

	bench_init(&b, limit, 100);
	CHECK_STATUS(laplace(&b, 1000000000, 1), DP_ERR_OVERDRAW, "Laplace over rho");
	CHECK(untouched(&b), "draws nothing");
	bench_init(&b, limit, 100);
	CHECK_STATUS(stability(&b, 1000000000, 10), DP_ERR_OVERDRAW, "stability over rho");
	CHECK(untouched(&b), "draws nothing");
	bench_init(&b, limit, 100);
	CHECK_STATUS(selection(&b, 1000000000, 1, 3), DP_ERR_OVERDRAW, "selection over rho");
	CHECK(untouched(&b), "draws nothing");
	bench_init(&b, limit, 100);
	CHECK_STATUS(gaussian(&b, limit.rho_pico + 1, 1), DP_ERR_OVERDRAW, "Gaussian over rho");
	CHECK(untouched(&b) && b.meter.broken, "draws nothing, breaks the meter");
}

static void
test_refusals_gaussian(void)
{
	Bench b;

	bench_init(&b, (DpBudget){0, 0, INT64_MAX}, 100);
	CHECK_STATUS(gaussian(&b, 0, 1), DP_ERR_ARGUMENT, "Gaussian: rho 0");
	CHECK_STATUS(gaussian(&b, -5, 1), DP_ERR_ARGUMENT, "Gaussian: rho < 0");
	CHECK_STATUS(gaussian(&b, DP_RHO_PICO_MAX + 1, 1), DP_ERR_ARGUMENT, "Gaussian: rho over 1e6");
	CHECK_STATUS(gaussian(&b, 1, 0), DP_ERR_ARGUMENT, "Gaussian: sensitivity 0");
	CHECK_STATUS(gaussian(&b, 1, 2305844), DP_ERR_RANGE, "Gaussian: sigma over 2^30 rows");
	CHECK_STATUS(gaussian(&b, 999999999989, INT64_MAX), DP_ERR_RANGE,
				 "Gaussian: the sensitivity of too many rows a unit");
	/* what does not fit 64 bits is more than it says, also where so much noise could be drawn */
	CHECK_STATUS(gaussian(&b, DP_RHO_PICO_MAX, INT64_MAX), DP_ERR_RANGE,
				 "Gaussian: a sensitivity that does not fit");
	CHECK(untouched(&b) && !b.meter.broken, "all before the charge: nothing drawn, nothing spent");
}

static void
test_refusals(void)
{
	Bench b;

	bench_init(&b, (DpBudget){INT64_MAX, DP_DELTA_ONE, INT64_MAX}, 100);
	CHECK_STATUS(laplace(&b, 0, 1), DP_ERR_ARGUMENT, "Laplace: epsilon 0");
	CHECK_STATUS(laplace(&b, -5, 1), DP_ERR_ARGUMENT, "Laplace: epsilon < 0");
	CHECK_STATUS(laplace(&b, 1, 0), DP_ERR_ARGUMENT, "Laplace: sensitivity 0");
	CHECK_STATUS(laplace(&b, 1, INT64_MAX), DP_ERR_RANGE, "Laplace: rate beyond 64 bits");
	CHECK_STATUS(laplace(&b, 1, INT64_C(1) << 26), DP_ERR_RANGE, "Laplace: noise over 2^55 rows");
	CHECK_STATUS(stability(&b, 1, 0), DP_ERR_ARGUMENT, "stability: delta 0");
	CHECK_STATUS(selection(&b, 1, 1, 0), DP_ERR_ARGUMENT, "selection: no candidates");
	CHECK_STATUS(selection(&b, 0, 1, 3), DP_ERR_ARGUMENT, "selection: epsilon 0");
	CHECK_STATUS(selection(&b, 1, -1, 3), DP_ERR_ARGUMENT, "selection: sensitivity < 0");
	CHECK_STATUS(selection(&b, 1, INT64_MAX, 3), DP_ERR_RANGE, "selection: rate beyond 64 bits");
	CHECK_STATUS(laplace(&b, DP_EPSILON_NANO_MAX, INT64_MAX), DP_ERR_RANGE,
				 "Laplace: a sensitivity that does not fit");
	CHECK_STATUS(selection(&b, DP_EPSILON_NANO_MAX, INT64_MAX, 3), DP_ERR_RANGE,
				 "selection: a sensitivity that does not fit");
	b.counts[1] = 0;
	CHECK_STATUS(stability(&b, 1, 1), DP_ERR_INTERNAL, "stability: an empty cell");
	CHECK(untouched(&b) && !b.meter.broken, "all before the charge: nothing drawn, nothing spent");
}

static bool
all_zeros(const int64_t *out)
{
	return out[0] == 0 && out[1] == 0 && out[2] == 0;
}

static void
test_failed_source(void)
{
	Bench b;

	bench_init(&b, (DpBudget){INT64_MAX, DP_DELTA_ONE, INT64_MAX}, 0);
	CHECK_STATUS(laplace(&b, 1000, 1), DP_ERR_RANDOM, "Laplace reports a failed source");
	CHECK(all_zeros(b.out), "and leaves zeros");
	memcpy(b.out, b.counts, sizeof(b.out));
	CHECK_STATUS(stability(&b, 1000, 1), DP_ERR_RANDOM, "so does stability");
	CHECK(all_zeros(b.out) && b.threshold == 77, "and leaves zeros");
	b.counts[2] = 9;
	CHECK_STATUS(selection(&b, 1000, 1, 3), DP_ERR_RANDOM, "so does selection");
	CHECK_I64(b.chosen, 77, "and chooses nothing");
	CHECK_I64(b.meter.spent.epsilon_nano, 3000, "what was charged stays charged");
	memcpy(b.out, b.counts, sizeof(b.out));
	CHECK_STATUS(gaussian(&b, 1000, 1), DP_ERR_RANDOM, "Gaussian reports it too");
	CHECK(all_zeros(b.out), "and leaves zeros");
}

/* A release in place that fails before its charge has not touched the exact counts yet. */
static void
test_refused_in_place(void)
{
	const DpLaplace refused[] = {{0, 1}, {1, INT64_MAX}, {1001, 1}};
	const DpGaussian too_wide[] = {{0, 1}, {1, INT64_C(1) << 62}, {2000, 1}};
	const DpStability goals[] = {
		{{1, 0, 0}, row_added}, {{1, 1, 0}, row_added}, {{1001, 1, 0}, row_added}};

	for (int i = 0; i < 3; i++)
	{
		Bench b;
		DpNoiseSource source = {.meter = &b.meter, .rng = &b.rng};
		int64_t rows;

		bench_init(&b, (DpBudget){1000, 1, 1000}, 100);
		CHECK(dp_laplace_release(&source, refused[i], b.counts, 3, b.counts) != DP_OK &&
				  all_zeros(b.counts),
			  "Laplace that is refused leaves no exact count");
		bench_init(&b, (DpBudget){1000, 1, 1000}, 100);
		CHECK(dp_gaussian_release(&source, too_wide[i], b.counts, 3, b.counts) != DP_OK &&
				  all_zeros(b.counts),
			  "nor does Gaussian");
		bench_init(&b, (DpBudget){1000, 1, 1000}, 100);
		b.counts[1] = i == 1 ? 0 : 8; /* an empty cell, which is refused */
		CHECK(dp_stability_release(&source, &goals[i], b.counts, 3, b.counts, &rows) != DP_OK &&
				  all_zeros(b.counts),
			  "nor does the stability histogram");
		CHECK_I64((int64_t) b.source.calls, 0, "and none has drawn");
	}
}

/* b = 1e15 rows and counts at the ends of 63 bits: each draw has an even chance to overflow. */
static void
test_overflow(DpRng *rng)
{
	unsigned failed = 0, bad = 0;

	for (int i = 0; i < 200; i++)
	{
		Bench b;
		DpStatus status;

		bench_init(&b, (DpBudget){INT64_MAX, DP_DELTA_ONE, INT64_MAX}, 0);
		b.counts[1] = INT64_MAX;
		b.counts[2] = INT64_MIN;
		memcpy(b.out, b.counts, sizeof(b.out));
		status = dp_laplace_release(&(DpNoiseSource){.meter = &b.meter, .rng = rng},
									(DpLaplace){.epsilon_nano = 1, .sensitivity_l1 = 1000000},
									b.out, 3, b.out);
		failed += status == DP_ERR_RANGE;
		bad += status == DP_ERR_RANGE ? !all_zeros(b.out) : status != DP_OK;
		b.counts[2] = INT64_MAX;
		status = dp_stability_release(&(DpNoiseSource){.meter = &b.meter, .rng = rng},
									  &(DpStability){{1, 1000, 0}, row_added}, b.counts, 3, b.out,
									  &b.threshold);
		bad += status == DP_ERR_RANGE ? !all_zeros(b.out) : status != DP_OK;
	}
	CHECK(failed > 100 && failed < 200 && bad == 0, "count + Z over 63 bits: DP_ERR_RANGE, zeros");
}

static void
count_tick(void *context, double share_done)
{
	int *ticks = context;

	*ticks = share_done < 0.0 ? *ticks + 1 : -1000000;
}

static void
test_release(DpRng *rng)
{
	static int64_t counts[20000];
	int ticks = 0;
	DpTick tick = {count_tick, &ticks};
	int64_t threshold = 0;
	bool right = true;
	DpMeter meter;

	for (size_t i = 0; i < 20000; i++)
		counts[i] = i % 2 == 0 ? 1 : 1000;
	dp_meter_init(&meter, (DpBudget){1500000000, 1000000000, 2 * DP_RHO_ONE});
	MUST(dp_stability_release(&(DpNoiseSource){.meter = &meter, .rng = rng, .tick = &tick},
							  &(DpStability){{1000000000, 1000000000, 0}, row_added}, counts, 20000,
							  counts, &threshold));
	for (size_t i = 0; i < 20000; i++)
		right = right && (i % 2 == 0 ? counts[i] == 0 : llabs(counts[i] - 1000) < 60);
	CHECK(right, "singletons are silent, large cells show; noisy may alias counts");
	CHECK_I64(threshold, 22, "T is reported");
	CHECK(ticks >= 4, "the tick is called, and told no share of secret work");
	CHECK(meter.spent.epsilon_nano == 1000000000 && meter.spent.delta_atto == 1000000000 &&
			  meter.spent.rho_pico == dp_rho_of_epsilon(1000000000),
		  "exactly the cost is charged, its rho with it");
	MUST(dp_laplace_release(&(DpNoiseSource){.meter = &meter, .rng = rng, .tick = &tick},
							(DpLaplace){.epsilon_nano = 500000000, .sensitivity_l1 = 1}, counts,
							20000, counts));
	CHECK_I64(meter.spent.epsilon_nano, 1500000000, "Laplace charges epsilon");
	CHECK_I64(meter.spent.delta_atto, 1000000000, "and no delta");
	for (size_t i = 0; i < 20000; i++)
		counts[i] = 5;
	MUST(dp_laplace_release(
		&(DpNoiseSource){.meter = &(DpMeter){.limit = dp_cost_pure(DP_EPSILON_NANO_MAX)},
						 .rng = rng},
		(DpLaplace){.epsilon_nano = DP_EPSILON_NANO_MAX, .sensitivity_l1 = 1}, counts, 20000,
		counts));
	for (size_t i = 0; i < 20000; i++)
		right = right && counts[i] == 5;
	CHECK(right, "epsilon 1e6 moves no count in 20,000 by a row");
	CHECK_STATUS(dp_laplace_release(&(DpNoiseSource){.meter = &meter, .rng = rng},
									(DpLaplace){.epsilon_nano = 1, .sensitivity_l1 = 1}, NULL, 0,
									NULL),
				 DP_ERR_OVERDRAW, "no cells at all still have to be paid for");
}

static void
test_release_gaussian(DpRng *rng)
{
	static int64_t counts[20000];
	int ticks = 0;
	DpTick tick = {count_tick, &ticks};
	bool right = true;
	DpMeter meter;

	for (size_t i = 0; i < 20000; i++)
		counts[i] = 1000;
	dp_meter_init(&meter, dp_cost_concentrated(DP_RHO_ONE));
	MUST(dp_gaussian_release(&(DpNoiseSource){.meter = &meter, .rng = rng, .tick = &tick},
							 (DpGaussian){.rho_pico = DP_RHO_ONE / 2, .sensitivity_l2_squared = 16},
							 counts, 20000, counts));
	for (size_t i = 0; i < 20000; i++)
		right = right && llabs(counts[i] - 1000) < 60;
	CHECK(right, "Gaussian noise of 4 rows; out may alias counts");
	CHECK(ticks >= 4, "the tick is called, and told no share of secret work");
	CHECK(meter.spent.epsilon_nano == 0 && meter.spent.delta_atto == 0 &&
			  meter.spent.rho_pico == DP_RHO_ONE / 2,
		  "rho alone is charged");
	CHECK_STATUS(
		dp_gaussian_release(&(DpNoiseSource){.meter = &meter, .rng = rng},
							(DpGaussian){.rho_pico = DP_RHO_ONE, .sensitivity_l2_squared = 1}, NULL,
							0, NULL),
		DP_ERR_OVERDRAW, "no cells at all still have to be paid for");
	memset(counts, 0, sizeof(counts));
	MUST(dp_gaussian_release(
		&(DpNoiseSource){.meter = &(DpMeter){.limit = dp_cost_concentrated(DP_RHO_PICO_MAX)},
						 .rng = rng},
		(DpGaussian){.rho_pico = DP_RHO_PICO_MAX, .sensitivity_l2_squared = 1}, counts, 20000,
		counts));
	for (size_t i = 0; i < 20000; i++)
		right = right && counts[i] == 0;
	CHECK(right, "rho 1e6 moves no count in 20,000 by a row");
	MUST(dp_gaussian_release(
		&(DpNoiseSource){.meter = &(DpMeter){.limit = dp_cost_concentrated(1)}, .rng = rng},
		(DpGaussian){.rho_pico = 1, .sensitivity_l2_squared = 2305843}, counts, 10, counts));
	CHECK(llabs(counts[0]) < INT64_C(1) << 34, "the widest noise, nearly 2^30 rows");
}

/* Gaps that need all 64 bits, and a product with epsilon that needs 114. */
static void
test_select_extremes(DpRng *rng)
{
	const int64_t apart[] = {INT64_MIN, INT64_MAX, INT64_MIN, 0};
	const int64_t equal[] = {INT64_MAX, INT64_MAX, INT64_MAX};
	unsigned seen[3] = {0, 0, 0};
	DpMeter meter;
	size_t chosen = 9, first = 9;
	bool best = true;

	for (int i = 0; i < 500; i++)
	{
		dp_meter_init(&meter, (DpBudget){INT64_MAX, 0, INT64_MAX});
		MUST(dp_select(&(DpNoiseSource){.meter = &meter, .rng = rng}, &(DpScores){apart, 4, 1},
					   DP_EPSILON_NANO_MAX, &chosen));
		best = best && chosen == 1;
		MUST(dp_select(&(DpNoiseSource){.meter = &meter, .rng = rng}, &(DpScores){apart, 4, 1}, 1,
					   &chosen));
		best = best && chosen == 1;
		MUST(dp_select(&(DpNoiseSource){.meter = &meter, .rng = rng}, &(DpScores){equal, 3, 1},
					   1000000000, &chosen));
		seen[chosen]++;
		MUST(dp_select(&(DpNoiseSource){.meter = &meter, .rng = rng}, &(DpScores){equal, 1, 1},
					   1000000000, &first));
		best = best && first == 0;
	}
	CHECK(best, "a candidate 2^64 ahead always wins, a sole one too");
	CHECK(seen[0] > 90 && seen[1] > 90 && seen[2] > 90, "equals are chosen equally");
	CHECK_OK(dp_select(&(DpNoiseSource){.meter = &meter, .rng = rng},
					   &(DpScores){equal, 3, INT64_C(13194139530240)}, 1000000000, &chosen),
			 "a sensitivity of 1.3e13 is fine where the fraction reduces");
}

int
main(void)
{
	DpRng rng;

	unit_urandom(&rng);
	test_threshold_minimal();
	test_threshold_known();
	test_threshold_arguments();
	test_delta_rounding();
	test_expected_error_figures();
	test_expected_error_forms();
	test_stddev();
	test_gaussian_stddev();
	test_overdraw();
	test_overdraw_rho();
	test_refusals();
	test_refusals_gaussian();
	test_failed_source();
	test_refused_in_place();
	test_overflow(&rng);
	test_release(&rng);
	test_release_gaussian(&rng);
	test_select_extremes(&rng);
	unit_urandom_close(&rng);
	return unit_finish();
}
