/*
 * regression.h -- linear regression by least squares and logistic regression by maximum likelihood
 * of distinct rows with weights, with standard errors.
 *
 * What cannot be estimated is said of each term, and the others are estimated without it.
 */
#ifndef DP_REGRESSION_H
#define DP_REGRESSION_H

#include "core/evaluate/regression_model.h"
#include "core/evaluate/regression_pass.h"

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
