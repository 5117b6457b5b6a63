/*
 * simplex.h -- Euclidean projection on {x >= 0, sum x = total}: how noisy
 * counts become counts again with least change.
 */
#ifndef DP_SIMPLEX_H
#define DP_SIMPLEX_H

#include "status.h"

/* Replaces x[0..n-1] by its projection. n >= 1, total > 0; work has room for n. x is finite, or -INFINITY for
 * what must become 0, and one at least is finite. */
extern void dp_simplex_project(double *x, uint64_t n, double total, double *work);

#endif
