/*
 * question_scan.c -- the scan that asks a question when its plan runs, and hands out the answer.
 *
 * It takes the place of the call that stands in the range table (answer_call.h). A plan that is kept
 * holds the question and no answer. Questions are planned when the executor starts, so that one that
 * cannot be answered is an error before any of the statement is asked; EXPLAIN goes no further. A
 * question is asked with the first row that somebody wants. Only where a question holds the answer of
 * another one, as a constant, it is planned as late as that.
 */
#include "pg/sql/mode.h"

#include "pg/server/compat.h"

#include <math.h>

#include "access/htup_details.h"
#include "common/hashfn.h"
#include "executor/executor.h"
#include "executor/instrument.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "nodes/extensible.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/cost.h"
#include "optimizer/pathnode.h"
#include "optimizer/paths.h"
#include "optimizer/restrictinfo.h"
#include "parser/parse_relation.h"
#include "parser/parsetree.h"
#include "storage/lock.h"
#include "utils/datum.h"
#include "utils/hsearch.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"

#include "pg/server/compat_query.h"
#include "pg/server/labels.h"
#include "pg/server/row_scan.h"
#include "pg/sql/answer_call.h"
#include "pg/sql/carried.h"
#include "pg/sql/expression_interval.h"
#include "pg/server/numbers.h"
#include "pg/sql/question.h"
#include "pg/sql/question_plan.h"

PG_FUNCTION_INFO_V1(dp_question_rows);

#define SCAN_NAME "dpsyn private answer"
#define EXPECTED_ROWS 100

static set_rel_pathlist_hook_type next_hook = NULL;

/* The scan takes its place, so that nobody calls it. */
Datum
dp_question_rows(PG_FUNCTION_ARGS)
{
	elog(ERROR, "dpsyn: dp_question_rows was called");
	PG_RETURN_NULL();
}

/* ---- planning ---- */

/* The columns of the answer as what the scan hands out, and the row of these: UPDATE and MERGE keep it
 * of whatever they join. */
static List *
scanned_columns(RangeTblEntry *entry, Index relid)
{
	List *targets = dp_row_scan_columns(entry, relid);

	return lappend(targets, makeTargetEntry((Expr *) makeWholeRowVar(entry, (int) relid, 0, false),
											(AttrNumber) (list_length(targets) + 1), NULL, false));
}

static const CustomScanMethods scan_methods;

static Plan *
plan_scan(PlannerInfo *root, RelOptInfo *rel, CustomPath *path, List *targets, List *clauses,
		  List *children)
{
	CustomScan *scan =
		dp_row_scan_plan(path, scanned_columns(planner_rt_fetch(rel->relid, root), rel->relid),
						 targets, clauses, &scan_methods);

	scan->custom_exprs = lsecond(path->custom_private);
	scan->custom_private = copyObject(linitial(path->custom_private));
	return &scan->scan.plan;
}

static const CustomPathMethods path_methods = {.CustomName = SCAN_NAME,
											   .PlanCustomPath = plan_scan};

static void
add_scan(PlannerInfo *root, RelOptInfo *rel, Index relid, RangeTblEntry *entry)
{
	List *question, *externals = NIL;

	if (next_hook != NULL)
		next_hook(root, rel, relid, entry);
	question = dp_answer_of_entry(entry, &externals);
	if (question != NIL)
		dp_row_scan_add(rel, &path_methods, list_make2(question, externals), 0);
}

void
dp_question_scan_init(void)
{
	next_hook = set_rel_pathlist_hook;
	set_rel_pathlist_hook = add_scan;
}

/* ---- running ---- */

