/*
 * simplex.h -- Euclidean projection on {x >= 0, sum x = total}: it makes noisy counts
 * nonnegative, with a given sum, at the least change.
 */
#ifndef DP_SIMPLEX_H
#define DP_SIMPLEX_H

#include "core/base/status.h"

/* Replaces x[0..n-1] by its projection; n >= 1, total > 0. work has space for n. A value that
 * must become 0 may be -INFINITY. The others are finite, and there is at least one of them. */
extern void dp_simplex_project(double *x, uint64_t n, double *work, double total);

#endif
