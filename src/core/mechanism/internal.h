/*
 * internal.h -- what the sources of this folder share and nobody else may use: noise that is
 * not charged for.
 */
#ifndef DP_INTERNAL_H
#define DP_INTERNAL_H

#include "core/accounting/stddev.h"
#include "core/mechanism/noise_source.h"

/* A reduced fraction. It is e0 = epsilon / L1 sensitivity for Laplace noise, and sigma^2 for
 * Gaussian noise. */
typedef struct DpFraction
{
	uint64_t numerator;
	uint64_t denominator;
} DpFraction;

/* dp_discrete_laplace or dp_discrete_gaussian. */
typedef DpStatus (*DpNoiseSampler)(DpRng *rng, uint64_t numerator, uint64_t denominator,
								   int64_t *out);

/* A distribution to draw noise from. */
typedef struct DpNoiseDistribution
{
	DpNoiseSampler sampler;
	DpFraction width;
} DpNoiseDistribution;

/* Whether epsilon_nano is in 1..DP_EPSILON_NANO_MAX. */
extern bool dp_epsilon_valid(int64_t epsilon_nano);
/* The greatest common divisor. a and b are not both 0. */
extern uint64_t dp_common_divisor(uint64_t a, uint64_t b);
/* e0 = epsilon / sensitivity, rounded. */
extern long double dp_laplace_exponent(DpLaplace distribution);
/* Sets *rate to e0. DP_ERR_ARGUMENT. DP_ERR_RANGE: the noise is too wide for 64 bits. Both
 * errors follow from public numbers. */
extern DpStatus dp_laplace_rate(DpLaplace distribution, DpFraction *rate) DP_MUST_USE;
/* Sets *rate to epsilon / (2 sensitivity), which a selection by scores needs. The errors are
 * those of dp_laplace_rate, and DP_ERR_ARGUMENT where there is no score. */
extern DpStatus dp_select_rate(const DpScores *scores, int64_t epsilon_nano,
							   DpFraction *rate) DP_MUST_USE;
extern int64_t dp_best_score(const DpScores *scores);
/* true with probability exp(-rate x gap). */
extern DpStatus dp_gap_survives(DpRng *rng, DpFraction rate, uint64_t gap, bool *out) DP_MUST_USE;
/* Sets *out to count + Z. *out is unusable on an error. */
extern DpStatus dp_noisy_count(DpRng *rng, DpNoiseDistribution distribution, int64_t count,
							   int64_t *out) DP_MUST_USE;
/* Passes a status on. Unless it is DP_OK, out[0..n-1] are zeros then. */
extern DpStatus dp_noise_cleared(DpStatus status, int64_t *out, size_t n) DP_MUST_USE;
/* Sets out[i] to counts[i] + Z_i. On an error out is all zeros. Nothing is charged to the meter. */
extern DpStatus dp_noise_add(const DpNoiseSource *noise, DpNoiseDistribution distribution,
							 const int64_t *counts, size_t n, int64_t *out) DP_MUST_USE;

#endif