typedef struct QuestionScan
{
	CustomScanState css;
	List *nodes;          /* the carried question */
	List *externals;      /* ExprState * */
	List *types;          /* of them: Expr * */
	MemoryContext memory; /* of all that follows; it lives as long as the statement */
	Oid user;             /* who asks: the role that began the statement */
	TimestampTz began;    /* when it did */
	DpCarried *carried;
	List *intervals;              /* DpExpressionInterval *, of the expressions */
	DpQuestionPlan *plan;         /* NULL: not planned yet */
	DpQuestionPlan *trial;        /* the same with another number where an answer is waited for */
	DpQuestionAnswer *substitute; /* that takes the place of the answer in a preflight */
	DpQuestionAnswer *answer;     /* NULL: not asked yet */
	int next;                     /* group */
	TupleDesc row;                /* of the columns; NULL: nobody has asked for one */
} QuestionScan;

static const CustomExecMethods exec_methods;

static Node *
create_state(CustomScan *scan)
{
	return dp_row_scan_state(sizeof(QuestionScan), &exec_methods);
}

/* What an external is now, as a constant that outlives the row at hand. */
static Const *
external_value(ExprState *external, const Expr *expression, ExprContext *context)
{
	Oid type = exprType((Node *) expression);
	int16 length;
	bool by_value, isnull;
	Datum value = ExecEvalExprSwitchContext(external, context, &isnull);

	get_typlenbyval(type, &length, &by_value);
	if (!isnull && length == -1)
		value = PointerGetDatum(PG_DETOAST_DATUM(value));
	return makeConst(type, exprTypmod((Node *) expression), exprCollation((Node *) expression),
					 length, isnull ? (Datum) 0 : datumCopy(value, by_value, length), isnull,
					 by_value);
}

/* A substitute for the number that another question will answer, to check beforehand whether the
 * rest can be asked: some number, or none. */
static Const *
trial_value(const Expr *expression, bool is_number)
{
	Oid type = exprType((Node *) expression);

	return is_number && dp_number_has_type(type)
			   ? makeConst(type, -1, InvalidOid, get_typlen(type), dp_number_value(1, type), false,
						   get_typbyval(type))
			   : makeNullConst(type, -1, exprCollation((Node *) expression));
}

static DpQuestionPlan *
plan_with(QuestionScan *state, List *values)
{
	ListCell *cell;

	state->carried = dp_carried(state->nodes, values);
	state->carried->ask.draws = state->carried->expressions != NIL;
	state->carried->ask.began = state->began;
	state->intervals = NIL;
	foreach (cell, state->carried->expressions)
		state->intervals =
			lappend(state->intervals,
					dp_expression_interval(lfirst(cell), state->carried->columns, &state->css.ss.ps,
										   state->css.ss.ss_ScanTupleSlot));
	return dp_question_plan(
		dp_carried_question(state->carried, state->css.ss.ps.state->es_sourceText));
}

static List *
external_values(const QuestionScan *state)
{
	List *values = NIL;

	for (int i = 0; i < list_length(state->externals); i++)
		values =
			lappend(values, external_value(list_nth(state->externals, i), list_nth(state->types, i),
										   state->css.ss.ps.ps_ExprContext));
	return values;
}

static void
plan_question(QuestionScan *state)
{
	MemoryContext caller = MemoryContextSwitchTo(state->memory);

	state->plan = plan_with(state, external_values(state));
	MemoryContextSwitchTo(caller);
}

static bool waits(Node *node, void *context);

static void
try_values(QuestionScan *state, bool numbers)
{
	MemoryContext caller = MemoryContextSwitchTo(state->memory);
	bool no_parameters = false;
	List *values = NIL;

	for (int i = 0; i < list_length(state->externals); i++)
	{
		Expr *external = list_nth(state->types, i);

		values = lappend(values, waits((Node *) external, &no_parameters)
									 ? trial_value(external, numbers)
									 : external_value(list_nth(state->externals, i), external,
													  state->css.ss.ps.ps_ExprContext));
	}
	state->trial = plan_with(state, values);
	MemoryContextSwitchTo(caller);
}

/* ERROR where the question cannot be asked, whatever the answer is that it waits for. A range that
 * WHERE bounds by that answer is not known yet: without a number there is no such bound. */
