/*
 * mechanism.h -- epsilon, delta and sensitivity to calibrated noise. Each
 * mechanism charges the DpMeter before it draws, its rho too.
 *
 * Notation: e0 = epsilon / (L1 sensitivity), a = exp(-e0). epsilon is an
 * integer number of nano-epsilon, so e0 is an exact rational and all noise is
 * exact (noise.h). Floating point serves thresholds only, rounded outward.
 */
#ifndef DP_MECHANISM_H
#define DP_MECHANISM_H

#include "account.h"
#include "noise.h"

/* out[i] = counts[i] + Z_i, Z_i discrete Laplace with a. (epsilon, 0)-DP. out may alias counts.
 * sensitivity_l1 in rows, >= 1; epsilon_nano >= 1. */
extern DpStatus dp_laplace_release(DpMeter *meter, DpRng *rng, const int64_t *counts, size_t n,
								   int64_t epsilon_nano, int64_t sensitivity_l1, int64_t *out,
								   const DpTick *tick) DP_MUST_USE;
/* Standard deviation of that noise, in rows: sqrt(2 a) / (1 - a). For plans and estimates. */
extern double dp_laplace_stddev(int64_t epsilon_nano, int64_t sensitivity_l1);

/* out[i] = counts[i] + Z_i, Z_i discrete Gaussian, sigma^2 = sensitivity_l2_squared / (2 rho).
 * rho-zCDP: charges rho alone. out may alias counts. sensitivity_l2_squared in rows^2, >= 1;
 * rho_pico in 1..DP_RHO_PICO_MAX. */
extern DpStatus dp_gaussian_release(DpMeter *meter, DpRng *rng, const int64_t *counts, size_t n,
									int64_t rho_pico, int64_t sensitivity_l2_squared, int64_t *out,
									const DpTick *tick) DP_MUST_USE;
/* Standard deviation of that noise, in rows: sigma, but less where sigma is well below a row. */
extern double dp_gaussian_stddev(int64_t rho_pico, int64_t sensitivity_l2_squared);

/* Stability histogram: smallest T with dp_stability_delta(T) <= delta_atto. */
extern DpStatus dp_stability_threshold(int64_t epsilon_nano, int64_t delta_atto, DpUnit unit,
									   int64_t *threshold_rows) DP_MUST_USE;
/* Upper bound, rounded up to a whole atto (>= 1), of the delta that threshold T gives;
 * DP_DELTA_ONE where T < rows_max + 1. */
extern int64_t dp_stability_delta(int64_t epsilon_nano, DpUnit unit, int64_t threshold_rows);
/*
 * For each of n non-empty cells (count >= 1): noisy[i] = count + Z if that is
 * >= T, else 0 (silent). (epsilon, delta)-DP with cost's epsilon and delta; charges
 * dp_cost_approximate of them, whatever rho cost has. noisy may alias counts.
 * *threshold_rows is set to T. delta_atto >= 1.
 */
extern DpStatus dp_stability_release(DpMeter *meter, DpRng *rng, const int64_t *counts, size_t n,
									 DpBudget cost, DpUnit unit, int64_t *noisy,
									 int64_t *threshold_rows, const DpTick *tick) DP_MUST_USE;
/* Expected L1 error over the given cells (Proposition 1, corrected), exact law: discrete noise. */
extern DpStatus dp_stability_expected_error(const int64_t *counts, size_t n, int64_t epsilon_nano,
											int64_t delta_atto, DpUnit unit, double *out);
/* The same for continuous Laplace noise with scale b and threshold t: the paper's setting. */
extern double dp_stability_expected_error_continuous(const int64_t *counts, size_t n,
													 double laplace_b_rows, double threshold_rows);

/*
 * Permute-and-flip (McKenna, Sheldon 2020): one of n candidates, (epsilon, 0)-DP,
 * never worse than the exponential mechanism. Scores and their sensitivity are
 * integers in one and the same unit, so that exp is exact. Larger is better.
 */
extern DpStatus dp_select(DpMeter *meter, DpRng *rng, const int64_t *scores, size_t n,
						  int64_t epsilon_nano, int64_t sensitivity, size_t *chosen) DP_MUST_USE;

/* The exponential mechanism, likewise, rho-zCDP: charges rho alone. rho_pico >= 1. */
extern DpStatus dp_select_concentrated(DpMeter *meter, DpRng *rng, const int64_t *scores, size_t n,
									   int64_t rho_pico, int64_t sensitivity,
									   size_t *chosen) DP_MUST_USE;
/* The epsilon with which it selects: floor(sqrt(8 rho)) in nano, at most DP_EPSILON_NANO_MAX. */
extern int64_t dp_select_epsilon(int64_t rho_pico);

#endif
