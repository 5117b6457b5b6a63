/*
 * query_filter.h -- the option "filter" of method query.
 *
 * Runs in the analyst's backend and in the release worker; it sees no data.
 */
#ifndef DPSYN_QUERY_FILTER_H
#define DPSYN_QUERY_FILTER_H

#include "pg/server/compat.h"

#include "nodes/pg_list.h"
#include "utils/jsonb.h"

#include "core/domain/query.h"
#include "pg/domain/relation.h"

/* The members of the filter among these options (predicate.h). */
extern List *dp_query_filter_members(Jsonb *options);
/* Reads the filter into query->filter, whose grids are there already. */
extern void dp_query_filter_read(const DpRelation *relation, Jsonb *options, DpQuery *query);

#endif
