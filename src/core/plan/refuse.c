/*
 * refuse.c -- the reasons why a plan is refused.
 */
#include "core/plan/refuse.h"

#include "core/plan/method.h"

DpStatus
dp_refuse_budget(const char *stage, DpError *error)
{
	(void) dp_fail(error, DP_ERR_ARGUMENT, "the budget is too small for stage \"%s\"", stage);
	dp_fail_hint(error, "Ask for more epsilon or delta, or for less: fewer columns, levels, rows, "
						"parents or rounds.");
	return DP_ERR_ARGUMENT;
}

DpStatus
dp_refuse_delta(const char *stage, const char *remedy, DpError *error)
{
	(void) dp_fail(error, DP_ERR_ARGUMENT, "stage \"%s\" needs a delta", stage);
	dp_fail_detail(error, "It makes stability histograms, each with a delta of at least 1e-18.");
	dp_fail_hint(error, "Give a delta well below one over the number of rows, or %s.", remedy);
	return DP_ERR_ARGUMENT;
}

DpStatus
dp_refuse_cells(const char *stage, uint64_t limit, const char *remedy, DpError *error)
{
	(void) dp_fail(error, DP_ERR_LIMIT, "stage \"%s\" has too many cells", stage);
	dp_fail_detail(error, "The limit is %llu.", (unsigned long long) limit);
	dp_fail_hint(error, "Model fewer columns, or %s.", remedy);
	return DP_ERR_LIMIT;
}

DpStatus
dp_refuse_unit(const char *stage, DpError *error)
{
	return dp_fail(error, DP_ERR_LIMIT, "a privacy unit has too many rows for stage \"%s\"", stage);
}

DpStatus
dp_refuse_open(const DpPlan *plan, const char *why, DpError *error)
{
	const DpDomain *domain = plan->request->domain;
	uint32_t a = 0;

	while (a < domain->attributes && !domain->attribute[a].open)
		a++;
	if (a == domain->attributes)
		return DP_OK;
	(void) dp_fail(error, DP_ERR_ARGUMENT, "method \"%s\" takes no open columns",
				   plan->method->name);
	dp_fail_detail(error, "Column \"%.64s\" is open. %s", domain->attribute[a].name, why);
	dp_fail_hint(error, "Leave them out with option \"columns\", or let their categories be "
						"defined.");
	return DP_ERR_ARGUMENT;
}

DpStatus
dp_refuse_ranges(const DpPlan *plan, DpError *error)
{
	const DpDomain *domain = plan->request->domain;

	for (uint32_t a = 0; a < domain->attributes; a++)
	{
		const DpRange *range = domain->attribute[a].range;

		if (range == NULL || range->state != DP_RANGE_REQUESTED)
			continue;
		(void) dp_fail(error, DP_ERR_ARGUMENT, "method \"%s\" takes no columns with a range",
					   plan->method->name);
		dp_fail_detail(error,
					   "Column \"%.64s\" has a range. To find its bins costs a budget, and there "
					   "is none.",
					   domain->attribute[a].name);
		dp_fail_hint(error, "Leave them out with option \"columns\", or declare their bins.");
		return DP_ERR_ARGUMENT;
	}
	return DP_OK;
}
