/*
 * anova.h -- consistent, shrunken tables from noisy ones that share attributes.
 * Post-processing.
 */
#ifndef DP_ANOVA_H
#define DP_ANOVA_H

#include "arena.h"

/* A noisy table over a set of attributes: dense, row-major, attributes ascending. */
typedef struct DpNoisyTable
{
	uint32_t mask;   /* bit a = attribute a; not 0 */
	uint64_t cells;  /* dp_joint_set_cells */
	double *value;   /* [cells] rows */
	double variance; /* of the noise of a cell, rows^2; > 0 */
} DpNoisyTable;

/*
 * clean[t][cells], allocated by the callee: proportions >= 0 with sum 1, for each of the tables. Each
 * table of clean is what all tables together say of it. rows > 0: their number. shrink: damp what
 * is no more than noise. See anova.c.
 */
extern DpStatus dp_anova_clean(const uint32_t *levels, const DpNoisyTable *table, uint32_t tables,
							   double rows, bool shrink, DpArena *arena, const DpTick *tick,
							   double **clean) DP_MUST_USE;
/* In place, along each axis: to orthonormal contrasts (the first is the mean times the root of the number
 * of levels) and back. */
extern void dp_contrasts(double *value, const uint32_t *levels, uint32_t mask, bool inverse);

#endif
