/*
 * fit_entropic.h -- solver "entropic": cleaned tables, then mirror descent.
 */
#ifndef DP_FIT_ENTROPIC_H
#define DP_FIT_ENTROPIC_H

#include "fit_problem.h"

/* The joint (ready, evaluated) over the problem's tables, other[0..others-1] and all single
 * attributes; set_of[i] is the set of other[i]. others may be 0. */
extern DpStatus dp_fit_entropic(const DpFitProblem *problem, const uint32_t *other, uint32_t others,
								uint32_t *set_of, DpArena *arena, const DpTick *tick,
								DpJoint *joint) DP_MUST_USE;
/* Bytes at its peak. */
extern DpStatus dp_fit_entropic_memory(const DpFitProblem *problem, DpArena *arena,
									   uint64_t *bytes) DP_MUST_USE;

#endif
