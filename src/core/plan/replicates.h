/*
 * replicates.h -- several measurements in one release, each with its part of the budget, for
 * inference that needs sets that are independent of each other.
 */
#ifndef DP_REPLICATES_H
#define DP_REPLICATES_H

#include "core/model/model.h"
#include "core/plan/measurement.h"

/* Sets plan->sets, and reduces plan->remaining to the part of one of them. DP_ERR_ARGUMENT:
 * there are too many. */
extern DpStatus dp_replicates_divide(DpPlan *plan, bool independent, DpError *error) DP_MUST_USE;
/* Plans the method, and multiplies its costs and memory by the number of sets. */
extern DpStatus dp_replicates_plan(DpPlan *plan, DpArena *arena, DpError *error) DP_MUST_USE;
/* Takes the measurements of the method, one after the other. */
extern DpStatus dp_replicates_measure(const DpMeasurement *m, DpModel *model,
									  DpError *error) DP_MUST_USE;

#endif
