/*
 * steps_measure.h -- behind the wall: the layers of a hierarchical release,
 * counted in one scan, with noise.
 */
#ifndef DP_STEPS_MEASURE_H
#define DP_STEPS_MEASURE_H

#include "core/methods/steps/steps_plan.h"

/* Fills tables, structure and rows of the model. */
extern DpStatus dp_steps_measure(const DpMeasurement *m, const DpStepsPlan *steps, DpModel *model,
								 DpError *error) DP_MUST_USE;

#endif
