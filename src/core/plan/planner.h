/*
 * planner.h -- from a request to the plan of a release: what all methods have in common, around the
 * method's own stages.
 */
#ifndef DP_PLANNER_H
#define DP_PLANNER_H

#include "core/plan/method.h"

/* The options that every method has. The glue applies "columns" and "partial" before planning,
 * since it chooses the columns; dp_plan applies the others. */
extern const DpOptionSpec dp_common_specs[];
extern const uint32_t dp_common_specs_n;

/*
 * Validates options and budget, plans the discovery of the bins of ranges (range_share of epsilon,
 * in equal parts) and of the values of open attributes (open_share of the rest of the budget, in
 * equal parts), then calls the method. Every error that does not need data is found here. The
 * plan points into request and arena.
 *
 * Stages with rho alone (dp_cost_concentrated) must fit the request too. There are two accounts,
 * and one of them must hold: the epsilon of their rho and that of the other stages add up to no
 * more than the epsilon of the request, or the epsilon of the rho of all stages is no more than
 * that. Either conversion is at the delta that the stages leave. Else DP_ERR_OVERDRAW.
 */
extern DpStatus dp_plan(const DpMethod *method, const DpRequest *request, DpPlan *plan,
						DpArena *arena, DpError *error) DP_MUST_USE;

/*
 * Whether the stages of several plans fit one budget, by the same two accounts. *cost is what all of
 * them are charged: the epsilon that is asked for, its delta if a stage needs any, the rho of the
 * stages. DP_ERR_OVERDRAW: they do not fit. Plans are of requests with share_nano.
 */
extern DpStatus dp_plans_check(const DpPlan *const *plan, uint32_t plans, DpBudget budget,
							   DpBudget *cost) DP_MUST_USE;

#endif
