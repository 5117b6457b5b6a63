/*
 * mwem_score.c -- the score of a marginal in mwem.
 */
#include "core/methods/mwem/mwem_score.h"

#include <math.h>

#define SCORE_MAX (INT64_C(1) << 61)
#define PREDICTED_MAX 0x1p60

/* Rounds a prediction to an integer in the score's unit. Any integer is as private as any other,
 * since it is a function of what was released. */
static int64_t
fix_point(double value)
{
	return !(value > 0) ? 0 : value >= PREDICTED_MAX ? INT64_C(1) << 60 : llround(value);
}

/*
 * dp_mwem_score -- how far an exact table is from its prediction
 *
 * Inputs:      c_1..c_K, exact counts; q_i, predicted shares x rows x 1024, rounded to
 *              integers; penalty, an integer from public sizes
 * Output:      min(sum_i |1024 c_i - q_i|, 2^61) - penalty
 * Neighbours:  the q_i, rows and penalty are fixed: they are functions of public numbers and
 *              of what was released before, and are the same for both neighbours once that is
 *              the same. A row that comes or goes moves one c_i by 1, and so one term by at
 *              most 1024 (triangle inequality). A row that is replaced moves two terms. A unit
 *              of rows_max rows moves them rows_max times as far. So the sum moves by at most
 *              1024 x D, D = dp_unit_l1(). The minimum with a constant and the difference to a
 *              constant move no farther. Half of the sum is the total variation distance in
 *              rows. It would have half the sensitivity, and so give the same mechanism.
 * Why a unit:  predictions are not whole numbers; in 1/1024 rows their rounding does not
 *              matter
 * Numerics:    integers, 128 bits. No error depends on the counts.
 */
int64_t
dp_mwem_score(const int64_t *count, const double *share, uint64_t cells, double rows,
			  int64_t penalty)
{
	unsigned __int128 sum = 0;

	for (uint64_t i = 0; i < cells; i++)
	{
		__int128 difference =
			(__int128) DP_MWEM_UNIT * count[i] - fix_point(share[i] * rows * DP_MWEM_UNIT);

		sum += (unsigned __int128) (difference < 0 ? -difference : difference);
	}
	return (sum < SCORE_MAX ? (int64_t) sum : SCORE_MAX) - penalty;
}

/* The penalty is cells x E|Z|. Z is discrete Laplace, so that E|Z| = 2 a / (1 - a^2). */
int64_t
dp_mwem_penalty(uint64_t cells, DpLaplace distribution)
{
	double e0 = (double) distribution.epsilon_nano / (1e9 * (double) distribution.sensitivity_l1);
	double each = 2 * exp(-e0) / -expm1(-2 * e0);
	double all = (double) cells * each * DP_MWEM_UNIT;

	return all >= (double) SCORE_MAX ? SCORE_MAX : llround(all);
}

int64_t
dp_mwem_sensitivity(const DpUnit *unit)
{
	return DP_MWEM_UNIT * dp_unit_l1(unit);
}
