/*
 * quasi_newton.h -- the minimum of a smooth convex function of many variables, by
 * limited-memory BFGS (Nocedal and Wright, "Numerical optimization", 2006, algorithm 7.4). It
 * starts from a diagonal that the function gives with its gradient.
 */
#ifndef DP_QUASI_NEWTON_H
#define DP_QUASI_NEWTON_H

#include "core/base/arena.h"

#define DP_NEWTON_PAIRS 6
#define DP_NEWTON_PAIRS_MAX 30

typedef struct DpObjective
{
	void *context;
	uint64_t n;
	/* How many changes of x and of the gradient are remembered, at most DP_NEWTON_PAIRS_MAX; 0:
	 * DP_NEWTON_PAIRS. More of them save evaluations where the function is badly conditioned. */
	uint32_t pairs;
	/* Returns the value. Sets gradient[n], and curvature[n] > 0, which is roughly the diagonal
	 * of the second derivative. */
	double (*value)(void *context, const double *x, double *gradient, double *curvature);
	/* Projects on a subspace that contains the minimum and the start x; NULL: on the whole
	 * space. Its transpose must leave the gradients of the function as they are. */
	void (*project)(void *context, double *direction);
	/* Whether the gradient is as small as it need be. */
	bool (*done)(void *context, const double *gradient);
} DpObjective;

/* The bytes that dp_newton_minimise needs for n variables and DP_NEWTON_PAIRS. */
extern uint64_t dp_newton_bytes(uint64_t n);
/* Moves x[n] until done, for at most evaluations_max evaluations of the function; *evaluations
 * says how many there were. At the end x is the best point, and the function was last evaluated
 * there. */
extern DpStatus dp_newton_minimise(const DpObjective *objective, double *x,
								   uint32_t evaluations_max, uint32_t *evaluations,
								   const DpTick *tick, DpArena *arena) DP_MUST_USE;

#endif
