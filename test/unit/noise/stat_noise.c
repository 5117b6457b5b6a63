/*
 * stat_noise.c -- four million draws of each sampler and mechanism against its
 * distribution, and the time of a draw.
 */
#include "core/mechanism/mechanism.h"
#include "core/noise/noise.h"
#include "core/accounting/stddev.h"

#include "unit_stat.h"

#define DRAWS 4000000
#define BINS 400

typedef struct Histogram
{
	uint64_t seen[BINS];
	double distribution[BINS];
	uint64_t total;
} Histogram;

static void
check_fit(const Histogram *h, const char *name)
{
	double p = unit_chi_square_p(h->seen, h->distribution, BINS, h->total);

	CHECK(p > UNIT_P_MIN, "%s: p = %.3g over %" PRIu64 " draws", name, p, h->total);
}

static void
test_bernoulli_exp(DpRng *rng, uint64_t numerator, uint64_t denominator)
{
	Histogram h = {.total = DRAWS};
	char name[80];
	bool heads;

	h.distribution[1] = exp(-(double) numerator / (double) denominator);
	h.distribution[0] = 1 - h.distribution[1];
	for (int i = 0; i < DRAWS; i++)
	{
		MUST(dp_bernoulli_exp(rng, numerator, denominator, &heads));
		h.seen[heads]++;
	}
	snprintf(name, sizeof(name), "Bernoulli(exp(-%" PRIu64 "/%" PRIu64 "))", numerator,
			 denominator);
	check_fit(&h, name);
}

static void
test_geometric(DpRng *rng, uint64_t numerator, uint64_t denominator)
{
	double e0 = (double) numerator / (double) denominator;
	Histogram h = {.total = DRAWS};
	char name[80];
	uint64_t y;

	for (int i = 0; i < BINS; i++)
		h.distribution[i] = -expm1(-e0) * exp(-e0 * i);
	for (int i = 0; i < DRAWS; i++)
	{
		MUST(dp_geometric_exp(rng, numerator, denominator, &y));
		if (y < BINS)
			h.seen[y]++;
	}
	snprintf(name, sizeof(name), "geometric %" PRIu64 "/%" PRIu64, numerator, denominator);
	check_fit(&h, name);
}

#define BATCH 100000

static void
test_laplace(DpRng *rng, int64_t epsilon_nano, int64_t sensitivity)
{
	static int64_t zeros[BATCH], out[BATCH];
	long double e0 = (long double) epsilon_nano * 1e-9L / (long double) sensitivity;
	Histogram h = {.total = DRAWS};
	clock_t start = clock();
	double sum = 0, squares = 0;
	char name[80];

	for (int z = 0; z < BINS; z++)
		h.distribution[z] = (double) unit_laplace_mass(e0, z - BINS / 2);
	for (int i = 0; i < DRAWS / BATCH; i++)
	{
		DpMeter meter = {.limit = dp_cost_pure(epsilon_nano)};

		MUST(dp_laplace_release(
			&(DpNoiseSource){.meter = &meter, .rng = rng},
			(DpLaplace){.epsilon_nano = epsilon_nano, .sensitivity_l1 = sensitivity}, zeros, BATCH,
			out));
		for (int j = 0; j < BATCH; j++)
		{
			sum += (double) out[j];
			squares += (double) out[j] * (double) out[j];
			if (out[j] >= -BINS / 2 && out[j] < BINS / 2)
				h.seen[out[j] + BINS / 2]++;
		}
	}
	snprintf(name, sizeof(name), "Laplace release, epsilon %g, sensitivity %d",
			 (double) epsilon_nano * 1e-9, (int) sensitivity);
	unit_note("%s: %.0f ns a draw", name, unit_ns_each(start, DRAWS));
	check_fit(&h, name);
	CHECK_NEAR(sqrt(squares / DRAWS) /
				   dp_laplace_stddev(
					   (DpLaplace){.epsilon_nano = epsilon_nano, .sensitivity_l1 = sensitivity}),
			   1, 0.004, "its standard deviation");
	CHECK_NEAR(sum / DRAWS /
				   dp_laplace_stddev(
					   (DpLaplace){.epsilon_nano = epsilon_nano, .sensitivity_l1 = sensitivity}),
			   0, 0.002, "its mean");
}

