/*
 * regression_pass.h -- the passes of a regression over its rows: the loss, the gradient and the
 * matrix of the normal equations at some coefficients.
 */
#ifndef DP_REGRESSION_PASS_H
#define DP_REGRESSION_PASS_H

#include "core/base/arena.h"
#include "core/evaluate/regression_model.h"

/*
 * The Cholesky factor of a symmetric positive matrix, row by row. A column that is a combination of
 * those before it is left out, as statistical software does with collinear terms.
 */
typedef struct DpFactor
{
	uint32_t n;
	double *l;  /* [n x n] the lower triangle: first of the matrix, then of its factor */
	bool *kept; /* [n] of a row that is not kept, L has its products with the rows before */
} DpFactor;

/* A matrix of zeros with all columns kept. */
extern DpStatus dp_factor_init(DpFactor *factor, uint32_t n, DpArena *arena) DP_MUST_USE;
extern void dp_factor_free(DpFactor *factor, DpArena *arena);
extern void dp_factor_clear(DpFactor *factor);
/*
 * Factors the matrix in its place. Columns that are not kept stay out, and so does each whose
 * square that is left is at most tolerance times its own. Returns how many are kept.
 */
extern uint32_t dp_factor_make(DpFactor *factor, double tolerance, const DpTick *tick);
/* Solves L L' x = b in the place of b. x is 0 for columns that are not kept. */
extern void dp_factor_solve(const DpFactor *factor, double *b);
/* The square of the length of the solution of L y = a, which is a' (L L')^-1 a. Uses a. */
extern double dp_factor_square(const DpFactor *factor, double *a);
/* Sets z to the combination of kept columns before column that gives that column, which is not
 * kept. */
extern void dp_factor_combination(const DpFactor *factor, uint32_t column, double *z);

#define DP_COLLINEAR_TOLERANCE 1e-10 /* of a column's square: what is left of a collinear one */

/* Where a row is. */
typedef enum DpRowPlace
{
	DP_ROW_IN = 0,
	DP_ROW_ASIDE,   /* for good */
	DP_ROW_CERTAIN, /* as good as certain: to be put aside, if that makes a difference */
} DpRowPlace;

typedef struct DpFit
{
	const DpRegressionModel *model;
	const DpObservations *rows;
	const DpTick *tick;
	DpDesign *design;
	DpDesignRow row;
	DpFactor factor;
	double total;     /* of the weights */
	uint8_t *place;   /* [rows] a DpRowPlace */
	double *fitted;   /* [rows] */
	double *beta;     /* [terms] of the standardised design */
	double *gradient; /* [terms] upwards */
	double *step, *tried;
} DpFit;

/* The loss at beta of the rows that are not aside; sets the gradient and, with the matrix, the
 * second derivative. */
extern double dp_fit_pass(DpFit *fit, const double *beta, double *gradient, bool matrix);
/* X'WX of the rows that are not aside. */
extern void dp_fit_pass_plain(DpFit *fit);
/* How many of n terms are kept. */
extern uint32_t dp_fit_kept(const bool *kept, uint32_t n);

#endif
