/*
 * aggregate.h -- the exact aggregate dp_marginals(spec, a, b, ...), for whoever reads its rows in
 * another way.
 */
#ifndef DPSYN_AGGREGATE_H
#define DPSYN_AGGREGATE_H

#include "pg/server/compat.h"

#include "nodes/primnodes.h"

#include "pg/counting/object.h"

/* Whether a call is of that aggregate, and of nothing but its plain form. */
extern bool dp_is_marginals_call(const Aggref *call);
/* An object that counts rows of n columns, of these types and collations. */
extern DpCountsObject *dp_counts_object_of_columns(MemoryContext context, bytea *spec, uint32 n,
												   const Oid *type, const Oid *collation);
/* A row more has been encoded. */
extern void dp_counts_object_row(DpCountsObject *object);

#endif
