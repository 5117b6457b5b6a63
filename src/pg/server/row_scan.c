/*
 * row_scan.c -- a scan that takes the place of a function in FROM, and makes its rows one by one.
 */
#include "pg/server/row_scan.h"

#include "executor/executor.h"
#include "executor/instrument.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "optimizer/pathnode.h"
#include "optimizer/restrictinfo.h"
#include "parser/parse_relation.h"

void
dp_row_scan_add(RelOptInfo *rel, const CustomPathMethods *methods, List *private_data, Cost startup)
{
	CustomPath *path = makeNode(CustomPath);

	if (IS_DUMMY_REL(
			rel)) /* by a condition that is never true it has no rows, and no columns either */
		return;
	path->path.pathtype = T_CustomScan;
	path->path.parent = rel;
	path->path.pathtarget = rel->reltarget;
	path->path.rows = rel->rows;
	path->path.startup_cost =
		startup + rel->baserestrictcost.startup + rel->reltarget->cost.startup;
	path->path.total_cost = path->path.startup_cost +
							(cpu_tuple_cost + rel->baserestrictcost.per_tuple) * rel->tuples +
							rel->reltarget->cost.per_tuple * rel->rows;
	path->flags = CUSTOMPATH_SUPPORT_PROJECTION;
	path->custom_private = private_data;
	path->methods = methods;
	rel->pathlist = NIL;
	rel->partial_pathlist = NIL;
	add_path(rel, &path->path);
}

List *
dp_row_scan_columns(RangeTblEntry *entry, Index relid)
{
	List *columns, *targets = NIL;
	ListCell *cell;

	DP_EXPAND_ENTRY(entry, relid, &columns);
	foreach (cell, columns)
		targets =
			lappend(targets, makeTargetEntry(lfirst(cell), (AttrNumber) (list_length(targets) + 1),
											 NULL, false));
	return targets;
}

CustomScan *
dp_row_scan_plan(const CustomPath *path, List *columns, List *targets, List *clauses,
				 const CustomScanMethods *methods)
{
	CustomScan *scan = makeNode(CustomScan);

	scan->scan.plan.targetlist = targets;
	scan->scan.plan.qual = extract_actual_clauses(clauses, false);
	scan->scan.scanrelid = 0; /* no relation is opened */
	scan->flags = path->flags;
	scan->custom_scan_tlist = columns;
	scan->methods = methods;
	return scan;
}

Node *
dp_row_scan_state(Size bytes, const CustomExecMethods *methods)
{
	CustomScanState *state = palloc0(bytes);

	NodeSetTag(state, T_CustomScanState);
	state->methods = methods;
	return (Node *) state;
}

/* Does not use ExecScan. When a changed row of another table is rechecked (EvalPlanQual), ExecScan
 * takes a scan without a relation for a join, and returns no row. */
TupleTableSlot *
dp_row_scan_execute(CustomScanState *state, DpNextRow *next)
{
	PlanState *ps = &state->ss.ps;
	ExprContext *context = ps->ps_ExprContext;

	for (;;)
	{
		TupleTableSlot *row;

		CHECK_FOR_INTERRUPTS();
		ResetExprContext(context);
		row = next(state);
		if (TupIsNull(row))
			return ps->ps_ProjInfo != NULL ? ExecClearTuple(ps->ps_ResultTupleSlot) : row;
		context->ecxt_scantuple = row;
		if (ExecQual(ps->qual, context))
			return ps->ps_ProjInfo != NULL ? ExecProject(ps->ps_ProjInfo) : row;
		InstrCountFiltered1(state, 1);
	}
}
