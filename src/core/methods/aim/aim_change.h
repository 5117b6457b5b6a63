/*
 * aim_change.h -- how far the expected counts of the pairs of a set have moved since the set was
 * scored. This is a function of released numbers and of which sets were scored. It decides which
 * scores are computed again.
 */
#ifndef DP_AIM_CHANGE_H
#define DP_AIM_CHANGE_H

#include "core/plan/graphical_measure.h"

typedef struct DpAimChange
{
	const DpGraphicalMeasure *measure;
	uint32_t columns;
	uint32_t *pair;    /* [columns x columns] index of its marginal, or none; NULL: none */
	double **expected; /* [marginals] counts of a pair when last scored; NULL: not tracked */
	double *way;       /* [marginals] way of a pair so far, in rows, L1 */
	double *at_score;  /* [marginals] ways of its pairs when last scored; infinite: never */
} DpAimChange;

/* Tracks pairs, in their order, while they have at most the given number of cells together. */
extern DpStatus dp_aim_change_open(DpAimChange *change, const DpGraphicalMeasure *measure,
								   uint64_t cells_max) DP_MUST_USE;
extern void dp_aim_change_close(DpAimChange *change);
/* Records that a marginal was scored, with its expected counts of the last fit. */
extern void dp_aim_change_scored(DpAimChange *change, uint32_t i, const double *expected);
/* How far the pairs of a set have moved since it was scored: rows, in L1, summed over the pairs.
 * Infinite if a pair is not tracked, or if the set has fewer than three columns. */
extern double dp_aim_change_since(const DpAimChange *change, uint32_t i);

#endif
