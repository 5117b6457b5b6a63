/*
 * spending.c -- whether a call may spend, for reasons that have nothing to do with its budget. A
 * standby and a parallel operation cannot. A read-only transaction and the setting dpsyn.spending
 * are seat-belts: who has one on does not mean to spend. Nor does who reads a view: where the call
 * stands in the definition of one, it is refused unless the setting says "views".
 *
 * A function does not know where its call stands. What can be known: the views that the client's
 * statement reads, and whether they name a function that spends. Not known: views that are read by
 * a function (of the client's statement) or by COPY, and views over a function of a user that
 * spends.
 */
#include "pg/release/spending.h"

#include "access/parallel.h"
#include "access/xact.h"
#include "access/xlog.h"
#include "catalog/pg_class.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "nodes/plannodes.h"
#include "tcop/pquery.h"
#include "utils/array.h"

#include "pg/server/catalog.h"
#include "pg/server/dpsyn.h"

static void
check_transaction(void)
{
	if (RecoveryInProgress())
		ereport(ERROR,
				(errcode(ERRCODE_READ_ONLY_SQL_TRANSACTION),
				 errmsg("a standby cannot spend a privacy budget"),
				 errhint("Release on the primary; stored releases can be drawn from here.")));
	if (XactReadOnly)
		ereport(ERROR,
				(errcode(ERRCODE_READ_ONLY_SQL_TRANSACTION),
				 errmsg("a read-only transaction cannot spend a privacy budget"),
				 errdetail("Nothing was spent."),
				 errhint("Release in a transaction that is READ WRITE; stored releases can be "
						 "drawn from here.")));
	if (IsInParallelMode())
		ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
						errmsg("a privacy budget cannot be spent during a parallel operation"),
						errhint("Functions that call dp_release or dp_synthesize must not be "
								"declared PARALLEL SAFE.")));
}

static void
check_setting(void)
{
	if (dpsyn_spending == DP_SPENDING_OFF)
		ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
						errmsg("a privacy budget cannot be spent while dpsyn.spending is off"),
						errdetail("Nothing was spent."),
						errhint("Draw from a stored release (view dp_releases) at no cost, or SET "
								"dpsyn.spending = on.")));
}

/* ---- views ---- */

static bool
is_view(const RangeTblEntry *entry)
{
	return OidIsValid(entry->relid) && entry->relkind == RELKIND_VIEW;
}

/* Adds the views of a statement that is not planned yet. */
static bool
views_of_query(Node *node, List **views)
{
	if (node == NULL)
		return false;
	if (IsA(node, RangeTblEntry))
	{
		if (is_view((RangeTblEntry *) node))
			*views = lappend_oid(*views, ((RangeTblEntry *) node)->relid);
		return false;
	}
	if (IsA(node, Query))
		return query_tree_walker((Query *) node, views_of_query, views, QTW_EXAMINE_RTES_BEFORE);
	return expression_tree_walker(node, views_of_query, views);
}

static Node *
query_within(Node *utility)
{
	if (utility == NULL)
		return NULL;
	if (IsA(utility, ExplainStmt))
	{
		Node *explained = ((ExplainStmt *) utility)->query;

		return explained != NULL && IsA(explained, Query) &&
					   ((Query *) explained)->commandType == CMD_UTILITY
				   ? query_within(((Query *) explained)->utilityStmt)
				   : explained;
	}
	return IsA(utility, CreateTableAsStmt) ? ((CreateTableAsStmt *) utility)->query : NULL;
}

/*
 * The views that the statement of the client reads. The rewriter puts their definitions in, but
 * leaves their entries in the range table, so that rights can be checked.
 */
static List *
views_read(void)
{
	List *views = NIL;
	ListCell *cell, *entry;

	if (ActivePortal == NULL)
		return NIL;
	foreach (cell, ActivePortal->stmts)
	{
		PlannedStmt *statement = lfirst_node(PlannedStmt, cell);
		Node *query = query_within(statement->utilityStmt);

		foreach (entry, statement->rtable)
			if (is_view(lfirst(entry)))
				views = lappend_oid(views, ((RangeTblEntry *) lfirst(entry))->relid);
		if (query != NULL && IsA(query, Query))
			(void) views_of_query(query, &views);
	}
	return views;
}

