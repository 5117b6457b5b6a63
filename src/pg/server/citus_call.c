/*
 * citus_call.c -- a query of a user that counts a Citus table by dp_marginals(spec, a, b) is read as
 * dp_marginals(spec, ROW(a, b)), which counts the same. Citus sends its worker nodes an aggregate
 * whose arguments have fixed types. With arguments of any type it begins all the same, and fails there:
 * "worker_partial_agg_sfunc could not confirm type correctness".
 *
 * This is done after the analysis of a query, in sessions that have loaded dpsyn: by a call before, or
 * by session_preload_libraries.
 */
#include "pg/server/compat.h"

#include "access/table.h"
#include "catalog/dependency.h"
#include "catalog/pg_class.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "commands/extension.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "parser/analyze.h"
#include "rewrite/rewriteHandler.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/syscache.h"

#include "pg/server/citus.h"

static post_parse_analyze_hook_type next_hook = NULL;

/* ---- what is looked for ---- */

/* dp_marginals(spec, VARIADIC "any"), called with columns. */
static bool
is_variadic_count(const Aggref *call)
{
	const char *name;

	if (get_func_variadictype(call->aggfnoid) != ANYOID || call->aggorder != NIL ||
		call->aggdistinct != NIL || list_length(call->args) < 2)
		return false;
	name = get_func_name(call->aggfnoid);
	return name != NULL && strcmp(name, "dp_marginals") == 0 &&
		   getExtensionOfObject(ProcedureRelationId, call->aggfnoid) ==
			   get_extension_oid("dpsyn", true);
}

static bool reads_distributed(Node *node, void *context);

/* Views are not yet expanded. own: the view whose definition has the entry, which may name itself. */
static bool
is_or_reads_distributed(const RangeTblEntry *entry, const Oid *own)
{
	Relation view;
	bool found;

	if (entry->rtekind != RTE_RELATION || (own != NULL && entry->relid == *own))
		return false;
	if (entry->relkind != RELKIND_VIEW)
		return dp_is_distributed(entry->relid);
	check_stack_depth();
	view = table_open(entry->relid, AccessShareLock);
	found = reads_distributed((Node *) get_view_query(view), &view->rd_id);
	table_close(view, AccessShareLock);
	return found;
}

static bool
reads_distributed(Node *node, void *context)
{
	ListCell *cell;

	if (node == NULL)
		return false;
	if (!IsA(node, Query))
		return expression_tree_walker(node, reads_distributed, context);
	foreach (cell, ((Query *) node)->rtable)
		if (is_or_reads_distributed(lfirst_node(RangeTblEntry, cell), context))
			return true;
	return query_tree_walker((Query *) node, reads_distributed, context, 0);
}

/* ---- what is made of it ---- */

static Oid
row_aggregate(Oid aggregate)
{
	Oid types[2] = {BYTEAOID, RECORDOID};

	return GetSysCacheOid3(PROCNAMEARGSNSP, Anum_pg_proc_oid, CStringGetDatum("dp_marginals"),
						   PointerGetDatum(buildoidvector(types, lengthof(types))),
						   ObjectIdGetDatum(get_func_namespace(aggregate)));
}

/* The arguments after the first as one. */
static void
count_as_row(Aggref *call)
{
	RowExpr *row = makeNode(RowExpr);
	Oid aggregate = row_aggregate(call->aggfnoid);

	if (!OidIsValid(aggregate))
		return;
	for (int i = 1; i < list_length(call->args); i++)
	{
		row->args = lappend(row->args, list_nth_node(TargetEntry, call->args, i)->expr);
		row->colnames = lappend(row->colnames, makeString(psprintf("f%d", i)));
	}
	row->row_typeid = RECORDOID;
	row->row_format = COERCE_EXPLICIT_CALL;
	row->location = -1;
	call->aggfnoid = aggregate;
	call->aggargtypes = list_make2_oid(BYTEAOID, RECORDOID);
	call->args = list_make2(linitial(call->args), makeTargetEntry((Expr *) row, 2, NULL, false));
}

/* Changes all of them, or, with found, only looks for one. */
static bool
walk(Node *node, void *found)
{
	if (node == NULL)
		return false;
	if (IsA(node, Query))
		return query_tree_walker((Query *) node, walk, found, 0);
	if (IsA(node, Aggref) && is_variadic_count((Aggref *) node))
	{
		if (found != NULL)
			return true;
		count_as_row((Aggref *) node);
	}
	return expression_tree_walker(node, walk, found);
}

/* What a statement that holds a query holds. */
static Node *
query_of(Query *query)
{
	if (query->commandType != CMD_UTILITY)
		return (Node *) query;
	switch (nodeTag(query->utilityStmt))
	{
		case T_ExplainStmt:
			return ((ExplainStmt *) query->utilityStmt)->query;
		case T_CreateTableAsStmt:
			return ((CreateTableAsStmt *) query->utilityStmt)->query;
		case T_DeclareCursorStmt:
			return ((DeclareCursorStmt *) query->utilityStmt)->query;
		default:
			return NULL;
	}
}

static void
after_analysis(ParseState *state, Query *query, DP_JUMBLE_STATE *jumble)
{
	Node *looked_at = query_of(query);
	bool found = true;

	if (looked_at != NULL && walk(looked_at, &found) && dp_citus_is_here() &&
		reads_distributed(looked_at, NULL))
		(void) walk(looked_at, NULL);
	if (next_hook != NULL)
		next_hook(state, query, jumble);
}

void
dp_citus_call_watch(void)
{
	static bool watches = false;

	if (watches)
		return;
	next_hook = post_parse_analyze_hook;
	post_parse_analyze_hook = after_analysis;
	watches = true;
}
