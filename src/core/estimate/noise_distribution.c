/*
 * noise_distribution.c -- quantiles of weighted sums of noises, from their characteristic
 * functions.
 */
#include "core/estimate/noise_distribution.h"

#include <math.h>

#include "core/accounting/stddev.h"
#include "core/model/noisy_table.h"

#define LATTICE_STDDEV_MAX 60.0 /* rows: beyond, a whole number is as good as any */
#define LATTICE_POINTS_MAX 4096
#define SERIES_TERMS_MAX 1000
#define SERIES_LEAST 1e-8 /* terms below do not count */
#define PI 3.14159265358979323846

bool
dp_noise_is_additive(const DpTable *table)
{
	return table->storage == DP_DENSE &&
		   (table->noise == DP_NOISE_LAPLACE || table->noise == DP_NOISE_GAUSSIAN);
}

DpNoiseTerm
dp_noise_term(const DpTable *table)
{
	DpNoiseTerm term = {
		.noise = table->noise, .variance = dp_table_variance(table), .coefficient = 1, .count = 1};

	if (table->noise == DP_NOISE_GAUSSIAN)
		term.scale =
			(double) table->sensitivity_l2_squared * 1e12 / (2 * (double) table->cost.rho_pico);
	else
		term.scale = (double) table->cost.epsilon_nano * 1e-9 / (double) table->sensitivity_l1;
	return term;
}

double
dp_noise_distribution_variance(const DpNoiseSum *distribution)
{
	double variance = 0;

	for (uint32_t i = 0; i < distribution->terms; i++)
		variance += distribution->term[i].variance * distribution->term[i].coefficient *
					distribution->term[i].coefficient * distribution->term[i].count;
	return variance;
}

/* ---- sums that are whole numbers ---- */

/* E[cos(tZ)] of discrete Laplace noise: 1 / (1 + 2 a (1 - cos t) / (1 - a)^2). */
static double
laplace_transform(double rate, double t)
{
	double gap = -expm1(-rate), half = sin(t / 2);

	return 1 / (1 + 4 * exp(-rate) * half * half / (gap * gap));
}

/* E[cos(tZ)] of discrete Gaussian noise. A wide one is summed by Poisson's formula. */
static double
gaussian_transform(double sigma2, double t)
{
	double sum = 0, total = 0;

	if (sigma2 < 1)
	{
		for (int z = -12; z <= 12; z++)
		{
			sum += exp(-z * z / (2 * sigma2)) * cos(t * z);
			total += exp(-z * z / (2 * sigma2));
		}
		return sum / total;
	}
	for (int k = -3; k <= 3; k++)
	{
		double distance = t - 2 * PI * k, center = 2 * PI * k;

		sum += exp(-sigma2 * distance * distance / 2);
		total += exp(-sigma2 * center * center / 2);
	}
	return sum / total;
}

bool
dp_noise_distribution_is_exact(const DpNoiseSum *distribution)
{
	for (uint32_t i = 0; i < distribution->terms; i++)
		if (distribution->term[i].coefficient != floor(distribution->term[i].coefficient) ||
			distribution->term[i].count != floor(distribution->term[i].count))
			return false;
	return dp_noise_distribution_variance(distribution) <= LATTICE_STDDEV_MAX * LATTICE_STDDEV_MAX;
}

/* A table of n points, a power of two, over which the sum wraps round with no weight to speak
 * of. */
static uint32_t
lattice_points(double stddev)
{
	uint32_t n = 64;

	while (n < LATTICE_POINTS_MAX && n < 48 * stddev + 64)
		n *= 2;
	return n;
}

/* The characteristic function of a sum of whole noises with whole coefficients. */
static double
lattice_transform(const DpNoiseSum *distribution, double t)
{
	double product = 1;

	for (uint32_t i = 0; i < distribution->terms; i++)
	{
		const DpNoiseTerm *term = &distribution->term[i];
		double turn = remainder(term->coefficient * t, 2 * PI);

		product *= pow(term->noise == DP_NOISE_GAUSSIAN ? gaussian_transform(term->scale, turn)
														: laplace_transform(term->scale, turn),
					   term->count);
	}
	return product;
}

static double
lattice_half_width(const DpNoiseSum *distribution, double stddev, double confidence)
{
	uint32_t n = lattice_points(stddev);
	double transform[LATTICE_POINTS_MAX], wave[LATTICE_POINTS_MAX];
	double inside = 0;

	for (uint32_t m = 0; m < n; m++)
	{
		double t = 2 * PI * m / n;

		transform[m] = lattice_transform(distribution, t) / n;
		wave[m] = cos(t);
	}
	for (uint32_t q = 0; q < n / 2; q++)
	{
		double p = 0;

		for (uint32_t m = 0; m < n; m++)
			p += transform[m] * wave[m * q % n];
		inside += q == 0 ? p : 2 * p;
		if (inside >= confidence)
			return q;
	}
	return n / 2.0;
}

/* ---- any sum ---- */

/* The logarithm of the characteristic function of S / stddev, each noise taken as continuous. */
static double
log_transform(const DpNoiseSum *distribution, double variance, double t)
{
	double log_sum = 0;

	for (uint32_t i = 0; i < distribution->terms; i++)
	{
		const DpNoiseTerm *term = &distribution->term[i];
		double part = term->variance * term->coefficient * term->coefficient / variance * t * t / 2;

		log_sum -= term->count * (term->noise == DP_NOISE_GAUSSIAN ? part : log1p(part));
	}
	return log_sum;
}

/* Half widths in units of the standard deviation. */
static double
series_half_width(const DpNoiseSum *distribution, double variance, double confidence)
{
	double high = 3 + log(2 / (1 - confidence)), low = 0;
	double step = 2 * PI / (2 * high + 40); /* beyond so many deviations there is nothing */
	double part[SERIES_TERMS_MAX];
	uint32_t n = 0;

	for (double t = step / 2; n < SERIES_TERMS_MAX; t += step, n++)
	{
		part[n] = exp(log_transform(distribution, variance, t)) / ((n + 0.5) * PI);
		if (part[n] < SERIES_LEAST)
			break;
	}
	for (int i = 0; i < 40; i++)
	{
		double q = (low + high) / 2, inside = 0;

		for (uint32_t k = 0; k < n; k++)
			inside += 2 * part[k] * sin((k + 0.5) * step * q);
		if (inside < confidence)
			low = q;
		else
			high = q;
	}
	return high;
}

double
dp_noise_distribution_half_width(const DpNoiseSum *distribution, double confidence)
{
	double variance = dp_noise_distribution_variance(distribution);

	if (variance <= 0)
		return 0;
	if (dp_noise_distribution_is_exact(distribution))
		return lattice_half_width(distribution, sqrt(variance), confidence);
	return sqrt(variance) * series_half_width(distribution, variance, confidence);
}
