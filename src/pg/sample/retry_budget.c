/*
 * retry_budget.c -- how long rows are looked for that keep a soft rule.
 */
#include "pg/sample/retry_budget.h"

#define MISSES_FEW 10
#define MISSES_MAX 200
#define ROWS_SHORT 10 /* draws of a row after these few */
#define TRIES_FIRST UINT64CONST(10000000)
#define TRIES_LATER UINT64CONST(2000000)
#define TRIES_A_ROW 4

static bool
is_given_up(const DpRetryBudget *retry_budget)
{
	return retry_budget->misses >= MISSES_MAX || retry_budget->left == 0;
}

void
dp_retry_budget_begin(DpRetryBudget *retry_budget, bool first)
{
	bool hopeless = retry_budget->in_first ? !retry_budget->found && is_given_up(retry_budget)
										   : retry_budget->hopeless;

	*retry_budget = (DpRetryBudget){.in_first = first,
									.hopeless = hopeless,
									.left = first      ? TRIES_FIRST
											: hopeless ? 0
													   : TRIES_LATER};
}

void
dp_retry_budget_try(DpRetryBudget *retry_budget)
{
	retry_budget->tried = true;
	retry_budget->tries++;
}

int
dp_retry_budget_rows(const DpRetryBudget *retry_budget, int most)
{
	return retry_budget->misses < MISSES_FEW && retry_budget->tries < retry_budget->left
			   ? most
			   : ROWS_SHORT;
}

void
dp_retry_budget_miss(DpRetryBudget *retry_budget)
{
	retry_budget->misses++;
	retry_budget->left -= Min(retry_budget->left, retry_budget->tries);
	if (is_given_up(retry_budget))
		retry_budget->suspended = retry_budget->tries / TRIES_A_ROW + 1;
	retry_budget->tried = false;
	retry_budget->tries = 0;
}

void
dp_retry_budget_next(DpRetryBudget *retry_budget)
{
	if (retry_budget->tried)
	{
		if (retry_budget->hopeless && !retry_budget->found)
			retry_budget->left = TRIES_LATER;
		retry_budget->found = true;
		retry_budget->misses = 0;
	}
	retry_budget->tried = false;
	retry_budget->tries = 0;
	if (retry_budget->suspended > 0)
		retry_budget->suspended--;
}
