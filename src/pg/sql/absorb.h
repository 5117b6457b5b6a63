/*
 * absorb.h -- sub-queries that only choose rows and columns, made a part of the query around them.
 *
 * The planner does the same, but later than a question must be known. Views, CTEs and what BI tools
 * put around a table are such sub-queries.
 */
#ifndef DPSYN_ABSORB_H
#define DPSYN_ABSORB_H

#include "pg/server/compat.h"

#include "nodes/parsenodes.h"

/* The clause that keeps a sub-query from being a part of another, as "LIMIT"; NULL: there is none. */
extern const char *dp_more_than_rows(const Query *query);
/* Whether a query refers to columns, or aggregates, of queries around it, however far. */
extern bool dp_refers_outside(Node *query);
/* Whether it reads a CTE of a query around it. */
extern bool dp_reads_outer_cte(Node *query);
/* Numbers of the entries that stand in FROM, as a list of integers. */
extern List *dp_entries_in_from(Node *jointree);
/* Whether an entry stands where an outer join can leave its row out. */
extern bool dp_can_be_missing(Node *jointree, int number);
/* Replaces variables of groups by the grouping expressions. */
extern void dp_flatten_groups(Query *query);
/* The same, and variables of joins by those of the joined relations. */
extern void dp_flatten_variables(Query *query);
/* Makes a sub-query in FROM, of which dp_more_than_rows says NULL, a part of the query. number: of
 * its entry, from 1. false: its columns are expressions that an outer join can make NULL. */
extern bool dp_absorb(Query *query, int number);

/* ---- the other way round ---- */

/* SELECT FROM one entry of a query by conditions (Node *) of that query, to stand within it: variables of
 * other entries are those of the query around it. */
extern Query *dp_query_of_entry(const Query *query, int entry, List *conditions);
/* A part of such a condition. */
extern Node *dp_within_entry(Node *node, int entry);
/* Appends the conditions of which a condition, or a list of them, consists by AND, however deep. */
extern List *dp_conjuncts(Node *node, List *conjuncts);
/* Whether a tree reads columns of one entry alone, or none. */
extern bool dp_reads_only(Node *node, int entry);

#endif
