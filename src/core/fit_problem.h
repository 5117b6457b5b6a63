/*
 * fit_problem.h -- what the files fit*.c share: the input in the form that
 * solvers work on.
 */
#ifndef DP_FIT_PROBLEM_H
#define DP_FIT_PROBLEM_H

#include "anova.h"
#include "fit.h"
#include "joint.h"

/* Attributes of one level are left out, tables over the same set are pooled. */
typedef struct DpFitProblem
{
	uint32_t attributes;                     /* >= 1 */
	uint32_t index[DP_JOINT_ATTRIBUTES_MAX]; /* in the domain */
	uint32_t levels[DP_JOINT_ATTRIBUTES_MAX];
	uint64_t cells;
	uint32_t tables;
	uint32_t tables_room;
	DpNoisyTable *table; /* distinct sets */
	double rows;
	double residual; /* as of the input */
} DpFitProblem;

/* values: fill table[].value too. DP_ERR_LIMIT where there are more cells than input->cell_limit. */
extern DpStatus dp_fit_problem(const DpFitInput *input, bool values, DpArena *arena,
							   DpFitProblem *problem, DpError *error) DP_MUST_USE;
/* The set of a table, in the problem's attributes. */
extern uint32_t dp_fit_mask(const DpFitProblem *problem, const DpFitTable *table);
extern void dp_fit_problem_free(DpFitProblem *problem, DpArena *arena);

#endif
