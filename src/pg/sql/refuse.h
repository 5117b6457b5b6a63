/*
 * refuse.h -- errors for what a private query cannot answer: the clause, and a way.
 */
#ifndef DPSYN_REFUSE_CLAUSE_H
#define DPSYN_REFUSE_CLAUSE_H

#include "pg/server/compat.h"

/* Where a clause stands in the text of its statement; text NULL, or location -1: unknown. */
typedef struct DpClausePlace
{
	const char *text;
	int location; /* in bytes, as of nodes */
} DpClausePlace;

/* ERROR: a clause that no private query can have. clause: "FOR UPDATE". hint: a way; NULL: there is
 * none. */
extern DP_NORETURN void dp_refuse_clause(DpClausePlace place, const char *clause, const char *hint);

#endif
