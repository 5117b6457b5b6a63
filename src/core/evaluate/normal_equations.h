/*
 * normal_equations.h -- a symmetric positive matrix as L times its transpose. A column that is a
 * combination of those before it is left out, as statistical software does with collinear terms.
 */
#ifndef DP_NORMAL_EQUATIONS_H
#define DP_NORMAL_EQUATIONS_H

#include "core/base/arena.h"

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

#endif
