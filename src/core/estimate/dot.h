/*
 * dot.h -- the inner product of two vectors.
 */
#ifndef DP_DOT_H
#define DP_DOT_H

#include <stdint.h>

/* In four lanes, which a compiler may keep in one register. The order of the sums is fixed, so that
 * every processor gives the same result. */
static inline double
dp_dot(const double *a, const double *b, uint64_t n)
{
	double sum[4] = {0, 0, 0, 0};
	uint64_t i = 0;

	for (; i + 4 <= n; i += 4)
		for (int lane = 0; lane < 4; lane++)
			sum[lane] += a[i + lane] * b[i + lane];
	for (; i < n; i++)
		sum[0] += a[i] * b[i];
	return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

#endif
