/*
 * regression_pass.h -- the passes of a regression over its rows: the loss, the gradient and the
 * matrix of the normal equations at some coefficients.
 */
#ifndef DP_REGRESSION_PASS_H
#define DP_REGRESSION_PASS_H

#include "core/evaluate/normal_equations.h"
#include "core/evaluate/regression_model.h"

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
