/*
 * rows_scan.c -- dp_sample in FROM, without a store of rows.
 *
 * PostgreSQL puts all rows of a function in FROM into a tuplestore before the first of them is
 * used. Here a scan of its own takes the place of the function: a row is drawn when it is asked
 * for, and a query that stops early draws no more. If a row goes on as it is (CREATE TABLE AS
 * SELECT *), its tuple is formed of pieces that are kept (tuple_builder.c).
 *
 * dp_sample's support function, which the planner asks for the number of rows before it makes
 * paths, sets the hook on paths. What the scan does not cover is left to the function: rows of a
 * RECORD, ordinality, several functions in ROWS FROM, arguments that come from other tables of the
 * query, and queries that want the whole row as one value.
 *
 * A second reading has the rows of the first, as that of a tuplestore has, since it begins again
 * from the same seed.
 */
#include "pg/server/compat.h"

#include "access/htup_details.h"
#include "catalog/pg_language.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "executor/executor.h"
#include "executor/instrument.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "nodes/extensible.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "nodes/supportnodes.h"
#include "optimizer/clauses.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "optimizer/pathnode.h"
#include "optimizer/paths.h"
#include "optimizer/planmain.h"
#include "optimizer/restrictinfo.h"
#include "parser/parse_relation.h"
#include "parser/parsetree.h"
#include "utils/jsonb.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/syscache.h"

#include "pg/sample/target.h"
#include "pg/sample/sample.h"
#include "pg/sample/tree_rows.h"
#include "pg/server/row_scan.h"
#include "pg/server/subtransaction.h"

PG_FUNCTION_INFO_V1(dp_sample_support);

extern PGDLLEXPORT Datum dp_sample(PG_FUNCTION_ARGS);

#define SCAN_NAME "dpsyn rows"
#define ROWS_ARGUMENT 2
#define PARTS_ARGUMENT 7

static set_rel_pathlist_hook_type next_hook = NULL;

/* ---- planning ---- */

static void add_scan(PlannerInfo *root, RelOptInfo *rel, Index relid, RangeTblEntry *entry);

static void
set_hook(void)
{
	static bool is_set = false;

	if (is_set)
		return;
	is_set = true;
	next_hook = set_rel_pathlist_hook;
	set_rel_pathlist_hook = add_scan;
}

/* The number that an argument of a call will have; -1: nothing tells. */
static double
expected_number(PlannerInfo *root, const FuncExpr *call, int argument)
{
	Node *node;

	if (list_length(call->args) <= argument)
		return -1;
	node = estimate_expression_value(root, list_nth(call->args, argument));
	if (!IsA(node, Const) || ((Const *) node)->constisnull)
		return -1;
	return exprType(node) == INT8OID ? (double) DatumGetInt64(((Const *) node)->constvalue)
									 : (double) DatumGetInt32(((Const *) node)->constvalue);
}

/* dp_sample_support(internal): how many rows dp_sample will return, where constants say it. */
Datum
dp_sample_support(PG_FUNCTION_ARGS)
{
	Node *request = (Node *) PG_GETARG_POINTER(0);
	SupportRequestRows *rows;
	double all;
	double parts;

	set_hook();
	if (!IsA(request, SupportRequestRows))
		PG_RETURN_POINTER(NULL);
	rows = (SupportRequestRows *) request;
	if (rows->node == NULL || !IsA(rows->node, FuncExpr))
		PG_RETURN_POINTER(NULL);
	all = expected_number(rows->root, (FuncExpr *) rows->node, ROWS_ARGUMENT);
	parts = expected_number(rows->root, (FuncExpr *) rows->node, PARTS_ARGUMENT);
	if (all < 0)
		PG_RETURN_POINTER(NULL);
	rows->rows = all / Max(parts, 1);
	PG_RETURN_POINTER(rows);
}

/* Whether calling the function calls dp_sample(anyelement, ...) and nothing else: neither as
 * another role nor under other settings. */
