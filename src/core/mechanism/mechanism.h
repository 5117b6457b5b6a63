/*
 * mechanism.h -- from epsilon, delta and sensitivity to calibrated noise. Each
 * mechanism charges the DpMeter before it draws, and charges its rho too. Where a release of
 * counts fails, with whatever error, its output is all zeros: it may alias the exact counts.
 *
 * Notation: e0 = epsilon / (L1 sensitivity), a = exp(-e0). epsilon is an
 * integer number of nano-epsilon, so e0 is an exact rational number and all noise
 * is exact (noise.h). Floating point serves thresholds only, rounded outward.
 */
#ifndef DP_MECHANISM_H
#define DP_MECHANISM_H

#include "core/accounting/stddev.h"
#include "core/mechanism/noise_source.h"
#include "core/mechanism/stability.h"

/* Sets out[i] to counts[i] + Z_i, where Z_i is discrete Laplace with a. (epsilon, 0)-DP. out may
 * alias counts. */
extern DpStatus dp_laplace_release(const DpNoiseSource *noise, DpLaplace distribution,
								   const int64_t *counts, size_t n, int64_t *out) DP_MUST_USE;

/* Sets out[i] to counts[i] + Z_i, where Z_i is discrete Gaussian with sigma. rho-zCDP; it
 * charges rho alone. out may alias counts. */
extern DpStatus dp_gaussian_release(const DpNoiseSource *noise, DpGaussian distribution,
									const int64_t *counts, size_t n, int64_t *out) DP_MUST_USE;

/*
 * The stability histogram. For each of n non-empty cells (count >= 1) noisy[i] is count + Z
 * if that is >= T, otherwise 0 (silent). (epsilon, delta)-DP with the goal's epsilon and
 * delta; it charges dp_cost_approximate of them. noisy may alias counts. *threshold_rows is
 * set to T.
 */
extern DpStatus dp_stability_release(const DpNoiseSource *noise, const DpStability *goal,
									 const int64_t *counts, size_t n, int64_t *noisy,
									 int64_t *threshold_rows) DP_MUST_USE;

/*
 * Chooses one of the candidates by permute-and-flip (McKenna, Sheldon 2020), which is never
 * worse than the exponential mechanism. (epsilon, 0)-DP. Scores and their sensitivity are
 * integers in one and the same unit, so that exp is exact.
 */
extern DpStatus dp_select(const DpNoiseSource *noise, const DpScores *scores, int64_t epsilon_nano,
						  size_t *chosen) DP_MUST_USE;

/* Chooses one of the candidates by the exponential mechanism. rho-zCDP; it charges rho alone.
 * rho_pico >= 1. */
extern DpStatus dp_select_concentrated(const DpNoiseSource *noise, const DpScores *scores,
									   int64_t rho_pico, size_t *chosen) DP_MUST_USE;

/* Which candidates may be chosen. Public facts and what was released before decide it. */
typedef struct DpAllowed
{
	bool (*test)(void *context, size_t candidate);
	void *context;
	bool *refused; /* [n] scratch, all false */
} DpAllowed;

/* The same over those candidates that pass the test alone; only some of the others are tested.
 * *chosen is n if none passes. */
extern DpStatus dp_select_allowed(const DpNoiseSource *noise, const DpScores *scores,
								  const DpAllowed *allowed, int64_t rho_pico,
								  size_t *chosen) DP_MUST_USE;
/* The epsilon with which dp_select_concentrated selects: floor(sqrt(8 rho)) in nano, at most
 * DP_EPSILON_NANO_MAX. */
extern int64_t dp_select_epsilon(int64_t rho_pico);

#endif
