/*
 * unit_budget.h -- budgets compared with what they should be.
 */
#ifndef UNIT_BUDGET_H
#define UNIT_BUDGET_H

#include "core/accounting/budget.h"

#include "unit.h"

static inline bool
same_budget(DpBudget budget, int64_t epsilon_nano, int64_t delta_atto, int64_t rho_pico)
{
	return budget.epsilon_nano == epsilon_nano && budget.delta_atto == delta_atto &&
		   budget.rho_pico == rho_pico;
}

#endif
