/*
 * mechanism_internal.h -- what mechanism*.c share, and nobody else may use:
 * noise that is not charged for.
 */
#ifndef DP_MECHANISM_INTERNAL_H
#define DP_MECHANISM_INTERNAL_H

#include "mechanism.h"

/* e0 = epsilon / L1 sensitivity as a reduced fraction: a = exp(-numerator/denominator). */
typedef struct DpRate
{
	uint64_t numerator;
	uint64_t denominator;
} DpRate;

/* 1 nano .. DP_EPSILON_NANO_MAX. */
extern bool dp_epsilon_valid(int64_t epsilon_nano);
/* DP_ERR_ARGUMENT, or DP_ERR_RANGE for noise too wide for 64 bits; both from public numbers only. */
extern DpStatus dp_laplace_rate(int64_t epsilon_nano, int64_t sensitivity_l1,
								DpRate *rate) DP_MUST_USE;
/* out[i] = counts[i] + Z_i. On an error out is all zeros. */
extern DpStatus dp_laplace_add(DpRng *rng, DpRate rate, const int64_t *counts, size_t n,
							   int64_t *out, const DpTick *tick) DP_MUST_USE;

#endif
