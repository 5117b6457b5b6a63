/*
 * rewrite.h -- a statement that asks about private relations, made one that reads noisy answers.
 */
#ifndef DPSYN_REWRITE_H
#define DPSYN_REWRITE_H

#include "postgres.h"

#include "nodes/parsenodes.h"
#include "nodes/primnodes.h"

#include "pg/server/compat.h"
#include "pg/sql/carried.h"
#include "pg/sql/private_relation.h"

/*
 * Replaces the private relations of a statement, as the planner gets it: analysed, with views
 * expanded. PostgreSQL plans and runs the result with its own checks of rights. ERROR for what
 * cannot be asked. Reads no rows. false: no relation is private.
 */
extern bool dp_rewrite_privately(DpPrivacy *privacy, Query *query);

/*
 * Rows of protected relations joined with the groups that an answer chose, as a BI tool joins its
 * largest series.
 */

/*
 * Writes inner joins of a query with answers as conditions: JOIN (...) a ON x = a.y becomes x IN (...),
 * where y is the only group of the answer, and nothing else of a is used. Others stay.
 */
extern void dp_answer_joins_as_conditions(Query *query);

/* Writes joins of a query with lists of VALUES as CASE, where a row meets one row of the list at most.
 * Others stay. */
extern void dp_values_joins_as_case(Query *query);

/*
 * An aggregating query taken apart: the question that it asks, and the query that computes the
 * rest from the answer.
 */

/* Whether a query aggregates: it has aggregates, groups, or distinct rows. */
extern bool dp_aggregates(const Query *query);
/* Whether the query refers to columns of a query around it. */
extern bool dp_is_correlated(const Query *query);
/*
 * Makes the query read a noisy answer in place of the relations that it aggregates, some of which
 * are private. The others stay in its range table, so that PostgreSQL checks the rights to read
 * them. ERROR for what cannot be asked.
 */
extern void dp_replace(DpPrivacy *privacy, Query *query);
/* Adds entries for a query that PostgreSQL is to check the rights of: all relations of another query
 * that are not private, also of the sub-query that aggregates by unit, and the view that it was. */
extern List *dp_kept_entries(DpPrivacy *privacy, Query *query, const Query *of, List *kept);

/* SELECTs of rows that give none. */

/* Whether a query that does not aggregate has LIMIT 0 or a WHERE that is false, as constants. */
extern bool dp_gives_no_rows(const Query *query);
/* Makes it read nothing: its columns keep their names and types. */
extern void dp_read_nothing(DpPrivacy *privacy, Query *query);

/* Which measure of a question an aggregate of SQL is. */

/* ERROR for an aggregate that has no private answer. text: of the statement. */
extern DpCarriedMeasure *dp_carried_measure(const Aggref *aggregate, const char *text);

#endif
