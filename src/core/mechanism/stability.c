/*
 * mechanism_stability.c -- the stability histogram: noise on the non-empty
 * cells only, and a threshold that hides which cells those are.
 */
#include <float.h>
#include <math.h>

#include "mechanism_internal.h"

/* No threshold is above this: count + Z stays far from 63 bits. */
#define THRESHOLD_ROWS_MAX (INT64_C(1) << 62)

static bool
stability_arguments_valid(int64_t epsilon_nano, int64_t delta_atto, const DpUnit *unit)
{
	return dp_epsilon_valid(epsilon_nano) && delta_atto >= 1 && delta_atto <= DP_DELTA_ONE &&
		   unit->rows_max >= 1 &&
		   (unit->neighbours == DP_ADD_REMOVE || unit->neighbours == DP_REPLACE_ONE);
}

static long double
stability_rate(int64_t epsilon_nano, const DpUnit *unit)
{
	return (long double) epsilon_nano /
		   ((long double) DP_EPSILON_ONE * (long double) dp_unit_l1(unit));
}

/*
 * Upper bound of P[Z >= gap] = a^gap/(1+a), gap >= 1: what a cell with gap rows
 * fewer than the threshold shows with. A relative error of r in x = e0 gap is
 * one of x r in exp(-x), so the slack grows with x; the constants are several
 * times what one rounding of each operation adds up to.
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
 * A unit has up to k = rows_max rows. A cell that holds m of them and nobody
 * else's is in one of two neighbouring tables only; there it shows with
 * tau_m = P[m + Z >= T] = a^(T-m)/(1+a).
 *
 * Let V be the cells that only D has, W those that only D' has, q_V and q_W the
 * probabilities that all of V, all of W stay silent, and r the rows by which
 * the other cells differ. L1 = v + w + r at most, v and w the unit's rows in V
 * and W. Split the outputs of D by V:
 *   - one of V shows, probability 1 - q_V: impossible under D', all of it counts;
 *   - V silent: density q_V p(o) against q_W p'(o), where p <= e^(e0 r) p' by
 *     the Laplace argument, so that what is over exp(epsilon) times is at most
 *     q_V - q_W e^(epsilon - e0 r) <= q_V - q_W, if that is positive.
 * In sum max(1 - q_V, 1 - q_W): the two sides never add up, under replacement
 * neither. And 1 - q_V <= sum of tau_m over a partition of at most k rows, in any
 * number of parts. tau_m is convex in m, and so tau_m/m in 1/m, which makes the
 * sum largest at an end (docs/methods/mechanisms.md, stability histogram): one
 * cell with k rows, or k cells with one: delta = max(tau_k, k tau_1). For k = 1
 * that is tau_1, and exact under both relations.
 *
 * Source:      Bun, Nissim, Stemmer, "Simultaneous private learning of multiple
 *              concepts" (2016); Vadhan, "The complexity of differential
 *              privacy" (2017), section 3; constants and k > 1: the above
 * Numerics:    long double, inflated; rounded up to a whole atto, 1 at least,
 *              since underflow to 0 would claim pure DP
 */
int64_t
dp_stability_delta(int64_t epsilon_nano, DpUnit unit, int64_t threshold_rows)
{
	int64_t k = unit.rows_max;
	long double e0, one_cell, k_cells, atto;

	if (!stability_arguments_valid(epsilon_nano, 1, &unit) || threshold_rows < k + 1)
		return DP_DELTA_ONE;
	e0 = stability_rate(epsilon_nano, &unit);
	one_cell = tail_upper(e0, threshold_rows - k);
	k_cells = (long double) k * tail_upper(e0, threshold_rows - 1);
	atto = ceill(fmaxl(one_cell, k_cells) * (long double) DP_DELTA_ONE * (1.0L + LDBL_EPSILON));
	if (atto >= (long double) DP_DELTA_ONE)
		return DP_DELTA_ONE;
	return atto >= 1.0L ? (int64_t) atto : 1;
}

/*
 * By bisection on the very bound that is promised: a formula with a logarithm
 * would need a proof of its own that its rounding never goes inward.
 */
