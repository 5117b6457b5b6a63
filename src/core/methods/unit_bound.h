/*
 * unit_bound.h -- the contribution bound of a query that finds it by itself: of the rows of a unit,
 * or of a sum.
 *
 * Units are counted by their size (unit_sizes.h). Each unit is in at most one class, so adding or
 * removing a unit changes one number by one, and replacing one changes two numbers by one each. The
 * numbers get noise, and the bound is chosen from them: a larger bound means more noise, a smaller
 * one cuts off more.
 */
#ifndef DP_UNIT_BOUND_H
#define DP_UNIT_BOUND_H

#include "core/domain/unit_sizes.h"
#include "core/plan/privacy_measure.h"

/* The noise on the numbers of units, for Laplace and for Gaussian noise. */
extern DpLaplace dp_units_laplace(const DpPrivacyMeasure *privacy_measure, int64_t amount);
extern DpGaussian dp_units_gaussian(const DpPrivacyMeasure *privacy_measure, int64_t amount);

/* The inputs of the choice of a bound, all public or released. */
typedef struct DpUnitFit
{
	DpUnitSizes sizes;
	int64_t hidden;      /* the bound if noise hides the number of units; 1..sizes.most */
	const double *units; /* [classes] noisy */
	double units_stddev; /* of each */
	double noise_stddev; /* of the noise in a group at a bound of 1, in the unit of sizes */
	double cut_weight;   /* weight of the amount cut off, relative to noise */
	double groups;
} DpUnitFit;

/* The bound that minimizes the sum of noise and the amount cut off. 1..sizes.most */
extern int64_t dp_unit_bound(const DpUnitFit *fit);
/* The number of units above a bound, estimated from the same noisy numbers. Where noise hides the number
 * of all units, the largest number that it can hide. */
extern double dp_units_over(const DpUnitFit *fit, int64_t bound);

#endif
