/*
 * aim_change.h -- how far fits have moved on the pairs of a set since it was scored: a function of
 * what was released and of which sets were scored. It decides which scores are computed anew.
 */
#ifndef DP_AIM_CHANGE_H
#define DP_AIM_CHANGE_H

#include "core/plan/graphical_measure.h"

typedef struct DpAimChange
{
	const DpGraphicalMeasure *measure;
	uint32_t columns;
	uint32_t *pair; /* [columns x columns] the number of its marginal, or of none; NULL: of none */
	double **expected; /* [marginals] of a pair when it was last scored; NULL: it is not followed */
	double *way;       /* [marginals] of a pair: rows that it moved so far, in L1 */
	double *at_score;  /* [marginals] the ways of its pairs when it was scored; infinite: never */
} DpAimChange;

/* Follows pairs, in their order, as long as they have at most so many cells together. */
extern DpStatus dp_aim_change_open(DpAimChange *change, const DpGraphicalMeasure *measure,
								   uint64_t cells_max) DP_MUST_USE;
extern void dp_aim_change_close(DpAimChange *change);
/* Tells that a marginal was scored, and what the last fit expects of it. */
extern void dp_aim_change_scored(DpAimChange *change, uint32_t i, const double *expected);
/* Rows that the pairs of a set have moved since it was scored, in L1 and in all; infinite where one
 * is not followed, and of sets that have less than three columns. */
extern double dp_aim_change_since(const DpAimChange *change, uint32_t i);

#endif
