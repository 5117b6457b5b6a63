/*
 * fit.h -- rows from noisy marginals: one place for all ways to do it.
 * Post-processing.
 *
 * The solvers that end in a joint table stand in one table in fit.c; a new one is a line there
 * and a word in DP_SOLVERS. The graphical one (fit_graphical.h) has no such table.
 */
#ifndef DP_FIT_H
#define DP_FIT_H

#include "domain.h"
#include "options.h"
#include "rng.h"

#define DP_SOLVERS "entropic|centred|ridge|graphical" /* in the order of DpSolver */

#define DP_FIT_RESIDUAL 0.85

typedef enum DpSolver
{
	DP_SOLVER_ENTROPIC,
	DP_SOLVER_CENTRED,
	DP_SOLVER_RIDGE,
	DP_SOLVER_GRAPHICAL
} DpSolver;

#define DP_SPEC_SOLVER                                                                             \
	{                                                                                              \
		.name = "solver", .type = DP_OPTION_CHOICE, .fallback = "entropic", .choices = DP_SOLVERS, \
		.summary =                                                                                 \
			"How the joint distribution is found: the nearly largest entropy that fits as "        \
			"well as the noise allows, or step-up equations centred on independence, those "       \
			"of the paper, or a graphical model, which needs no joint table."                      \
	}
#define DP_SPEC_LAMBDA                                                                             \
	{                                                                                              \
		.name = "lambda", .type = DP_OPTION_SHARE, .fallback = "0.001", .minimum = 1,              \
		.maximum = INT64_C(1000000000000), .summary = "Penalty of the step-up equations."          \
	}
#define DP_SPEC_CELL_LIMIT                                                                         \
	{                                                                                              \
		.name = "cell_limit", .type = DP_OPTION_INTEGER, .fallback = "10000000", .minimum = 1,     \
		.maximum = 100000000,                                                                      \
		.summary = "Cells that the joint table may have; with solver graphical, all cliques."      \
	}

/* A noisy table: dense, row-major, attributes (indexes in the domain) ascending. */
typedef struct DpFitTable
{
	uint32_t n;
	const uint32_t *attribute;
	uint64_t cells;
	const int64_t *count; /* [cells] rows, or */
	const double *value;  /* this, if count is NULL */
	double variance;      /* of the noise of a cell, rows^2; >= 0 */
} DpFitTable;

typedef struct DpFitInput
{
	const DpDomain *domain;
	uint32_t tables;
	const DpFitTable *table;
	double rows; /* what the tables' totals should be; less than 1 counts as 1 */
	DpSolver solver;
	double lambda;
	uint64_t cell_limit; /* of the joint table; graphical: of all cliques */
	/* entropic stops at so much of what noise explains; 0 = DP_FIT_RESIDUAL */
	double residual;
} DpFitInput;

/* Whether a solver can do it, from sizes alone: DP_ERR_LIMIT names the number, the limit and the remedy,
 * DP_ERR_ARGUMENT for tables that are not as above. count and value are not looked at. */
extern DpStatus dp_fit_check(const DpFitInput *input, DpArena *arena, DpError *error) DP_MUST_USE;
/* Bytes that dp_fit_prepare needs at its peak, of a checked input. */
extern DpStatus dp_fit_memory(const DpFitInput *input, DpArena *arena, uint64_t *bytes) DP_MUST_USE;
/* Solves; the sampler is read-only. */
extern DpStatus dp_fit_prepare(const DpFitInput *input, DpArena *arena, const DpTick *tick,
							   void **sampler, DpError *error) DP_MUST_USE;
extern void dp_fit_draw(const void *sampler, DpPrng *prng, uint32_t *codes);
/*
 * margin[i], allocated: proportions of the entropic fit over the attributes of wanted[i], of which only n,
 * attribute and cells are looked at. Of an input without tables: uniform.
 */
extern DpStatus dp_fit_margins(const DpFitInput *input, const DpFitTable *wanted, uint32_t n,
							   DpArena *arena, const DpTick *tick, double **margin,
							   DpError *error) DP_MUST_USE;

#endif
