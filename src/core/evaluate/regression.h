/*
 * regression.h -- linear regression by least squares and logistic regression by maximum likelihood
 * of distinct rows with weights, with standard errors.
 *
 * What cannot be estimated is said of each term, and the others are estimated without it.
 */
#ifndef DP_REGRESSION_H
#define DP_REGRESSION_H

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

typedef struct DpRegression
{
	DpFitState state;
	DpDesign design;
	double *coefficient;     /* [terms] */
	double *standard_error;  /* [terms]; 0 with a ridge */
	DpTermState *term_state; /* [terms] */
	double rows;             /* the sum of the weights */
	double df;               /* residual degrees of freedom; infinite for a logistic model */
	double *fitted;          /* [rows] of a logistic model: the probability of each row */
} DpRegression;

/* Without a ridge there may be this many terms, and with one ten times as many. */
#define DP_REGRESSION_TERMS_MAX 2000

/*
 * Fits the model. DP_ERR_LIMIT: too many terms. If the state is not DP_FIT_DONE, no coefficient is
 * to be used; term_state still says which terms are absent or collinear, where there are rows.
 */
extern DpStatus dp_regression_fit(const DpRegressionModel *model, const DpObservations *rows,
								  DpRegression *out, const DpTick *tick,
								  DpArena *arena) DP_MUST_USE;
/* Half the width of the interval that holds a coefficient with that confidence, in standard
 * errors: Student's t, which is normal where df is infinite. */
extern double dp_regression_width(const DpRegression *regression, double confidence);

#endif
