/*
 * fit_entropic.h -- the solver "entropic": it cleans tables, then runs mirror descent.
 */
#ifndef DP_FIT_ENTROPIC_H
#define DP_FIT_ENTROPIC_H

#include "core/sample/fit_problem.h"

/* Sets that the joint distribution needs in addition to those of the problem. */
typedef struct DpExtraSets
{
	uint32_t n;
	const uint32_t *mask; /* [n] */
	uint32_t *set_of;     /* [n] output: the index of each among the sets of the joint */
} DpExtraSets;

/* Computes the joint distribution (ready and evaluated) over the sets of the tables of the
 * problem, the extra sets (NULL: none) and all single attributes. */
extern DpStatus dp_fit_entropic(const DpFitProblem *problem, const DpExtraSets *extra,
								DpJoint *joint, const DpTick *tick, DpArena *arena) DP_MUST_USE;
/* The bytes that dp_fit_entropic needs at its peak. */
extern DpStatus dp_fit_entropic_memory(const DpFitProblem *problem, uint64_t *bytes,
									   DpArena *arena) DP_MUST_USE;

#endif