static void
try_question(QuestionScan *state)
{
	try_values(state, false);
	try_values(state, true);
}

/* Of an expression that waits for the answer of another question. context: bool *, whether
 * parameters of the statement are unknown too, as where a generic plan is explained. */
static bool
waits(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (IsA(node, SubPlan) || IsA(node, AlternativeSubPlan))
		return true;
	if (IsA(node, Param))
		return ((Param *) node)->paramkind == PARAM_EXEC || *(bool *) context;
	return expression_tree_walker(node, waits, context);
}

static bool
has_parameter(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (IsA(node, Param))
		return ((Param *) node)->paramkind == PARAM_EXTERN;
	return expression_tree_walker(node, has_parameter, context);
}

/* Whether an expression reads numbers of the answer, and not its groups alone. */
static bool
reads_numbers(Node *node, void *columns)
{
	const Var *column = (const Var *) node;

	if (node == NULL)
		return false;
	if (IsA(node, Var) && column->varno == INDEX_VAR)
		return column->varattno < 1 || column->varattno > list_length(columns) ||
			   ((const DpAnswerColumn *) list_nth(columns, column->varattno - 1))->part !=
				   DP_PART_GROUP;
	return expression_tree_walker(node, reads_numbers, columns);
}

/* In a preflight no group is left out for its numbers, which are not known: HAVING count(*) > 20 may hold
 * of the answer, and what is computed of a group then must not fail. */
static void
keep_all_groups(CustomScanState *css, List *columns)
{
	List *kept = NIL;
	ListCell *cell;

	foreach (cell, css->ss.ps.plan->qual)
		if (!reads_numbers(lfirst(cell), columns))
			kept = lappend(kept, lfirst(cell));
	if (list_length(kept) < list_length(css->ss.ps.plan->qual))
		css->ss.ps.qual = ExecInitQual(kept, &css->ss.ps);
}

static void
begin_scan(CustomScanState *css, EState *estate, int flags)
{
	QuestionScan *state = (QuestionScan *) css;
	const CustomScan *scan = (CustomScan *) css->ss.ps.plan;
	bool no_parameters = estate->es_param_list_info == NULL;
	const DpStatementQuestion *preflight = dp_statement_preflight(estate, css->ss.ps.plan);

	state->user = GetUserId();
	state->began = GetCurrentTimestamp();
	state->nodes = scan->custom_private;
	state->types = scan->custom_exprs;
	state->externals = ExecInitExprList(scan->custom_exprs, &css->ss.ps);
	state->memory =
		AllocSetContextCreate(estate->es_query_cxt, "dpsyn private answer", ALLOCSET_DEFAULT_SIZES);
	if (preflight != NULL)
	{
		state->carried = preflight->carried;
		state->substitute = preflight->substitute;
		keep_all_groups(css, state->carried->columns);
		return;
	}
	if (!waits((Node *) scan->custom_exprs, &no_parameters))
		plan_question(state);
	else if (!no_parameters || !has_parameter((Node *) scan->custom_exprs, NULL))
		try_question(state);
	if (state->carried != NULL)
		dp_statement_will_ask(
			estate, (DpStatementQuestion){.scan = css->ss.ps.plan,
										  .plan = state->plan != NULL ? state->plan : state->trial,
										  .carried = state->carried});
}

/* Raises the NOTICE once a session for each answer, not each time that a dashboard reads it. */
static bool
is_said(int64 release)
{
	static HTAB *said = NULL;
	bool found;

	if (said == NULL)
		said = hash_create("dpsyn answers read again", 64,
						   &(HASHCTL){.keysize = sizeof(int64), .entrysize = sizeof(int64)},
						   HASH_ELEM | HASH_BLOBS);
	(void) hash_search(said, &release, HASH_ENTER, &found);
	return found;
}

