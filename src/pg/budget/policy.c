/*
 * policy.c -- what a custodian may change about a budget: its amounts, the limit
 * of one release, a refresh, and what a copy of the ledger must be told.
 */
#include "dpsyn.h"

#include "executor/spi.h"
#include "miscadmin.h"
#include "datatype/timestamp.h"
#include "utils/builtins.h"

PG_FUNCTION_INFO_V1(dp_set_budget);
PG_FUNCTION_INFO_V1(dp_set_limit);
PG_FUNCTION_INFO_V1(dp_refresh);
PG_FUNCTION_INFO_V1(dp_reconcile);

/* The dataset of a protected relation, locked; ERROR unless the caller is its custodian. */
static void
own_dataset(Oid relation, const char *action, DpDataset *dataset)
{
	dp_check_custodian(relation, action);
	dp_dataset_get(relation, true, dataset);
}

/*
 * The same where what is changed is the budget itself, which may be another
 * relation's. Others may go on spending it while the relation is not protected.
 */
static void
own_budget(Oid relation, const char *action, DpDataset *dataset)
{
	dp_check_custodian(relation, action);
	if (!dp_dataset_find(relation, true, dataset) ||
		(!dataset->active && !dp_dataset_is_shared(dataset->id)))
		dp_dataset_get(relation, false, dataset); /* says that it is not protected */
	if (dataset->budget != dataset->id)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("relation %s shares the budget of relation %s", dp_relation_label(relation),
						dp_relation_label(dataset->budget_relation)),
				 errhint("Call the function for relation %s.",
						 dp_relation_label(dataset->budget_relation))));
}

/* A line of the ledger that is no debit, about amounts that the custodian stated or a policy. */
static void
write_line(const DpDataset *dataset, const char *kind, DpBudget amounts, const char *reason)
{
	Oid types[9] = {TEXTOID, INT4OID, TEXTOID, OIDOID, NAMEOID, INT8OID, INT8OID, INT8OID, TEXTOID};
	Datum values[9] = {
		CStringGetTextDatum(kind),
		Int32GetDatum(dataset->id),
		CStringGetTextDatum(dp_relation_label(dataset->relation)),
		ObjectIdGetDatum(GetUserId()),
		DirectFunctionCall1(namein, CStringGetDatum(dp_role_label(GetUserId()))),
		Int64GetDatum(amounts.epsilon_nano),
		Int64GetDatum(amounts.delta_atto),
		Int64GetDatum(amounts.rho_pico),
		CStringGetTextDatum(reason),
	};

	(void) dp_write_catalog(
		"INSERT INTO @.dp_ledger_entry (kind, dataset, relation_name, role, role_name,"
		" epsilon_nano, delta_atto, rho_pico, reason) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
		SPI_OK_INSERT, 9, types, values, NULL);
}

/* ---- amounts and limits ---- */

Datum
dp_set_budget(PG_FUNCTION_ARGS)
{
	DpBudget total = dp_amounts_argument(fcinfo, 1, 2, false);
	Oid types[3] = {INT4OID, INT8OID, INT8OID};
	Datum values[3];
	DpDataset dataset;

	own_budget(PG_GETARG_OID(0), "change its budget", &dataset);
	dp_check_total(dataset.accountant, total);
	values[0] = Int32GetDatum(dataset.id);
	values[1] = Int64GetDatum(total.epsilon_nano);
	values[2] = Int64GetDatum(total.delta_atto);
	(void) dp_write_catalog(
		"UPDATE @.dp_dataset SET epsilon_nano = $2, delta_atto = $3 WHERE id = $1", SPI_OK_UPDATE,
		3, types, values, NULL);
	PG_RETURN_VOID();
}

Datum
dp_set_limit(PG_FUNCTION_ARGS)
{
	int64 limit = dp_limit_argument(fcinfo, 1);
	Oid types[2] = {INT4OID, INT8OID};
	Datum values[2];
	DpDataset dataset;

	dp_check_not_null(fcinfo, 0, "relation");
	own_dataset(PG_GETARG_OID(0), "limit its releases", &dataset);
	values[0] = Int32GetDatum(dataset.id);
	values[1] = Int64GetDatum(limit);
	(void) dp_write_catalog("UPDATE @.dp_dataset SET max_epsilon_nano = $2 WHERE id = $1",
							SPI_OK_UPDATE, 2, types, values, limit ? NULL : " n");
	PG_RETURN_VOID();
}

/* ---- refresh ---- */

#define REFRESH_YEARS_MAX 100

/* Also so short that a date in the distant future stays one: the views add it to a date. */
static void
check_interval(const Interval *every)
{
	if (every->month > REFRESH_YEARS_MAX * MONTHS_PER_YEAR ||
		every->day > REFRESH_YEARS_MAX * DAYS_PER_YEAR ||
		every->time > REFRESH_YEARS_MAX * (int64) DAYS_PER_YEAR * USECS_PER_DAY)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("the interval of a refresh may be %d years at most", REFRESH_YEARS_MAX)));
	if (every->month < 0 || every->day < 0 || every->time < 0 ||
		(every->month == 0 && every->day == 0 && every->time == 0))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("the interval of a refresh must be positive")));
}

/*
 * A policy, and a weaker promise: (epsilon, delta) for each interval. So it is
 * written into the ledger when it is made, and again each time it strikes.
 */
