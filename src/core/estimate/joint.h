/*
 * joint.h -- a distribution over all cells of a few attributes, and its margins. It is a
 * product of factors, each over a set of attributes; the margins are those over these sets.
 *
 *     x(c) = prod_s exp(theta_s(c restricted to s)) / Z
 *
 * The cells of x are never all in memory while it is worked with. They are made from the factors
 * chunk by chunk, in cache, and added to the margins at once.
 */
#ifndef DP_JOINT_H
#define DP_JOINT_H

#include <stdint.h>

#include "core/base/arena.h"
#include "core/base/status.h"

#define DP_JOINT_ATTRIBUTES_MAX 27             /* 2^27 > DP_JOINT_CELLS_MAX */
#define DP_JOINT_CELLS_MAX UINT64_C(100000000) /* cells of one joint distribution */
#define DP_JOINT_WAYS_MAX 8 /* the most attributes of a set, where all sets of one size are meant */

typedef struct DpJointNode DpJointNode;

/* Arrays over a set are dense and row-major, with its attributes ascending. */
typedef struct DpJoint
{
	DpArena *arena;
	uint32_t attributes; /* 1..DP_JOINT_ATTRIBUTES_MAX */
	uint32_t levels[DP_JOINT_ATTRIBUTES_MAX];
	uint64_t cells;
	uint32_t sets;
	uint32_t *mask;       /* [sets] distinct; bit a = attribute a */
	uint64_t *set_cells;  /* [sets] */
	double **margin;      /* [sets] margins of the last evaluation; each sums to 1 */
	DpJointNode *root;    /* the tree of tables, each summed from the one above */
	DpJointNode **holder; /* [sets] the node of each set */
	uint64_t chunk_cells;
	double *chunk;
	uint64_t buffer_cells; /* doubles that dp_joint_ready allocates */
} DpJoint;

/* The number of cells of a set; saturates. */
extern uint64_t dp_joint_set_cells(const uint32_t *levels, uint32_t mask);
/* Plans how the margins are found, and allocates no array yet. Sets must be distinct, nonempty
 * and within the attributes, and there are at most DP_JOINT_CELLS_MAX cells. DP_ERR_ARGUMENT,
 * DP_ERR_MEMORY. */
extern DpStatus dp_joint_init(DpJoint *joint, const uint32_t *levels, uint32_t attributes,
							  const uint32_t *mask, uint32_t sets, DpArena *arena) DP_MUST_USE;
/* Allocates the arrays that dp_joint_evaluate works in. */
extern DpStatus dp_joint_ready(DpJoint *joint) DP_MUST_USE;
/*
 * Sets margin[] to the margins of x with these theta[s][set_cells[s]], each finite. DP_ERR_RANGE:
 * every cell underflows, or theta is not finite. margin must not be used then.
 */
extern DpStatus dp_joint_evaluate(DpJoint *joint, double *const *theta,
								  const DpTick *tick) DP_MUST_USE;
/* Writes all cells of x, after dp_joint_evaluate: out[cells], with sum 1. */
extern void dp_joint_fill(const DpJoint *joint, double *out, const DpTick *tick);
/* Sets out[set_cells] to the margin of a dense array over the set. */
extern void dp_joint_project(const uint32_t *levels, uint32_t attributes, const double *dense,
							 uint32_t mask, double *out);
/* Frees the plan and its arrays. */
extern void dp_joint_free(DpJoint *joint);

/* The innermost loops of joint.c: a large array and a small one over some of its axes. */

/* Neighbouring axes of the large array that are all kept, or all dropped, in the small one: treated
 * as one axis. */
typedef struct DpRun
{
	uint64_t length;
	uint64_t step;       /* in the large array */
	uint64_t step_small; /* in the small one; 0 = dropped */
} DpRun;

/* The runs pair each cell of large with one of small: here large[i] = small[...]. runs >= 1; the
 * last has step 1. */
extern void dp_runs_assign(double *large, const double *small, const DpRun *run, uint32_t runs);
/* large[i] *= small[...] */
extern void dp_runs_multiply(double *large, const double *small, const DpRun *run, uint32_t runs);
/* small[...] += large[i] */
extern void dp_runs_sum(const double *large, double *small, const DpRun *run, uint32_t runs);
/* The sum in a fixed order, so that it is the same on every machine. */
extern double dp_sum(const double *value, uint64_t n);

#endif
