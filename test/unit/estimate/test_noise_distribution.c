/*
 * test_noise_distribution.c -- quantiles of sums of noises against closed forms and against
 * convolution.
 */
#include "core/estimate/noise_distribution.h"

#include "unit.h"

#define REACH 4000 /* a distribution is summed over -REACH..REACH */

static const double confidences[] = {0.5, 0.9, 0.95, 0.99};

static DpNoiseTerm
laplace(double rate, double coefficient, double count)
{
	double a = exp(-rate);

	return (DpNoiseTerm){DP_NOISE_LAPLACE, rate, 2 * a / ((1 - a) * (1 - a)), coefficient, count};
}

static DpNoiseTerm
gaussian(double sigma2, double coefficient, double count)
{
	return (DpNoiseTerm){DP_NOISE_GAUSSIAN, sigma2, sigma2, coefficient, count};
}

static double
half_width(DpNoiseTerm term, double confidence)
{
	DpNoiseSum distribution = {1, &term};

	return dp_noise_distribution_half_width(&distribution, confidence);
}

/* The distribution of a sum of n noises, by adding them one by one. */
static double
convolved_half_width(const DpNoiseTerm *term, int n, double confidence)
{
	static double one[2 * REACH + 1], sum[2 * REACH + 1], next[2 * REACH + 1];
	int reach = 400;
	double total = 0, inside = 0;

	for (int z = -REACH; z <= REACH; z++)
	{
		one[z + REACH] = abs(z) > reach ? 0
						 : term->noise == DP_NOISE_GAUSSIAN
							 ? exp(-(double) z * z / (2 * term->scale))
							 : exp(-term->scale * abs(z));
		total += one[z + REACH];
		sum[z + REACH] = z == 0;
	}
	for (int k = 0; k < n; k++)
	{
		memset(next, 0, sizeof(next));
		for (int x = -reach * k; x <= reach * k; x++)
			for (int z = -reach; z <= reach; z++)
				next[x + z + REACH] += sum[x + REACH] * one[z + REACH] / total;
		memcpy(sum, next, sizeof(sum));
	}
	for (int q = 0; q <= REACH; q++)
	{
		inside += q == 0 ? sum[REACH] : sum[REACH + q] + sum[REACH - q];
		if (inside >= confidence)
			return q;
	}
	return INFINITY;
}

/* P[|Z| > q] = 2 a^(q+1) / (1 + a). */
static void
test_one_laplace(void)
{
	const double rates[] = {0.06, 0.2, 0.7, 1.5, 4};
	unsigned wrong = 0;

	for (size_t r = 0; r < 5; r++)
		for (size_t c = 0; c < 4; c++)
		{
			double a = exp(-rates[r]), q = 0;

			while (1 - 2 * pow(a, q + 1) / (1 + a) < confidences[c])
				q++;
			wrong += half_width(laplace(rates[r], 1, 1), confidences[c]) != q;
		}
	CHECK(wrong == 0, "one discrete Laplace noise (%u wrong)", wrong);
}

static void
test_sums(void)
{
	const DpNoiseTerm terms[] = {laplace(0.3, 1, 1), laplace(2, 1, 1), gaussian(0.3, 1, 1),
								 gaussian(2, 1, 1), gaussian(60, 1, 1)};
	const int counts[] = {1, 2, 3, 7};
	unsigned wrong = 0;

	for (size_t t = 0; t < 5; t++)
		for (size_t n = 0; n < 4; n++)
			for (size_t c = 0; c < 4; c++)
			{
				DpNoiseTerm term = terms[t];

				term.count = counts[n];
				wrong += half_width(term, confidences[c]) !=
						 convolved_half_width(&terms[t], counts[n], confidences[c]);
			}
	CHECK(wrong == 0, "sums of equal noises (%u wrong)", wrong);
}

/* With P[|S| > x] = exp(-x/b) for one, and (1 + x/2b) exp(-x/b) for two. */
static void
test_continuous(void)
{
	double worst = 0;

	for (size_t c = 0; c < 4; c++)
	{
		double rate = 0.001, stddev = sqrt(laplace(rate, 1, 1).variance), b = stddev / sqrt(2);
		double tail = 1 - confidences[c], q = b * log(1 / tail);
		DpNoiseTerm two[] = {laplace(rate, 0.5, 1), laplace(rate, 0.5, 1)};
		DpNoiseSum distribution = {2, two};

		worst = fmax(worst, fabs(half_width(laplace(rate, 1, 1), confidences[c]) / q - 1));
		worst = fmax(worst, fabs(half_width(laplace(rate, 0.25, 1), confidences[c]) / q * 4 - 1));
		q = 2 * dp_noise_distribution_half_width(&distribution, confidences[c]) / b;
		worst = fmax(worst, fabs((1 + q / 2) * exp(-q) / tail - 1));
	}
	CHECK_NEAR(worst, 0, 1e-3, "one and two continuous Laplace noises");
	CHECK_NEAR(half_width(gaussian(1e6, 1, 1), 0.95), 1959.964, 0.5, "Gaussian noise");
	CHECK_NEAR(half_width(laplace(0.1, 1, 1e6), 0.95) / sqrt(laplace(0.1, 1, 1e6).variance * 1e6),
			   1.959964, 1e-3, "many noises are as good as Gaussian");
}

int
main(void)
{
	DpNoiseSum nothing = {0, NULL};

	test_one_laplace();
	test_sums();
	test_continuous();
	CHECK_NEAR(dp_noise_distribution_half_width(&nothing, 0.95), 0, 0, "no noise");
	return unit_finish();
}