Datum
dp_refresh(PG_FUNCTION_ARGS)
{
	bool ends = PG_ARGISNULL(1);
	Oid types[2] = {INT4OID, INTERVALOID};
	Datum values[2];
	DpDataset dataset;

	dp_check_not_null(fcinfo, 0, "relation");
	own_budget(PG_GETARG_OID(0), "refresh its budget", &dataset);
	if (!ends)
		check_interval(PG_GETARG_INTERVAL_P(1));
	values[0] = Int32GetDatum(dataset.id);
	values[1] = ends ? (Datum) 0 : PG_GETARG_DATUM(1);
	(void) dp_write_catalog("UPDATE @.dp_dataset SET refresh_every = $2, refreshed_at ="
							" CASE WHEN $2 IS NOT NULL THEN pg_catalog.clock_timestamp() END"
							" WHERE id = $1",
							SPI_OK_UPDATE, 2, types, values, ends ? " n" : NULL);
	write_line(&dataset, "policy", (DpBudget){0, 0, 0},
			   ends ? "no refresh"
					: psprintf("refresh every %s",
							   DatumGetCString(DirectFunctionCall1(interval_out, values[1]))));
	if (!ends)
		ereport(WARNING,
				(errmsg("the budget of relation %s now holds for each interval, not for ever",
						dp_relation_label(dataset.relation)),
				 errdetail("What the same people lose adds up over intervals, without a bound.")));
	PG_RETURN_VOID();
}

/* ---- reconcile ---- */

/*
 * In a copy a role's number may be somebody else's, and what was dropped before
 * is a number in the dump. Who does not bear the name of the last grant or
 * release any more must be granted again.
 */
static void
revoke_strangers(const DpDataset *dataset)
{
	Oid types[1] = {INT4OID};
	Datum values[1] = {Int32GetDatum(dataset->id)};
	uint64 revoked = dp_write_catalog(
		"UPDATE @.dp_allocation a SET active = false FROM @.dp_dataset d"
		" WHERE d.id = a.dataset AND $1 IN (d.id, d.budget_of) AND a.active AND NOT EXISTS"
		" (SELECT FROM pg_catalog.pg_authid r WHERE r.oid = a.role AND r.rolname = a.role_name)",
		SPI_OK_UPDATE, 1, types, values, NULL);

	if (revoked > 0)
		ereport(
			WARNING,
			(errmsg("%llu grants of the budget of relation %s are revoked",
					(unsigned long long) revoked, dp_relation_label(dataset->relation)),
			 errdetail("Their roles are gone, or are not known to have borne the same name when "
					   "they were granted."),
			 errhint("See the view dp_budgets, and run dp_grant again.")));
}

/* Stated is the epsilon that dp_datasets reports. dp_rho_of_budget rounds down: one more is at least that. */
static DpBudget
as_rho(const DpDataset *dataset, DpBudget stated)
{
	int64 conversion = dp_zcdp_conversion_delta(dataset->amounts.delta_atto);

	if (stated.epsilon_nano > 0)
		stated.rho_pico = 1 + dp_rho_of_budget(stated.epsilon_nano, conversion);
	stated.epsilon_nano = 0;
	return stated;
}

/* Of other accountants rho is no part: what is stated would count for nothing. */
static int64
rho_argument(FunctionCallInfo fcinfo, int argument, const DpDataset *dataset)
{
	int64 rho = dp_rho_from_numeric(PG_GETARG_NUMERIC(argument), true, "rho");

	if (rho > 0 && dataset->accountant != DP_ZCDP)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("relation %s does not count rho", dp_relation_label(dataset->relation)),
				 errdetail("Its accountant is %s, which adds up epsilon and delta.",
						   dp_accountant_name(dataset->accountant)),
				 errhint("State the epsilon that was spent.")));
	return rho;
}

/*
 * After a restore, a clone or a promotion: the custodian states what was spent
 * everywhere, and the ledger may spend here. It never goes below what it knows.
 */
Datum
dp_reconcile(PG_FUNCTION_ARGS)
{
	DpBudget spent = dp_amounts_argument(fcinfo, 1, 2, true);
	Oid types[7] = {INT4OID, INT8OID, INT8OID, INT8OID, TEXTOID, INT4OID, TEXTOID};
	Datum values[7];
	char *system_identifier;
	int32 timeline;
	char *database;
	DpDataset dataset;

	own_budget(PG_GETARG_OID(0), "reconcile its ledger", &dataset);
	dp_fence_here(&system_identifier, &timeline, &database);
	if (dataset.accountant == DP_ZCDP)
		spent = as_rho(&dataset, spent);
	if (PG_NARGS() > 3)
		spent.rho_pico = Max(spent.rho_pico, rho_argument(fcinfo, 3, &dataset));
	values[0] = Int32GetDatum(dataset.id);
	values[1] = Int64GetDatum(spent.epsilon_nano);
	values[2] = Int64GetDatum(spent.delta_atto);
	values[3] = Int64GetDatum(spent.rho_pico);
	values[4] = CStringGetTextDatum(system_identifier);
	values[5] = Int32GetDatum(timeline);
	values[6] = CStringGetTextDatum(database);
	(void) dp_write_catalog(
		"UPDATE @.dp_dataset SET spent_epsilon_nano = greatest(spent_epsilon_nano, $2),"
		" spent_delta_atto = greatest(spent_delta_atto, $3),"
		" spent_rho_pico = greatest(spent_rho_pico, $4), system_identifier = $5,"
		" timeline = $6, database = $7 WHERE id = $1",
		SPI_OK_UPDATE, 7, types, values, NULL);
	write_line(&dataset, "reconcile",
			   (DpBudget){Max(spent.epsilon_nano - dataset.spent.epsilon_nano, 0),
						  Max(spent.delta_atto - dataset.spent.delta_atto, 0),
						  Max(spent.rho_pico - dataset.spent.rho_pico, 0)},
			   "stated by the custodian");
	revoke_strangers(&dataset);
	PG_RETURN_VOID();
}
