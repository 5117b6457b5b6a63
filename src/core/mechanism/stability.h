/*
 * stability.h -- what a stability histogram does, computed from public numbers: its threshold, its
 * delta, its expected error. No noise is drawn here; dp_stability_release is in mechanism.h.
 */
#ifndef DP_STABILITY_H
#define DP_STABILITY_H

#include "core/accounting/budget.h"
#include "core/accounting/privacy_unit.h"

/* The guarantee that a stability histogram has to give, and its unit. */
typedef struct DpStability
{
	DpBudget budget; /* epsilon and delta, delta_atto >= 1; rho is not used */
	DpUnit unit;
} DpStability;

/* The smallest T with dp_stability_delta(T) <= delta. */
extern DpStatus dp_stability_threshold(const DpStability *goal,
									   int64_t *threshold_rows) DP_MUST_USE;
/* Upper bound of the delta that threshold T gives, rounded up to a whole atto (>= 1). It is
 * DP_DELTA_ONE where T < rows_max + 1. */
extern int64_t dp_stability_delta(int64_t epsilon_nano, DpUnit unit, int64_t threshold_rows);
/* The expected L1 error over the given cells under the exact distribution, discrete noise
 * (Proposition 1, corrected). */
extern DpStatus dp_stability_expected_error(const int64_t *counts, size_t n,
											const DpStability *goal, double *out);
/* The same for continuous Laplace noise with scale b and threshold t, which is the paper's
 * setting. */
extern double dp_stability_expected_error_continuous(const int64_t *counts, size_t n,
													 double laplace_b_rows, double threshold_rows);

#endif
