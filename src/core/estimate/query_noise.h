/*
 * query_noise.h -- the noise of one statistic of a query: how wide it is, draws of it, and where it
 * lets a quantile lie.
 */
#ifndef DP_QUERY_NOISE_H
#define DP_QUERY_NOISE_H

#include "core/domain/quantile_zones.h"
#include "core/estimate/noise_distribution.h"
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

/*
 * Where a quantile lies, from the leaf that was chosen privately for it and the noisy numbers of rows
 * around that leaf.
 *
 * Let b rows lie before a leaf and n in all. The quantile q lies before the leaf if b >= q n, else
 * in it or behind. The zones before the leaf and those from it on give b - q n with a noise
 *
 *     Z = (1 - q) (sum of the noises before) - q (sum of the noises behind),
 *
 * whose distribution is public. The low end of an interval begins where the range begins, and moves
 * zone by zone towards the chosen leaf as long as the noisy b - q n of the next zone lies below -h,
 * where |Z| > h has probability 2 (1 - confidence) or less. The high end does the same from the
 * other side. The interval holds the chosen leaf. If the quantile lies before that, the low end
 * alone can miss it, and does so only if the first leaf of a zone behind the quantile is taken for
 * one that is not: one fixed zone, and one noise below -h. So it fails with probability 1 -
 * confidence or less, whatever the rows are. docs/methods/query.md has the proof.
 */

/* The noise of the sums of zones of one quantile. */
typedef struct DpQuantileNoise
{
	const DpStatistic *choice;
	DpNoiseTerm zone; /* of one number of rows */
	double confidence;
	double
		*half; /* [zones + 1][zones + 1] h, by zones before and behind; negative: not known yet */
} DpQuantileNoise;

/* In leaves. */
typedef struct DpQuantilePlace
{
	uint32_t low, high; /* the first and the last leaf of the interval */
	double stddev;      /* of the choice; negative: it is not known */
} DpQuantilePlace;

/* The table is one of the zones. Lays out what is computed as it is needed. */
extern DpStatus dp_quantile_noise_prepare(const DpStatistic *choice, const DpTable *table,
										  double confidence, DpQuantileNoise *noise,
										  DpArena *arena) DP_MUST_USE;
/* h where there are so many zones before, and behind. */
extern double dp_quantile_half_width(const DpQuantileNoise *noise, uint32_t before,
									 uint32_t behind);
/* rows: [zones] the noisy numbers around the chosen leaf. */
extern DpQuantilePlace dp_quantile_place(const DpQuantileNoise *noise, uint32_t chosen,
										 const int64_t *rows);

#endif