static bool
is_dp_sample(Oid function)
{
	HeapTuple tuple = SearchSysCache1(PROCOID, ObjectIdGetDatum(function));
	bool may_be;
	FmgrInfo info;

	if (!HeapTupleIsValid(tuple))
		return false;
	may_be = ((Form_pg_proc) GETSTRUCT(tuple))->prolang == ClanguageId &&
			 OidIsValid(((Form_pg_proc) GETSTRUCT(tuple))->prosupport) &&
			 ((Form_pg_proc) GETSTRUCT(tuple))->proretset;
	ReleaseSysCache(tuple);
	if (!may_be)
		return false;
	fmgr_info(function, &info); /* its library was loaded for its support function */
	return info.fn_addr == dp_sample;
}

/* Whether what a query wants of the row are columns as they are: neither the whole row as a value,
 * nor a column whose type was another one when the query was parsed. */
static bool
wants_columns(const RelOptInfo *rel, TupleDesc row)
{
	List *wanted = list_concat(list_copy(rel->reltarget->exprs),
							   extract_actual_clauses(rel->baserestrictinfo, false));
	List *variables =
		pull_var_clause((Node *) wanted, PVC_RECURSE_PLACEHOLDERS | PVC_RECURSE_AGGREGATES |
											 PVC_RECURSE_WINDOWFUNCS);
	ListCell *cell;

	foreach (cell, variables)
	{
		const Var *variable = lfirst_node(Var, cell);

		if (variable->varattno <= 0 ||
			variable->vartype != TupleDescAttr(row, variable->varattno - 1)->atttypid)
			return false;
	}
	return true;
}

/* The call of dp_sample that the scan can take the place of; NULL: there is none. */
static FuncExpr *
find_call(const RelOptInfo *rel, const RangeTblEntry *entry)
{
	RangeTblFunction *function;
	FuncExpr *call;
	TupleDesc row;

	if (rel->reloptkind != RELOPT_BASEREL || entry->rtekind != RTE_FUNCTION ||
		entry->funcordinality || list_length(entry->functions) != 1 ||
		!bms_is_empty(rel->lateral_relids))
		return NULL;
	function = linitial_node(RangeTblFunction, entry->functions);
	call = (FuncExpr *) function->funcexpr;
	if (!IsA(call, FuncExpr) || function->funccolnames != NIL || !is_dp_sample(call->funcid))
		return NULL;
	row = get_expr_result_tupdesc((Node *) call, true);
	if (row == NULL || row->natts != function->funccolcount || !wants_columns(rel, row))
		return NULL;
	return call;
}

static const CustomScanMethods scan_methods;

static Plan *
plan_scan(PlannerInfo *root, RelOptInfo *rel, CustomPath *path, List *targets, List *clauses,
		  List *children)
{
	RangeTblEntry *entry = planner_rt_fetch(rel->relid, root);
	FuncExpr *call = linitial(path->custom_private);
	CustomScan *scan = dp_row_scan_plan(path, dp_row_scan_columns(entry, rel->relid), targets,
										clauses, &scan_methods);

	scan->custom_exprs = list_make1(call);
	/* the plan is of the function and the row type as they are */
	record_plan_function_dependency(root, call->funcid);
	root->glob->relationOids = lappend_oid(root->glob->relationOids,
										   get_typ_typrelid(getBaseType(exprType((Node *) call))));
	return &scan->scan.plan;
}

static const CustomPathMethods path_methods = {.CustomName = SCAN_NAME,
											   .PlanCustomPath = plan_scan};

static void
add_scan(PlannerInfo *root, RelOptInfo *rel, Index relid, RangeTblEntry *entry)
{
	FuncExpr *call;
	QualCost arguments;

	if (next_hook != NULL)
		next_hook(root, rel, relid, entry);
	call = find_call(rel, entry);
	if (call == NULL)
		return;
	cost_qual_eval_node(&arguments, (Node *) call, root);
	dp_row_scan_add(rel, &path_methods, list_make1(call), arguments.startup + arguments.per_tuple);
}

