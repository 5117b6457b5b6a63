/*
 * budget_notification.c -- the server log's line and the notifications about what was spent: a line
 * a release, and a WARNING and a NOTIFY where a budget is spent as far as its custodian wanted to
 * know. Both are made of the ledger alone.
 */
#include "pg/budget/budget_notification.h"

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "nodes/pg_list.h"
#include "utils/builtins.h"

#include "pg/budget/payer.h"
#include "pg/server/arguments.h"
#include "pg/server/catalog.h"
#include "pg/server/dpsyn.h"

#define CHANNEL "dpsyn_budget"

/* ---- the custodian ---- */

Datum
dp_alerts_argument(FunctionCallInfo fcinfo, int argument)
{
	bool *isnull;
	int n;
	Datum *share = dp_elements(PG_GETARG_DATUM(argument), &isnull, &n);

	for (int i = 0; i < n; i++)
	{
		if (isnull[i])
			ereport(ERROR,
					(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED), errmsg("alerts must not hold NULL")));
		if (!(DatumGetFloat8(share[i]) > 0 && DatumGetFloat8(share[i]) <= 1))
			ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
							errmsg("each of alerts must be above 0 and at most 1"),
							errhint("0.8 tells you when 80 %% of the budget are spent.")));
	}
	return PG_GETARG_DATUM(argument);
}

void
dp_alerts_write(int32 dataset, DpArgument shares)
{
	(void) dp_catalog_write("DELETE FROM dp_catalog.dp_alert WHERE dataset = $1"
							" AND share <> ALL ($2)",
							DP_ARGUMENTS(DP_INT32(dataset), shares));
	(void) dp_catalog_write("INSERT INTO dp_catalog.dp_alert (dataset, share)"
							" SELECT $1, s FROM pg_catalog.unnest($2) s ON CONFLICT DO NOTHING",
							DP_ARGUMENTS(DP_INT32(dataset), shares));
}

/* ---- the worker ---- */

/* Of a budget's epsilon (or rho) and delta the larger share; $2 to $4 are what a debit cost. */
#define SPENT_SHARE(epsilon, delta, rho)                                                           \
	"greatest(CASE d.accountant WHEN 'zcdp'"                                                       \
	" THEN (d.spent_rho_pico" rho ")::pg_catalog.float8"                                           \
	" / nullif(dp_catalog.dp_zcdp_total(d.epsilon_nano, d.delta_atto), 0)"                         \
	" ELSE (d.spent_epsilon_nano" epsilon ")::pg_catalog.float8 / d.epsilon_nano END,"             \
	" (d.spent_delta_atto" delta ")::pg_catalog.float8 / nullif(d.delta_atto, 0))"

/* The alerts on a budget, $1: those of its own relation, and of each that shares it. */
#define ALERTS                                                                                     \
	"dp_catalog.dp_alert a JOIN dp_catalog.dp_dataset sharer ON sharer.id = a.dataset"             \
	" AND (sharer.id = $1 OR sharer.budget_of = $1 AND sharer.active)"

/* Most budgets have no alert, which takes less time to see than to plan what the other query
 * asks. */
static bool
has_alerts(int32 budget)
{
	return dp_spi_read("SELECT FROM " ALERTS " LIMIT 1", DP_ARGUMENTS(DP_INT32(budget))) > 0;
}

static List *
alerts_passed(const DpLedgerLine *line, MemoryContext keep)
{
	uint64 rows = dp_spi_read(
		"SELECT pg_catalog.format('%s %% of the budget of relation \"%s\" are spent',"
		" pg_catalog.trim_scale(pg_catalog.round((100 * a.share)::pg_catalog.numeric, 6)),"
		" d.relation_name),"
		" pg_catalog.pg_notify('" CHANNEL "', pg_catalog.jsonb_build_object("
		"'relation', d.relation_name, 'share', a.share, 'spent', s.now)::pg_catalog.text)"
		" FROM dp_catalog.dp_dataset d"
		" CROSS JOIN LATERAL (SELECT DISTINCT a.share FROM " ALERTS ") a"
		" CROSS JOIN LATERAL (SELECT " SPENT_SHARE("", "", "") " AS now, " SPENT_SHARE(
			" - $2", " - $3",
			" - $4") " AS before) s"
					 " WHERE d.id = $1 AND s.before < a.share AND s.now >= a.share"
					 " ORDER BY a.share",
		DP_ARGUMENTS(DP_INT32(line->dataset->budget), DP_INT64(line->cost.epsilon_nano),
					 DP_INT64(line->cost.delta_atto), DP_INT64(line->cost.rho_pico)));
	List *passed = NIL;

	for (uint64 i = 0; i < rows; i++)
	{
		char *words = dp_spi_text(i, 1);
		MemoryContext inside = MemoryContextSwitchTo(keep);

		passed = lappend(passed, pstrdup(words));
		MemoryContextSwitchTo(inside);
	}
	return passed;
}

/* The cost of a release, and the budget that is left, for the log. */
static void
write_line(const DpLedgerLine *line, int64 debit, MemoryContext keep,
		   DpBudgetNotification *notification)
{
	const char *payer = OidIsValid(line->payer->role) ? dp_role_label(line->payer->role) : NULL;

	if (dp_spi_read("SELECT dp_catalog.dp_epsilon($2)::pg_catalog.text,"
					" dp_catalog.dp_delta($3)::pg_catalog.text,"
					" epsilon_left::pg_catalog.text, delta_left::pg_catalog.text"
					" FROM @.dp_datasets WHERE relation = $1",
					DP_ARGUMENTS(DP_REGCLASS(line->relation), DP_INT64(line->cost.epsilon_nano),
								 DP_INT64(line->cost.delta_atto))) == 0)
		return;
	notification->line = MemoryContextStrdup(
		keep, psprintf("release " INT64_FORMAT " of relation \"%s\" for role %s by method %s costs "
					   "epsilon %s and delta %s",
					   debit, dp_relation_words(line->relation), dp_role_label(line->user),
					   line->method, dp_spi_text(0, 1), dp_spi_text(0, 2)));
	notification->detail = MemoryContextStrdup(
		keep, psprintf("%s pays. Of the relation's budget epsilon %s and delta %s are left.",
					   payer ? psprintf("The grant of role %s", payer) : "The custodian",
					   dp_spi_text(0, 3), dp_spi_text(0, 4)));
}

DpBudgetNotification
dp_budget_notification(const DpLedgerLine *line, int64 debit)
{
	MemoryContext keep = CurrentMemoryContext;
	DpBudgetNotification notification = {0};
	DpUserContext user_context;

	dp_catalog_open(&user_context);
	if (has_alerts(line->dataset->budget))
		notification.passed = alerts_passed(line, keep);
	if (dpsyn_log_releases)
		write_line(line, debit, keep, &notification);
	dp_catalog_close(&user_context);
	return notification;
}

void
dp_budget_notify(const DpBudgetNotification *notification)
{
	ListCell *cell;

	if (notification->line != NULL)
		ereport(LOG, (errmsg_internal("%s", notification->line),
					  errdetail_internal("%s", notification->detail)));
	foreach (cell, notification->passed)
		ereport(WARNING, (errmsg_internal("%s", (char *) lfirst(cell))));
}
