/*
 * retry_budget.h -- how many draws may be rejected because they break a soft rule.
 *
 * A rule is soft if it has a column whose values cannot be drawn again, such as a generated value.
 * Possibly no row satisfies it, so the search must end. A try is one draw of a row, or of the
 * values inside its bins.
 *
 * As long as fewer than 10 rows in succession have failed, a row may take 1000 draws; after that,
 * 10. After 200 failed rows, or once failed rows have used up the tries of their block, checking is
 * suspended; each failed attempt suspends it for a quarter of a row. A row that satisfies the rule
 * resets the count of failed rows.
 *
 * Blocks are drawn independently: a block knows what the first block found and what it finds
 * itself. If the first block gave up a rule without finding a row for it, the other blocks start
 * without tries for it: they check it only between suspensions, until one of their own rows
 * satisfies it.
 *
 * So the work on failed rows is bounded. A block of 1024 rows spends at most its tries on them
 * (10,000,000 in the first block, 2,000,000 in another one, none if the rule is hopeless), the
 * tries of one row more (at most 10 draws of it), and 4 tries a row.
 */
#ifndef DPSYN_RETRY_BUDGET_H
#define DPSYN_RETRY_BUDGET_H

#include "pg/server/compat.h"

/* Zeros: a rule that has not been looked at. */
typedef struct DpRetryBudget
{
	bool in_first;    /* the first block is drawn */
	bool hopeless;    /* no row of the first block could be found */
	bool found;       /* a row of this block was */
	bool tried;       /* this row broke the rule and was drawn again */
	uint32 misses;    /* rows one after the other that were not found */
	uint64 tries;     /* of this row */
	uint64 left;      /* tries that rows which are not found may take in this block */
	uint64 suspended; /* rows in which the rule is not checked */
} DpRetryBudget;

extern void dp_retry_budget_begin(DpRetryBudget *retry_budget, bool first);
/* Counts a draw of a row or its values because of the rule. */
extern void dp_retry_budget_try(DpRetryBudget *retry_budget);
/* How often a row is drawn again. */
extern int dp_retry_budget_rows(const DpRetryBudget *retry_budget, int most);
/* No row was found that keeps the rule. */
extern void dp_retry_budget_miss(DpRetryBudget *retry_budget);
/* The next row is drawn. */
extern void dp_retry_budget_next(DpRetryBudget *retry_budget);

#endif
