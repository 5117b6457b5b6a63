/*
 * budget.c -- exact budgets: what mechanisms cost, and composition.
 */
#include "core/accounting/budget.h"

#include <math.h>

DpBudget
dp_cost_approximate(DpBudget spent)
{
	return (DpBudget){
		.epsilon_nano = spent.epsilon_nano,
		.delta_atto = spent.delta_atto,
		.rho_pico = dp_rho_of_epsilon(spent.epsilon_nano),
	};
}

DpBudget
dp_cost_pure(int64_t epsilon_nano)
{
	return dp_cost_approximate((DpBudget){.epsilon_nano = epsilon_nano});
}

DpBudget
dp_cost_concentrated(int64_t rho_pico)
{
	return (DpBudget){.rho_pico = rho_pico};
}

bool
dp_budget_valid(DpBudget budget)
{
	return budget.epsilon_nano >= 0 && budget.delta_atto >= 0 &&
		   budget.delta_atto <= DP_DELTA_ONE && budget.rho_pico >= 0;
}

DpStatus
dp_budget_add(DpBudget a, DpBudget b, DpBudget *out)
{
	DpBudget sum;

	if (!dp_budget_valid(a) || !dp_budget_valid(b))
		return DP_ERR_ARGUMENT;
	sum.delta_atto = a.delta_atto + b.delta_atto; /* at most 2e18: fits */
	if (__builtin_add_overflow(a.epsilon_nano, b.epsilon_nano, &sum.epsilon_nano) ||
		__builtin_add_overflow(a.rho_pico, b.rho_pico, &sum.rho_pico) || !dp_budget_valid(sum))
		return DP_ERR_RANGE;
	*out = sum;
	return DP_OK;
}

DpBudget
dp_budget_divide(DpBudget total, uint64_t parts)
{
	if (parts == 0 || !dp_budget_valid(total))
		return (DpBudget){.epsilon_nano = 0}; /* no budget is the safe share of a bad request */
	return (DpBudget){
		.epsilon_nano = (int64_t) ((uint64_t) total.epsilon_nano / parts),
		.delta_atto = (int64_t) ((uint64_t) total.delta_atto / parts),
		.rho_pico = (int64_t) ((uint64_t) total.rho_pico / parts),
	};
}

DpStatus
dp_budget_multiply(DpBudget budget, uint64_t times, DpBudget *out)
{
	DpBudget product;

	if (!dp_budget_valid(budget))
		return DP_ERR_ARGUMENT;
	if (__builtin_mul_overflow(budget.epsilon_nano, times, &product.epsilon_nano) ||
		__builtin_mul_overflow(budget.delta_atto, times, &product.delta_atto) ||
		__builtin_mul_overflow(budget.rho_pico, times, &product.rho_pico) ||
		!dp_budget_valid(product))
		return DP_ERR_RANGE;
	*out = product;
	return DP_OK;
}

int64_t
dp_share_floor(int64_t total, int64_t share_nano)
{
	return (int64_t) ((__int128) total * share_nano / DP_EPSILON_ONE);
}

int64_t
dp_share_whole(int64_t part, int64_t share_nano)
{
	__int128 whole = (__int128) part * DP_EPSILON_ONE / share_nano;

	return whole < INT64_MAX ? (int64_t) whole : INT64_MAX;
}

DpStatus
dp_budget_subtract(DpBudget a, DpBudget b, DpBudget *out)
{
	if (!dp_budget_valid(a) || !dp_budget_valid(b))
		return DP_ERR_ARGUMENT;
	if (b.epsilon_nano > a.epsilon_nano || b.delta_atto > a.delta_atto || b.rho_pico > a.rho_pico)
		return DP_ERR_OVERDRAW;
	out->epsilon_nano = a.epsilon_nano - b.epsilon_nano;
	out->delta_atto = a.delta_atto - b.delta_atto;
	out->rho_pico = a.rho_pico - b.rho_pico;
	return DP_OK;
}

DpStatus
dp_budget_left(DpBudget budget, DpBudget cost, DpBudget *left)
{
	if (!dp_budget_valid(cost))
		return DP_ERR_ARGUMENT;
	budget.rho_pico = 0;
	cost.rho_pico = 0;
	return dp_budget_subtract(budget, cost, left);
}

double
dp_membership_advantage(double epsilon, double delta)
{
	/* written so that neither a large epsilon overflows nor a small one loses digits */
	return fmin(1, tanh(epsilon / 2) + 2 * delta / (exp(epsilon) + 1));
}
