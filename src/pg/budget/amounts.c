/*
 * arguments.c -- reading and checking arguments that several of the custodian's
 * functions take.
 */
#include "dpsyn.h"

#include "utils/builtins.h"

void
dp_check_not_null(FunctionCallInfo fcinfo, int argument, const char *name)
{
	if (PG_ARGISNULL(argument))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED), errmsg("%s must not be null", name)));
}

DpBudget
dp_amounts_argument(FunctionCallInfo fcinfo, int epsilon, int delta, bool round_up)
{
	return (DpBudget){dp_epsilon_from_numeric(PG_GETARG_NUMERIC(epsilon), round_up, "epsilon"),
					  dp_delta_from_numeric(PG_GETARG_NUMERIC(delta), round_up, "delta"), 0};
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
}

int64
dp_limit_argument(FunctionCallInfo fcinfo, int argument)
{
	int64 limit;

	if (PG_ARGISNULL(argument))
		return 0;
	limit = dp_epsilon_from_numeric(PG_GETARG_NUMERIC(argument), false, "max_epsilon_per_release");
	if (limit < 1)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("max_epsilon_per_release must be at least 0.000000001"),
						errhint("NULL means no limit; dp_unprotect ends all releases.")));
	return limit;
}
