/*
 * unit_plan.h -- plans of requests of one method.
 */
#ifndef UNIT_PLAN_H
#define UNIT_PLAN_H

#include "unit_data.h"

static inline DpStatus
plan_with(DpArena *arena, const DpDomain *domain, DpUnit unit, DpBudget budget,
		  const DpOptions *options, DpPlan *plan, DpError *error)
{
	DpRequest *request = dp_alloc(arena, 1, sizeof(*request));

	*request = (DpRequest){.domain = domain, .unit = unit, .budget = budget, .options = options};
	return dp_plan(dp_method_find("sbhg"), request, plan, arena, error);
}

#endif
