/*
 * counting_scan.c -- dp_marginals over the rows of a plan, in a node of its own.
 *
 * The executor hands a row to an aggregate by a step of an expression for each argument and a call.
 * For 12 columns that takes longer than to encode and count them. So where a query without groups
 * asks for nothing but dp_marginals of columns, this node takes the place of the aggregate: it
 * encodes the rows of its child where they are. What is counted, and each error, are the same. Plans
 * with parallel workers keep the aggregate.
 */
#include "pg/counting/counting_scan.h"

#include "pg/server/compat.h"

#include "access/htup_details.h"
#include "access/tupmacs.h"
#include "catalog/objectaccess.h"
#include "catalog/pg_proc.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "nodes/extensible.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "optimizer/pathnode.h"
#include "optimizer/planner.h"
#include "optimizer/tlist.h"
#include "utils/acl.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#include "pg/counting/aggregate.h"
#include "pg/server/row_scan.h"

#define SCAN_NAME "dpsyn counting"

static create_upper_paths_hook_type next_hook = NULL;

/* ---- planning ---- */

static const CustomScanMethods scan_methods;

/* The columns of a call, behind a spec that is the same for all rows: Var *. NIL: not all of these
 * are columns. */
static List *
columns_of_call(const Aggref *call)
{
	Node *spec = (Node *) linitial_node(TargetEntry, call->args)->expr;
	List *columns = NIL;
	ListCell *cell;

	if (contain_var_clause(spec) || contain_volatile_functions(spec) || contain_subplans(spec))
		return NIL;
	for_each_from(cell, call->args, 1)
	{
		Expr *argument = lfirst_node(TargetEntry, cell)->expr;

		if (!IsA(argument, Var))
			return NIL;
		columns = lappend(columns, argument);
	}
	return columns;
}

/* The call, if a query computes one and groups nothing. */
static Aggref *
only_call(const PlannerInfo *root, const PathTarget *target)
{
	const Query *query = root->parse;
	List *parts =
		pull_var_clause((Node *) target->exprs, PVC_INCLUDE_AGGREGATES | PVC_INCLUDE_PLACEHOLDERS);
	Aggref *call = parts != NIL && IsA(linitial(parts), Aggref) ? linitial(parts) : NULL;
	ListCell *cell;

	if (call == NULL || query->groupClause != NIL || query->groupingSets != NIL ||
		query->havingQual != NULL)
		return NULL;
	foreach (cell, parts)
		if (!equal(lfirst(cell), call))
			return NULL;
	return dp_is_marginals_call(call) && columns_of_call(call) != NIL ? call : NULL;
}

static Plan *
plan_scan(PlannerInfo *root, RelOptInfo *rel, CustomPath *path, List *targets, List *clauses,
		  List *children)
{
	const Aggref *call = linitial(path->custom_private);
	const List *rows = ((Plan *) linitial(children))->targetlist;
	List *columns = list_make1(makeTargetEntry((Expr *) copyObject(call), 1, NULL, false));
	CustomScan *scan = dp_row_scan_plan(path, columns, targets, clauses, &scan_methods);
	ListCell *cell;

	foreach (cell, columns_of_call(call))
	{
		const TargetEntry *entry = tlist_member(lfirst(cell), (List *) rows);

		if (entry == NULL)
			elog(ERROR, "dpsyn: a column that is counted is not read");
		scan->custom_private = lappend_int(scan->custom_private, entry->resno);
	}
	scan->custom_exprs = list_make1(copyObject(linitial_node(TargetEntry, call->args)->expr));
	scan->custom_plans = children;
	return &scan->scan.plan;
}

static const CustomPathMethods path_methods = {.CustomName = SCAN_NAME,
											   .PlanCustomPath = plan_scan};

/* Whether all rows come to one process out of several, which would count them faster themselves. */
static bool
is_gathered(const Path *path)
{
	if (IsA(path, ProjectionPath))
		return is_gathered(((const ProjectionPath *) path)->subpath);
	return IsA(path, GatherPath) || IsA(path, GatherMergePath);
}

/* The cheapest way to read the rows in this process. */
static Path *
cheapest_child(const RelOptInfo *input)
{
	Path *cheapest = NULL;
	ListCell *cell;

	foreach (cell, input->pathlist)
	{
		Path *path = lfirst(cell);

		if (!is_gathered(path) && path->param_info == NULL &&
			(cheapest == NULL || compare_path_costs(path, cheapest, TOTAL_COST) < 0))
			cheapest = path;
	}
	return cheapest;
}

/* It costs less than the aggregate would, so that it is taken but where parallel workers that
 * aggregate cost less. Foreign servers count by themselves. */
