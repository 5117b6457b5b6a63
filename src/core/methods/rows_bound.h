/*
 * rows_bound.h -- how many rows of a unit a query counts, where it finds that by itself.
 *
 * Units are counted by how many rows they have: class 0 has one row, class i more than 2^(i-1) and at
 * most 2^i, the last one the rest. Each unit is in one class at most, so that a unit that joins or
 * leaves changes one number by one, and one that is replaced two numbers by one each. The numbers get
 * noise, and the bound is chosen by them: a large one lets much noise in, a small one leaves rows out.
 */
#ifndef DP_ROWS_BOUND_H
#define DP_ROWS_BOUND_H

#include "core/plan/privacy_measure.h"

#define DP_ROWS_CLASSES_MAX 32

/* How many classes there are where a unit has so many rows at most. */
extern uint32_t dp_rows_classes(uint32_t rows_max);
/* The most rows that a unit of a class has. */
extern uint32_t dp_rows_class_last(uint32_t class, uint32_t rows_max);
/* The noise of the numbers of units: of Laplace noise and of Gaussian noise. */
extern DpLaplace dp_rows_laplace(const DpPrivacyMeasure *privacy_measure, int64_t amount);
extern DpGaussian dp_rows_gaussian(const DpPrivacyMeasure *privacy_measure, int64_t amount);

/* By which a bound is chosen. All of it is public, or was released. */
typedef struct DpRowsFit
{
	uint32_t rows_max;   /* of a unit, at most */
	const double *units; /* [classes] noisy */
	double units_stddev; /* of each */
	double rows_stddev;  /* of the noise in a group at a bound of one row, in rows */
	double groups;
} DpRowsFit;

/* The bound at which noise and what is left out are the least together. 1..rows_max */
extern uint32_t dp_rows_bound(const DpRowsFit *fit);

#endif
