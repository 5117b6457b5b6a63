/*
 * joint.h -- a distribution over all cells of a few attributes that is a
 * product of factors, each over a set of them, and its margins over these sets.
 *
 *     x(c) = prod_s exp(theta_s(c restricted to s)) / Z
 *
 * The cells of x are never all in memory while it is worked with: they are made
 * slab by slab, in cache, from the factors, and added up to the margins at once.
 */
#ifndef DP_JOINT_H
#define DP_JOINT_H

#include "arena.h"

#define DP_JOINT_ATTRIBUTES_MAX 27             /* 2^27 > DP_JOINT_CELLS_MAX */
#define DP_JOINT_CELLS_MAX UINT64_C(100000000) /* cells of one joint distribution */
#define DP_JOINT_WAYS_MAX 8 /* attributes of a set, where all of one size are meant */

typedef struct DpJointNode DpJointNode;

/* Arrays over a set are dense, row-major, its attributes ascending. */
typedef struct DpJoint
{
	DpArena *arena;
	uint32_t attributes; /* 1..DP_JOINT_ATTRIBUTES_MAX */
	uint32_t levels[DP_JOINT_ATTRIBUTES_MAX];
	uint64_t cells;
	uint32_t sets;
	uint32_t *mask;       /* [sets] distinct; bit a = attribute a */
	uint64_t *set_cells;  /* [sets] */
	double **margin;      /* [sets] of the last evaluation: sums to 1 */
	DpJointNode *root;    /* who is summed out of whom */
	DpJointNode **holder; /* [sets] the node of each set */
	uint64_t slab_cells;
	double *slab;
	uint64_t buffer_cells; /* doubles that dp_joint_ready allocates */
} DpJoint;

/* Cells of a set; saturates. */
extern uint64_t dp_joint_set_cells(const uint32_t *levels, uint32_t mask);
/* Plans how the margins are found; no array yet. Sets are distinct, nonempty, within attributes;
 * cells <= DP_JOINT_CELLS_MAX. DP_ERR_ARGUMENT, DP_ERR_MEMORY. */
extern DpStatus dp_joint_init(DpJoint *joint, DpArena *arena, const uint32_t *levels,
							  uint32_t attributes, const uint32_t *mask, uint32_t sets) DP_MUST_USE;
/* Allocates what dp_joint_evaluate works in. */
extern DpStatus dp_joint_ready(DpJoint *joint) DP_MUST_USE;
/*
 * Sets margin[] to those of x with these theta[s][set_cells[s]], each finite. DP_ERR_RANGE where
 * every cell underflows (or theta is not finite): margin is not to be used then.
 */
extern DpStatus dp_joint_evaluate(DpJoint *joint, double *const *theta,
								  const DpTick *tick) DP_MUST_USE;
/* All cells of x, after dp_joint_evaluate: out[cells], sums to 1. */
extern void dp_joint_fill(const DpJoint *joint, double *out, const DpTick *tick);
/* out[set_cells] = margin of a dense array over the set. */
extern void dp_joint_project(const uint32_t *levels, uint32_t attributes, const double *dense,
							 uint32_t mask, double *out);
/* All of it. */
extern void dp_joint_free(DpJoint *joint);

#endif
