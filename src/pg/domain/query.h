/*
 * query.h -- what is asked of a relation's columns by method query: measures, groups, filter.
 *
 * Runs in any process; it sees the schema and dpsyn's catalog, and no data.
 */
#ifndef DPSYN_QUERY_H
#define DPSYN_QUERY_H

#include "pg/server/compat.h"

#include "core/domain/query.h"
#include "pg/budget/dataset.h"
#include "pg/domain/relation.h"

#define DP_QUERY_METHOD "query"

/* Keeps the columns that the options name, in measures, by and filter, also of ancestors of the
 * relation; one column, if they name none. ERROR for a name that has no domain. */
extern void dp_query_restrict(DpRelation *relation, const DpDataset *dataset,
							  const DpOptions *options, Jsonb *json);
/* Reads the options; what is of another kind is refused when the release is planned. ERROR for a
 * measure, a group or a filter that the columns cannot give. */
extern DpQuery *dp_query_read(DpRelation *relation, const DpOptions *options, Jsonb *json);
/*
 * The public range of a column as a grid: from its outer edges, or from its least category to the
 * largest, in steps of what its type can tell apart, or of a part of the range that no noise shows.
 * False: it has none.
 */
extern bool dp_column_grid(const DpAttribute *attribute, const DpColumn *column, DpGrid *grid);

#endif
