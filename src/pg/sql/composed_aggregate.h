/*
 * composed_aggregate.h -- aggregates that are computed of others: lists of percentiles, correlations,
 * regressions, and means beside people.
 */
#ifndef DPSYN_COMPOSED_AGGREGATE_H
#define DPSYN_COMPOSED_AGGREGATE_H

#include "pg/server/compat.h"

#include "nodes/parsenodes.h"

/*
 * The expression of measures that an aggregate is: Aggrefs in it are measures as they stand
 * (rewrite.h). NULL: it is one by itself. within: whether it is kept in the bounds that it has
 * without noise, as a correlation between -1 and 1.
 */
extern Node *dp_composed_aggregate(const Aggref *aggregate, bool within);
/* Writes sum(x) / count(x) for each avg(x). */
extern void dp_means_as_quotients(Query *query);

#endif
