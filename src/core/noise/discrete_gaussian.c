/*
 * discrete_gaussian.c -- exact discrete Gaussian noise, made of discrete Laplace
 * noise and a coin.
 */
#include "core/noise/noise.h"

/* floor(sqrt(x)), found bit by bit from the highest. */
static uint64_t
square_root(uint64_t x)
{
	uint64_t root = 0;

	for (uint64_t bit = UINT64_C(1) << 31; bit > 0; bit /= 2)
		if ((root + bit) * (root + bit) <= x)
			root += bit;
	return root;
}

static uint64_t
magnitude(int64_t y)
{
	return y < 0 ? 0 - (uint64_t) y : (uint64_t) y;
}

/*
 * Bernoulli(exp(-(|y| - v/t)^2/(2 v))), v = n/d. With x = | |y| d t - n | that is
 * exp(-x^2/(2 n d t^2)). The divisor is split so that both parts fit 64 bits: 2 n is one,
 * and d t^2 <= 4 max(n, d) is the other, since t <= 2 sqrt(n/d) or t = 1.
 */
static DpStatus
accepts(DpRng *rng, uint64_t n, uint64_t d, uint64_t t, int64_t y, bool *out)
{
	unsigned __int128 place = (unsigned __int128) magnitude(y) * (d * t); /* < 2^63 2^62 */
	unsigned __int128 x = place > n ? place - n : n - place;

	return dp_bernoulli_exp_square(rng, x, 2 * n, d * t * t, out);
}

/*
 * dp_discrete_gaussian -- P[Z = z] proportional to exp(-z^2/(2 v)), v = n/d
 *
 * Inputs:      n = numerator, d = denominator, each in 1..DP_GAUSSIAN_TERM_MAX
 * Why:         a proposal y has P[y] ~ exp(-|y|/t) and is kept with probability
 *              exp(-(|y| - v/t)^2/(2 v)) = exp(-y^2/(2 v)) exp(|y|/t) exp(-v/(2 t^2)).
 *              The product is exp(-y^2/(2 v)) times a constant, for any t >= 1: t =
 *              floor(sigma) + 1 is only what keeps the number of proposals small.
 * Source:      Canonne, Kamath, Steinke (2020), algorithm 3
 * Numerics:    integers only; x in accepts() has 126 bits at most
 * Errors:      DP_ERR_ARGUMENT for n or d of 0; DP_ERR_RANGE for larger ones than the
 *              limit, and where z does not fit, which has a probability below
 *              exp(-2^32), t being at most 2^30 + 1; DP_ERR_RANDOM. *out is untouched
 *              then.
 */
DpStatus
dp_discrete_gaussian(DpRng *rng, uint64_t numerator, uint64_t denominator, int64_t *out)
{
	uint64_t t;
	int64_t y;
	bool heads;

	if (numerator == 0 || denominator == 0)
		return DP_ERR_ARGUMENT;
	if (numerator > DP_GAUSSIAN_TERM_MAX || denominator > DP_GAUSSIAN_TERM_MAX)
		return DP_ERR_RANGE;
	t = square_root(numerator / denominator) + 1;
	do
	{
		DP_TRY(dp_discrete_laplace(rng, 1, t, &y));
		DP_TRY(accepts(rng, numerator, denominator, t, y, &heads));
	} while (!heads);
	*out = y;
	return DP_OK;
}
