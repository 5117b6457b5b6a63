/*
 * noise_allocation.h -- how wide the intervals of a query will be, as far as public facts tell.
 */
#ifndef DP_NOISE_ALLOCATION_H
#define DP_NOISE_ALLOCATION_H

#include "core/plan/plan.h"

/*
 * Half width of the interval of each measure of a plan of the method query, as dp_answer_half_width
 * (core/estimate/query_answer.h) defines it. half: [measures]. With narrowed ranges these are upper
 * bounds.
 */
extern DpStatus dp_query_half_widths(const DpPlan *plan, double confidence, double *half,
									 DpArena *arena) DP_MUST_USE;
/* Whether such a plan finds bounds of what a unit adds. */
extern bool dp_query_finds_bounds(const DpPlan *plan);

#endif
