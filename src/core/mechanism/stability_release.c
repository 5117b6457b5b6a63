/*
 * stability_release.c -- the noise of a stability histogram, on its non-empty cells.
 */
#include "core/mechanism/internal.h"
#include "core/mechanism/mechanism.h"
#include "core/noise/noise.h"

/* An empty cell among the input would get noise that the proof does not cover. */
static bool
all_occupied(const int64_t *counts, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (counts[i] < 1)
			return false;
	return true;
}

static DpStatus
release(const DpNoiseSource *noise, const DpStability *goal, const int64_t *counts, size_t n,
		int64_t *noisy, int64_t *threshold_rows)
{
	const DpBudget budget = goal->budget;
	int64_t threshold;
	DpFraction rate;

	DP_TRY(dp_stability_threshold(goal, &threshold));
	DP_TRY(dp_laplace_rate(dp_unit_laplace(&goal->unit, budget.epsilon_nano), &rate));
	if (!all_occupied(counts, n))
		return DP_ERR_INTERNAL;
	DP_TRY(dp_meter_charge(noise->meter, dp_cost_approximate(budget)));
	DP_TRY(dp_noise_add(noise, (DpNoiseDistribution){dp_discrete_laplace, rate}, counts, n, noisy));
	for (size_t i = 0; i < n; i++)
		if (noisy[i] < threshold)
			noisy[i] = 0;
	*threshold_rows = threshold;
	return DP_OK;
}

/*
 * dp_stability_release -- noisy counts of the non-empty cells that pass T
 *
 * Inputs:      counts[n], rows of the non-empty cells, each >= 1; goal: epsilon,
 *              delta_atto >= 1 and the dataset's unit
 * Output:      noisy[n], >= T, or 0 where silent; may alias counts. Which cells
 *              are silent is secret: drop them before anything leaves.
 * Neighbours:  the goal's unit.neighbours
 * Guarantee:   (epsilon, delta)-DP; dp_cost_approximate of these is charged
 * Why:         released iff count + Z **>= T**, and delta is P[m + Z >= T] of
 *              that same inequality (see dp_stability_delta). With a delta
 *              computed for > T, as in a published library, the true one would
 *              be e^e0 times what is claimed.
 * Source:      that of dp_stability_delta
 * Numerics:    noise by integers only; T by outward rounding
 * Errors:      before the charge: DP_ERR_ARGUMENT; DP_ERR_RANGE for T over 2^62
 *              or noise over 2^55 rows; DP_ERR_INTERNAL for a count below 1.
 *              DP_ERR_OVERDRAW: nothing was drawn. After it: DP_ERR_RANDOM,
 *              DP_ERR_RANGE (count + Z over 63 bits). After any error noisy is
 *              all zeros. *threshold_rows is set on DP_OK only.
 */
DpStatus
dp_stability_release(const DpNoiseSource *noise, const DpStability *goal, const int64_t *counts,
					 size_t n, int64_t *noisy, int64_t *threshold_rows)
{
	return dp_noise_cleared(release(noise, goal, counts, n, noisy, threshold_rows), noisy, n);
}
