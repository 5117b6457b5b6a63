/*
 * query_quantile.h -- where a quantile lies, from a leaf that was chosen privately and the noisy
 * counts of all leaves.
 *
 * Let v be the leaf that holds the quantile of a group, and j the one that was chosen, at distance d
 * rows from it (core/select/quantile_score.h). Some leaf has a distance of at most w, the margin of the
 * scores. So with K leaves and the rate c of the choice, d <= w + t with probability 1 - K exp(-c t),
 * whatever the rows are. The rows in the leaves between v
 * and j are d at most. So v is ruled out where the noisy sum of these leaves exceeds w + t by more than
 * its noise does with the probability that is left. It is ruled out, too, where the noisy cumulated
 * counts say that the quantile lies surely before it, or behind it. The interval holds all leaves that
 * are not.
 * docs/methods/query.md has the proof.
 */
#ifndef DP_QUERY_QUANTILE_H
#define DP_QUERY_QUANTILE_H

#include "core/model/query_layout.h"

typedef struct DpQuantileLaw
{
	const DpTable *table; /* of the leaves */
	uint32_t height;
	double confidence;
	double half[DP_LEAVES_HEIGHT_MAX + 1]; /* of the noise of 2^h leaves together */
	double cumulated; /* the same of a sum of squared coefficients 1, for cumulated counts */
} DpQuantileLaw;

/* In leaves. */
typedef struct DpQuantilePlace
{
	uint32_t chosen;
	uint32_t low, high; /* the first and the last leaf of the interval */
} DpQuantilePlace;

/* What the choices of all quantiles by these leaves share. */
extern void dp_quantile_law(const DpTable *leaves, uint32_t height, double confidence,
							DpQuantileLaw *law);
/* w + t: what the distance of a choice in rows exceeds with half of the probability that may fail. */
extern double dp_choice_distance(const DpStatistic *choice, double confidence);
/* The place in one group. */
extern DpQuantilePlace dp_quantile_place(const DpQuantileLaw *law, const DpStatistic *choice,
										 uint32_t chosen, uint64_t cell);

#endif
