/*
 * score_aic.c -- Akaike's information criterion of a saturated one-way table.
 */
#include "score_aic.h"

#include <math.h>

#define STIRLING_FROM 32

/*
 * g(c) = ln c! - c ln c + c, g(0) = 0. It rises from 0 by 1, .307, ... ever
 * less, like ln(2 pi c)/2, so it is small where ln c! is not.
 */
static long double
log_factorial_rest(int64_t count)
{
	long double c = (long double) count;
	long double sum = 0;

	if (count == 0)
		return 0;
	if (count >= STIRLING_FROM)
		return 0.91893853320467274178L + 0.5L * logl(c) + 1 / (12 * c) - 1 / (360 * c * c * c) +
			   1 / (1260 * c * c * c * c * c);
	for (int64_t i = 2; i <= count; i++)
		sum += logl((long double) i);
	return sum - c * logl(c) + c;
}

/*
 * dp_score_aic -- minus AIC, in 1/1024
 *
 * Inputs:      counts[levels] >= 0, n their sum; levels K, public
 * Output:      -floor(1024 AIC), AIC = -2 ln L + 2K, L = n!/prod c_k! prod (c_k/n)^c_k the
 *              likelihood of the counts under their own shares
 * Neighbours:  AIC = 2 (sum g(c_k) - g(n)) + 2K. One row more: 2 (g(c+1) - g(c)) - 2 (g(n+1) -
 *              g(n)), both brackets in (0, 1]: less than 2 in size. One replaced: n stays, and
 *              the difference of two such brackets is at most 2. Rows of a unit one after the
 *              other: 2 rows_max. With K counted from the data, as in the paper's lemma, 2 more
 *              would come and go with an empty level.
 * Numerics:    g is at most some dozens, and each is right to 1e-15; sums of 10^7 of them are
 *              right to 1e-7, far below the unit. So floats cost the sensitivity less than half
 *              a unit, and rounding down less than 1: dp_aic_sensitivity adds 2.
 * Source:      the STEPS paper, lemma 1, corrected
 */
int64_t
dp_score_aic(const int64_t *counts, uint64_t levels)
{
	long double sum = 0;
	int64_t n = 0;

	for (uint64_t k = 0; k < levels; k++)
	{
		sum += log_factorial_rest(counts[k]);
		n += counts[k];
	}
	sum = 2 * (sum - log_factorial_rest(n)) + 2 * (long double) levels;
	return -(int64_t) floorl(DP_AIC_UNIT * sum);
}

int64_t
dp_aic_sensitivity(const DpUnit *unit)
{
	return 2 * DP_AIC_UNIT * (int64_t) unit->rows_max + 2;
}

int64_t
dp_aic_row_sensitivity(void)
{
	return 2 * DP_AIC_UNIT + 2;
}
