/*
 * refuse.c -- errors for what a private query cannot answer: the clause, and a way.
 */
#include "pg/sql/refuse.h"

#include "mb/pg_wchar.h"

/* For ereport: the position that clients show. */
static int
clause_position(DpClausePlace place)
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
			 hint != NULL ? errhint("%s", hint) : 0, clause_position(place)));
	pg_unreachable();
}
