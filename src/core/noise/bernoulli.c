/*
 * bernoulli.c -- coins with odds that are ratios of integers, or exp() of one.
 *
 * This is a file of its own, below noise.c, so that tests can put exact coins in its place
 * and enumerate all that noise.c makes of them.
 */
#include "core/noise/noise.h"

DpStatus
dp_bernoulli(DpRng *rng, uint64_t numerator, uint64_t denominator, bool *out)
{
	uint64_t draw;

	if (denominator == 0 || numerator > denominator)
		return DP_ERR_ARGUMENT;
	DP_TRY(dp_rng_below(rng, denominator, &draw));
	*out = draw < numerator;
	return DP_OK;
}

typedef struct Fraction
{
	uint64_t numerator;
	uint64_t denominator;
} Fraction;

static const Fraction one = {1, 1};

/*
 * Bernoulli(exp(-x y)), x and y <= 1. Coins with the odds z/1, z/2, z/3, ..., z = x y, are
 * flipped up to the first failure, which has the number k. P[k > j] = z^j/j!, so that P[k
 * odd] = 1 - z + z^2/2! - ... = exp(-z).
 *
 * A coin with odds z/k is three coins, with odds 1/k, x and y, that all come up heads. So no
 * product of k and the denominators arises that could leave 64 bits.
 */
static DpStatus
bernoulli_exp_fraction(DpRng *rng, Fraction x, Fraction y, bool *out)
{
	uint64_t k = 0;
	bool heads;

	do
	{
		k++;
		DP_TRY(dp_bernoulli(rng, 1, k, &heads));
		if (heads)
			DP_TRY(dp_bernoulli(rng, x.numerator, x.denominator, &heads));
		if (heads && y.numerator < y.denominator)
			DP_TRY(dp_bernoulli(rng, y.numerator, y.denominator, &heads));
	} while (heads);
	*out = k % 2 == 1;
	return DP_OK;
}

/*
 * dp_bernoulli_exp -- true with probability exp(-numerator/denominator)
 *
 * Inputs:      denominator >= 1; numerator any
 * Why:         exp(-x) = exp(-1)^floor(x) exp(-(x - floor(x))): one flip for
 *              each factor, all must come up. floor(x) may be 2^64: the flips
 *              end at the first failure, after 1.6 of them on average.
 * Source:      Canonne, Kamath, Steinke (2020), algorithm 1
 * Errors:      DP_ERR_ARGUMENT for a denominator of 0; DP_ERR_RANDOM
 */
DpStatus
dp_bernoulli_exp(DpRng *rng, uint64_t numerator, uint64_t denominator, bool *out)
{
	bool heads = true;

	if (denominator == 0)
		return DP_ERR_ARGUMENT;
	for (uint64_t whole = numerator / denominator; whole > 0 && heads; whole--)
		DP_TRY(bernoulli_exp_fraction(rng, one, one, &heads));
	if (heads && numerator % denominator != 0)
		DP_TRY(bernoulli_exp_fraction(rng, (Fraction){numerator % denominator, denominator}, one,
									  &heads));
	*out = heads;
	return DP_OK;
}

/* *heads stays true if each of `count` coins comes up heads. Their odds are exp(-x), x < 1 or x
 * = 1. */
static DpStatus
survives(DpRng *rng, unsigned __int128 count, Fraction x, bool *heads)
{
	if (x.numerator == 0)
		return DP_OK;
	for (; *heads && count > 0; count--)
		DP_TRY(bernoulli_exp_fraction(rng, x, one, heads));
	return DP_OK;
}

/*
 * dp_bernoulli_exp_square -- true with probability exp(-x^2/(a b))
 *
 * Inputs:      a, b >= 1; x any
 * Why:         x^2 may have 256 bits. So x/a = i + p and x/b = j + q, i and j whole,
 *              p and q < 1, and exp(-(x/a)(x/b)) = exp(-1)^(i j) exp(-q)^i exp(-p)^j
 *              exp(-p q): one flip for each factor, all must come up, and no product
 *              arises at all. The flips end at the first failure: after 1.6 of
 *              those with exp(-1), 1/(1 - exp(-q)) of those with exp(-q) on average.
 * Source:      as dp_bernoulli_exp, whose argument this splits
 * Errors:      DP_ERR_ARGUMENT for a or b of 0; DP_ERR_RANDOM. *out is untouched then.
 */
DpStatus
dp_bernoulli_exp_square(DpRng *rng, unsigned __int128 x, uint64_t a, uint64_t b, bool *out)
{
	bool heads = true;
	unsigned __int128 i, j;
	Fraction p, q;

	if (a == 0 || b == 0)
		return DP_ERR_ARGUMENT;
	i = x / a;
	j = x / b;
	p = (Fraction){(uint64_t) (x % a), a};
	q = (Fraction){(uint64_t) (x % b), b};
	for (unsigned __int128 row = 0; row < i && j > 0 && heads; row++)
		DP_TRY(survives(rng, j, one, &heads));
	DP_TRY(survives(rng, i, q, &heads));
	DP_TRY(survives(rng, j, p, &heads));
	if (heads && p.numerator > 0 && q.numerator > 0)
		DP_TRY(bernoulli_exp_fraction(rng, p, q, &heads));
	*out = heads;
	return DP_OK;
}
