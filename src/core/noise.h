/*
 * noise.h -- exact samplers over the integers. Distributions only: no epsilon
 * and no sensitivity here, those are mechanism.h's.
 *
 * Source: Canonne, Kamath, Steinke, "The discrete Gaussian for differential
 * privacy" (2020), algorithms 1 and 2. No floating point. Every multiplication
 * that could overflow 64 bits is checked: DP_ERR_RANGE, output untouched.
 * All arguments are fractions numerator/denominator, denominator >= 1.
 */
#ifndef DP_NOISE_H
#define DP_NOISE_H

#include "rng.h"

/* true with probability numerator/denominator <= 1. */
extern DpStatus dp_bernoulli(DpRng *rng, uint64_t numerator, uint64_t denominator,
							 bool *out) DP_MUST_USE;
/* true with probability exp(-numerator/denominator). numerator may exceed denominator. */
extern DpStatus dp_bernoulli_exp(DpRng *rng, uint64_t numerator, uint64_t denominator,
								 bool *out) DP_MUST_USE;
/* P[X = k] = (1-a) a^k, k >= 0, a = exp(-numerator/denominator), numerator >= 1. */
extern DpStatus dp_geometric_exp(DpRng *rng, uint64_t numerator, uint64_t denominator,
								 uint64_t *out) DP_MUST_USE;
/* P[Z = z] = (1-a)/(1+a) a^|z|, a = exp(-numerator/denominator), numerator >= 1. */
extern DpStatus dp_discrete_laplace(DpRng *rng, uint64_t numerator, uint64_t denominator,
									int64_t *out) DP_MUST_USE;

#endif