static void
add_counting(RelOptInfo *input, RelOptInfo *grouped, Aggref *call)
{
	Path *child = cheapest_child(input);
	CustomPath *path = makeNode(CustomPath);

	if (child == NULL)
		return;
	path->path.pathtype = T_CustomScan;
	path->path.parent = grouped;
	path->path.pathtarget = grouped->reltarget;
	path->path.rows = 1;
	path->path.startup_cost = child->total_cost + child->rows * cpu_operator_cost / 2;
	DP_PATH_DISABLED_AS(&path->path, child);
	path->path.total_cost = path->path.startup_cost + grouped->reltarget->cost.per_tuple;
	path->flags = CUSTOMPATH_SUPPORT_PROJECTION;
	path->custom_paths = list_make1(child);
	path->custom_private = list_make1(call);
	path->methods = &path_methods;
	add_path(grouped, &path->path);
}

static void
add_paths(PlannerInfo *root, UpperRelationKind stage, RelOptInfo *input, RelOptInfo *grouped,
		  void *extra)
{
	Aggref *call;

	if (next_hook != NULL)
		next_hook(root, stage, input, grouped, extra);
	if (stage != UPPERREL_GROUP_AGG || input->fdwroutine != NULL || !root->parse->hasAggs)
		return;
	call = only_call(root, grouped->reltarget);
	if (call != NULL)
		add_counting(input, grouped, call);
}

/* ---- running ---- */

typedef struct CountingScan
{
	CustomScanState css;
	ExprState *spec;
	uint32 n;
	uint32 *column; /* [n], from 0, of the rows of the child */
	int last;       /* how many columns of a row must be taken out of it */
	Oid *type;      /* [n] */
	Oid *collation; /* [n] */
	/* the descriptor that place was computed for; NULL: no tuple was read yet */
	TupleDesc laid;
	bool is_fixed;       /* all columns stand before those of variable length */
	DpTuplePlace *place; /* [n], where they do */
	MemoryContext memory;
	bool is_done;
} CountingScan;

static const CustomExecMethods exec_methods;

static Node *
create_state(CustomScan *scan)
{
	return dp_row_scan_state(sizeof(CountingScan), &exec_methods);
}

/* As for any call of an aggregate. */
static void
check_right(Oid function)
{
	AclResult result = DP_FUNCTION_ACLCHECK(function, GetUserId());

	if (result != ACLCHECK_OK)
		aclcheck_error(result, OBJECT_AGGREGATE, get_func_name(function));
	InvokeFunctionExecuteHook(function);
}

static void
describe_columns(CountingScan *state, const CustomScan *scan, TupleDesc rows)
{
	ListCell *cell;

	state->n = (uint32) list_length(scan->custom_private);
	state->column = palloc(sizeof(uint32) * state->n);
	state->type = palloc(sizeof(Oid) * state->n);
	state->collation = palloc(sizeof(Oid) * state->n);
	state->place = palloc(sizeof(DpTuplePlace) * state->n);
	foreach (cell, scan->custom_private)
	{
		uint32 at = (uint32) lfirst_int(cell) - 1;
		uint32 i = (uint32) foreach_current_index(cell);

		state->column[i] = at;
		state->type[i] = TupleDescAttr(rows, (int) at)->atttypid;
		state->collation[i] = TupleDescAttr(rows, (int) at)->attcollation;
		state->last = Max(state->last, (int) at + 1);
	}
}

static void
begin_scan(CustomScanState *css, EState *estate, int flags)
{
	CountingScan *state = (CountingScan *) css;
	const CustomScan *scan = (CustomScan *) css->ss.ps.plan;
	PlanState *child = ExecInitNode(linitial(scan->custom_plans), estate, flags);

	check_right(
		castNode(Aggref, linitial_node(TargetEntry, scan->custom_scan_tlist)->expr)->aggfnoid);
	css->custom_ps = list_make1(child);
	state->spec = ExecInitExpr(linitial(scan->custom_exprs), &css->ss.ps);
	describe_columns(state, scan, ExecGetResultType(child));
	state->memory = AllocSetContextCreate(estate->es_query_cxt, SCAN_NAME, ALLOCSET_SMALL_SIZES);
}

/* The object for all rows, made with the first one. */
static DpCountsObject *
begin_counting(CountingScan *state)
{
	bool isnull;
	Datum spec = ExecEvalExprSwitchContext(state->spec, state->css.ss.ps.ps_ExprContext, &isnull);

	return dp_counts_object_of_columns(state->memory, isnull ? NULL : DatumGetByteaPP(spec),
									   state->n, state->type, state->collation);
}

