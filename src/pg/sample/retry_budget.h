/*
 * retry_budget.h -- how long rows are looked for that keep a soft rule.
 *
 * A rule is soft if it has a column whose values cannot be drawn again, as those that are filled.
 * So there may be no row at all that keeps it: that is why the search ends. A try is one draw of a
 * row, or of the values inside its bins.
 *
 * The first 10 rows one after the other that were not found took up to 1000 draws of a row each,
 * the next ones 10. After 200, or once rows that were not found have taken the tries that a block
 * has for them, the rule rests: one try in vain is a quarter of a row that passes unlooked at.
 * A row that is found starts the count of those that were not anew.
 *
 * Blocks are drawn apart from each other, so that a block knows what the first one told and what
 * itself tells, and nothing else. If the first block gave up a rule and found no row for it, the
 * other ones start with no tries for it: they look at it between rests alone, until one of their
 * own rows is found.
 *
 * So what rows that are not found take is bounded. A block of 1024 rows spends no more on them than
 * its tries (10,000,000 in the first block, 2,000,000 in another one, none if the rule is hopeless),
 * the tries of one row more (at most 10 draws of it), and 4 tries a row.
 */
#ifndef DPSYN_RETRY_BUDGET_H
#define DPSYN_RETRY_BUDGET_H

#include "pg/server/compat.h"

/* Zeros: a rule that has not been looked at. */
typedef struct DpRetryBudget
{
	bool in_first; /* the first block is drawn */
	bool hopeless; /* no row of the first block could be found */
	bool found;    /* a row of this block was */
	bool tried;    /* this row broke the rule and was drawn again */
	uint32 misses; /* rows one after the other that were not found */
	uint64 tries;  /* of this row */
	uint64 left;   /* tries that rows which are not found may take in this block */
	uint64 rest;   /* rows in which the rule is not looked at */
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
