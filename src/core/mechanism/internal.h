/*
 * mechanism_internal.h -- what mechanism*.c share, and nobody else may use:
 * noise that is not charged for.
 */
#ifndef DP_MECHANISM_INTERNAL_H
#define DP_MECHANISM_INTERNAL_H

#include "mechanism.h"

/* Reduced: of Laplace noise e0 = epsilon / L1 sensitivity, of Gaussian noise sigma^2. */
typedef struct DpFraction
{
	uint64_t numerator;
	uint64_t denominator;
} DpFraction;

/* dp_discrete_laplace or dp_discrete_gaussian. */
typedef DpStatus (*DpSampler)(DpRng *rng, uint64_t numerator, uint64_t denominator, int64_t *out);

/* 1 nano .. DP_EPSILON_NANO_MAX. */
extern bool dp_epsilon_valid(int64_t epsilon_nano);
/* Not both 0. */
extern uint64_t dp_common_divisor(uint64_t a, uint64_t b);
/* DP_ERR_ARGUMENT, or DP_ERR_RANGE for noise too wide for 64 bits; both from public numbers only. */
extern DpStatus dp_laplace_rate(int64_t epsilon_nano, int64_t sensitivity_l1,
								DpFraction *rate) DP_MUST_USE;
/* epsilon / (2 sensitivity), of a selection by scores; errors as above. */
extern DpStatus dp_select_rate(int64_t epsilon_nano, int64_t sensitivity,
							   DpFraction *rate) DP_MUST_USE;
extern int64_t dp_best_score(const int64_t *scores, size_t n);
/* true with probability exp(-rate x gap). */
extern DpStatus dp_gap_survives(DpRng *rng, DpFraction rate, uint64_t gap, bool *out) DP_MUST_USE;
/* out[i] = counts[i] + Z_i, Z_i from sampler. On an error out is all zeros. */
extern DpStatus dp_noise_add(DpRng *rng, DpSampler sampler, DpFraction width, const int64_t *counts,
							 size_t n, int64_t *out, const DpTick *tick) DP_MUST_USE;

#endif
