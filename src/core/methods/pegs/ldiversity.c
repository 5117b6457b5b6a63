/*
 * ldiversity.c -- the pseudo-count that entropy l-diversity asks for.
 */
#include "core/methods/pegs/ldiversity.h"

#include <math.h>

#define STEPS 100 /* a bisection of [0, 1] ends at the last bit before that */

static double
term(double p)
{
	return p > 0 ? -p * log(p) : 0.0;
}

/* The entropy of (1 - w) n_c/N + w/C. It grows with w, since entropy is concave and is largest
 * at w = 1. */
static double
mixed_entropy(const DpHistogram *histogram, double w)
{
	double uniform = w / histogram->levels;
	double entropy = ((double) histogram->levels - (double) histogram->n) * term(uniform);

	for (uint64_t i = 0; i < histogram->n; i++)
		entropy +=
			term((1 - w) * (double) histogram->count[i] / (double) histogram->total + uniform);
	return entropy;
}

/* alpha = w N / (C (1 - w)), rounded up to an integer number of 1/unit. */
static DpAlpha
alpha_of_weight(const DpHistogram *histogram, double w)
{
	double alpha = w * (double) histogram->total / (histogram->levels * (1 - w));
	DpAlpha result = {.unit = DP_ALPHA_UNIT_MAX};

	if (!(alpha <= (double) DP_ALPHA_BASE_MAX))
		return (DpAlpha){.base = 1, .unit = 0};
	while (ceil(alpha * (double) result.unit) > (double) DP_ALPHA_BASE_MAX)
		result.unit /= 2;
	result.base = (uint64_t) ceil(alpha * (double) result.unit);
	return result;
}

DpStatus
dp_ldiversity_alpha(const DpHistogram *histogram, double l, DpAlpha *alpha)
{
	double wanted = log(l);
	double low = 0.0, high = 1.0;

	if (!(l >= 1) || l > histogram->levels)
		return DP_ERR_ARGUMENT;
	*alpha = (DpAlpha){.base = 1, .unit = 0};
	if (histogram->total == 0 || l == histogram->levels)
		return DP_OK;
	*alpha = (DpAlpha){.base = 0, .unit = 1};
	if (mixed_entropy(histogram, 0.0) >= wanted)
		return DP_OK;
	for (int i = 0; i < STEPS; i++)
	{
		double middle = (low + high) / 2;

		if (mixed_entropy(histogram, middle) >= wanted)
			high = middle;
		else
			low = middle;
	}
	*alpha = alpha_of_weight(histogram, high);
	return DP_OK;
}
