/*
 * cost_words.c -- what a release costs, what it leaves, and how much less noise a delta would buy.
 */
#include "pg/release/preview.h"

#include <math.h>

#include "utils/builtins.h"

#include "core/base/decimal.h"
#include "core/plan/planner.h"
#include "pg/server/catalog.h"

/* What of a total is left, for one purse. */
typedef struct Left
{
	int64 epsilon_nano; /* negative: not enough */
	int64 delta_atto;
} Left;

/* allowed as the custodian states it; under zcdp rho turns into epsilon at a part of the delta, and
 * the better of both accounts counts. */
static Left
left_after(const DpDataset *dataset, DpBudget allowed, DpBudget spent, DpBudget cost)
{
	int64 conversion = dp_zcdp_conversion_delta(dataset->amounts.delta_atto);
	int64 epsilon = spent.epsilon_nano + cost.epsilon_nano;

	if (dataset->accountant == DP_ZCDP)
	{
		int64 by_rho = dp_epsilon_of_rho(
			(DpBudget){.rho_pico = spent.rho_pico + cost.rho_pico, .delta_atto = conversion});

		epsilon = dataset->ledger.epsilon_known ? Min(epsilon, by_rho) : by_rho;
	}
	return (Left){allowed.epsilon_nano - epsilon,
				  allowed.delta_atto - spent.delta_atto - cost.delta_atto};
}

static Left
left_of_relation(const DpDataset *dataset, DpBudget cost)
{
	DpBudget allowed = dataset->amounts;

	if (dataset->accountant == DP_ZCDP)
		allowed.delta_atto -= dp_zcdp_conversion_delta(allowed.delta_atto);
	return left_after(dataset, allowed, dataset->ledger.spent, cost);
}

/* The role's own rest, or the relation's where that is smaller, as the view dp_budgets has it. */
static Left
left_of_payer(const DpPrepared *prepared, bool *of_role)
{
	const DpPayer *payer = &prepared->payer;
	DpBudget cost = prepared->plan.cost;
	Left left = left_of_relation(&prepared->dataset, cost), own;

	*of_role = false;
	if (payer->custodian)
		return left;
	own = left_after(&prepared->dataset, payer->allowed, payer->spent, cost);
	*of_role = own.epsilon_nano <= left.epsilon_nano;
	return (Left){Min(left.epsilon_nano, own.epsilon_nano), Min(left.delta_atto, own.delta_atto)};
}

static char *
left_words(const DpPrepared *prepared)
{
	bool of_role;
	Left left = left_of_payer(prepared, &of_role);
	char *whose =
		of_role ? psprintf("role %s", dp_role_label(prepared->payer.role))
				: psprintf("relation \"%s\"", dp_relation_words(prepared->dataset.budget_relation));
	char words[2][DP_DECIMAL_BYTES];

	if (left.epsilon_nano < 0 || left.delta_atto < 0)
		return psprintf("more than the budget of %s has left", whose);
	return psprintf("and leaves epsilon %s and delta %s of the budget of %s",
					dp_decimal_print(left.epsilon_nano, 9, words[0]),
					dp_decimal_print(left.delta_atto, 18, words[1]), whose);
}

char *
dp_cost_words(const DpPrepared *prepared)
{
	bool zcdp = prepared->dataset.accountant == DP_ZCDP;
	DpBudget cost = prepared->plan.cost;
	char words[2][DP_DECIMAL_BYTES];

	if (prepared->plan.method->unprotected)
		return "nothing, and is not differentially private";
	return psprintf(
		"%s %s and delta %s, %s", zcdp ? "rho" : "epsilon",
		dp_decimal_print(zcdp ? cost.rho_pico : cost.epsilon_nano, zcdp ? 12 : 9, words[0]),
		dp_decimal_print(cost.delta_atto, 18, words[1]), left_words(prepared));
}

#define DELTA_ATTO 1000000000 /* 1e-9: a delta that is asked for where the budget has it */
#define DELTA_TIMES 2         /* by what it divides the noise at least to be worth a word */

const char *
dp_delta_hint(const DpReleaseRequest *request, const DpPrepared *const *table, int tables)
{
	const DpPlan *plan = &table[0]->plan;
	DpBudget with_delta = {.epsilon_nano = request->epsilon_nano};
	double epsilon = (double) request->epsilon_nano / DP_EPSILON_ONE, rho, times;
	char delta[DP_DECIMAL_BYTES];
	uint64 measured = 0;
	bool of_role;

	with_delta.delta_atto = Min(left_of_payer(table[0], &of_role).delta_atto, DELTA_ATTO);
	if (!plan->method->gaussian || plan->cost.delta_atto > 0 || with_delta.delta_atto <= 0)
		return NULL;
	for (int i = 0; i < tables; i++)
		for (uint32 k = 0; k < table[i]->plan.stages; k++)
			measured += table[i]->plan.stage[k].tables;
	rho = (double) dp_rho_of_budget(with_delta) / DP_RHO_ONE;
	times = 2 * sqrt((double) measured * rho) / epsilon;
	if (times < DELTA_TIMES)
		return NULL;
	return psprintf("With a delta (delta => %s, which the budget has) counts have about %.0f times "
					"less noise.",
					dp_decimal_print(with_delta.delta_atto, 18, delta), floor(times));
}
