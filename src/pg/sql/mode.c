/*
 * mode.c -- a session whose plain SELECTs over protected relations are answered privately.
 *
 * The planner is handed every statement before it runs, whoever sends it: a client, a cursor, COPY,
 * CREATE TABLE AS, a function. There a statement that reads relations which its reader may not read
 * becomes one that reads noisy answers (rewrite.c). Where that is not done, PostgreSQL refuses the
 * statement, as it would without dpsyn.
 */
#include "pg/sql/mode.h"

#include "access/parallel.h"
#include "access/transam.h"
#include "access/xact.h"
#include "catalog/pg_class.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "optimizer/planner.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/timestamp.h"

#include "pg/server/arguments.h"
#include "pg/server/bridge.h"
#include "pg/server/dpsyn.h"
#include "pg/sql/rewrite.h"

PG_FUNCTION_INFO_V1(dp_private_queries);

static planner_hook_type next_hook = NULL;
static needs_fmgr_hook_type next_needs_hook = NULL;

/* Whether a statement of a session in private mode is being planned. */
static bool plans_privately = false;

/* Whether somebody else's rights hold now, of whom the settings of the session say nothing. */
static bool
runs_as_other(void)
{
	return InLocalUserIdChange();
}

/*
 * Whether the session answers plain SELECTs of the current user privately, by its settings. Never
 * within a SECURITY DEFINER function, or where statements run as somebody else: these settings are
 * the caller's, and the budget would be another's.
 */
static bool
private_queries_are_on(DpPrivateQueries *how)
{
	*how = (DpPrivateQueries){.all = false};
	if (dpsyn_query_epsilon <= 0 || runs_as_other())
		return false;
	how->ask.epsilon_nano = dp_epsilon_units(dpsyn_query_epsilon, "dpsyn.query_epsilon");
	how->ask.delta_atto = dp_delta_units(dpsyn_query_delta, "dpsyn.query_delta");
	how->ask.confidence = dpsyn_query_confidence;
	how->ask.max_rows_per_unit = dpsyn_query_max_rows_per_unit;
	how->ask.max_sum_per_unit = dpsyn_query_max_sum_per_unit;
	if (dpsyn_query_refresh >= 0)
	{
		Interval *refresh = palloc0(sizeof(Interval));

		refresh->time = dpsyn_query_refresh * USECS_PER_SEC;
		how->ask.refresh = refresh;
	}
	return true;
}

/* ---- the planner ---- */

/* Not where a statement of the server's own runs, nor in a parallel worker, which has its plan. */
static bool
may_ask(const Query *query)
{
	return (query->rtable != NIL || query->hasSubLinks) && IsUnderPostmaster &&
		   IsTransactionState() && !IsParallelWorker() && !runs_as_other();
}

/* Raises the errors that PostgreSQL would raise when the statement starts, and those that it cannot
 * know. */
static void
hint_at_mode(DpPrivacy *privacy, Query *query)
{
	Oid relation = dp_find_private(privacy, query);

	if (!OidIsValid(relation))
		return;
	ereport(ERROR,
			(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
			 errmsg("permission denied for %s %s",
					get_rel_relkind(relation) == RELKIND_VIEW ? "view" : "table",
					get_rel_name(relation)),
			 errhint("It is protected by dpsyn: SELECT dp_private_queries(epsilon => 0.1) answers "
					 "this session's SELECTs with noise, if you have a budget.")));
}

static PlannedStmt *
plan(DP_PLANNER_ARGUMENTS)
{
	DpPrivacy privacy = {.text = text};
	bool is_on = false, outer = plans_privately;
	PlannedStmt *planned;

	if (may_ask(query))
	{
		is_on = private_queries_are_on(&privacy.how);
		if (is_on)
			(void) dp_rewrite_privately(&privacy, query);
		else if (query->commandType == CMD_SELECT)
			hint_at_mode(&privacy, query);
	}
	plans_privately = is_on; /* after an error: till the next statement */
	planned = next_hook != NULL ? next_hook(DP_PLANNER_HANDED_ON)
								: standard_planner(DP_PLANNER_HANDED_ON);
	plans_privately = outer;
	/* the plan depends on what this role may read: PostgreSQL plans it anew for another role */
	planned->dependsOnRole |= is_on;
	return planned;
}

/* What a function FROM which rows are selected holds is a statement of its own, which is planned when it
 * runs. The planner leaves alone what something is to be called for. */
static bool
is_not_inlined(Oid function)
{
	return (plans_privately && function >= FirstNormalObjectId && get_func_retset(function)) ||
		   (next_needs_hook != NULL && next_needs_hook(function));
}

void
dp_private_queries_init(void)
{
	next_hook = planner_hook;
	planner_hook = plan;
	next_needs_hook = needs_fmgr_hook;
	needs_fmgr_hook = is_not_inlined;
}

/* ---- dp_private_queries ---- */

static void
set_number(const char *setting, double number)
{
	SetConfigOption(setting,
					DatumGetCString(DirectFunctionCall1(float8out, Float8GetDatum(number))),
					PGC_USERSET, PGC_S_SESSION);
}

/* The interval in seconds, months as PostgreSQL counts them; -1 for NULL. */
static int
refresh_argument(FunctionCallInfo fcinfo, int argument)
{
	const Interval *refresh;
	double seconds;

	if (PG_ARGISNULL(argument))
		return -1;
	refresh = PG_GETARG_INTERVAL_P(argument);
	seconds = refresh->time / (double) USECS_PER_SEC + refresh->day * (double) SECS_PER_DAY +
			  refresh->month * (double) DAYS_PER_MONTH * SECS_PER_DAY;
	if (!(seconds >= 0 && seconds <= DP_QUERY_REFRESH_MAX))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("refresh must be between 0 and %d days",
							   DP_QUERY_REFRESH_MAX / SECS_PER_DAY)));
	return (int) seconds;
}

/* dp_private_queries(epsilon, delta, confidence, refresh, max_rows_per_unit, max_sum_per_unit);
 * epsilon NULL ends it */
Datum
dp_private_queries(PG_FUNCTION_ARGS)
{
	if (PG_ARGISNULL(0))
	{
		set_number("dpsyn.query_epsilon", 0);
		PG_RETURN_VOID();
	}
	if (dp_epsilon_argument(fcinfo, 0, true, "epsilon") == 0)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("epsilon must be above 0"),
						errhint("NULL ends private queries.")));
	dp_check_not_null(fcinfo, 1, "delta");
	(void) dp_delta_argument(fcinfo, 1, true);
	(void) dp_confidence_argument(fcinfo, 2);
	set_number("dpsyn.query_max_rows_per_unit", dp_max_rows_argument(fcinfo, 4));
	set_number("dpsyn.query_max_sum_per_unit", dp_max_sum_argument(fcinfo, 5));
	set_number("dpsyn.query_delta", PG_GETARG_FLOAT8(1));
	set_number("dpsyn.query_confidence", PG_GETARG_FLOAT8(2));
	set_number("dpsyn.query_refresh", refresh_argument(fcinfo, 3));
	set_number("dpsyn.query_epsilon", PG_GETARG_FLOAT8(0));
	PG_RETURN_VOID();
}