/* sigma^2 = sensitivity^2/(2 rho). */
static void
test_gaussian(DpRng *rng, int64_t rho_pico, int64_t sensitivity_squared)
{
	static int64_t zeros[BATCH], out[BATCH];
	const int draws = DRAWS / 10;
	double v = (double) sensitivity_squared * 1e12 / (2 * (double) rho_pico), mass = 0;
	double sum = 0, squares = 0,
		   stddev = dp_gaussian_stddev(
			   (DpGaussian){.rho_pico = rho_pico, .sensitivity_l2_squared = sensitivity_squared});
	Histogram h = {.total = (uint64_t) draws};
	clock_t start = clock();
	char name[80];

	for (int i = 0; i < BINS; i++)
		mass += h.distribution[i] = exp(-(double) (i - BINS / 2) * (i - BINS / 2) / (2 * v));
	for (int i = 0; i < BINS; i++)
		h.distribution[i] /= mass;
	for (int i = 0; i < draws / BATCH; i++)
	{
		DpMeter meter = {.limit = dp_cost_concentrated(rho_pico)};

		MUST(dp_gaussian_release(
			&(DpNoiseSource){.meter = &meter, .rng = rng},
			(DpGaussian){.rho_pico = rho_pico, .sensitivity_l2_squared = sensitivity_squared},
			zeros, BATCH, out));
		for (int j = 0; j < BATCH; j++)
		{
			sum += (double) out[j];
			squares += (double) out[j] * (double) out[j];
			if (out[j] >= -BINS / 2 && out[j] < BINS / 2)
				h.seen[out[j] + BINS / 2]++;
		}
	}
	snprintf(name, sizeof(name), "Gaussian release, rho %g, L2^2 %g, sigma %.3g",
			 (double) rho_pico * 1e-12, (double) sensitivity_squared, sqrt(v));
	unit_note("%s: %.0f ns a draw", name, unit_ns_each(start, draws));
	check_fit(&h, name);
	/* six standard errors and more, the kurtosis being 3, and 1/variance for a small sigma */
	CHECK_NEAR(sqrt(squares / draws) / stddev, 1, 0.006 / fmin(1, stddev),
			   "its standard deviation");
	CHECK_NEAR(sum / draws / stddev, 0, 0.006, "its mean");
}

static int
by_value(const void *a, const void *b)
{
	const double x = *(const double *) a, y = *(const double *) b;

	return (x > y) - (x < y);
}

/*
 * A fraction whose terms nearly fill 64 bits, at an ordinary ratio: a third of
 * the draws pass through 128 bits. Continuous for every purpose, so a
 * Kolmogorov-Smirnov test.
 */
static void
test_large_terms(DpRng *rng)
{
	enum
	{
		N = 1000000
	};
	const uint64_t s = 999999937, t = UINT64_C(17179869180000000001);
	double *u = malloc(N * sizeof(*u)), distance = 0;
	uint64_t y;

	for (int i = 0; i < N; i++)
	{
		MUST(dp_geometric_exp(rng, s, t, &y));
		u[i] = -expm1(-(double) s / (double) t * ((double) y + 0.5));
	}
	qsort(u, N, sizeof(*u), by_value);
	for (int i = 0; i < N; i++)
		distance = fmax(distance, fmax(u[i] - (double) i / N, (double) (i + 1) / N - u[i]));
	CHECK(unit_kolmogorov_p(distance, N) > UNIT_P_MIN, "terms of 64 bits, b = 1.7e10: KS p = %.3g",
		  unit_kolmogorov_p(distance, N));
	free(u);
}