static Datum
oid_array(const List *oids)
{
	Datum *values = palloc(sizeof(Datum) * Max(list_length(oids), 1));

	for (int i = 0; i < list_length(oids); i++)
		values[i] = ObjectIdGetDatum(list_nth_oid(oids, i));
	return PointerGetDatum(
		construct_array(values, list_length(oids), OIDOID, sizeof(Oid), true, TYPALIGN_INT));
}

/*
 * One of the views, or of the views below them, whose definition names a function of this extension
 * that spends; InvalidOid if there is none.
 */
static Oid
view_that_spends(const List *views)
{
	DpUserContext user_context;
	Oid found = InvalidOid;

	dp_catalog_open(&user_context);
	if (dp_spi_read(
			"WITH RECURSIVE used (view, class, object) AS ("
			" SELECT w.ev_class, d.refclassid, d.refobjid FROM pg_catalog.unnest($1) v (view)"
			"  JOIN pg_catalog.pg_rewrite w ON w.ev_class = v.view"
			"  JOIN pg_catalog.pg_depend d ON d.objid = w.oid"
			"   AND d.classid = 'pg_catalog.pg_rewrite'::pg_catalog.regclass"
			" UNION SELECT w.ev_class, d.refclassid, d.refobjid FROM used u"
			"  JOIN pg_catalog.pg_class c ON c.oid = u.object AND c.relkind = 'v'"
			"   AND u.class = 'pg_catalog.pg_class'::pg_catalog.regclass"
			"  JOIN pg_catalog.pg_rewrite w ON w.ev_class = c.oid"
			"  JOIN pg_catalog.pg_depend d ON d.objid = w.oid"
			"   AND d.classid = 'pg_catalog.pg_rewrite'::pg_catalog.regclass)"
			" SELECT u.view FROM used u JOIN pg_catalog.pg_proc p ON p.oid = u.object"
			"  AND u.class = 'pg_catalog.pg_proc'::pg_catalog.regclass"
			" JOIN pg_catalog.pg_depend e ON e.objid = p.oid AND e.deptype = 'e'"
			"  AND e.classid = 'pg_catalog.pg_proc'::pg_catalog.regclass"
			" JOIN pg_catalog.pg_extension x ON x.oid = e.refobjid AND x.extname = 'dpsyn'"
			"  AND e.refclassid = 'pg_catalog.pg_extension'::pg_catalog.regclass"
			" WHERE p.proname ~ "
			"'^dp_(release|release_histogram|release_query|histogram|query|synthesize(_.*)?)$'"
			" ORDER BY u.view LIMIT 1",
			DP_ARGUMENTS({OIDARRAYOID, oid_array(views), false})) == 1)
		found = dp_spi_oid(0, 1);
	dp_catalog_close(&user_context);
	return found;
}

static DP_NORETURN void
raise_origin(const char *what, const char *when)
{
	ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
					errmsg("%s would spend a privacy budget", what),
					errdetail("It would be a new release at each %s. Nothing was spent.", when),
					errhint("Release once, and draw from the stored release with dp_sample, at no "
							"cost. If it is to spend each time: SET dpsyn.spending = views.")));
}

/* A materialized view is filled in a security-restricted operation, as an index of an expression
 * is. */
static void
check_origin(void)
{
	List *views;
	Oid view;

	if (dpsyn_spending == DP_SPENDING_VIEWS)
		return;
	if (InSecurityRestrictedOperation())
		raise_origin("a materialized view or an index", "REFRESH or REINDEX");
	views = views_read();
	view = views == NIL ? InvalidOid : view_that_spends(views);
	if (OidIsValid(view))
		raise_origin(psprintf("view %s", dp_relation_label(view)), "read");
}

void
dp_check_spending(void)
{
	check_transaction();
	check_setting();
	check_origin();
}
