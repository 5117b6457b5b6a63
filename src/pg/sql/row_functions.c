/*
 * row_functions.c -- functions that return rows, of answers.
 *
 * Such a function has no value that could be NULL where it fails (undefined.c). So what may fail for
 * some numbers is refused where it depends on an answer; for a public table and for constants a
 * preflight shows it.
 */
#include "pg/sql/undefined.h"

#include "access/transam.h"
#include "catalog/pg_type.h"
#include "nodes/nodeFuncs.h"
#include "nodes/primnodes.h"
#include "optimizer/optimizer.h"
#include "parser/parsetree.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/fmgrprotos.h"
#include "utils/regproc.h"
#include "utils/timestamp.h"

#include "pg/sql/answer_call.h"
#include "pg/sql/refuse.h"

/* Whether the step of a series is a constant for which it does not fail: NULL, or neither zero nor
 * infinite. */
static bool
has_step(const FuncExpr *call)
{
	const Const *step = (const Const *) eval_const_expressions(NULL, copyObject(llast(call->args)));
	const Interval none = {0}, *interval;

	if (!IsA(step, Const) || step->constisnull)
		return IsA(step, Const);
	if (step->consttype == INT4OID)
		return DatumGetInt32(step->constvalue) != 0;
	if (step->consttype != INTERVALOID)
		return DatumGetInt64(step->constvalue) != 0;
	interval = DatumGetIntervalP(step->constvalue);
	return interval->month != PG_INT32_MAX && interval->month != PG_INT32_MIN &&
		   !DatumGetBool(
			   DirectFunctionCall2(interval_eq, step->constvalue, IntervalPGetDatum(&none)));
}

/* Whether it gives rows for all values. */
static bool
is_total(const FuncExpr *call)
{
	switch (call->funcid)
	{
		case F_GENERATE_SERIES_INT4_INT4:
		case F_GENERATE_SERIES_INT8_INT8:
		case F_GENERATE_SUBSCRIPTS_ANYARRAY_INT4:
		case F_GENERATE_SUBSCRIPTS_ANYARRAY_INT4_BOOL:
		case F_STRING_TO_TABLE_TEXT_TEXT:
		case F_STRING_TO_TABLE_TEXT_TEXT_TEXT:
		case F_UNNEST_ANYARRAY:
		case F_UNNEST_ANYMULTIRANGE:
		case F_UNNEST_TSVECTOR:
			return true;
		case F_GENERATE_SERIES_INT4_INT4_INT4:
		case F_GENERATE_SERIES_INT8_INT8_INT8:
		case F_GENERATE_SERIES_TIMESTAMP_TIMESTAMP_INTERVAL:
		case F_GENERATE_SERIES_TIMESTAMPTZ_TIMESTAMPTZ_INTERVAL:
			return has_step(call);
		default:
			return call->funcid >= FirstUnpinnedObjectId; /* whoever made it answers for it */
	}
}

static bool
is_table(const RangeTblEntry *entry)
{
	return entry->rtekind == RTE_RELATION ||
		   (entry->rtekind == RTE_SUBQUERY && !dp_reads_answer((Node *) entry->subquery));
}

/* Whether an expression has a column of what is no table, or a sub-select of answers. queries: Query *,
 * from the one at hand outwards. */
static bool
depends_on_answer(Node *node, void *queries)
{
	const Var *var = (const Var *) node;

	if (node == NULL)
		return false;
	if (IsA(node, Var))
	{
		const Query *query = (int) var->varlevelsup < list_length(queries)
								 ? list_nth(queries, (int) var->varlevelsup)
								 : NULL;

		return query == NULL || !is_table(rt_fetch(var->varno, query->rtable));
	}
	if (IsA(node, SubLink))
		return dp_may_depend_on_answer(((SubLink *) node)->subselect);
	return IsA(node, Aggref) || expression_tree_walker(node, depends_on_answer, queries);
}

void
dp_check_row_function(Node *node, const List *queries)
{
	const FuncExpr *call = (const FuncExpr *) node;
	bool is_call = IsA(node, FuncExpr);
	bool returns_rows = is_call ? call->funcretset || call->funcresulttype == RECORDOID
								: IsA(node, TableFunc) || IsA(node, TableSampleClause);

	if (!returns_rows || (is_call && (call->funcid == dp_answer_function() || is_total(call))) ||
		!expression_tree_walker(node, depends_on_answer, (void *) queries))
		return;
	dp_refuse_clause(
		(DpClausePlace){NULL, -1},
		psprintf("%s of an answer", is_call                ? format_procedure(call->funcid)
									: IsA(node, TableFunc) ? "XMLTABLE"
														   : "TABLESAMPLE"),
		"It may fail after the answer was paid for: give it columns of public tables, or "
		"constants.");
}