/* A sigma of many rows: continuous for every purpose. 707,106.78 is the widest at one row. */
static void
test_gaussian_wide(DpRng *rng, int64_t rho_pico, int64_t sensitivity_squared)
{
	enum
	{
		N = 200000
	};
	double sigma = dp_gaussian_stddev(
			   (DpGaussian){.rho_pico = rho_pico, .sensitivity_l2_squared = sensitivity_squared}),
		   distance = 0;
	double *u = malloc(N * sizeof(*u));
	int64_t *z = calloc(N, sizeof(*z));
	DpMeter meter = {.limit = dp_cost_concentrated(rho_pico)};

	MUST(dp_gaussian_release(
		&(DpNoiseSource){.meter = &meter, .rng = rng},
		(DpGaussian){.rho_pico = rho_pico, .sensitivity_l2_squared = sensitivity_squared}, z, N,
		z));
	for (int i = 0; i < N; i++)
		u[i] = erfc(-(double) z[i] / (sigma * sqrt(2))) / 2;
	qsort(u, N, sizeof(*u), by_value);
	for (int i = 0; i < N; i++)
		distance = fmax(distance, fmax(u[i] - (double) i / N, (double) (i + 1) / N - u[i]));
	CHECK(unit_kolmogorov_p(distance, N) > UNIT_P_MIN, "Gaussian release, sigma %.6g: KS p = %.3g",
		  sigma, unit_kolmogorov_p(distance, N));
	free(u);
	free(z);
}

/* The distribution of a cell that is released at >= T, T included and T - 1 not. */
static void
test_stability(DpRng *rng, int64_t count, int64_t epsilon_nano, int64_t delta_atto, DpUnit unit)
{
	static int64_t counts[BATCH], noisy[BATCH];
	long double e0 = (long double) epsilon_nano * 1e-9L / (long double) dp_unit_l1(&unit);
	const int batches = 20;
	Histogram h = {.total = (uint64_t) batches * BATCH};
	int64_t t = 0, smallest = INT64_MAX;
	char name[80];

	MUST(dp_stability_threshold(&(DpStability){{epsilon_nano, delta_atto, 0}, unit}, &t));
	for (int i = 0; i < batches; i++)
	{
		DpMeter meter = {.limit = dp_cost_approximate(
							 (DpBudget){.epsilon_nano = epsilon_nano, .delta_atto = delta_atto})};

		for (int j = 0; j < BATCH; j++)
			counts[j] = count;
		MUST(dp_stability_release(
			&(DpNoiseSource){.meter = &meter, .rng = rng},
			&(DpStability){dp_cost_approximate(
							   (DpBudget){.epsilon_nano = epsilon_nano, .delta_atto = delta_atto}),
						   unit},
			counts, BATCH, noisy, &t));
		for (int j = 0; j < BATCH; j++)
		{
			if (noisy[j] != 0 && noisy[j] < smallest)
				smallest = noisy[j];
			if (noisy[j] < BINS)
				h.seen[noisy[j]]++;
		}
	}
	for (int64_t v = t; v < BINS; v++)
		h.distribution[v] = (double) unit_laplace_mass(e0, v - count);
	h.distribution[0] = (double) (1 - unit_laplace_above(e0, t - count));
	snprintf(name, sizeof(name), "stability, count %d, T = %d", (int) count, (int) t);
	check_fit(&h, name);
	CHECK_I64(smallest, t, "the smallest value released is T itself");
}

static void
test_expected_error(DpRng *rng)
{
	static int64_t counts[BATCH], noisy[BATCH];
	const DpBudget cost = dp_cost_approximate(
		(DpBudget){.epsilon_nano = 1000000000, .delta_atto = 10000000000000000});
	const DpUnit unit = {DP_REPLACE_ONE, 1};
	double expected, sum = 0, squares = 0, mean, error;
	DpMeter meter = {.limit = cost};
	int64_t t;

	for (int j = 0; j < BATCH; j++)
		counts[j] = 1 + j % 30;
	MUST(dp_stability_expected_error(counts, BATCH, &(DpStability){cost, unit}, &expected));
	MUST(dp_stability_release(&(DpNoiseSource){.meter = &meter, .rng = rng},
							  &(DpStability){cost, unit}, counts, BATCH, noisy, &t));
	for (int j = 0; j < BATCH; j++)
	{
		double one = (double) llabs(noisy[j] - counts[j]);

		sum += one;
		squares += one * one;
	}
	mean = sum / BATCH;
	error = sqrt((squares / BATCH - mean * mean) / BATCH);
	CHECK_NEAR(mean, expected / BATCH, 5 * error, "the expected error, by simulation: %.4f", mean);
}