DpStatus
dp_stability_threshold(int64_t epsilon_nano, int64_t delta_atto, DpUnit unit,
					   int64_t *threshold_rows)
{
	int64_t low = (int64_t) unit.rows_max + 1, high = THRESHOLD_ROWS_MAX;

	if (!stability_arguments_valid(epsilon_nano, delta_atto, &unit))
		return DP_ERR_ARGUMENT;
	if (dp_stability_delta(epsilon_nano, unit, high) > delta_atto)
		return DP_ERR_RANGE;
	while (low < high)
	{
		int64_t middle = low + (high - low) / 2;

		if (dp_stability_delta(epsilon_nano, unit, middle) <= delta_atto)
			high = middle;
		else
			low = middle + 1;
	}
	*threshold_rows = high;
	return DP_OK;
}

/* An empty cell among the input would get noise that the proof does not know of. */
static bool
all_occupied(const int64_t *counts, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (counts[i] < 1)
			return false;
	return true;
}

/*
 * dp_stability_release -- noisy counts of the non-empty cells that pass T
 *
 * Inputs:      counts[n], rows of the non-empty cells, each >= 1; cost, its
 *              epsilon and its delta_atto >= 1 (rho follows); unit, the dataset's
 * Output:      noisy[n], >= T, or 0 where silent; may alias counts. Which cells
 *              are silent is secret: drop them before anything leaves.
 * Neighbours:  unit.neighbours
 * Guarantee:   (epsilon, delta)-DP; dp_cost_approximate of these is charged
 * Why:         released iff count + Z **>= T**, and delta is P[m + Z >= T] of
 *              that same inequality (see dp_stability_delta). With a delta
 *              computed for > T, as in a published library, the true one would
 *              be e^e0 times what is claimed.
 * Source:      as there
 * Numerics:    noise by integers only; T by outward rounding
 * Errors:      before the charge: DP_ERR_ARGUMENT; DP_ERR_RANGE for T over 2^62
 *              or noise over 2^55 rows; DP_ERR_INTERNAL for a count below 1.
 *              DP_ERR_OVERDRAW: nothing was drawn. After it, noisy all zeros:
 *              DP_ERR_RANDOM, DP_ERR_RANGE (count + Z over 63 bits).
 *              *threshold_rows is set on DP_OK only.
 */
DpStatus
dp_stability_release(DpMeter *meter, DpRng *rng, const int64_t *counts, size_t n, DpBudget cost,
					 DpUnit unit, int64_t *noisy, int64_t *threshold_rows, const DpTick *tick)
{
	int64_t threshold;
	DpFraction rate;

	DP_TRY(dp_stability_threshold(cost.epsilon_nano, cost.delta_atto, unit, &threshold));
	DP_TRY(dp_laplace_rate(cost.epsilon_nano, dp_unit_l1(&unit), &rate));
	if (!all_occupied(counts, n))
		return DP_ERR_INTERNAL;
	DP_TRY(dp_meter_charge(meter, dp_cost_approximate(cost.epsilon_nano, cost.delta_atto)));
	DP_TRY(dp_noise_add(rng, dp_discrete_laplace, rate, counts, n, noisy, tick));
	for (size_t i = 0; i < n; i++)
		if (noisy[i] < threshold)
			noisy[i] = 0;
	*threshold_rows = threshold;
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
 * E|released - c| of one cell: |Z| where k = T - c <= Z, else c, since a silent
 * cell reads as 0. For k <= 0 the silent side Z <= k - 1 = -m is the small one;
 * by symmetry it is the upper tail from m on. E|Z| is both tails from 1 on.
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
 * Proposition 1 of the SBHG paper, corrected: the error of a cell that shows is
 * not E|Z| but E|Z| given that it shows. The counts are secret and so is the
 * result: for tests, simulation and the custodian.
 */
DpStatus
dp_stability_expected_error(const int64_t *counts, size_t n, int64_t epsilon_nano,
							int64_t delta_atto, DpUnit unit, double *out)
{
	int64_t threshold;
	double e0, sum = 0.0;

	DP_TRY(dp_stability_threshold(epsilon_nano, delta_atto, unit, &threshold));
	e0 = (double) stability_rate(epsilon_nano, &unit);
	for (size_t i = 0; i < n; i++)
		sum += cell_error(e0, (double) counts[i], (double) threshold);
	*out = sum;
	return DP_OK;
}

/*
 * The same with a density: p = P[Z > t - c] = 1/2 exp(-(t-c)/b) below the
 * threshold, E[Z; Z > t - c] = p (t - c + b); from t on the silent side has
 * q = 1/2 exp(-(c-t)/b).
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
