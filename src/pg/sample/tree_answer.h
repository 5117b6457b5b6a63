/*
 * tree_answer.h -- from what queries of a table are answered that was released with its root.
 *
 * Post-processing: runs in the caller's backend, on what was released.
 */
#ifndef DPSYN_TREE_ANSWER_H
#define DPSYN_TREE_ANSWER_H

#include "pg/server/compat.h"

#include "pg/sample/fitted.h"
#include "pg/sample/tree_rows.h"

/*
 * Rows of a part, as many as DP_SIMULATED_ROWS or as belong to so many rows of the root, drawn from
 * a seed of their own. Their model's rows are those that belong to as many rows of the root as the
 * release has. They stay until the current memory context ends, and are kept for the session.
 */
extern const DpFitted *dp_tree_drawn_get(DpStored *root, List *parts, DpStoredPart *part);

#endif
