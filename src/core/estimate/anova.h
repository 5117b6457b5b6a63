/*
 * anova.h -- consistent, shrunken tables from noisy ones that share attributes.
 * Post-processing.
 */
#ifndef DP_ANOVA_H
#define DP_ANOVA_H

#include "core/base/arena.h"

/* A noisy table over a set of attributes: dense, row-major, attributes ascending. */
typedef struct DpNoisyTable
{
	uint32_t mask;   /* bit a = attribute a; not 0 */
	uint64_t cells;  /* dp_joint_set_cells */
	double *value;   /* [cells] rows */
	double variance; /* of the noise of a cell, rows^2; > 0 */
} DpNoisyTable;

/* Tables over sets of the same attributes. */
typedef struct DpNoisyTables
{
	uint32_t attributes;
	const uint32_t *levels; /* [attributes] */
	uint32_t tables;
	const DpNoisyTable *table; /* [tables] */
	double rows;               /* that each table counts; > 0 */
} DpNoisyTables;

/*
 * Fills clean[t][cells], which the callee allocates, for each of the tables: proportions >= 0 with
 * sum 1. clean[t] is what all tables together say of table t. shrink: also damp interactions that
 * are no more than noise. See anova.c.
 */
extern DpStatus dp_anova_clean(const DpNoisyTables *given, bool shrink, double **clean,
							   const DpTick *tick, DpArena *arena) DP_MUST_USE;
/* Transforms a table in place, along each axis, to orthonormal contrasts, or back (inverse). The
 * first contrast is the mean times the root of the number of levels. */
extern void dp_contrasts(double *value, bool inverse, const uint32_t *levels, uint32_t mask);

#endif
