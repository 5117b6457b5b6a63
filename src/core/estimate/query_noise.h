/*
 * query_noise.h -- the noise of one statistic of a query: how wide it is, and draws of it.
 */
#ifndef DP_QUERY_NOISE_H
#define DP_QUERY_NOISE_H

#include "core/model/query_layout.h"

#define DP_QUERY_DRAWS 4000

typedef struct DpQueryNoise
{
	const DpTable *table;
	double unit;   /* what the integer that a row adds is worth */
	double stddev; /* in that unit, times it */
	double half;   /* half of the interval, in the same way */
	double *draw;  /* [DP_QUERY_DRAWS] in the same way */
} DpQueryNoise;

/* The two-sided quantile of the normal distribution. */
extern double dp_normal_half_width(double confidence);
/* The noise of statistic i, which is no choice and no leaves. */
extern DpStatus dp_query_noise_prepare(const DpModel *model, const DpQueryLayout *layout,
									   uint32_t i, double confidence, DpQueryNoise *noise,
									   DpArena *arena) DP_MUST_USE;
/* The released number of one group. */
extern double dp_query_noise_read(const DpQueryNoise *noise, uint64_t cell);
/* The least of n numbers that a given share of them does not exceed. Sorts them. */
extern double dp_quantile_of(double *number, uint32_t n, double share);
/* The quantile of |a + factor b|, a and b two noises. That of a has no smaller standard deviation
 * in its own unit than that of b, which counts rows. */
extern double dp_query_noise_linear(const DpQueryNoise *a, const DpQueryNoise *b, double factor,
									double confidence);

#endif
