/*
 * quantile_score.h -- how far a part of a range is from holding a quantile, for private selection.
 *
 * Let n rows lie in the leaves of a range, b of them before a leaf and m in it. It holds the
 * q-quantile if q n is in b..b + m. The distance of a leaf is that of q n from the inner part of
 * this interval, which begins and ends h = min(m/2, w) further inside, where w is a public margin:
 *
 *     d = max(b + h - q n, q n - (b + m - h), 0)
 *
 * So leaves of few rows go by their middle, which tells neighbours apart, and a value that many
 * rows have keeps all quantiles that fall on it, but for w rows at both ends. The leaf that holds
 * the quantile has d <= w.
 *
 * A row that joins a leaf or leaves it moves d of every leaf by at most max(q, 1 - q): q n moves by
 * q, and an end of the inner part by 1 for a row before the leaf, by 0 for one after it, and by 0,
 * 1/2 or 1 for one in it. The score is -d in half billionths of a row, an integer for every q in
 * billionths.
 */
#ifndef DP_QUANTILE_SCORE_H
#define DP_QUANTILE_SCORE_H

#include "core/base/status.h"

/* Public: which quantile is looked for. */
typedef struct DpQuantileRank
{
	int64_t quantile_nano; /* in 1..10^9 - 1 */
	int64_t margin_rows;   /* in 0..2^40 */
} DpQuantileRank;

/* Scores of the leaves of one group: SECRET. Larger is better. */
extern void dp_quantile_scores(const int64_t *leaf, uint64_t leaves, const DpQuantileRank *rank,
							   int64_t *score);

#endif
