/*
 * agreement.c -- overlap of intervals, and the seven classes of sign and significance.
 */
#include "core/evaluate/agreement.h"

#include <math.h>

/* An interval without width, of an exact fit, is a point, which is inside or not. */
static double
share_of(DpConfidenceInterval interval, double common)
{
	return interval.high > interval.low ? common / (interval.high - interval.low) : 1;
}

double
dp_interval_overlap(DpConfidenceInterval a, DpConfidenceInterval b)
{
	double common = fmin(a.high, b.high) - fmax(a.low, b.low);

	return common < 0 ? 0 : (share_of(a, common) + share_of(b, common)) / 2;
}

DpSignificanceClass
dp_significance_class(bool same_sign, bool original, bool synthetic)
{
	if (original == synthetic)
		return same_sign ? DP_SSS_BEST : original ? DP_SSS_WORST : DP_SSS_NEUTRAL;
	if (original)
		return same_sign ? DP_SSS_II_PLUS : DP_SSS_II_MINUS;
	return same_sign ? DP_SSS_I_PLUS : DP_SSS_I_MINUS;
}

const char *
dp_significance_name(DpSignificanceClass of)
{
	static const char *const name[] = {"best", "neutral", "II+", "I+", "II-", "I-", "worst"};

	return name[of];
}
