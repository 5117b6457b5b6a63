/*
 * mechanism.c -- the discrete Laplace mechanism and selection.
 *
 * Whatever can fail because of the arguments fails before the charge, and depends on public
 * numbers only. An error that only some tables provoke would be an answer that nobody paid
 * for.
 */
#include "core/mechanism/mechanism.h"

#include <string.h>

#include "core/mechanism/internal.h"
#include "core/noise/noise.h"

#define TICK_CELLS 4096 /* about two milliseconds of noise */

/*
 * The widest noise, in rows (1/e0). Up to it P[|Z| > 2^62] is at most exp(-2^62/b) <=
 * exp(-128). Without the limit a draw that does not fit 64 bits would be an ordinary event,
 * and noise that is cut off at some size is not pure DP.
 */
#define LAPLACE_B_MAX (UINT64_C(1) << 55)

bool
dp_epsilon_valid(int64_t epsilon_nano)
{
	return epsilon_nano >= 1 && epsilon_nano <= DP_EPSILON_NANO_MAX;
}

uint64_t
dp_common_divisor(uint64_t a, uint64_t b)
{
	while (b != 0)
	{
		uint64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

/* epsilon_nano / (unit_nano x sensitivity), reduced before it is multiplied out. */
static DpStatus
reduced_rate(int64_t epsilon_nano, uint64_t unit_nano, int64_t sensitivity, DpFraction *rate)
{
	uint64_t epsilon = (uint64_t) epsilon_nano, steps = (uint64_t) sensitivity, common;

	if (!dp_epsilon_valid(epsilon_nano) || sensitivity < 1)
		return DP_ERR_ARGUMENT;
	common = dp_common_divisor(epsilon, unit_nano);
	epsilon /= common;
	unit_nano /= common;
	common = dp_common_divisor(epsilon, steps);
	rate->numerator = epsilon / common;
	if (__builtin_mul_overflow(unit_nano, steps / common, &rate->denominator))
		return DP_ERR_RANGE;
	return DP_OK;
}

long double
dp_laplace_exponent(DpLaplace distribution)
{
	return (long double) distribution.epsilon_nano /
		   ((long double) DP_EPSILON_ONE * (long double) distribution.sensitivity_l1);
}

DpStatus
dp_laplace_rate(DpLaplace distribution, DpFraction *rate)
{
	DP_TRY(
		reduced_rate(distribution.epsilon_nano, DP_EPSILON_ONE, distribution.sensitivity_l1, rate));
	if (distribution.sensitivity_l1 == DP_SENSITIVITY_TOO_LARGE)
		return DP_ERR_RANGE;
	if (rate->denominator / rate->numerator >= LAPLACE_B_MAX)
		return DP_ERR_RANGE;
	return DP_OK;
}

DpStatus
dp_select_rate(const DpScores *scores, int64_t epsilon_nano, DpFraction *rate)
{
	if (scores->n == 0)
		return DP_ERR_ARGUMENT;
	DP_TRY(reduced_rate(epsilon_nano, 2 * DP_EPSILON_ONE, scores->sensitivity, rate));
	return scores->sensitivity == DP_SENSITIVITY_TOO_LARGE ? DP_ERR_RANGE : DP_OK;
}

DpStatus
dp_noisy_count(DpRng *rng, DpNoiseDistribution distribution, int64_t count, int64_t *out)
{
	int64_t noise;

	DP_TRY(distribution.sampler(rng, distribution.width.numerator, distribution.width.denominator,
								&noise));
	return __builtin_add_overflow(count, noise, out) ? DP_ERR_RANGE : DP_OK;
}

/*
 * out may alias counts, so after an error it could be exact, or a part of it exact and a part
 * noisy. It is set to zeros instead, so that nothing exact is left for a caller to mistake.
 */
DpStatus
dp_noise_cleared(DpStatus status, int64_t *out, size_t n)
{
	if (status != DP_OK && n > 0)
		memset(out, 0, n * sizeof(*out));
	return status;
}

static DpStatus
add_to_each(const DpNoiseSource *noise, DpNoiseDistribution distribution, const int64_t *counts,
			size_t n, int64_t *out)
{
	for (size_t i = 0; i < n; i++)
	{
		if (i % TICK_CELLS == 0)
			dp_tick(noise->tick, -1.0);
		DP_TRY(dp_noisy_count(noise->rng, distribution, counts[i], &out[i]));
	}
	return DP_OK;
}

DpStatus
dp_noise_add(const DpNoiseSource *noise, DpNoiseDistribution distribution, const int64_t *counts,
			 size_t n, int64_t *out)
{
	return dp_noise_cleared(add_to_each(noise, distribution, counts, n, out), out, n);
}

/*
 * dp_laplace_release -- add discrete Laplace noise to a vector of counts
 *
 * Inputs:      counts[n], rows per cell; distribution: epsilon_nano in
 *              1..DP_EPSILON_NANO_MAX, sensitivity_l1 in rows, >= 1
 * Output:      out[n], rows, may be negative; may alias counts
 * Neighbours:  the dataset's relation, already in sensitivity_l1
 * Guarantee:   epsilon-DP, epsilon = epsilon_nano x 1e-9, exactly
 * Why:         P[out = o] is a product of (1-a)/(1+a) a^|o_i - c_i|. Neighbouring
 *              counts differ by at most sensitivity_l1 in sum, so by the
 *              triangle inequality the exponents do too, and the ratio is at
 *              most a^-sensitivity_l1 = exp(epsilon).
 * Source:      Ghosh, Roughgarden, Sundararajan, "Universally utility-maximizing
 *              privacy mechanisms" (2009); sampler: noise.h
 * Numerics:    integers only; e0 is an exact, reduced fraction
 * Errors:      before the charge: DP_ERR_ARGUMENT; DP_ERR_RANGE where e0 is not
 *              a fraction of 64 bits, 1/e0 is over 2^55 rows, or the sensitivity does not
 *              fit 64 bits.
 *              DP_ERR_OVERDRAW: nothing was drawn. After the charge:
 *              DP_ERR_RANDOM, DP_ERR_RANGE (count + Z over 63 bits). After any
 *              error out is all zeros.
 */
DpStatus
dp_laplace_release(const DpNoiseSource *noise, DpLaplace distribution, const int64_t *counts,
				   size_t n, int64_t *out)
{
	DpFraction rate;
	DpStatus status = dp_laplace_rate(distribution, &rate);

	if (status == DP_OK)
		status = dp_meter_charge(noise->meter, dp_cost_pure(distribution.epsilon_nano));
	if (status != DP_OK)
		return dp_noise_cleared(status, out, n);
	return dp_noise_add(noise, (DpNoiseDistribution){dp_discrete_laplace, rate}, counts, n, out);
}

/* The product has up to 128 bits. Its whole part is used up in pieces, each with a factor
 * exp(-x); its fraction has rate's denominator. */
DpStatus
dp_gap_survives(DpRng *rng, DpFraction rate, uint64_t gap, bool *out)
{
	unsigned __int128 product = (unsigned __int128) rate.numerator * gap;
	unsigned __int128 whole = product / rate.denominator;
	bool heads;

	DP_TRY(
		dp_bernoulli_exp(rng, (uint64_t) (product % rate.denominator), rate.denominator, &heads));
	while (heads && whole > 0)
	{
		uint64_t piece = whole > UINT64_MAX ? UINT64_MAX : (uint64_t) whole;

		DP_TRY(dp_bernoulli_exp(rng, piece, 1, &heads));
		whole -= piece;
	}
	*out = heads;
	return DP_OK;
}

int64_t
dp_best_score(const DpScores *scores)
{
	int64_t best = scores->score[0];

	for (size_t i = 1; i < scores->n; i++)
		if (scores->score[i] > best)
			best = scores->score[i];
	return best;
}

/* Chooses uniformly one of the candidates whose coin came up heads: the i-th of them takes the
 * place with probability 1/i. */
static DpStatus
permute_and_flip(DpRng *rng, DpFraction rate, const DpScores *scores, size_t *chosen)
{
	int64_t best = dp_best_score(scores);
	uint64_t heads_n = 0;

	for (size_t i = 0; i < scores->n; i++)
	{
		bool heads, takes;

		DP_TRY(dp_gap_survives(rng, rate, (uint64_t) best - (uint64_t) scores->score[i], &heads));
		if (!heads)
			continue;
		DP_TRY(dp_bernoulli(rng, 1, ++heads_n, &takes));
		if (takes)
			*chosen = i;
	}
	return DP_OK;
}

/*
 * dp_select -- permute-and-flip: a good candidate, privately
 *
 * Inputs:      scores, n >= 1, larger is better, with sensitivity >= 1, how far
 *              any one score moves between neighbours, in the scores' unit;
 *              epsilon_nano in 1..DP_EPSILON_NANO_MAX
 * Output:      *chosen in 0..n-1
 * Neighbours:  the dataset's relation, already in the scores' sensitivity
 * Guarantee:   epsilon-DP, exactly
 * Why:         the paper walks the candidates in random order and takes the
 *              first whose coin, heads with exp(-epsilon (best - score) /
 *              (2 sensitivity)), comes up heads. Order and coins are
 *              independent, and the first of a set in a uniform order is
 *              uniform over the set: so all coins may be flipped first and one
 *              of the heads be drawn uniformly. Same distribution, no memory
 *              for a permutation, and which candidate came up is not shown by
 *              an early exit. (The work within one coin depends on its gap.)
 *              The best candidate's coin is always heads, so there is one.
 * Source:      McKenna, Sheldon, "Permute-and-flip: a new mechanism for
 *              differentially private selection" (2020), algorithm 1, theorem 1
 * Numerics:    integers only; best - score has 64 bits without a sign, times
 *              epsilon 128
 * Errors:      before the charge: DP_ERR_ARGUMENT; DP_ERR_RANGE where
 *              epsilon/(2e9 sensitivity), reduced, is not a fraction of 64 bits
 *              (sensitivity over 9e9). DP_ERR_OVERDRAW: nothing was drawn.
 *              After the charge: DP_ERR_RANDOM. *chosen is untouched then.
 */
DpStatus
dp_select(const DpNoiseSource *noise, const DpScores *scores, int64_t epsilon_nano, size_t *chosen)
{
	DpFraction rate;
	size_t candidate = 0;

	DP_TRY(dp_select_rate(scores, epsilon_nano, &rate));
	DP_TRY(dp_meter_charge(noise->meter, dp_cost_pure(epsilon_nano)));
	DP_TRY(permute_and_flip(noise->rng, rate, scores, &candidate));
	*chosen = candidate;
	return DP_OK;
}
