/*
 * quasi_newton.h -- the minimum of a smooth convex function of many variables:
 * limited-memory BFGS (Nocedal and Wright, "Numerical optimization", 2006,
 * algorithm 7.4) from a diagonal that the function gives with its gradient.
 */
#ifndef DP_QUASI_NEWTON_H
#define DP_QUASI_NEWTON_H

#include "arena.h"

#define DP_NEWTON_PAIRS 6

typedef struct DpObjective
{
	void *context;
	uint64_t n;
	/* Value, gradient[n] and, of the second derivative, roughly the diagonal: curvature[n] > 0. */
	double (*value)(void *context, const double *x, double *gradient, double *curvature);
	/* Onto a subspace that has the minimum and in which x starts; NULL: all of it. For the function's
	 * gradients its transpose must be the identity. */
	void (*project)(void *context, double *direction);
	/* Whether the gradient is as small as it need be. */
	bool (*done)(void *context, const double *gradient);
} DpObjective;

/* Bytes for n variables. */
extern uint64_t dp_newton_bytes(uint64_t n);
/* Moves x[n] until done, or for so many evaluations of the function; *evaluations says how many it were.
 * x is the best point, and the function was last evaluated there. */
extern DpStatus dp_newton_minimise(const DpObjective *objective, double *x,
								   uint32_t evaluations_max, uint32_t *evaluations, DpArena *arena,
								   const DpTick *tick) DP_MUST_USE;

#endif
