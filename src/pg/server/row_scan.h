/*
 * row_scan.h -- a scan that takes the place of a function in FROM, and makes its rows one by one.
 */
#ifndef DPSYN_ROW_SCAN_H
#define DPSYN_ROW_SCAN_H

#include "pg/server/compat.h"

#include "nodes/execnodes.h"
#include "nodes/extensible.h"
#include "nodes/pathnodes.h"

/* Makes this the only path of a relation. startup: the cost of the first row, without conditions
 * and target list. */
extern void dp_row_scan_add(RelOptInfo *rel, const CustomPathMethods *methods, List *private_data,
							Cost startup);
/*
 * The columns of a range table entry, with dropped ones, as the output of the scan: TargetEntry *.
 */
extern List *dp_row_scan_columns(RangeTblEntry *entry, Index relid);
/* A scan of these. */
extern CustomScan *dp_row_scan_plan(const CustomPath *path, List *columns, List *targets,
									List *clauses, const CustomScanMethods *methods);
/* A zeroed state of the given size, which begins with a CustomScanState. */
extern Node *dp_row_scan_state(Size bytes, const CustomExecMethods *methods);

/* Returns the next row, or an empty slot. May use the per-tuple memory of expressions. */
typedef TupleTableSlot *DpNextRow(CustomScanState *state);
/* The next row that passes the conditions, projected. */
extern TupleTableSlot *dp_row_scan_execute(CustomScanState *state, DpNextRow *next);

#endif
