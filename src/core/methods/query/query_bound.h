/*
 * query_bound.h -- the contribution bounds of a query, found from noisy numbers of units. Behind
 * the wall.
 */
#ifndef DP_QUERY_BOUND_H
#define DP_QUERY_BOUND_H

#include "core/methods/query_plan.h"
#include "core/model/query_layout.h"
#include "core/plan/measurement.h"

/*
 * Finds the contribution bounds that the plan asks for: first the number of rows of a unit that are
 * counted, then the bound of each sum, each with the amount that the plan has for it. Stores them
 * in the plan, the counter (which then reads that many rows of a unit), the model and the layout.
 */
extern DpStatus dp_query_find_bounds(const DpMeasurement *m, uint64_t groups, DpQueryPlan *query,
									 DpUnit *unit, int64_t *rows_over, DpError *error) DP_MUST_USE;

#endif
