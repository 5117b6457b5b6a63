/*
 * amounts.c -- epsilon, delta and limits as arguments of the custodian's functions: reading and
 * checking them.
 */
#include "pg/budget/amounts.h"

#include "utils/numeric.h"

#include "core/base/decimal.h"
#include "pg/server/bridge.h"

DpBudget
dp_amounts_argument(FunctionCallInfo fcinfo, int epsilon, bool round_up)
{
	return (DpBudget){dp_epsilon_argument(fcinfo, epsilon, round_up, "epsilon"),
					  dp_delta_argument(fcinfo, epsilon + 1, round_up), 0};
}

/* Beyond these, a total promises little to a single unit. */
#define EPSILON_NANO_HIGH (20 * DP_EPSILON_ONE)
#define DELTA_ATTO_HIGH (DP_DELTA_ONE / 1000)

static void
warn_of_total(DpBudget total)
{
	char words[32];

	if (total.epsilon_nano > EPSILON_NANO_HIGH)
		ereport(WARNING,
				(errmsg("a total epsilon of %s promises next to nothing",
						dp_decimal_print(total.epsilon_nano, 9, words)),
				 errdetail("What is released may be e^epsilon times as probable with the rows of "
						   "one unit as without them: 485 million times at epsilon 20."),
				 errhint("Usual totals are 1 to 10; dp_alter_protection changes it.")));
	if (total.delta_atto > DELTA_ATTO_HIGH)
		ereport(WARNING,
				(errmsg("a total delta of %s leaves single units without a promise",
						dp_decimal_print(total.delta_atto, 18, words)),
				 errdetail("Publishing the rows of each unit with probability delta would keep "
						   "it: of one unit in 1000 at delta 0.001."),
				 errhint("Keep it well below 1 / (number of units), for instance 1e-9; "
						 "dp_alter_protection changes it.")));
}

void
dp_check_total(DpAccountant accountant, DpBudget total)
{
	if (total.epsilon_nano < 1)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("the total epsilon must be at least 0.000000001")));
	if (total.delta_atto >= DP_DELTA_ONE)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("delta must be below 1"),
						errdetail("delta = 1 allows everything to be published."),
						errhint("Keep the total well below 1 / (number of rows).")));
	if (accountant == DP_ZCDP && dp_budget_allowed(accountant, total).rho_pico < 1)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("accountant zcdp needs a larger delta or epsilon"),
				 errdetail("Half of delta turns the sum of rho into epsilon; with delta 0 no rho "
						   "has an epsilon."),
				 errhint("Give a delta well below 1 / (number of rows), for instance 1e-9.")));
	warn_of_total(total);
}

int64
dp_limit_argument(FunctionCallInfo fcinfo, int argument, const char *name, double none)
{
	int64 limit;

	if (PG_ARGISNULL(argument) || PG_GETARG_FLOAT8(argument) == none)
		return 0;
	limit = dp_epsilon_argument(fcinfo, argument, false, name);
	if (limit < 1)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("%s must be at least 0.000000001", name),
						errhint("%s means none; dp_unprotect ends all releases.",
								none == 0 ? "0" : "Infinity")));
	return limit;
}
