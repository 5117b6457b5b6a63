/*
 * query_quantile.h -- where a quantile lies, from leaves that were chosen privately for it and for
 * both ends of its interval.
 *
 * The ends are looked for t rows before and behind the quantile, each by a choice of its own. Where
 * rows lie evenly, a choice is off by more than s rows to one side with probability exp(-c s)/2,
 * where c is its rate. So the low end is behind the quantile with probability exp(-c t)/2. The
 * quantile's own choice j is behind it, too, in half of these cases. The interval from the lesser
 * of the low end and j to the larger of the high end and j then fails with probability exp(-c t)/2.
 *
 * An end is trusted where the group is large enough: the quantile has t rows on the end's own side,
 * so that there is a rank to look for; and on the other side so many that all K leaves behind the
 * last row, if they are empty, together weigh no more than one at the rank: their distance is at
 * least ln(K)/c. Else the interval begins or ends where the range does. docs/methods/query.md says
 * more.
 */
#ifndef DP_QUERY_QUANTILE_H
#define DP_QUERY_QUANTILE_H

#include "core/domain/query.h"

/* What was chosen for a quantile of one group. */
typedef struct DpQuantileChoices
{
	const DpStatistic *quantile, *end; /* its own choice, and that of either end */
	uint32_t chosen, low, high;        /* leaves */
	double rows;                       /* of the group, at least */
} DpQuantileChoices;

/* In leaves. */
typedef struct DpQuantilePlace
{
	uint32_t low, high; /* the first and the last leaf of the interval */
	double stddev;      /* of the quantile's choice; negative: it is not known */
} DpQuantilePlace;

extern DpQuantilePlace dp_quantile_place(const DpQuantileChoices *choices, double confidence);

#endif
