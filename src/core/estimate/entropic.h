/*
 * entropic.h -- the distribution of nearly largest entropy whose margins fit noisy ones as
 * well as the noise allows. Post-processing.
 */
#ifndef DP_ENTROPIC_H
#define DP_ENTROPIC_H

#include "core/estimate/joint.h"

/* What is to be fitted. The tables are over the first sets of the joint, in order. */
typedef struct DpEntropicGoal
{
	uint32_t tables;
	double *const *fitted; /* [tables][set_cells] proportions that the margins are drawn to */
	double *const *noisy;  /* [tables][set_cells] proportions as they were measured */
	const double *weight;  /* [tables] in (0, 1] */
	double residual_max;   /* stop as soon as sum weight |margin - noisy|^2 is no more than this */
	uint32_t iterations_max;
} DpEntropicGoal;

/* theta[s][set_cells], for every set s of the joint, is the start and becomes the result. The
 * joint must be ready (dp_joint_ready). Its margins are those of the result. *iterations (may be
 * NULL): steps taken. */
extern DpStatus dp_entropic_solve(DpJoint *joint, const DpEntropicGoal *goal, double **theta,
								  uint32_t *iterations, const DpTick *tick) DP_MUST_USE;

#endif
