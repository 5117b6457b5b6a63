/*
 * fit_entropic.h -- the solver "entropic": it cleans tables, then runs mirror descent.
 */
#ifndef DP_FIT_ENTROPIC_H
#define DP_FIT_ENTROPIC_H

#include "core/estimate/anova.h"
#include "core/estimate/joint.h"
#include "core/sample/fit_input.h"

/* What the files fit*.c share: the input in the form that solvers work on. */

/* The input without attributes of one level, and with tables over the same set averaged to one.
 * Priors are tables too, if the solver weighs tables by their noise. */
typedef struct DpFitProblem
{
	uint32_t attributes;                     /* >= 1 */
	uint32_t index[DP_JOINT_ATTRIBUTES_MAX]; /* in the domain */
	uint32_t levels[DP_JOINT_ATTRIBUTES_MAX];
	uint64_t cells;
	uint32_t tables;
	uint32_t tables_capacity;
	DpNoisyTable *table; /* distinct sets */
	double rows;
	double residual;        /* that of the input */
	const DpDomain *domain; /* the input's, with its zeros and priors */
} DpFitProblem;

/* Makes the problem. values: fill table[].value too. DP_ERR_LIMIT: there are more cells than
 * input->cell_limit. */
extern DpStatus dp_fit_problem(const DpFitInput *input, bool values, DpFitProblem *problem,
							   DpArena *arena, DpError *error) DP_MUST_USE;
/* The tables of the problem, as anova.h takes them. */
extern DpNoisyTables dp_fit_tables(const DpFitProblem *problem);
/* The set of a table as a mask over the attributes of the problem. */
extern uint32_t dp_fit_mask(const DpFitProblem *problem, const DpFitTable *table);
/* Checks that tables are as DpFitTable says. DP_ERR_ARGUMENT. */
extern DpStatus dp_fit_check_tables(const DpFitInput *input, DpError *error) DP_MUST_USE;
/* Sets the forbidden cells of a dense table over a set to value. Returns whether it has any. */
extern bool dp_fit_zeros_fill(const DpFitProblem *problem, uint32_t mask, double *cells,
							  double value);
/*
 * Appends to the n given masks up to capacity sets that have zeros and that none of the given ones
 * holds. Returns the new number of masks. More sets would be slow; those that are left out must be
 * filled into the joint table.
 */
extern uint32_t dp_fit_zero_masks(const DpFitProblem *problem, uint32_t n, uint32_t *mask,
								  uint32_t capacity);
extern void dp_fit_problem_free(DpFitProblem *problem, DpArena *arena);

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
