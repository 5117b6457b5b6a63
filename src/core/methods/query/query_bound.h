/*
 * query_bound.h -- how much of a unit a query counts, found by noisy numbers of units. Behind the wall.
 */
#ifndef DP_QUERY_BOUND_H
#define DP_QUERY_BOUND_H

#include "core/methods/query_plan.h"
#include "core/model/query_layout.h"
#include "core/plan/measurement.h"

/*
 * Finds how many rows of a unit count, as far as the plan says so, and then by how much a unit changes
 * each sum, each at the amount that the plan has for it. The plan is changed to what was found, the
 * counter reads so many rows from then on, and model and layout say it.
 */
extern DpStatus dp_query_find_bounds(const DpMeasurement *m, uint64_t groups, DpQueryPlan *query,
									 DpUnit *unit, int64_t *rows_over, DpError *error) DP_MUST_USE;

#endif