static void
notice_stored(const DpQuestionAnswer *answer)
{
	if (answer->was_stored && answer->release != 0 && !is_said(answer->release))
		ereport(NOTICE,
				(errmsg("the answer of %s was read again, and nothing was spent",
						timestamptz_to_str(answer->asked)),
				 errdetail("It was %s.", answer->basis),
				 errhint("dp_private_queries(..., refresh => '1 day') asks anew where an answer is "
						 "older.")));
}

/* One session at a time asks a question: the others wait, and read its answer. */

#define LOCK_KIND 3 /* pg_advisory_lock and its like use 1 and 2 */

static LOCKTAG
tag_of(const DpQuestionPlan *plan)
{
	const char *words = dp_question_normal_form(plan);
	uint32 hash = hash_bytes((const unsigned char *) words, (int) strlen(words));
	LOCKTAG tag;

	SET_LOCKTAG_ADVISORY(tag, MyDatabaseId, dp_question_relation(plan), hash, LOCK_KIND);
	return tag;
}

/* Waits for whoever asks the same now. It is given back by question_unlock, or by an error. */
static void
question_lock(const DpQuestionPlan *plan)
{
	LOCKTAG tag = tag_of(plan);

	(void) LockAcquire(&tag, ExclusiveLock, false, false);
}

static void
question_unlock(const DpQuestionPlan *plan)
{
	LOCKTAG tag = tag_of(plan);

	(void) LockRelease(&tag, ExclusiveLock, false);
}

static void
ask(QuestionScan *state)
{
	MemoryContext caller;
	double number;

	if (state->substitute != NULL)
	{
		(void) external_values(state);
		state->answer = state->substitute;
		return;
	}
	if (GetUserId() != state->user)
		ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
						errmsg("role %s cannot go on with a query that role %s began",
							   dp_role_label(GetUserId()), dp_role_label(state->user)),
						errdetail("Who reads the first row would pay. Nothing was spent.")));
	if (state->plan == NULL)
		plan_question(state);
	caller = MemoryContextSwitchTo(state->memory);
	if (dp_in_preflight(&number))
	{
		state->answer = state->substitute = dp_question_substitute(state->plan, number);
		MemoryContextSwitchTo(caller);
		return;
	}
	question_lock(state->plan);
	state->answer = dp_question_answer(state->plan, &state->carried->ask, state->css.ss.ps.state);
	question_unlock(state->plan);
	MemoryContextSwitchTo(caller);
	notice_stored(state->answer);
}

static Datum
measured(const DpQuestionValue *value, const DpAnswerColumn *column, bool *isnull)
{
	double number = column->part == DP_PART_ESTIMATE    ? value->estimate
					: column->part == DP_PART_STD_ERROR ? value->std_error
					: column->part == DP_PART_LOW       ? value->low
														: value->high;

	*isnull = isnan(number) || (column->part == DP_PART_ESTIMATE && !value->known);
	return *isnull ? (Datum) 0 : dp_number_value(number, column->type);
}

/* The columns that are no intervals of expressions, or those that are: these are computed from the
 * others. */
static void
fill_columns(const QuestionScan *state, const DpQuestionGroup *group, TupleTableSlot *slot,
			 bool of_expressions)
{
	int i = -1;
	ListCell *cell;

	foreach (cell, state->carried->columns)
	{
		const DpAnswerColumn *column = lfirst(cell);
		DpQuestionValue value;

		i++;
		if (column->of_expression != of_expressions)
			continue;
		if (column->part == DP_PART_GROUP)
		{
			slot->tts_values[i] = group->value[column->number];
			slot->tts_isnull[i] = group->isnull[column->number];
			continue;
		}
		value =
			of_expressions && state->substitute != NULL
				? (DpQuestionValue){false, NAN, NAN, NAN, NAN}
			: of_expressions
				? dp_expression_interval_value(list_nth(state->intervals, column->number),
											   state->answer, group, state->carried->ask.confidence)
				: group->measure[column->number];
		slot->tts_values[i] = measured(&value, column, &slot->tts_isnull[i]);
	}
}

