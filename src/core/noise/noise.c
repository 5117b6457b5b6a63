/*
 * noise.c -- exact samplers over the integers, made of the coins of bernoulli.c.
 *
 * They use no floating point: an inexact exp() leaves holes in the set of values that noise
 * can take, and a hole names the count under it (Mironov, "On significance of the least
 * significant bits", 2012).
 */
#include "core/noise/noise.h"

/* Draws u in 0..t-1 with probability proportional to exp(-u/t). */
static DpStatus
truncated_exponential(DpRng *rng, uint64_t t, uint64_t *u)
{
	bool heads;

	do
	{
		DP_TRY(dp_rng_below(rng, t, u));
		DP_TRY(dp_bernoulli_exp(rng, *u, t, &heads));
	} while (!heads);
	return DP_OK;
}

/* Draws v with P[v = k] = (1 - 1/e) e^-k. */
static DpStatus
geometric_unit(DpRng *rng, uint64_t *v)
{
	bool heads;

	for (*v = 0;; (*v)++)
	{
		DP_TRY(dp_bernoulli_exp(rng, 1, 1, &heads));
		if (!heads)
			return DP_OK;
	}
}

/*
 * dp_geometric_exp -- P[Y = y] = (1-a) a^y, y >= 0, a = exp(-s/t)
 *
 * Inputs:      s = numerator >= 1, t = denominator >= 1
 * Why:         x = u + t v has P[x] proportional to exp(-u/t) exp(-v) =
 *              exp(-x/t): geometric with exp(-1/t). Then floor(x/s) >= y iff
 *              x >= s y, which has probability exp(-s y/t) = a^y.
 * Source:      Canonne, Kamath, Steinke (2020), algorithm 2, lines 4-11
 * Numerics:    x is held in 128 bits, which t v always fits: a fraction with
 *              large terms but an ordinary ratio must not fail, and reducing it
 *              here would cost a gcd a draw.
 * Errors:      DP_ERR_ARGUMENT for s or t of 0; DP_ERR_RANGE where y does not
 *              fit; DP_ERR_RANDOM. *out is untouched then.
 */
DpStatus
dp_geometric_exp(DpRng *rng, uint64_t numerator, uint64_t denominator, uint64_t *out)
{
	unsigned __int128 y;
	uint64_t u, v, x;

	if (numerator == 0 || denominator == 0)
		return DP_ERR_ARGUMENT;
	DP_TRY(truncated_exponential(rng, denominator, &u));
	DP_TRY(geometric_unit(rng, &v));
	if (!__builtin_mul_overflow(denominator, v, &x) && !__builtin_add_overflow(x, u, &x))
	{
		*out = x / numerator; /* this is nearly always so, and far faster than 128 bits */
		return DP_OK;
	}
	y = ((unsigned __int128) denominator * v + u) / numerator;
	if (y > UINT64_MAX)
		return DP_ERR_RANGE;
	*out = (uint64_t) y;
	return DP_OK;
}

/*
 * dp_discrete_laplace -- P[Z = z] = (1-a)/(1+a) a^|z|, a = exp(-s/t)
 *
 * Inputs:      s = numerator >= 1, t = denominator >= 1
 * Why:         a geometric size and a fair sign give every z but 0 the weight
 *              a^|z| once, and 0 twice: so a negative zero is drawn again.
 * Source:      Canonne, Kamath, Steinke (2020), algorithm 2
 * Errors:      DP_ERR_ARGUMENT for s or t of 0; DP_ERR_RANGE where z does not
 *              fit; DP_ERR_RANDOM. *out is untouched then.
 */
DpStatus
dp_discrete_laplace(DpRng *rng, uint64_t numerator, uint64_t denominator, int64_t *out)
{
	uint64_t size;
	bool negative;

	do
	{
		DP_TRY(dp_geometric_exp(rng, numerator, denominator, &size));
		DP_TRY(dp_rng_bit(rng, &negative));
	} while (size == 0 && negative);
	if (size > INT64_MAX)
		return DP_ERR_RANGE;
	*out = negative ? -(int64_t) size : (int64_t) size;
	return DP_OK;
}
