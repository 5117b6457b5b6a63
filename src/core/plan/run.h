/*
 * run.h -- runs a plan behind the wall: what is the same for every method.
 */
#ifndef DP_RUN_H
#define DP_RUN_H

#include "core/model/model.h"
#include "core/plan/measurement.h"

/*
 * Runs a plan behind the wall: discovers open attributes, then measures. given has all fields but
 * the domain, and its meter must hold plan->cost. The model is allocated in the arena and checked.
 */
extern DpStatus dp_measure(const DpMeasurement *given, DpModel *model, DpError *error) DP_MUST_USE;

#endif
