/*
 * unit_stat.h -- byte sources and goodness of fit for the tests of noise.
 *
 * A test of random numbers fails by chance: at UNIT_P_MIN, once in a million
 * runs of one check.
 */
#ifndef UNIT_STAT_H
#define UNIT_STAT_H

#include <float.h>
#include <math.h>
#include <time.h>

#include "core/base/prng.h"
#include "core/noise/rng.h"
#include "unit.h"

#define UNIT_P_MIN 1e-6

static inline bool
unit_seeded_fill(void *context, void *buffer, size_t bytes)
{
	uint64_t word[64];

	for (size_t done = 0; done < bytes; done += sizeof(word))
	{
		size_t left = bytes - done;

		dp_prng_fill((DpPrng *) context, word, 64);
		memcpy((char *) buffer + done, word, left < sizeof(word) ? left : sizeof(word));
	}
	return true;
}

/* Other draws in each run: the kernel gives a seed. All of its own bytes for hundreds of millions of
 * draws would take longer than these. */
static inline void
unit_seeded(DpRng *rng)
{
	FILE *source = fopen("/dev/urandom", "rb");
	DpPrng *prng = malloc(sizeof(*prng));
	uint64_t seed;

	if (source == NULL || prng == NULL || fread(&seed, sizeof(seed), 1, source) != 1)
	{
		printf("Bail out! no /dev/urandom\n");
		exit(EXIT_FAILURE);
	}
	fclose(source);
	dp_prng_seed(prng, (DpStream){seed, 0, 0});
	dp_rng_init(rng, unit_seeded_fill, prng);
}

static inline void
unit_seeded_end(DpRng *rng)
{
	dp_rng_wipe(rng);
	free(rng->context);
}

/* A source that counts how often it is asked, and fails from one call on. */
typedef struct UnitSource
{
	unsigned calls;
	unsigned calls_good; /* later ones fail */
	uint64_t word[4];    /* repeated, as far as word_n says; zeros if 0 */
	unsigned word_n;
} UnitSource;

static inline bool
unit_source_fill(void *context, void *buffer, size_t bytes)
{
	UnitSource *source = context;

	memset(buffer, 0, bytes);
	if (source->calls++ >= source->calls_good)
		return false;
	for (size_t i = 0; source->word_n > 0 && i < bytes / 8; i++)
		memcpy((char *) buffer + 8 * i, &source->word[i % source->word_n], 8);
	return true;
}

/* Q(s, x), the upper regularised gamma function: series below s + 1, Lentz's fraction above. */
static inline double
unit_gamma_q(double s, double x)
{
	double scale = exp(s * log(x) - x - lgamma(s));
	double term = 1.0 / s, sum = term;
	double b = x + 1.0 - s, c = 1e300, d = 1.0 / b, h = d;

	if (x < s + 1.0)
	{
		for (double i = s + 1.0; fabs(term) > 1e-16 * sum; i += 1.0)
			sum += term *= x / i;
		return 1.0 - sum * scale;
	}
	for (int i = 1; i < 100000; i++)
	{
		double an = -i * (i - s), factor;

		b += 2.0;
		d = 1.0 / (an * d + b);
		c = b + an / c;
		factor = d * c;
		h *= factor;
		if (fabs(factor - 1.0) < 1e-15)
			break;
	}
	return scale * h;
}

/* p-value of a chi-square test of observed[n] against probability[n]; what probability leaves of
 * 1 belongs to the draws that observed leaves of total. Bins of fewer than 10 expected draws are
 * pooled with that rest. */
static inline double
unit_chi_square_p(const uint64_t *observed, const double *probability, size_t n, uint64_t total)
{
	double sum = 0.0, rest_probability = 1.0, rest_observed = (double) total;
	size_t bins = 0;

	for (size_t i = 0; i < n; i++)
	{
		double expected = probability[i] * (double) total;

		if (expected < 10.0)
			continue;
		sum += ((double) observed[i] - expected) * ((double) observed[i] - expected) / expected;
		rest_probability -= probability[i];
		rest_observed -= (double) observed[i];
		bins++;
	}
	if (rest_probability * (double) total >= 10.0)
	{
		double expected = rest_probability * (double) total;

		sum += (rest_observed - expected) * (rest_observed - expected) / expected;
		bins++;
	}
	else if (rest_observed > 200.0) /* so many draws where hardly one belongs */
		return 0.0;
	if (bins < 2) /* a test that cannot fail is none */
	{
		printf("Bail out! too few draws for a chi-square\n");
		exit(1);
	}
	return unit_gamma_q(0.5 * (double) (bins - 1), 0.5 * sum);
}

/* p-value of a Kolmogorov-Smirnov distance over n draws (asymptotic). */
static inline double
unit_kolmogorov_p(double distance, double n)
{
	double x = distance * (sqrt(n) + 0.12 + 0.11 / sqrt(n)), sum = 0.0;

	if (x < 0.3)
		return 1.0;
	for (int i = 1; i <= 100; i++)
		sum += (i % 2 == 1 ? 2.0 : -2.0) * exp(-2.0 * i * i * x * x);
	return sum;
}

/* P[Z >= k] of the discrete Laplace distribution with a = exp(-e0), any k. */
static inline long double
unit_laplace_above(long double e0, int64_t k)
{
	long double a = expl(-e0);

	return k >= 1 ? expl(-e0 * (long double) k) / (1 + a)
				  : 1 - expl(-e0 * (long double) (1 - k)) / (1 + a);
}

static inline long double
unit_laplace_mass(long double e0, int64_t z)
{
	return -expm1l(-e0) / (1 + expl(-e0)) * expl(-e0 * (long double) (z < 0 ? -z : z));
}

/* CPU nanoseconds since start = clock(), a unit of n. */
static inline double
unit_ns_each(clock_t start, double n)
{
	return 1e9 * (double) (clock() - start) / CLOCKS_PER_SEC / n;
}

/* The distribution of permute-and-flip among three, from the definition. */
static inline void
unit_permute_and_flip(const int64_t *score, double rate, double *distribution)
{
	static const int orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
									 {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
	int64_t best = score[0];

	for (int a = 1; a < 3; a++)
		best = score[a] > best ? score[a] : best;
	memset(distribution, 0, 3 * sizeof(*distribution));
	for (int i = 0; i < 6; i++)
	{
		double left = 1.0 / 6;

		for (int k = 0; k < 3; k++)
		{
			int a = orders[i][k];
			double coin = exp(-rate * (double) (best - score[a]));

			distribution[a] += left * coin;
			left *= 1 - coin;
		}
	}
}

#endif
