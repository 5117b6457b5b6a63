/*
 * spent.c -- errors of the caller's session that come after the debit.
 */
#include "pg/release/release.h"

static char *
joined(const char *before, char *words)
{
	return before == NULL ? words : psprintf("%s %s", before, words);
}

void
dp_rethrow_spent(DpSpent spent, int64 release, MemoryContext memory)
{
	static const struct
	{
		const char *detail;
		const char *hint;
	} words[] = {
		[DP_SPENT_RUNNING] = {"The budget is spent. Release " INT64_FORMAT " is still being made.",
							  "When dp_releases lists it, dp_sample(NULL::table, " INT64_FORMAT
							  ") draws from it at no cost."},
		[DP_SPENT_STORED] = {"The budget is spent, and release " INT64_FORMAT " is stored.",
							 "dp_sample(NULL::table, " INT64_FORMAT ") draws from it at no cost."},
		[DP_SPENT_FAILED] = {"The budget is spent, but release " INT64_FORMAT " failed.",
							 "The view dp_ledger shows it under number " INT64_FORMAT "."},
	};
	ErrorData *error;

	if (release == 0)
		PG_RE_THROW();
	MemoryContextSwitchTo(memory);
	error = CopyErrorData();
	FlushErrorState();
	error->detail = joined(error->detail, psprintf(words[spent].detail, release));
	error->hint = joined(error->hint, psprintf(words[spent].hint, release));
	ReThrowError(error);
}
