/*
 * stability.c -- the stability histogram: noise on the non-empty
 * cells only, and a threshold that hides which cells those are.
 */
#include "core/mechanism/stability.h"

#include <float.h>
#include <math.h>

#include "core/mechanism/internal.h"
#include "core/noise/noise.h"

/* No threshold is above this limit, so that count + Z stays far from 63 bits. */
#define THRESHOLD_ROWS_MAX (INT64_C(1) << 62)

static bool
goal_valid(const DpStability *goal)
{
	return dp_epsilon_valid(goal->budget.epsilon_nano) && goal->budget.delta_atto >= 1 &&
		   goal->budget.delta_atto <= DP_DELTA_ONE && dp_unit_valid(&goal->unit);
}

/*
 * Upper bound of P[Z >= gap] = a^gap/(1+a), gap >= 1: the probability with which a cell
 * shows that has gap rows fewer than the threshold. A relative error of r in x = e0 gap is
 * one of x r in exp(-x), so the slack grows with x. The constants are several times what one
 * rounding of each operation adds up to.
 */
static long double
tail_upper(long double e0, int64_t gap_rows)
{
	long double x = e0 * (long double) gap_rows;

	return expl(-x) / (1.0L + expl(-e0)) * (1.0L + (16.0L + 4.0L * x) * LDBL_EPSILON);
}

/*
 * dp_stability_delta -- the delta that a threshold T gives
 *
 * A unit has up to k = rows_max rows. A cell that holds m of them and no other
 * rows is in one of two neighbouring tables only. There it shows with probability
 * tau_m = P[m + Z >= T] = a^(T-m)/(1+a).
 *
 * Let V be the cells that only D has, and W those that only D' has. Let q_V and q_W
 * be the probabilities that all of V, or all of W, stay silent, v and w the unit's
 * rows in V and W, and r the rows by which the other cells differ. Then
 * v + w + r <= L1. Split the outputs of D by V:
 *   - A cell of V shows, with probability 1 - q_V. This is impossible under D', so
 *     all of that probability counts.
 *   - V is silent. The density is q_V p(o) against q_W p'(o), where p <= e^(e0 r) p'
 *     by the Laplace argument. What exceeds exp(epsilon) times the other is at most
 *     q_V - q_W e^(epsilon - e0 r) <= q_V - q_W, if that is positive.
 * The sum is max(1 - q_V, 1 - q_W): the two sides do not add up, not even under
 * replacement. And 1 - q_V <= sum of tau_m over a partition of at most k rows into
 * any number of parts. tau_m is convex in m, and so tau_m/m is in 1/m, which makes
 * the sum largest at an end (docs/methods/mechanisms.md, stability histogram): at
 * one cell with k rows, or at k cells with one. So delta = max(tau_k, k tau_1). For
 * k = 1 that is tau_1, and exact under both relations.
 *
 * Source:      Bun, Nissim, Stemmer, "Simultaneous private learning of multiple
 *              concepts" (2016); Vadhan, "The complexity of differential
 *              privacy" (2017), section 3; the constants and k > 1: proved above
 * Numerics:    long double, inflated; rounded up to a whole atto, 1 at least,
 *              since underflow to 0 would claim pure DP
 */
int64_t
dp_stability_delta(int64_t epsilon_nano, DpUnit unit, int64_t threshold_rows)
{
	int64_t k = unit.rows_max;
	long double e0, one_cell, k_cells, atto;

	if (!dp_epsilon_valid(epsilon_nano) || !dp_unit_valid(&unit) || threshold_rows < k + 1)
		return DP_DELTA_ONE;
	e0 = dp_laplace_exponent(dp_unit_laplace(&unit, epsilon_nano));
	one_cell = tail_upper(e0, threshold_rows - k);
	k_cells = (long double) k * tail_upper(e0, threshold_rows - 1);
	atto = ceill(fmaxl(one_cell, k_cells) * (long double) DP_DELTA_ONE * (1.0L + LDBL_EPSILON));
	if (atto >= (long double) DP_DELTA_ONE)
		return DP_DELTA_ONE;
	return atto >= 1.0L ? (int64_t) atto : 1;
}

