/*
 * answer_join.h -- rows of protected relations joined with the groups that an answer chose, as a BI
 * tool joins its largest series.
 */
#ifndef DPSYN_ANSWER_JOIN_H
#define DPSYN_ANSWER_JOIN_H

#include "pg/server/compat.h"

#include "nodes/parsenodes.h"

/*
 * Writes inner joins of a query with answers as conditions: JOIN (...) a ON x = a.y becomes x IN (...),
 * where y is the only group of the answer, and nothing else of a is used. Others stay.
 */
extern void dp_answer_joins_as_conditions(Query *query);

#endif
