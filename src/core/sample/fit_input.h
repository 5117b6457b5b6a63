/*
 * fit_input.h -- what rows are fitted to: noisy tables, and the solver that is to do it.
 */
#ifndef DP_FIT_INPUT_H
#define DP_FIT_INPUT_H

#include "core/domain/attribute_set.h"

#define DP_SOLVERS "entropic|centred|ridge|graphical" /* in the order of DpSolver */

#define DP_FIT_RESIDUAL 0.85

typedef enum DpSolver
{
	DP_SOLVER_ENTROPIC,
	DP_SOLVER_CENTRED,
	DP_SOLVER_RIDGE,
	DP_SOLVER_GRAPHICAL
} DpSolver;

/* A noisy table. It is dense and row-major, with ascending attributes. */
typedef struct DpFitTable
{
	DpAttributeSet of;
	uint64_t cells;
	const int64_t *count; /* [cells] rows; NULL: value is used */
	const double *value;  /* [cells] the same as doubles, used if count is NULL */
	double variance;      /* of the noise of a cell, rows^2; >= 0 */
} DpFitTable;

typedef struct DpFitInput
{
	const DpDomain *domain;
	uint32_t tables;
	const DpFitTable *table;
	double rows; /* the number of rows that tables should add up to; less than 1 counts as 1 */
	DpSolver solver;
	double lambda;
	uint64_t cell_limit; /* most cells of the joint table; graphical: of all cliques */
	/* entropic stops when the residual is this share of what noise explains; 0 = DP_FIT_RESIDUAL */
	double residual;
} DpFitInput;

#endif
