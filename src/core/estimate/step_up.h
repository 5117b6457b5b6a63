/*
 * step_up.h -- tables of j attributes from tables of j - 1, by the linear
 * equations of CIPHER. Post-processing.
 */
#ifndef DP_STEP_UP_H
#define DP_STEP_UP_H

#include "anova.h"

#define DP_STEP_UP_ATTRIBUTES_MAX 16 /* 3^17 > DP_JOINT_CELLS_MAX: every set of them gets a table */

/* table[mask]: proportions over a set of attributes; NULL = there is none (yet). */
typedef struct DpStepUp
{
	const uint32_t *levels;
	uint32_t attributes; /* 1..DP_STEP_UP_ATTRIBUTES_MAX */
	double **table;      /* [2^attributes] */
	double lambda;       /* > 0 */
	bool centred;        /* else plain ridge */
	DpArena *arena;
	const DpTick *tick;
} DpStepUp;

/*
 * table[mask] from the tables of mask without one attribute, and of mask without target and another;
 * mask has two attributes or more, target is one of them. See step_up.c.
 */
extern DpStatus dp_step_up_one(DpStepUp *step_up, uint32_t mask, uint32_t target) DP_MUST_USE;
/* Negative cells to 0, the sum to 1, uniform if nothing is left: the paper's correction. */
extern void dp_clip_normalise(double *p, uint64_t n);
/* Cells of all tables on the way, prod (1 + levels) - 1; saturates. */
extern uint64_t dp_step_up_cells(const uint32_t *levels, uint32_t attributes);
/* Memory of dp_step_up_joint, bytes. */
extern uint64_t dp_step_up_memory(const uint32_t *levels, uint32_t attributes);
/*
 * The joint distribution of all attributes from tables over any sets of them (value on any scale;
 * noisy for the plain ridge, clean for the centred one): out[cells], >= 0, sums to 1.
 */
extern DpStatus dp_step_up_joint(const uint32_t *levels, uint32_t attributes,
								 const DpNoisyTable *given, uint32_t tables, double lambda,
								 bool centred, DpArena *arena, const DpTick *tick,
								 double *out) DP_MUST_USE;

#endif
