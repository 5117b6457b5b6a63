/*
 * unit_bound.h -- how much of a unit a query counts, where it finds that by itself: so many of its
 * rows, or so much of a sum.
 *
 * Units are counted by their size (unit_sizes.h). Each unit is in one class at most, so that a unit
 * that joins or leaves changes one number by one, and one that is replaced two numbers by one each.
 * The numbers get noise, and the bound is chosen by them: a large one lets much noise in, a small one
 * cuts much off.
 */
#ifndef DP_UNIT_BOUND_H
#define DP_UNIT_BOUND_H

#include "core/domain/unit_sizes.h"
#include "core/plan/privacy_measure.h"

/* The noise of the numbers of units: of Laplace noise and of Gaussian noise. */
extern DpLaplace dp_units_laplace(const DpPrivacyMeasure *privacy_measure, int64_t amount);
extern DpGaussian dp_units_gaussian(const DpPrivacyMeasure *privacy_measure, int64_t amount);

/* By which a bound is chosen. All of it is public, or was released. */
typedef struct DpUnitFit
{
	DpUnitSizes sizes;
	int64_t hidden;      /* the bound where noise hides how many units there are; 1..sizes.most */
	const double *units; /* [classes] noisy */
	double units_stddev; /* of each */
	double noise_stddev; /* of the noise in a group, in the unit of sizes, at a bound of 1 */
	double cut_weight;   /* of what is cut off, beside noise */
	double groups;
} DpUnitFit;

/* The bound at which noise and what is cut off are the least together. 1..sizes.most */
extern int64_t dp_unit_bound(const DpUnitFit *fit);
/* How many units are larger than a bound, by the same noisy numbers. */
extern double dp_units_over(const DpUnitFit *fit, int64_t bound);

#endif