/* ---- reading ---- */

typedef struct RowsScan
{
	CustomScanState css;
	SetExprState *call;
	Bitmapset *parameters; /* of the call, that a query sets while it runs */
	MemoryContext kept;    /* of arguments; NULL: they were not evaluated yet */
	DpSampleArguments arguments;
	bool is_read_again; /* from its first row on, as far as the plan tells */
	bool has_all;       /* the store of a tree's rows has all of them */
	bool is_whole;      /* rows go on as they are: neither condition nor expressions stand here */
	MemoryContext work; /* of what follows; NULL: nothing was read yet */
	DpDrawJob *job;
	/* if rows are not drawn one by one: all rows, or those of one block; NULL otherwise */
	Tuplestorestate *store;
	TupleTableSlot *stored; /* a row of it */
	uint64 next;            /* row; of a tree: of its root, the first of a block */
	uint64 end;             /* the row behind the last */
	uint32 *codes;          /* of the block that holds it */
	DpRowStream rows;
	DpTupleBuilder *builder; /* if rows are whole */
	TupleTableSlot *tuple;   /* formed by it */
} RowsScan;

static const CustomExecMethods exec_methods;

static Node *
create_state(CustomScan *scan)
{
	return dp_row_scan_state(sizeof(RowsScan), &exec_methods);
}

static void
begin_scan(CustomScanState *css, EState *estate, int flags)
{
	RowsScan *state = (RowsScan *) css;
	Expr *call = linitial(((CustomScan *) css->ss.ps.plan)->custom_exprs);
	TupleDesc row = css->ss.ss_ScanTupleSlot->tts_tupleDescriptor;
	PlanState *ps = &css->ss.ps;

	/* checks that the caller may call it */
	state->call = ExecInitTableFunctionResult(call, ps->ps_ExprContext, ps);
	state->parameters = pull_paramids(call);
	state->is_read_again = (flags & EXEC_FLAG_REWIND) != 0;
	state->stored = ExecInitExtraTupleSlot(estate, row, &TTSOpsMinimalTuple);
	state->tuple = ExecInitExtraTupleSlot(estate, row, &TTSOpsHeapTuple);
	state->is_whole = ps->qual == NULL && ps->ps_ProjInfo == NULL;
	if (!state->is_whole)
		return;
	/* rows are in either of the two slots */
	ps->resultopsset = true;
	ps->resultopsfixed = false;
	ps->resultops = NULL;
}

static void
evaluate_arguments(RowsScan *state)
{
	FunctionCallInfo fcinfo = state->call->fcinfo;
	ExprContext *context = state->css.ss.ps.ps_ExprContext;
	DpSampleArguments *arguments = &state->arguments;
	MemoryContext caller;
	ListCell *cell;
	int i = 0;

	state->kept = AllocSetContextCreate(context->ecxt_per_query_memory, "dpsyn arguments",
										ALLOCSET_SMALL_SIZES);
	caller = MemoryContextSwitchTo(state->kept);
	foreach (cell, state->call->args)
	{
		NullableDatum *argument = &fcinfo->args[i++];

		argument->value = ExecEvalExpr((ExprState *) lfirst(cell), context, &argument->isnull);
	}
	dp_sample_arguments(fcinfo, NULL, arguments);
	if (arguments->given != NULL)
		arguments->given = DatumGetJsonbPCopy(JsonbPGetDatum(arguments->given));
	MemoryContextSwitchTo(caller);
}

/* A plan is made anew when the row type changes. */
static void
check_row(TupleDesc row, TupleDesc planned)
{
	bool fits = row->natts == planned->natts;

	for (int i = 0; fits && i < planned->natts; i++)
		fits = TupleDescAttr(row, i)->attisdropped ||
			   TupleDescAttr(row, i)->atttypid == TupleDescAttr(planned, i)->atttypid;
	if (!fits)
		elog(ERROR, "dpsyn: the row type is not that of the plan");
}

