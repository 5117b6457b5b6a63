/*
 * undefined.h -- what has no value for some noisy number is NULL, and no error after it was paid for.
 */
#ifndef DPSYN_UNDEFINED_H
#define DPSYN_UNDEFINED_H

#include "pg/server/compat.h"

#include "nodes/parsenodes.h"

/* Makes undefined values NULL, in all of the statement that is computed from answers. Does not change
 * expressions within a question. */
extern void dp_undefined_as_null(Query *query);

/* Whether a query reads an answer, or what one around it can have read of one. */
extern bool dp_may_depend_on_answer(Node *query);
/* ERROR for a function that returns rows, or a table function, which may fail for some answer. queries:
 * Query *, from the one at hand outwards. */
extern void dp_check_row_function(Node *node, const List *queries);

#endif
