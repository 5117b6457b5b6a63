/*
 * replace.h -- an aggregating query taken apart: the question that it asks, and the query that
 * computes the rest from the answer.
 */
#ifndef DPSYN_REPLACE_H
#define DPSYN_REPLACE_H

#include "pg/server/compat.h"

#include "nodes/parsenodes.h"

#include "pg/sql/private_relation.h"

/* Whether a query aggregates: it has aggregates, groups, or distinct rows. */
extern bool dp_aggregates(const Query *query);
/* Whether what it asks depends on a query around it. */
extern bool dp_is_correlated(const Query *query);
/*
 * Makes the query read a noisy answer in place of the relations that it aggregates, some of which
 * are private. The others stay in its range table, so that PostgreSQL checks the rights to read
 * them. ERROR for what cannot be asked.
 */
extern void dp_replace(DpPrivacy *privacy, Query *query);

#endif