/* Draws all rows into a store. */
typedef struct AllRows
{
	RowsScan *state;
	int workers;
} AllRows;

static void
store_rows(void *argument)
{
	AllRows *all = argument;

	dp_job_run(all->state->job, all->workers, all->state->store);
}

/* Its files are to outlive a subtransaction. */
static void
create_store(RowsScan *state)
{
	state->store = tuplestore_begin_heap(false, false, work_mem);
	tuplestore_set_eflags(state->store, EXEC_FLAG_REWIND);
}

/* Workers draw rows that may not be asked for. If one of these fails, rows are drawn as they are
 * asked for, and it fails again if it is among them. false: that is so. */
static bool
store_by_workers(RowsScan *state, int workers)
{
	AllRows all = {state, workers};

	if (workers == 0)
		return false;
	create_store(state);
	if (dp_run_in_subtransaction(store_rows, &all))
		return true;
	tuplestore_end(state->store);
	state->store = NULL;
	dp_job_begin_again(state->job);
	return false;
}

/* Rows of a tree come by blocks of the root's, or all at once where workers draw them or they are
 * read again. */
static void
start_tree(RowsScan *state, int workers)
{
	state->has_all = state->is_read_again || workers > 0;
	create_store(state);
	if (state->has_all)
	{
		store_rows(&(AllRows){state, workers});
		state->next = state->end;
		return;
	}
	dp_tree_rows_begin(state->job->tree, state->job, state->job->first_block);
}

static void
start_reading(RowsScan *state)
{
	bool is_first = state->kept == NULL;
	MemoryContext caller;
	int workers;

	if (is_first)
		evaluate_arguments(state);
	state->work = AllocSetContextCreate(state->css.ss.ps.state->es_query_cxt, "dpsyn sample",
										ALLOCSET_DEFAULT_SIZES);
	caller = MemoryContextSwitchTo(state->work);
	state->job = dp_sample_job(&state->arguments, dp_result_row(state->call->fcinfo));
	state->next = dp_job_rows_before(state->job, state->job->first_block);
	state->end = dp_job_rows_before(state->job, state->job->end_block);
	check_row(state->job->row, state->stored->tts_tupleDescriptor);
	workers = dp_job_workers(state->job);
	if (state->job->tree != NULL)
		start_tree(state, workers);
	else if (!store_by_workers(state, workers))
	{
		state->codes = palloc(dp_job_block_bytes(state->job));
		state->builder = dp_tuple_builder_create(state->job);
	}
	MemoryContextSwitchTo(caller);
	if (is_first && !state->arguments.is_seeded)
		dp_note_other_rows(state->arguments.release);
}

static void
clear_slots(RowsScan *state)
{
	ExecClearTuple(state->css.ss.ss_ScanTupleSlot);
	ExecClearTuple(state->stored);
	ExecClearTuple(state->tuple);
}

static void
stop_reading(RowsScan *state)
{
	clear_slots(state);
	if (state->work == NULL)
		return;
	if (state->store != NULL)
		tuplestore_end(state->store);
	state->store = NULL;
	MemoryContextDelete(state->work);
	state->work = NULL;
}

static void
next_tree_block(RowsScan *state)
{
	DpDrawJob *job = state->job;
	uint64 block = state->next / DP_BLOCK_ROWS;
	MemoryContext caller = MemoryContextSwitchTo(state->work);
	DpStoreSink sink;

	ExecClearTuple(state->stored);
	tuplestore_clear(state->store);
	dp_tree_rows_make(job->tree, job, block, NULL, dp_store_sink(&sink, job, state->store));
	state->next = Min(state->next + DP_BLOCK_ROWS, state->end);
	dp_tick(&job->progress.tick, dp_job_share(job, block + 1));
	MemoryContextSwitchTo(caller);
}

