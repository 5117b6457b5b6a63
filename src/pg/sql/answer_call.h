/*
 * answer_call.h -- the call that stands in a range table for the noisy answer of a question, in place
 * of the relations that were asked about.
 *
 * To PostgreSQL it is a call of a function, dp_catalog.dp_question_rows, whose first argument is a
 * pointer to the carried question. Nobody can write such an argument in SQL, and nobody may call the
 * function. The planner puts a scan in its place (question_scan.c).
 */
#ifndef DPSYN_ANSWER_CALL_H
#define DPSYN_ANSWER_CALL_H

#include "pg/server/compat.h"

#include "nodes/parsenodes.h"
#include "nodes/pg_list.h"

/* The function; InvalidOid: it is not there. */
extern Oid dp_answer_function(void);
/* The carried question of an entry, and its externals (carried.h); NIL: it is another entry. */
extern List *dp_answer_of_entry(const RangeTblEntry *entry, List **externals);
/* Whether a statement reads an answer somewhere. */
extern bool dp_reads_answer(Node *node);
/* Whether a query selects from an answer: a call of dp_question_rows is in its FROM. */
extern bool dp_selects_from_answer(const Query *query);

#endif