/* Permute-and-flip over all orders of four candidates, against a million draws. */
static void
flip_walk(const double *heads, unsigned left, int left_n, double reached, double *distribution)
{
	for (int i = 0; i < 4; i++)
		if (left & 1u << i)
		{
			distribution[i] += reached / left_n * heads[i];
			flip_walk(heads, left & ~(1u << i), left_n - 1, reached / left_n * (1 - heads[i]),
					  distribution);
		}
}

static void
test_select(DpRng *rng, const int64_t *scores, int64_t best, double epsilon)
{
	Histogram h = {.total = 1000000};
	int64_t epsilon_nano = llround(epsilon * 1e9);
	double heads[4];
	char name[80];
	size_t chosen = 0;

	for (int i = 0; i < 4; i++)
		heads[i] = exp(-epsilon * (double) (best - scores[i]) / 6);
	flip_walk(heads, 15, 4, 1, h.distribution);
	for (uint64_t i = 0; i < h.total; i++)
	{
		DpMeter meter = {.limit = dp_cost_pure(epsilon_nano)};

		MUST(dp_select(&(DpNoiseSource){.meter = &meter, .rng = rng}, &(DpScores){scores, 4, 3},
					   epsilon_nano, &chosen));
		h.seen[chosen]++;
	}
	snprintf(name, sizeof(name), "permute-and-flip, epsilon %g", epsilon);
	check_fit(&h, name);
}

/* The tests' own statistic must see what it is for, with a fifth of the draws. */
static void
test_power(DpRng *rng)
{
	Histogram h = {.total = DRAWS / 5};
	int64_t z;

	for (int i = 0; i < BINS; i++)
		h.distribution[i] = (double) unit_laplace_mass(1.01L, i - BINS / 2);
	for (uint64_t i = 0; i < h.total; i++)
	{
		MUST(dp_discrete_laplace(rng, 1, 1, &z));
		if (z >= -BINS / 2 && z < BINS / 2)
			h.seen[z + BINS / 2]++;
	}
	CHECK(unit_chi_square_p(h.seen, h.distribution, BINS, h.total) < UNIT_P_MIN,
		  "a scale that is wrong by 1 %% would be seen");
}

int
main(void)
{
	static const int64_t scores[][4] = {{0, 1, 2, 4}, {4, 4, 4, 0}, {-9, 4, 1, 3}};
	DpRng rng;

	unit_seeded(&rng);
	test_bernoulli_exp(&rng, 1, 3);
	test_bernoulli_exp(&rng, 987654321, 1000000000);
	test_bernoulli_exp(&rng, 22, 7);
	test_geometric(&rng, 1, 10);
	test_geometric(&rng, 123456789, 1000000000);
	for (int64_t sensitivity = 1; sensitivity <= 2; sensitivity++)
	{
		test_laplace(&rng, 100000000, sensitivity);
		test_laplace(&rng, 1000000000, sensitivity);
		test_laplace(&rng, 3000000000, sensitivity);
	}
	test_laplace(&rng, 123456789, 1);
	test_large_terms(&rng);
	test_gaussian(&rng, 10 * DP_RHO_ONE, 1);
	test_gaussian(&rng, DP_RHO_ONE / 2, 1);
	test_gaussian(&rng, INT64_C(123456789011), 2);
	test_gaussian(&rng, 5000000000, 9);
	/* 10,000 rows a unit, replaced: sigma^2 is no fraction of 60 bits, and is rounded up */
	test_gaussian(&rng, INT64_C(200000000000000003), 200000000);
	test_gaussian_wide(&rng, 1, 1);
	test_gaussian_wide(&rng, INT64_C(999999999989), INT64_C(2000000000000000));
	for (int64_t count = 1; count <= 16; count *= 2)
	{
		test_stability(&rng, count, 1000000000, 10000000000000000, (DpUnit){DP_ADD_REMOVE, 1});
		test_stability(&rng, count, 500000000, 100000000000000000, (DpUnit){DP_REPLACE_ONE, 2});
	}
	test_expected_error(&rng);
	for (int s = 0; s < 3; s++)
	{
		test_select(&rng, scores[s], 4, 0.5);
		test_select(&rng, scores[s], 4, 3);
	}
	test_power(&rng);
	unit_seeded_end(&rng);
	return unit_finish();
}
