/*
 * ldiversity.h -- how much of the uniform distribution must be mixed into a histogram to
 * give it the entropy of l equally likely values. This is no privacy guarantee.
 */
#ifndef DP_LDIVERSITY_H
#define DP_LDIVERSITY_H

#include "core/mechanism/perturbed.h"

/*
 * Sets *alpha to the smallest pseudo-count for which the entropy of (n_c + alpha) / (N + C
 * alpha) is at least ln(l), rounded up. It is {1, 0}, the uniform distribution, where N = 0
 * or no finite alpha is enough. 1 <= l <= levels, otherwise DP_ERR_ARGUMENT. The unit is a
 * power of two, so that the weights unit x n_c + base are exact.
 */
extern DpStatus dp_ldiversity_alpha(const DpHistogram *histogram, double l,
									DpAlpha *alpha) DP_MUST_USE;

#endif
