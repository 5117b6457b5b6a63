/*
 * noise.h -- exact samplers over the integers. These are distributions only: epsilon and
 * sensitivity belong to mechanisms (mechanism.h).
 *
 * Source: Canonne, Kamath, Steinke, "The discrete Gaussian for differential privacy" (2020),
 * algorithms 1, 2 and 3. No floating point is used. Every multiplication that could overflow
 * 64 bits is checked: the status is DP_ERR_RANGE then, and the output is untouched. A
 * fraction is given as numerator and denominator, denominator >= 1.
 */
#ifndef DP_NOISE_H
#define DP_NOISE_H

#include "core/noise/rng.h"

/* true with probability numerator/denominator <= 1. */
extern DpStatus dp_bernoulli(DpRng *rng, uint64_t numerator, uint64_t denominator,
							 bool *out) DP_MUST_USE;
/* true with probability exp(-numerator/denominator). numerator may exceed denominator. */
extern DpStatus dp_bernoulli_exp(DpRng *rng, uint64_t numerator, uint64_t denominator,
								 bool *out) DP_MUST_USE;
/* true with probability exp(-x^2/(a b)). x/a and x/b may be far from 64 bits and from each
 * other. */
extern DpStatus dp_bernoulli_exp_square(DpRng *rng, unsigned __int128 x, uint64_t a, uint64_t b,
										bool *out) DP_MUST_USE;
/* P[X = k] = (1-a) a^k, k >= 0, a = exp(-numerator/denominator), numerator >= 1. */
extern DpStatus dp_geometric_exp(DpRng *rng, uint64_t numerator, uint64_t denominator,
								 uint64_t *out) DP_MUST_USE;
/* P[Z = z] = (1-a)/(1+a) a^|z|, a = exp(-numerator/denominator), numerator >= 1. */
extern DpStatus dp_discrete_laplace(DpRng *rng, uint64_t numerator, uint64_t denominator,
									int64_t *out) DP_MUST_USE;
/* P[Z = z] proportional to exp(-z^2/(2 v)), v = numerator/denominator. Both are in
 * 1..DP_GAUSSIAN_TERM_MAX, so that v <= 2^60 and sigma = sqrt(v) <= 2^30. DP_ERR_RANGE: one is
 * larger. */
#define DP_GAUSSIAN_TERM_MAX (UINT64_C(1) << 60)
extern DpStatus dp_discrete_gaussian(DpRng *rng, uint64_t numerator, uint64_t denominator,
									 int64_t *out) DP_MUST_USE;

#endif
