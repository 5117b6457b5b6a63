/*
 * ldiversity.h -- how much of the uniform distribution a histogram must be mixed
 * with to have the entropy of l equally likely values. No privacy guarantee.
 */
#ifndef DP_LDIVERSITY_H
#define DP_LDIVERSITY_H

#include "mechanism_perturbed.h"

/*
 * The smallest pseudo-count alpha for which the entropy of (n_c + alpha) / (N + C
 * alpha) is at least ln(l), rounded up; {1, 0}, the uniform distribution, where N = 0
 * or no finite one is enough. 1 <= l <= levels, else DP_ERR_ARGUMENT. The unit is a
 * power of two, so that weights unit x n_c + base are exact.
 */
extern DpStatus dp_ldiversity_alpha(const DpHistogram *histogram, double l,
									DpAlpha *alpha) DP_MUST_USE;
/* The entropy of histogram with that pseudo-count, in nats. */
extern double dp_ldiversity_entropy(const DpHistogram *histogram, DpAlpha alpha);

#endif