/* Finds where the columns are in tuples without NULLs. */
static void
lay_out(CountingScan *state, TupleDesc desc)
{
	uint32 *at = palloc(sizeof(uint32) * state->last);
	uint32 end = 0;

	state->laid = desc;
	state->is_fixed = true;
	for (int i = 0; i < state->last && state->is_fixed; i++)
	{
		Form_pg_attribute column = TupleDescAttr(desc, i);

		at[i] = (uint32) att_align_nominal(end, column->attalign);
		end = at[i] + (uint32) column->attlen;
		state->is_fixed = column->attlen > 0;
	}
	for (uint32 i = 0; i < state->n && state->is_fixed; i++)
	{
		Form_pg_attribute column = TupleDescAttr(desc, (int) state->column[i]);

		state->place[i] = (DpTuplePlace){at[state->column[i]], column->attlen, column->attbyval};
	}
	pfree(at);
}

/* The data of a tuple in a buffer where the columns are in their places; NULL: it has to be taken
 * apart column by column, which takes as long as to encode them. */
static const char *
laid_out(CountingScan *state, const TupleTableSlot *row)
{
	HeapTuple tuple;

	if (!TTS_IS_BUFFERTUPLE(row))
		return NULL;
	if (unlikely(row->tts_tupleDescriptor != state->laid))
		lay_out(state, row->tts_tupleDescriptor);
	tuple = ((const HeapTupleTableSlot *) row)->tuple;
	if (!state->is_fixed || HeapTupleHasNulls(tuple) ||
		(int) HeapTupleHeaderGetNatts(tuple->t_data) < state->last)
		return NULL;
	return (const char *) tuple->t_data + tuple->t_data->t_hoff;
}

static void
encode(CountingScan *state, TupleTableSlot *row, DpCountsObject *object)
{
	const char *data = laid_out(state, row);

	if (data != NULL)
		dp_encode_tuple(object->encoder, state->n, state->place, data, &object->counts);
	else
	{
		slot_getsomeattrs(row, state->last);
		dp_encode_columns(object->encoder, state->n, state->column, row->tts_values,
						  row->tts_isnull, &object->counts);
	}
	dp_counts_object_row(object);
}

/* The counts of all rows of the child; NULL: there is none. */
static DpCountsObject *
count_rows(CountingScan *state)
{
	PlanState *child = linitial(state->css.custom_ps);
	MemoryContext of_row = state->css.ss.ps.ps_ExprContext->ecxt_per_tuple_memory;
	DpCountsObject *object = NULL;

	for (;;)
	{
		TupleTableSlot *row = ExecProcNode(child);
		MemoryContext caller;

		if (TupIsNull(row))
			return object;
		if (object == NULL)
			object = begin_counting(state);
		caller = MemoryContextSwitchTo(of_row);
		encode(state, row, object);
		MemoryContextSwitchTo(caller);
		if (unlikely(!of_row->isReset))
			MemoryContextReset(of_row);
	}
}

static TupleTableSlot *
next_row(CustomScanState *css)
{
	CountingScan *state = (CountingScan *) css;
	TupleTableSlot *slot = css->ss.ss_ScanTupleSlot;
	DpCountsObject *object;

	ExecClearTuple(slot);
	if (state->is_done)
		return slot;
	state->is_done = true;
	object = count_rows(state);
	slot->tts_isnull[0] = object == NULL;
	slot->tts_values[0] = object == NULL ? (Datum) 0 : EOHPGetRODatum(&object->header);
	return ExecStoreVirtualTuple(slot);
}

static TupleTableSlot *
execute_scan(CustomScanState *css)
{
	return dp_row_scan_execute(css, next_row);
}

static void
end_scan(CustomScanState *css)
{
	ExecClearTuple(css->ss.ss_ScanTupleSlot);
	ExecEndNode(linitial(css->custom_ps));
}

static void
rescan(CustomScanState *css)
{
	CountingScan *state = (CountingScan *) css;
	PlanState *child = linitial(css->custom_ps);

	ExecClearTuple(css->ss.ss_ScanTupleSlot);
	MemoryContextReset(state->memory);
	state->is_done = false;
	if (css->ss.ps.chgParam != NULL)
		UpdateChangedParamSet(child, css->ss.ps.chgParam);
	if (child->chgParam == NULL)
		ExecReScan(child);
}

static const CustomExecMethods exec_methods = {.CustomName = SCAN_NAME,
											   .BeginCustomScan = begin_scan,
											   .ExecCustomScan = execute_scan,
											   .EndCustomScan = end_scan,
											   .ReScanCustomScan = rescan};
static const CustomScanMethods scan_methods = {.CustomName = SCAN_NAME,
											   .CreateCustomScanState = create_state};

void
dp_counting_scan_init(void)
{
	next_hook = create_upper_paths_hook;
	create_upper_paths_hook = add_paths;
}
