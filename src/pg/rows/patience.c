/*
 * patience.c -- how long rows are looked for that keep a soft rule.
 */
#include "pg/rows/patience.h"

#define MISSES_FEW 10
#define MISSES_MAX 200
#define ROWS_SHORT 10 /* draws of a row after these few */
#define TRIES_FIRST UINT64CONST(10000000)
#define TRIES_LATER UINT64CONST(2000000)
#define TRIES_A_ROW 4

static bool
is_given_up(const DpPatience *patience)
{
	return patience->misses >= MISSES_MAX || patience->left == 0;
}

void
dp_patience_begin(DpPatience *patience, bool first)
{
	bool hopeless =
		patience->in_first ? !patience->found && is_given_up(patience) : patience->hopeless;

	*patience = (DpPatience){.in_first = first,
							 .hopeless = hopeless,
							 .left = first      ? TRIES_FIRST
									 : hopeless ? 0
												: TRIES_LATER};
}

void
dp_patience_try(DpPatience *patience)
{
	patience->tried = true;
	patience->tries++;
}

int
dp_patience_rows(const DpPatience *patience, int most)
{
	return patience->misses < MISSES_FEW && patience->tries < patience->left ? most : ROWS_SHORT;
}

void
dp_patience_miss(DpPatience *patience)
{
	patience->misses++;
	patience->left -= Min(patience->left, patience->tries);
	if (is_given_up(patience))
		patience->rest = patience->tries / TRIES_A_ROW + 1;
	patience->tried = false;
	patience->tries = 0;
}

void
dp_patience_next(DpPatience *patience)
{
	if (patience->tried)
	{
		if (patience->hopeless && !patience->found)
			patience->left = TRIES_LATER;
		patience->found = true;
		patience->misses = 0;
	}
	patience->tried = false;
	patience->tries = 0;
	if (patience->rest > 0)
		patience->rest--;
}
