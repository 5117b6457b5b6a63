/*
 * regression_logistic.h -- the maximum of a logistic likelihood, by Newton's method.
 */
#ifndef DP_REGRESSION_LOGISTIC_H
#define DP_REGRESSION_LOGISTIC_H

#include "core/evaluate/regression_pass.h"

/* Sets beta, of the terms that are kept. What is separated is put aside, until nothing is: it is no
 * longer kept, and state says so. At the end the factor is that of the second derivative at
 * beta. */
extern DpFitState dp_logistic_climb(DpFit *fit, bool *kept, DpTermState *state);

#endif