static TupleTableSlot *
read_stored(RowsScan *state)
{
	TupleTableSlot *slot = state->css.ss.ss_ScanTupleSlot, *stored = state->stored;

	while (!tuplestore_gettupleslot(state->store, true, false, stored))
	{
		if (state->job->tree == NULL || state->next >= state->end)
			return stored;
		next_tree_block(state);
	}
	if (state->is_whole)
		return stored;
	/* the values point into memory that stays valid until the next row is read */
	slot_getallattrs(stored);
	ExecClearTuple(slot);
	memcpy(slot->tts_values, stored->tts_values, sizeof(Datum) * stored->tts_nvalid);
	memcpy(slot->tts_isnull, stored->tts_isnull, sizeof(bool) * stored->tts_nvalid);
	return ExecStoreVirtualTuple(slot);
}

static void
next_block(RowsScan *state)
{
	DpDrawJob *job = state->job;
	uint64 block = state->next / DP_BLOCK_ROWS;

	MemoryContextReset(job->scratch);
	dp_job_draw(job, block, state->codes, &job->progress.tick);
	dp_job_rows(job, block, state->codes, &state->rows);
	dp_tick(&job->progress.tick, dp_job_share(job, block));
}

/* What a row holds stays where it is until the next block. */
static TupleTableSlot *
draw_next(RowsScan *state)
{
	TupleTableSlot *slot = state->is_whole ? state->tuple : state->css.ss.ss_ScanTupleSlot;
	MemoryContext caller;

	ExecClearTuple(slot);
	if (state->next >= state->end)
		return slot;
	if (state->next % DP_BLOCK_ROWS == 0)
		next_block(state);
	state->next++;
	caller = MemoryContextSwitchTo(state->job->scratch);
	if (state->is_whole)
		ExecStoreHeapTuple(dp_row_form(state->builder, &state->rows), slot, true);
	else
	{
		(void) dp_job_row(state->job, &state->rows, slot->tts_values, slot->tts_isnull);
		ExecStoreVirtualTuple(slot);
	}
	MemoryContextSwitchTo(caller);
	return slot;
}

static TupleTableSlot *
next_row(CustomScanState *css)
{
	RowsScan *state = (RowsScan *) css;

	if (state->work == NULL)
		start_reading(state);
	return state->store != NULL ? read_stored(state) : draw_next(state);
}

static TupleTableSlot *
execute_scan(CustomScanState *css)
{
	if (!((RowsScan *) css)->is_whole)
		return dp_row_scan_execute(css, next_row);
	CHECK_FOR_INTERRUPTS();
	return next_row(css);
}

static void
end_scan(CustomScanState *css)
{
	stop_reading((RowsScan *) css);
}

/* Goes back to the first row. false: rules keep count of their tries, or blocks come in their order,
 * so that it takes another job. */
static bool
rewind_rows(RowsScan *state)
{
	clear_slots(state);
	if (state->job->tree != NULL && !state->has_all)
		return false;
	if (state->store == NULL)
	{
		state->next = dp_job_rows_before(state->job, state->job->first_block);
		return state->job->rules == NULL;
	}
	tuplestore_rescan(state->store);
	return true;
}

/* With other arguments it is another call. */
static void
rescan(CustomScanState *css)
{
	RowsScan *state = (RowsScan *) css;
	bool is_other = bms_overlap(css->ss.ps.chgParam, state->parameters);

	if (state->work == NULL)
		return;
	if (is_other || !rewind_rows(state))
		stop_reading(state);
	if (!is_other)
		return;
	MemoryContextDelete(state->kept);
	state->kept = NULL;
}

static const CustomExecMethods exec_methods = {.CustomName = SCAN_NAME,
											   .BeginCustomScan = begin_scan,
											   .ExecCustomScan = execute_scan,
											   .EndCustomScan = end_scan,
											   .ReScanCustomScan = rescan};
static const CustomScanMethods scan_methods = {.CustomName = SCAN_NAME,
											   .CreateCustomScanState = create_state};
