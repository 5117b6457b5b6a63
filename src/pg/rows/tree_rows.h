/*
 * tree_rows.h -- rows of a table that was released together with its root.
 *
 * Post-processing: runs in the caller's backend, on what was released.
 */
#ifndef DPSYN_TREE_ROWS_H
#define DPSYN_TREE_ROWS_H

#include "pg/server/compat.h"

#include "utils/tuplestore.h"

#include "pg/rows/draw_job.h"

typedef struct DpTreeRows DpTreeRows;

/* The part of a release whose rows are asked for: that of a relation, or of its name; NULL: the root.
 * ERROR if neither tells. */
extern DpStoredPart *dp_part_of_relation(const DpStored *root, List *parts, Oid relation);
/*
 * Prepares to draw a part. job: has the part's stored model, seed, set, and as rows those of the
 * root. Its drawer draws rows again that break a rule.
 */
extern DpTreeRows *dp_tree_rows_create(DpDrawJob *job, DpStored *root, List *parts, int number);
/* Puts all rows into store. */
extern void dp_tree_rows_emit(DpTreeRows *tree, DpDrawJob *job, Tuplestorestate *store);

#endif
