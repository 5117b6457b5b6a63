/*
 * release.c -- the caller's side of a release: it checks what can be checked, starts one
 * worker and waits for its answer. The worker pays, reads and stores by itself. Nothing
 * that happens here afterwards (cancel, ROLLBACK, a lost client) takes anything back.
 */
#include "pg/release/release.h"

#include "access/parallel.h"
#include "access/xact.h"
#include "access/xlog.h"
#include "catalog/pg_class.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "nodes/plannodes.h"
#include "pgstat.h"
#include "postmaster/bgworker.h"
#include "storage/latch.h"
#include "tcop/pquery.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/jsonb.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/numeric.h"
#include "utils/wait_event.h"

#include "pg/counting/seed_pool.h"
#include "pg/domain/dictionary.h"
#include "pg/domain/fill.h"
#include "pg/release/channel.h"
#include "pg/release/expected.h"
#include "pg/release/preview.h"
#include "pg/server/bridge.h"
#include "pg/server/catalog.h"
#include "pg/server/compat.h"
#include "pg/server/dpsyn.h"
#include "pg/server/untrusted_code.h"
#include "pg/server/injection_point.h"

/* ---- a place and a worker ---- */

/* Releases that have answered leave within milliseconds; others may take their time. */
#define PLACE_WAIT_MS 2000
#define PLACE_STEP_MS 10

/* What a worker is started from. */
typedef struct Start
{
	const DpReleaseRequest *request;
	dsm_segment *segment;
	BackgroundWorkerHandle *worker; /* once it is registered */
	DpPlaceSearch place_search;     /* that was found last */
} Start;

static bool
place_take(Start *start)
{
	start->place_search = dp_place_take(start->request->relation, start->request->user,
										dp_channel_place(start->segment));
	return start->place_search == DP_PLACE_FOUND;
}

static bool
worker_register(Start *start)
{
	BackgroundWorker worker = {0};

	worker.bgw_flags = BGWORKER_SHMEM_ACCESS | BGWORKER_BACKEND_DATABASE_CONNECTION;
	worker.bgw_start_time = BgWorkerStart_RecoveryFinished;
	worker.bgw_restart_time = BGW_NEVER_RESTART;
	worker.bgw_notify_pid = MyProcPid;
	worker.bgw_main_arg = UInt32GetDatum(dsm_segment_handle(start->segment));
	snprintf(worker.bgw_library_name, sizeof(worker.bgw_library_name), "dpsyn");
	snprintf(worker.bgw_function_name, sizeof(worker.bgw_function_name), "dp_release_worker_main");
	snprintf(worker.bgw_name, BGW_MAXLEN, "dpsyn release worker for PID %d", MyProcPid);
	snprintf(worker.bgw_type, BGW_MAXLEN, "dpsyn release worker");
	return RegisterDynamicBackgroundWorker(&worker, &start->worker);
}

/* Tries until other releases have left a place, but not for ever. */
static bool
succeeds_soon(bool (*attempt)(Start *start), Start *start)
{
	for (int waited = 0; waited < PLACE_WAIT_MS; waited += PLACE_STEP_MS)
	{
		if (attempt(start))
			return true;
		(void) WaitLatch(MyLatch, WL_LATCH_SET | WL_EXIT_ON_PM_DEATH | WL_TIMEOUT, PLACE_STEP_MS,
						 PG_WAIT_EXTENSION);
		ResetLatch(MyLatch);
		CHECK_FOR_INTERRUPTS();
	}
	return attempt(start);
}

static DP_NORETURN void
raise_limit(const char *message, const char *setting, int limit)
{
	ereport(ERROR,
			(errcode(ERRCODE_INSUFFICIENT_RESOURCES), errmsg("%s", message),
			 errdetail("%s is %d. Nothing was spent.", setting, limit),
			 errhint("Try again when one has ended. The view dp_running lists them, dp_cancel "
					 "ends one, and a superuser can raise the setting.")));
}

