/*
 * lifting.h -- tables of j attributes from tables of j - 1 attributes, by the linear equations
 * of CIPHER. Post-processing.
 */
#ifndef DP_LIFTING_H
#define DP_LIFTING_H

#include "core/estimate/anova.h"

#define DP_LIFTING_ATTRIBUTES_MAX 16 /* each set gets a table; 3^17 > DP_JOINT_CELLS_MAX */

/* table[mask]: proportions over a set of attributes; NULL = there is none (yet). */
typedef struct DpLifting
{
	const uint32_t *levels;
	uint32_t attributes; /* 1..DP_LIFTING_ATTRIBUTES_MAX */
	double **table;      /* [2^attributes] */
	double lambda;       /* > 0 */
	bool centred;        /* else plain ridge */
	DpArena *arena;
	const DpTick *tick;
} DpLifting;

/*
 * Computes table[mask] from the tables of mask without one attribute and of mask without the target
 * and another attribute. mask has two attributes or more, and target is one of them. See lifting.c.
 */
extern DpStatus dp_lifting_one(DpLifting *lifting, uint32_t mask, uint32_t target) DP_MUST_USE;
/* Sets negative cells to 0 and scales the sum to 1; uniform if nothing is left. This is the
 * correction of the paper. */
extern void dp_clip_normalise(double *p, uint64_t n);
/* The cells of all tables on the way, prod (1 + levels) - 1; saturates. */
extern uint64_t dp_lifting_cells(const uint32_t *levels, uint32_t attributes);
/* The memory of dp_lifting_joint in bytes. */
extern uint64_t dp_lifting_memory(const uint32_t *levels, uint32_t attributes);
/* How the equations are solved. */
typedef struct DpLiftingRule
{
	double lambda; /* > 0 */
	bool centred;  /* else plain ridge */
} DpLiftingRule;

/*
 * Computes the joint distribution of all attributes from tables over any sets of them: out[cells],
 * >= 0, with sum 1. The values may be on any scale. They are noisy for the plain ridge, clean for
 * the centred one.
 */
extern DpStatus dp_lifting_joint(const DpNoisyTables *given, DpLiftingRule rule, double *out,
								 const DpTick *tick, DpArena *arena) DP_MUST_USE;

#endif
