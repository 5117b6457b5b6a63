/*
 * scan_citus.c -- tables that Citus distributes: which they are, and asking the worker nodes that have
 * their shards. RELEASE WORKER ONLY.
 *
 * A node is asked the very statement that it will run later, with a condition added wherever a Citus
 * table is read. That is a call of dp_catalog.dp_ask_to_count, which is false. It is stable, so that the
 * coordinator leaves it to the nodes, and it has no columns, so that a node evaluates it once for a
 * shard, before it would read any row. So it comes up now if a node does not answer, if a shard, a right
 * or a type is missing there, or if dpsyn is or has another version. Of a statement with outer joins, for
 * which Citus does not plan such a condition before PostgreSQL 17, each table is asked by itself.
 *
 * Citus connects to its nodes as the current user, which is the owner of the relation, whoever owns a
 * view in between. So does what asks them.
 */
#include "pg/server/compat.h"

#include "catalog/namespace.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "executor/executor.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "tcop/dest.h"
#include "tcop/tcopprot.h"
#include "utils/builtins.h"
#include "utils/snapmgr.h"
#include "utils/syscache.h"

#include "core/exact/spec.h"
#include "pg/server/catalog.h"
#include "pg/server/citus.h"
#include "pg/worker/lock.h"
#include "pg/worker/scan.h"
#include "pg/worker/settings.h"

PG_FUNCTION_INFO_V1(dp_ask_to_count);

/* ---- which tables ---- */

/* Whether a level of a query reads Citus tables itself. */
static bool
reads_distributed(const Query *query)
{
	ListCell *cell;

	foreach (cell, query->rtable)
	{
		const RangeTblEntry *entry = lfirst_node(RangeTblEntry, cell);

		if (entry->rtekind == RTE_RELATION && dp_is_distributed(entry->relid))
			return true;
	}
	return false;
}

/* Looks for a level that reads some. condition: is added to each such level, and the search goes on;
 * NULL: nothing is added. */
static bool
walk(Node *node, void *condition)
{
	if (node == NULL)
		return false;
	if (!IsA(node, Query))
		return expression_tree_walker(node, walk, condition);
	if (reads_distributed((Query *) node))
	{
		FromExpr *from = ((Query *) node)->jointree;

		if (condition == NULL)
			return true;
		from->quals = make_and_qual(from->quals, copyObject(condition));
	}
	return query_tree_walker((Query *) node, walk, condition, 0);
}

static bool
has_outer_join(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (IsA(node, Query))
		return query_tree_walker((Query *) node, has_outer_join, context, 0);
	return (IsA(node, JoinExpr) && IS_OUTER_JOIN(((JoinExpr *) node)->jointype)) ||
		   expression_tree_walker(node, has_outer_join, context);
}

/* Adds the Citus tables that a query reads to a list. */
static bool
collect_distributed(Node *node, void *list)
{
	List **tables = list;
	ListCell *cell;

	if (node == NULL)
		return false;
	if (!IsA(node, Query))
		return expression_tree_walker(node, collect_distributed, list);
	foreach (cell, ((Query *) node)->rtable)
	{
		const RangeTblEntry *entry = lfirst_node(RangeTblEntry, cell);

		if (entry->rtekind == RTE_RELATION && dp_is_distributed(entry->relid))
			*tables = list_append_unique_oid(*tables, entry->relid);
	}
	return query_tree_walker((Query *) node, collect_distributed, list, 0);
}

/* Locks what the statement reads, down to the tables below its views. */
static Query *
analyze(const char *statement)
{
	static const Oid types[2] = {BYTEAOID, BYTEAOID};

	dp_lock_names();
	return linitial_node(
		Query, pg_analyze_and_rewrite_fixedparams(linitial_node(RawStmt, pg_parse_query(statement)),
												  statement, types, lengthof(types), NULL));
}

/* $1, the spec, is not known yet. */
static ParamListInfo
known_parameters(const DpSource *source)
{
	ParamListInfo parameters = makeParamList(2);

	for (int i = 0; i < 2; i++)
		parameters->params[i] =
			(ParamExternData){.isnull = true, .pflags = PARAM_FLAG_CONST, .ptype = BYTEAOID};
	if (source->key != NULL)
	{
		parameters->params[1].value = PointerGetDatum(source->key);
		parameters->params[1].isnull = false;
	}
	return parameters;
}

void
dp_scan_find_distributed(DpSource *source, Oid owner)
{
	DpUserContext user_context;

	if (!dp_citus_is_here())
		return;
	dp_become_owner(&user_context, owner);
	source->distributed =
		walk((Node *) analyze(psprintf("SELECT 1 FROM %s", source->clause)), NULL);
	dp_unelevate(&user_context);
	if (source->distributed)
		dp_worker_settings_pin_citus();
}

PlannedStmt *
dp_scan_plan_distributed(const DpSource *source, const char *statement)
{
	return DP_PLAN_QUERY(analyze(statement), statement, 0, known_parameters(source));
}

/* ---- asking ---- */

/*
 * dp_ask_to_count(format integer) RETURNS boolean
 *
 * False, on a server whose counts have that format.
 */
Datum
dp_ask_to_count(PG_FUNCTION_ARGS)
{
	int32 format = PG_GETARG_INT32(0);

	if (format != DP_COUNTS_FORMAT)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("this server has another version of dpsyn than who asks it to count"),
				 errdetail("It counts in format %d, and is asked for format %d.", DP_COUNTS_FORMAT,
						   format),
				 errhint("Install the same version on all servers.")));
	PG_RETURN_BOOL(false);
}

static Node *
no_rows_condition(void)
{
	static const Oid types[1] = {INT4OID};
	Oid function =
		GetSysCacheOid3(PROCNAMEARGSNSP, Anum_pg_proc_oid, CStringGetDatum("dp_ask_to_count"),
						PointerGetDatum(buildoidvector(types, lengthof(types))),
						ObjectIdGetDatum(get_namespace_oid("dp_catalog", false)));
	Const *format = makeConst(INT4OID, -1, InvalidOid, sizeof(int32),
							  Int32GetDatum(DP_COUNTS_FORMAT), false, true);

	return (Node *) makeFuncExpr(function, BOOLOID, list_make1(format), InvalidOid, InvalidOid,
								 COERCE_EXPLICIT_CALL);
}

/* Asks by one statement. */
static void
ask(const DpSource *source, Query *query, const char *statement)
{
	ParamListInfo parameters = known_parameters(source);

	(void) walk((Node *) query, no_rows_condition());
	dp_run_planned(DP_PLAN_QUERY(query, statement, 0, parameters), statement, parameters,
				   None_Receiver);
}

void
dp_scan_ask_nodes(const DpSource *source, const char *statement)
{
	Query *query = analyze(statement);
	List *tables = NIL;
	ListCell *cell;

	if (!has_outer_join((Node *) query, NULL))
	{
		ask(source, query, statement);
		return;
	}
	(void) collect_distributed((Node *) query, &tables);
	foreach (cell, tables)
	{
		char *count = psprintf("SELECT %s.dp_marginals($1, ROW(pg_catalog.now())) FROM %s",
							   dp_schema(), dp_relation_label(lfirst_oid(cell)));

		ask(source, analyze(count), count);
	}
}
