/*
 * regression_model.h -- what is fitted, and what can come of it.
 */
#ifndef DP_REGRESSION_MODEL_H
#define DP_REGRESSION_MODEL_H

#include "core/evaluate/design.h"

typedef enum DpFamily
{
	DP_FAMILY_LINEAR = 0,
	DP_FAMILY_LOGISTIC = 1
} DpFamily;

typedef enum DpTermState
{
	DP_TERM_FITTED = 0,
	DP_TERM_ABSENT,    /* no row has the level, or the number is the same in all rows */
	DP_TERM_COLLINEAR, /* a combination of terms before it */
	DP_TERM_SEPARATED, /* the likelihood grows without end: there is no finite estimate */
	DP_TERM_LEFT_OUT   /* as the caller said */
} DpTermState;

typedef enum DpFitState
{
	DP_FIT_DONE = 0,
	DP_FIT_EMPTY,     /* no rows */
	DP_FIT_CONSTANT,  /* the outcome is the same in all rows */
	DP_FIT_FEW_ROWS,  /* no more rows than terms */
	DP_FIT_SEPARATED, /* the terms tell the outcome of each row */
	DP_FIT_NOT_CONVERGED
} DpFitState;

typedef struct DpRegressionModel
{
	DpFamily family;
	const DpPredictor *predictor;
	uint32_t predictors;
	bool pairs;
	const bool *left_out; /* [terms] or NULL */
	double ridge;         /* half of it times the squared coefficients but the intercept is added */
	/* With a ridge and many terms: the fit ends when its last steps lowered the loss by less than
	 * this a row; 0: when it is at the minimum. */
	double progress;
} DpRegressionModel;

#endif