/* The row of the columns, as a value. */
static void
fill_row(QuestionScan *state, TupleTableSlot *slot)
{
	int n = slot->tts_tupleDescriptor->natts - 1;

	if (state->row == NULL)
	{
		MemoryContext caller = MemoryContextSwitchTo(state->memory);

		state->row = CreateTemplateTupleDesc(n);
		for (int i = 1; i <= n; i++)
			TupleDescCopyEntry(state->row, (AttrNumber) i, slot->tts_tupleDescriptor,
							   (AttrNumber) i);
		DP_TUPLE_DESC_FINALIZE(state->row);
		state->row = BlessTupleDesc(state->row);
		MemoryContextSwitchTo(caller);
	}
	slot->tts_values[n] =
		HeapTupleGetDatum(heap_form_tuple(state->row, slot->tts_values, slot->tts_isnull));
	slot->tts_isnull[n] = false;
}

static TupleTableSlot *
next_row(CustomScanState *css)
{
	QuestionScan *state = (QuestionScan *) css;
	TupleTableSlot *slot = state->css.ss.ss_ScanTupleSlot;
	const DpQuestionGroup *group;
	MemoryContext caller;

	if (state->answer == NULL)
		ask(state);
	ExecClearTuple(slot);
	if (state->next >= list_length(state->answer->groups))
		return slot;
	group = list_nth(state->answer->groups, state->next++);
	caller = MemoryContextSwitchTo(state->css.ss.ps.ps_ExprContext->ecxt_per_tuple_memory);
	fill_columns(state, group, slot, false);
	ExecStoreVirtualTuple(slot); /* expressions read it */
	fill_columns(state, group, slot, true);
	fill_row(state, slot);
	MemoryContextSwitchTo(caller);
	return slot;
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
}

/* A second reading has the answer of the first: no external depends on the row of another entry. */
static void
rescan(CustomScanState *css)
{
	ExecClearTuple(css->ss.ss_ScanTupleSlot);
	((QuestionScan *) css)->next = 0;
}

/* ---- EXPLAIN ---- */

/* A line each, where PostgreSQL would put all into one. */
static void
explain_lines(List *lines, ExplainState *es)
{
	ListCell *cell;

	if (es->format != EXPLAIN_FORMAT_TEXT)
	{
		ExplainPropertyList("Private Question", lines, es);
		return;
	}
	foreach (cell, lines)
	{
		appendStringInfoSpaces(es->str, es->indent * 2);
		appendStringInfo(es->str, "%s\n", (const char *) lfirst(cell));
	}
}

static List *
explanation(const QuestionScan *state)
{
	const DpAskFor *ask = state->carried != NULL ? &state->carried->ask : NULL;

	if (state->plan != NULL)
		return dp_question_explain(state->plan, ask);
	if (state->trial != NULL)
		return lcons(pstrdup("a number that another answer gives is written as 1 here"),
					 dp_question_explain(state->trial, ask));
	return list_make1(pstrdup("it is planned when the parameters are known"));
}

static void
explain_scan(CustomScanState *css, List *ancestors, ExplainState *es)
{
	QuestionScan *state = (QuestionScan *) css;
	MemoryContext caller = MemoryContextSwitchTo(state->memory);

	explain_lines(explanation(state), es);
	MemoryContextSwitchTo(caller);
}

static const CustomExecMethods exec_methods = {.CustomName = SCAN_NAME,
											   .BeginCustomScan = begin_scan,
											   .ExecCustomScan = execute_scan,
											   .EndCustomScan = end_scan,
											   .ReScanCustomScan = rescan,
											   .ExplainCustomScan = explain_scan};
static const CustomScanMethods scan_methods = {.CustomName = SCAN_NAME,
											   .CreateCustomScanState = create_state};