static DP_NORETURN void
raise_no_place(const Start *start)
{
	if (start->place_search == DP_PLACE_NONE_FOR_ROLE)
		raise_limit(
			psprintf("role %s runs too many releases at once", dp_role_label(start->request->user)),
			"dpsyn.max_releases_per_role", dpsyn_max_releases_per_role);
	if (start->place_search == DP_PLACE_NONE_FOR_RELATION)
		raise_limit(psprintf("too many releases of relation \"%s\" run at once",
							 dp_relation_words(start->request->relation)),
					"dpsyn.max_releases_per_relation", dpsyn_max_releases_per_relation);
	ereport(ERROR, (errcode(ERRCODE_INSUFFICIENT_RESOURCES),
					errmsg("no free slot for a release worker"), errdetail("Nothing was spent."),
					errhint("Try again, or raise max_worker_processes.")));
}

static BackgroundWorkerHandle *
worker_start(const DpReleaseRequest *request, dsm_segment *segment)
{
	Start start = {.request = request, .segment = segment};

	if (!succeeds_soon(place_take, &start) || !succeeds_soon(worker_register, &start))
		raise_no_place(&start);
	return start.worker;
}

/* ---- the answer ---- */

static bool
worker_has_ended(BackgroundWorkerHandle *worker)
{
	pid_t pid;

	return GetBackgroundWorkerPid(worker, &pid) == BGWH_STOPPED;
}

/* The answer, or NULL when the worker is gone. Answers to cancel, reports progress. */
static const DpAnswer *
answer_wait(dsm_segment *segment, BackgroundWorkerHandle *worker)
{
	char stage[DP_RUNNING_STAGE_BYTES] = "waiting for the release worker";
	DpProgress progress = {0};
	const DpAnswer *answer;

	dp_progress_start(&progress, stage);
	while ((answer = dp_channel_answer(segment)) == NULL && !worker_has_ended(worker))
	{
		(void) WaitLatch(MyLatch, WL_LATCH_SET | WL_EXIT_ON_PM_DEATH | WL_TIMEOUT, 1000L,
						 PG_WAIT_EXTENSION);
		ResetLatch(MyLatch);
		CHECK_FOR_INTERRUPTS();
		(void) dp_place_stage(dp_channel_place(segment), stage);
		dp_progress_report(&progress, -1);
	}
	DP_INJECTION_POINT("answered");
	return answer != NULL ? answer : dp_channel_answer(segment);
}

/* The same. An error after the debit says what was paid for. */
static const DpAnswer *
answer_get(dsm_segment *segment, BackgroundWorkerHandle *worker, MemoryContext caller)
{
	const DpAnswer *volatile answer = NULL;

	PG_TRY();
	{
		answer = answer_wait(segment, worker);
	}
	PG_CATCH();
	{
		const DpAnswer *given = dp_channel_answer(segment);
		DpSpent spent = given == NULL         ? DP_SPENT_RUNNING
						: given->release != 0 ? DP_SPENT_STORED
											  : DP_SPENT_FAILED;

		dp_rethrow_spent(spent, dp_channel_debit(segment), caller);
	}
	PG_END_TRY();
	return answer;
}

static int64
answer_read(const DpAnswer *answer)
{
	if (answer == NULL)
		ereport(ERROR, (errcode(ERRCODE_INTERNAL_ERROR),
						errmsg("the release worker ended without an answer"),
						errdetail("The budget may have been spent."),
						errhint("See the views dp_ledger and dp_releases, and the server log.")));
	if (answer->release == 0)
		ereport(ERROR, (errcode(answer->sqlstate), errmsg("%s", answer->message),
						*answer->detail ? errdetail("%s", answer->detail) : 0,
						*answer->hint ? errhint("%s", answer->hint) : 0));
	return answer->release;
}

/* ---- a release ---- */

/* ERROR, before anything is spent, if a release that consists of rows is asked for more than it can
 * contain. */
static void
check_rows(const DpReleaseRequest *request, const DpPlan *plan)
{
	if (plan->rows_held == 0 || request->rows < 0 || (uint64) request->rows <= plan->rows_held)
		return;
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("a release by method \"%s\" holds as many rows as its option \"rows\" says",
					request->method),
			 errdetail("No more can be drawn from it."),
			 errhint("Raise the option, or ask for fewer rows.")));
}

/* What would stop the drawing of rows after the debit. */
static void
check_drawing(const DpReleaseRequest *request, const DpRelation *relation)
{
	Oid owner = dp_relation_owner(request->relation);

	if (request->rows > 0)
		dp_fill_check_rows(relation, (uint64) request->rows);
	for (uint32 i = 0; request->draws && i < relation->domain.attributes; i++)
		dp_check_type_readable(relation->domain.attribute[i].name, relation->column[i].own_type,
							   owner);
}

