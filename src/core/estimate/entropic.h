/*
 * entropic.h -- the distribution of nearly largest entropy whose margins fit noisy
 * ones as well as their noise allows. Post-processing.
 */
#ifndef DP_ENTROPIC_H
#define DP_ENTROPIC_H

#include "joint.h"

/* What is to be fitted: the first tables of the joint's sets. */
typedef struct DpEntropicGoal
{
	uint32_t tables;
	double *const *fitted; /* [tables][set_cells] proportions that the margins are drawn to */
	double *const *noisy;  /* [tables][set_cells] proportions as they were measured */
	const double *weight;  /* [tables] in (0, 1] */
	double residual_max;   /* stop where sum weight |margin - noisy|^2 is no more */
	uint32_t iterations_max;
} DpEntropicGoal;

/* theta[s][set_cells] for every set of the joint: the start, and the result. The joint is ready, and its
 * margins are the result's. *iterations (may be NULL): steps taken. */
extern DpStatus dp_entropic_solve(DpJoint *joint, const DpEntropicGoal *goal, double **theta,
								  const DpTick *tick, uint32_t *iterations) DP_MUST_USE;

#endif
