/*
 * sets.h -- several measurements in one release, each with its part of the
 * budget, for inference that needs sets that are independent of each other.
 */
#ifndef DP_SETS_H
#define DP_SETS_H

#include "method.h"

/* Sets plan->sets, and leaves plan->remaining for one of them. DP_ERR_ARGUMENT for too many. */
extern DpStatus dp_sets_divide(DpPlan *plan, bool independent, DpError *error) DP_MUST_USE;
/* The method's plan, times the sets. */
extern DpStatus dp_sets_plan(DpPlan *plan, DpArena *arena, DpError *error) DP_MUST_USE;
/* The method's measurements, one after the other. */
extern DpStatus dp_sets_measure(const DpMeasurement *m, DpModel *model, DpError *error) DP_MUST_USE;

#endif