static List *
open_columns(const DpDomain *domain)
{
	List *names = NIL;

	for (uint32 i = 0; i < domain->attributes; i++)
		if (domain->attribute[i].open)
			names = lappend(names, pstrdup(domain->attribute[i].name));
	return names;
}

/* The request as the worker gets it, with all that it cannot see for itself. */
static DpPrepared *
tree_prepare(DpReleaseRequest *request)
{
	request->options = dp_options_with_settings(request);
	return dp_prepare_request(request);
}

/* Errors and warnings about the release of one tree. */
static void
tree_check(const DpReleaseRequest *request, const DpPrepared *prepared)
{
	check_rows(request, &prepared->plan);
	check_drawing(request, prepared->relation);
	dp_check_columns(prepared);
	if (prepared->tree == NULL)
		dp_check_noise(request, prepared);
	for (int i = 1; prepared->tree != NULL && i < prepared->tree->tables; i++)
		dp_check_columns(prepared->part[i]);
}

static void
tree_complete(DpReleaseRequest *request, const DpPrepared *prepared)
{
	request->seeds = dp_seed_pool_read(prepared->relation, &prepared->options);
	request->domains = prepared->domains ? prepared->domains : pstrdup("");
	request->public_digest = dp_prepared_public(prepared);
	if (prepared->domains)
		request->options = dp_options_kept(request->options);
}

/* Prepares all trees. An error in any of them comes before anything is spent. */
static DpPrepared **
forest_prepare(DpReleaseForest *forest, DpBeforeDebit before)
{
	DpPrepared **prepared = palloc(sizeof(DpPrepared *) * forest->trees);

	for (int i = 0; i < forest->trees; i++)
		prepared[i] = tree_prepare(&forest->tree[i]);
	dp_forest_check_budgets(prepared, forest->trees);
	for (int i = 0; i < forest->trees; i++)
	{
		tree_check(&forest->tree[i], prepared[i]);
		before(prepared[i]);
	}
	for (int i = 0; i < forest->trees; i++)
		dp_preview(&forest->tree[i], prepared[i]);
	for (int i = 0; i < forest->trees; i++)
		tree_complete(&forest->tree[i], prepared[i]);
	return prepared;
}

static double
forest_seconds(const DpReleaseForest *forest, DpPrepared *const *prepared)
{
	double seconds = 0;

	for (int i = 0; i < forest->trees; i++)
		seconds += dp_cost_estimate_seconds(&forest->tree[i], prepared[i]);
	return seconds;
}

static DpReleaseForest
forest_copy(const DpReleaseForest *forest)
{
	DpReleaseForest copy = {forest->trees, palloc(sizeof(DpReleaseRequest) * forest->trees)};

	memcpy(copy.tree, forest->tree, sizeof(DpReleaseRequest) * forest->trees);
	return copy;
}

/*
 * Whether a call may spend, for reasons that have nothing to do with its budget.
 *
 * Runs in the caller's backend. What it refuses are mistakes: a role can get round all of it.
 */

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

/* ERROR unless a call may spend here: in this transaction, with these settings. */
static void
check_spending(void)
{
	check_transaction();
	check_setting();
	check_origin();
}

int64
dp_run_release(const DpReleaseForest *caller_forest, DpBeforeDebit before, List **open)
{
	MemoryContext caller = CurrentMemoryContext;
	MemoryContext work = AllocSetContextCreate(caller, "dpsyn release", ALLOCSET_DEFAULT_SIZES);
	DpReleaseForest forest;
	DpPrepared **prepared;
	dsm_segment *segment;
	BackgroundWorkerHandle *worker;
	int64 release;

	check_spending();
	MemoryContextSwitchTo(work);
	forest = forest_copy(caller_forest);
	prepared = forest_prepare(&forest, before);
	segment = dp_channel_create(&forest, forest_seconds(&forest, prepared));
	MemoryContextSwitchTo(caller);
	*open = NIL;
	for (int i = 0; i < forest.trees; i++)
		*open = lappend(*open, open_columns(&prepared[i]->relation->domain));
	MemoryContextSwitchTo(work);
	worker = worker_start(&forest.tree[0], segment);
	release = answer_read(answer_get(segment, worker, caller));
	dsm_detach(segment);
	MemoryContextSwitchTo(caller);
	MemoryContextDelete(work);
	return release;
}
