/*
 * several.h -- what one call releases: a relation, relations that belong together, or several such
 * trees.
 */
#ifndef DPSYN_SEVERAL_H
#define DPSYN_SEVERAL_H

#include "pg/server/compat.h"

#include "nodes/pg_list.h"

#include "pg/release/request.h"

/*
 * The trees of these relations, each with its root as relation of the request, and with all else as
 * the call has it. Several relations of one tree are released by aim where the method is "auto".
 * ERROR where a relation is named without its parent.
 */
extern DpReleaseForest *dp_forest_of(const DpReleaseRequest *call, List *relations);
/* A forest of one relation. */
extern DpReleaseForest dp_forest_single(DpReleaseRequest *request);
/* Runs over the trees what dp_resolve_method does of one relation. */
extern void dp_forest_resolve_methods(DpReleaseForest *forest);

#endif
