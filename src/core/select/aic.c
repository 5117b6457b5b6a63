/*
 * aic.c -- Akaike's and the Bayesian information criterion of a saturated one-way table.
 */
#include "core/select/aic.h"

#include <math.h>

#define STIRLING_FROM 32
#define REST_BITS 40 /* behind the binary point */

/*
 * g(c) = ln c! - c ln c + c, g(0) = 0, in 2^-40. It rises from 0 by 1, .307, ... ever
 * less, like ln(2 pi c)/2, so it is small where ln c! is not: below 64.
 */
static int64_t
log_factorial_rest(int64_t count)
{
	double c = (double) count;
	double rest = 0;

	if (count == 0)
		return 0;
	if (count >= STIRLING_FROM)
		rest = 0.91893853320467274178 + 0.5 * log(c) + 1 / (12 * c) - 1 / (360 * c * c * c) +
			   1 / (1260 * c * c * c * c * c);
	else
	{
		for (int64_t i = 2; i <= count; i++)
			rest += log((double) i);
		rest += c - c * log(c);
	}
	return llround(ldexp(rest, REST_BITS));
}

/* floor(1024 x -2 ln L) of the counts under their own shares, and their sum. */
static __int128
deviance(const int64_t *counts, uint64_t levels, int64_t *n)
{
	__int128 sum = 0;

	*n = 0;
	for (uint64_t k = 0; k < levels; k++)
	{
		sum += log_factorial_rest(counts[k]);
		*n += counts[k];
	}
	sum -= log_factorial_rest(*n); /* minus ln L, so not below 0 */
	return sum / ((INT64_C(1) << REST_BITS) / (2 * DP_AIC_UNIT));
}

/*
 * dp_score_aic -- minus AIC, in 1/1024
 *
 * Inputs:      counts[levels] >= 0, n their sum; levels K, public
 * Output:      -floor(1024 AIC), AIC = -2 ln L + 2K, L = n!/prod c_k! prod (c_k/n)^c_k the
 *              likelihood of the counts under their own shares
 * Neighbours:  AIC = 2 (sum g(c_k) - g(n)) + 2K. One row more changes it by 2 (g(c+1) - g(c)) -
 *              2 (g(n+1) - g(n)). Both brackets are in (0, 1], so that is less than 2 in size.
 *              If one row is replaced, n stays, and the difference of two such brackets is at
 *              most 2. The rows of a unit, one after the other, change it by 2 rows_max. If K
 *              were counted from the data, as in the paper's lemma, 2 more would come and go
 *              with an empty level.
 * Numerics:    g is rounded to 2^-40 and summed in integers, so no error adds up over levels. A
 *              row that joins or leaves changes g(c) of one level and g(n): four values. In
 *              doubles of 53 bits each is right to 3.4e-13. Below 32 there are at most 30 sums
 *              of at most 78.1, each off by half a unit in the last place, 7.2e-15, and c ln c,
 *              at most 107, is off by twice that. From 32 on, Stirling's series is cut off at
 *              1.8e-14. With rounding that is less than 2^-40 a value, and less than 10^-8 of
 *              the score's unit a row. For the 10^6 rows that a unit can have it is less than
 *              0.01. Rounding the sum down costs less than 1: dp_aic_sensitivity adds 2.
 * Source:      the STEPS paper, lemma 1, corrected
 */
int64_t
dp_score_aic(const int64_t *counts, uint64_t levels)
{
	int64_t n;

	return -(int64_t) (deviance(counts, levels, &n) + 2 * DP_AIC_UNIT * (__int128) levels);
}

/*
 * dp_score_bic -- minus BIC, in 1/1024
 *
 * Inputs:      as dp_score_aic
 * Output:      minus BIC, rounded, BIC = -2 ln L + K ln max(n, K)
 * Neighbours:  one row more changes -2 ln L by less than 2, as above. Where n >= K it adds
 *              K ln(1 + 1/n) <= K/n <= 1 to the second term, and nothing below, so the sum moves by
 *              less than 3. That is why the term has max(n, K): with ln n itself one row more
 *              would add K ln 2 to a table of one row. Where one row is replaced n stays, and 2
 *              would do; a unit that replaces another may have more rows than it, so 3 a row is
 *              taken throughout
 * Numerics: as above; K ln n is at most 10^7 x 37, in doubles right to 10^-6 of the score's unit,
 *              and its rounding costs less than 1: dp_bic_sensitivity adds 3
 * Source:      Schwarz (1978), named beside AIC in the STEPS paper
 */
int64_t
dp_score_bic(const int64_t *counts, uint64_t levels)
{
	int64_t n;
	__int128 sum = deviance(counts, levels, &n);
	double rows = (double) n > (double) levels ? (double) n : (double) levels;

	return -(int64_t) (sum + llround(DP_AIC_UNIT * (double) levels * log(rows)));
}

int64_t
dp_bic_sensitivity(const DpUnit *unit)
{
	return 3 * DP_AIC_UNIT * (int64_t) unit->rows_max + 3;
}

int64_t
dp_bic_row_sensitivity(void)
{
	return 3 * DP_AIC_UNIT + 3;
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
