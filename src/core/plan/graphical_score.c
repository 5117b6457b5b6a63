/*
 * graphical_score.c -- how far a fit is from exact tables, and how much nearer a noisy table would
 * bring it.
 */
#include "core/plan/graphical_score.h"

#include <math.h>

#define SHRINKAGE_RIDGE 0.3
#define GAP_MAX (INT64_C(1) << 40)          /* of a gap in a score: norms stop at fewer rows */
#define GAIN_STEPS (DP_SHRINKAGE_ONE - 1.0) /* to 1: one is left for what is rounded */

/* The expected count is rounded first, so that only integers meet exact counts from here on. */
static int64_t
gap_of(int64_t count, double expected)
{
	int64_t rounded = expected < 0x1p50 ? (int64_t) (expected * DP_SCORE_UNIT + 0.5) : 0;
	int64_t gap = count * DP_SCORE_UNIT - rounded;

	return gap < 0 ? -gap : gap;
}

int64_t
dp_graphical_distance_from(const DpGraphicalMeasure *measure, uint32_t i, const double *expected)
{
	const DpExactMarginal *exact = &measure->exact[i];
	int64_t sum = 0;

	for (uint64_t k = 0; k < exact->cells; k++)
	{
		sum += gap_of(exact->count[k], expected[k]);
		sum = sum < DP_DISTANCE_MAX ? sum : DP_DISTANCE_MAX;
	}
	return sum;
}

/* A potential t of a table moves a cell from m rows to about m (1 + t). Were it to cost what misses
 * by SHRINKAGE_RIDGE t standard deviations, the fit would take over this share. (It costs .5 where
 * a table has several columns, and .05 where it has one; .3 for all was best.) */
static double
share_taken(double expected, double stddev)
{
	double share = expected / (expected + SHRINKAGE_RIDGE * stddev);

	return share > 0 ? (share < 1 ? share : 1) : 0;
}

int64_t
dp_graphical_shrinkage(double expected, double stddev)
{
	return (int64_t) (DP_SHRINKAGE_ONE * share_taken(expected, stddev));
}

/* The shrinkage in all cells of a table, in cells. */
static double
weighted_cells(const double *expected, uint64_t cells, double stddev)
{
	int64_t shrinkage = 0;

	for (uint64_t k = 0; k < cells; k++)
		shrinkage += dp_graphical_shrinkage(expected[k], stddev);
	return (double) shrinkage / DP_SHRINKAGE_ONE;
}

double
dp_graphical_noise(const double *expected, uint64_t cells, double stddev)
{
	return DP_ABSOLUTE_OF_NORMAL * stddev * weighted_cells(expected, cells, stddev);
}

/* Without knowledge of the processor the compiler makes floor() a call. */
static int64_t
round_down(double x)
{
	int64_t whole = (int64_t) x;

	return whole - ((double) whole > x);
}

/*
 * How much nearer a fit is expected to come in a cell that is a gap away, where it takes over a
 * share of the gap and of the noise. The mean of |left + noise| is taken for the root of both
 * squared, which it is where either is 0. Rises with the gap, by at most GAIN_STEPS for each unit,
 * and is rounded down.
 */
static int64_t
cell_gain(int64_t gap, double share, double noise)
{
	double distance = (double) (gap < GAP_MAX ? gap : GAP_MAX);
	double left = (1 - share) * distance, taken = share * noise;

	return round_down(GAIN_STEPS * (distance - sqrt(left * left + taken * taken)));
}

static int64_t
clamp(int64_t value, int64_t most)
{
	return value > most ? most : value < -most ? -most : value;
}

/*
 * Sensitivity: shares and noise are functions of public and released numbers. A row that comes or
 * goes moves one gap by at most DP_SCORE_UNIT, what the cell gains by at most GAIN_STEPS x
 * DP_SCORE_UNIT, and rounded by less than 1 more, which is no more than DP_SHRINKAGE_ONE x
 * DP_SCORE_UNIT. (In doubles it is off by less than .1: gaps stop at 2^40.) Both caps move no
 * further. The sum is an integer, and its quotient by DP_SHRINKAGE_ONE, rounded down, moves by at
 * most DP_SCORE_UNIT for each row: floor((s + k q)/q) = floor(s/q) + k, and floor is monotone.
 */
DpStatus
dp_graphical_gain(const DpGraphicalMeasure *measure, uint32_t i, double stddev, double *expected,
				  int64_t *gain)
{
	const DpExactMarginal *exact = &measure->exact[i];
	const int64_t most = DP_DISTANCE_MAX * DP_SHRINKAGE_ONE;
	double noise = fmin(DP_ABSOLUTE_OF_NORMAL * stddev * DP_SCORE_UNIT, (double) GAP_MAX);
	bool takes = false;
	int64_t sum = 0;

	DP_TRY(dp_graphical_marginal(&measure->graphical, &exact->set, expected));
	for (uint64_t k = 0; k < exact->cells; k++)
	{
		double share = share_taken(expected[k], stddev);

		sum = clamp(sum + cell_gain(gap_of(exact->count[k], expected[k]), share, noise), most);
		takes = takes || share * DP_SHRINKAGE_ONE >= 1;
	}
	*gain = (sum - (sum < 0 ? DP_SHRINKAGE_ONE - 1 : 0)) / DP_SHRINKAGE_ONE;
	if (!takes) /* depends on public facts and released numbers */
		*gain = DP_GAIN_NONE;
	return DP_OK;
}