/*
 * The search bisects on the very bound that is promised. A formula with a logarithm would
 * need a proof of its own that its rounding never goes inward.
 */
DpStatus
dp_stability_threshold(const DpStability *goal, int64_t *threshold_rows)
{
	const DpBudget budget = goal->budget;
	int64_t low = (int64_t) goal->unit.rows_max + 1, high = THRESHOLD_ROWS_MAX;

	if (!goal_valid(goal))
		return DP_ERR_ARGUMENT;
	if (dp_stability_delta(budget.epsilon_nano, goal->unit, high) > budget.delta_atto)
		return DP_ERR_RANGE;
	while (low < high)
	{
		int64_t middle = low + (high - low) / 2;

		if (dp_stability_delta(budget.epsilon_nano, goal->unit, middle) <= budget.delta_atto)
			high = middle;
		else
			low = middle + 1;
	}
	*threshold_rows = high;
	return DP_OK;
}

/* E[Z; Z >= k] = (1-a)/(1+a) sum of z a^z over z >= k = a^k (k(1-a) + a)/((1+a)(1-a)), k >= 1. */
static double
mean_above(double e0, double k)
{
	double a = exp(-e0), b = -expm1(-e0);

	return exp(-e0 * k) * (k * b + a) / ((1.0 + a) * b);
}

/* P[Z >= k], k >= 1. */
static double
mass_above(double e0, double k)
{
	return exp(-e0 * k) / (1.0 + exp(-e0));
}

/*
 * E|released - c| for one cell. The error is |Z| where Z >= k = T - c, and otherwise c,
 * since a silent cell reads as 0. For k <= 0 the silent side Z <= k - 1 = -m is the small
 * one; by symmetry it is the upper tail from m on. E|Z| is both tails from 1 on.
 */
static double
cell_error(double e0, double count, double threshold)
{
	double k = threshold - count;
	double m = 1.0 - k;

	if (k >= 1.0)
		return mean_above(e0, k) + count * (1.0 - mass_above(e0, k));
	return 2.0 * mean_above(e0, 1.0) - mean_above(e0, m) + count * mass_above(e0, m);
}

/*
 * Proposition 1 of the SBHG paper, corrected: the error of a cell that shows is not E|Z| but
 * E|Z| given that it shows. The counts are secret and so is the result. It is for tests,
 * simulation and the custodian.
 */
DpStatus
dp_stability_expected_error(const int64_t *counts, size_t n, const DpStability *goal, double *out)
{
	int64_t threshold;
	double e0, sum = 0.0;

	DP_TRY(dp_stability_threshold(goal, &threshold));
	e0 = (double) dp_laplace_exponent(dp_unit_laplace(&goal->unit, goal->budget.epsilon_nano));
	for (size_t i = 0; i < n; i++)
		sum += cell_error(e0, (double) counts[i], (double) threshold);
	*out = sum;
	return DP_OK;
}

/*
 * The same for a continuous distribution with a density. Below the threshold p = P[Z > t - c] = 1/2
 * exp(-(t-c)/b) and E[Z; Z > t - c] = p (t - c + b). From t on the silent side has q = 1/2
 * exp(-(c-t)/b).
 */
double
dp_stability_expected_error_continuous(const int64_t *counts, size_t n, double laplace_b_rows,
									   double threshold_rows)
{
	double b = laplace_b_rows, t = threshold_rows, sum = 0.0;

	for (size_t i = 0; i < n; i++)
	{
		double c = (double) counts[i];
		double tail = 0.5 * exp(-fabs(t - c) / b);

		sum += c < t ? c + tail * (t - 2.0 * c + b) : b + tail * (t - b);
	}
	return sum;
}
