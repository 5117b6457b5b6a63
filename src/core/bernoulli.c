/*
 * bernoulli.c -- coins with odds that are ratios of integers, or exp() of one.
 *
 * A file of its own, below noise.c: tests put exact coins in the place of these
 * and enumerate all that noise.c makes of them.
 */
#include "noise.h"

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

/*
 * Bernoulli(exp(-x)), x = numerator/denominator <= 1: flip coins with odds x/1,
 * x/2, x/3, ... up to the first failure, number k. P[k > j] = x^j/j!, so that
 * P[k odd] = 1 - x + x^2/2! - ... = exp(-x).
 *
 * A coin with odds x/k is one with 1/k and one with x, both heads: so no
 * product of k and the denominator arises that could leave 64 bits.
 */
static DpStatus
bernoulli_exp_fraction(DpRng *rng, uint64_t numerator, uint64_t denominator, bool *out)
{
	uint64_t k = 0;
	bool heads;

	do
	{
		k++;
		DP_TRY(dp_bernoulli(rng, 1, k, &heads));
		if (heads)
			DP_TRY(dp_bernoulli(rng, numerator, denominator, &heads));
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
		DP_TRY(bernoulli_exp_fraction(rng, 1, 1, &heads));
	if (heads && numerator % denominator != 0)
		DP_TRY(bernoulli_exp_fraction(rng, numerator % denominator, denominator, &heads));
	*out = heads;
	return DP_OK;
}
