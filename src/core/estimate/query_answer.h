/*
 * query_answer.h -- what noisy statistics say of the measures that were asked for, and how far off
 * that can be. It is post-processing: it sees a released model alone.
 */
#ifndef DP_QUERY_ANSWER_H
#define DP_QUERY_ANSWER_H

#include "core/domain/query.h"
#include "core/estimate/noise_distribution.h"
#include "core/model/query_layout.h"

/*
 * The noise of one statistic of a query: how wide it is, draws of it, and where it lets a quantile
 * lie.
 */

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

/* Prepares the noise of sums of zones, from the table of the zones. Distributions are computed when
 * they are needed. */
extern DpStatus dp_quantile_noise_prepare(const DpStatistic *choice, const DpTable *table,
										  double confidence, DpQuantileNoise *noise,
										  DpArena *arena) DP_MUST_USE;
/* h where there are so many zones before, and behind. */
extern double dp_quantile_half_width(const DpQuantileNoise *noise, uint32_t before,
									 uint32_t behind);
/* rows: [zones] the noisy numbers around the chosen leaf. */
extern DpQuantilePlace dp_quantile_place(const DpQuantileNoise *noise, uint32_t chosen,
										 const int64_t *rows);

typedef struct DpAnswerValue
{
	double estimate; /* NAN: the group is too small to tell */
	double std_error;
	double low, high;
} DpAnswerValue;

typedef struct DpAnswerer DpAnswerer;

/* Prepares the answers of a model. confidence is in (0, 1); the model and its layout must outlive
 * the answerer. */
extern DpStatus dp_answerer_create(const DpModel *model, const DpQueryLayout *layout,
								   double confidence, DpAnswerer **out, const DpTick *tick,
								   DpArena *arena) DP_MUST_USE;
/*
 * Half of the interval of a measure, as far as public facts tell: it reads no cell.
 *
 * Of counts and sums it is that of every group. Of a mean, divided by the number of rows that was
 * released for the group, it is the most by which an end lies off the quotient: the noise is the
 * largest where the mean is an end of the range. Of a variance the same, but to the first order in
 * the noise; of a deviation it is that of the variance. Of a quantile it is a number of rows: an
 * end passes the edge of a zone if the noisy number of rows between that and the quantile is
 * larger, so it reaches so many rows to each side, and on to the next edge.
 */
extern double dp_answer_half_width(const DpAnswerer *answerer, uint32_t measure);
/* One measure of one group. */
extern DpStatus dp_answer_value(DpAnswerer *answerer, uint32_t measure, uint64_t cell,
								DpAnswerValue *out) DP_MUST_USE;
/*
 * What one measure of one group would be if the noise of its statistics came once more upon what was
 * released: [DP_QUERY_DRAWS] numbers. Draw d has the same noises in all measures of a group, so
 * that what is computed from several of them has its joint distribution. false: a quantile, of which
 * there are none.
 */
extern bool dp_answer_draws(const DpAnswerer *answerer, uint32_t measure, uint64_t cell,
							double *draw) DP_MUST_USE;

#endif
