/*
 * refuse.c -- errors for what a private query cannot answer: the clause, and a way.
 */
#include "pg/sql/refuse.h"

#include "mb/pg_wchar.h"

int
dp_errposition(DpClausePlace place)
{
	if (place.text == NULL || place.location < 0 ||
		place.location > (int) strlen(place.text)) /* of a view, say */
		return 0;
	return errposition(pg_mbstrlen_with_len(place.text, place.location) + 1);
}

void
dp_refuse_clause(DpClausePlace place, const char *clause, const char *hint)
{
	ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("%s cannot be answered privately", clause), errdetail("Nothing was spent."),
			 hint != NULL ? errhint("%s", hint) : 0, dp_errposition(place)));
	pg_unreachable();
}
