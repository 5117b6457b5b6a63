/*
 * combine.h -- inference from several synthetic sets: m estimates are combined to one with
 * its uncertainty.
 */
#ifndef DP_COMBINE_H
#define DP_COMBINE_H

#include "core/base/status.h"

typedef enum DpCombineRule
{
	DP_COMBINE_PRIVATE = 0,        /* T = B/m + W: noisy or partially synthetic sets */
	DP_COMBINE_FULLY_SYNTHETIC = 1 /* T = (1 + 1/m) B - W: sets drawn from a posterior */
} DpCombineRule;

typedef struct DpCombined
{
	double estimate;
	double standard_error;
	double df; /* of Student's t; may be infinite */
	double low;
	double high;
} DpCombined;

typedef struct DpCombinedTest
{
	double statistic;
	double df1;
	double df2; /* may be infinite */
	double p;
} DpCombinedTest;

/* Combines m >= 2 estimates with standard errors >= 0, all finite; confidence in (0, 1).
 * DP_ERR_ARGUMENT where they are not so. */
extern DpStatus dp_combine_estimates_of(const double *estimate, const double *standard_error,
										uint32_t m, double confidence, DpCombineRule rule,
										DpCombined *out) DP_MUST_USE;
/* Combines m >= 2 chi-square statistics >= 0, each with df > 0 degrees of freedom.
 * DP_ERR_ARGUMENT where they are not so. */
extern DpStatus dp_combine_chi_square_of(const double *statistic, uint32_t m, double df,
										 DpCombinedTest *out) DP_MUST_USE;

/* P[F >= x], F with df1 and df2 degrees of freedom; df2 may be infinite. */
extern double dp_f_above(double x, double df1, double df2);
/* The t with P[|T| <= t] = confidence. df may be infinite. */
extern double dp_student_two_sided(double confidence, double df);

#endif
