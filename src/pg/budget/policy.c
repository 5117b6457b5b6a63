/*
 * policy.c -- what a custodian may change about a protected relation: its total budget, the limits
 * of one release, a refresh, and alerts. After the ledger was copied, dp_reconcile says what was
 * spent elsewhere.
 */
#include "pg/server/compat.h"

#include "datatype/timestamp.h"
#include <math.h>

#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/numeric.h"

#include "pg/budget/amounts.h"
#include "pg/budget/budget_notification.h"
#include "pg/budget/ledger.h"
#include "pg/server/arguments.h"
#include "pg/server/bridge.h"
#include "pg/server/catalog.h"

PG_FUNCTION_INFO_V1(dp_alter_protection);
PG_FUNCTION_INFO_V1(dp_reconcile);

/* The arguments of dp_alter_protection. */
enum
{
	RELATION,
	EPSILON,
	DELTA,
	MAX_EPSILON,
	MIN_EPSILON,
	NO_FALSE_POSITIVES,
	REFRESH_EVERY,
	ALERTS,
	ARGUMENTS
};

/* The dataset of a protected relation, locked; ERROR unless the caller is its custodian. */
static void
own_dataset(Oid relation, const char *action, DpDataset *dataset)
{
	dp_check_custodian(relation, action);
	dp_dataset_get(relation, true, dataset);
}

/*
 * The same for a change of the budget itself, which must be the relation's own. The relation need
 * not be protected now if others share its budget, since they go on spending it.
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
				 errmsg("relation \"%s\" shares the budget of relation \"%s\"",
						dp_relation_words(relation), dp_relation_words(dataset->budget_relation)),
				 errhint("Call the function for relation \"%s\".",
						 dp_relation_words(dataset->budget_relation))));
}

/* ---- amounts and limits ---- */

/* The new total; an amount that is not given stays. */
static void
set_budget(FunctionCallInfo fcinfo)
{
	DpDataset dataset;
	int64 epsilon_nano = 0;
	int64 delta_atto = 0;
	DpBudget total;

	if (!PG_ARGISNULL(EPSILON))
		epsilon_nano = dp_epsilon_argument(fcinfo, EPSILON, false, "epsilon");
	if (!PG_ARGISNULL(DELTA))
		delta_atto = dp_delta_argument(fcinfo, DELTA, false);
	own_budget(PG_GETARG_OID(RELATION), "change its budget", &dataset);
	total = (DpBudget){PG_ARGISNULL(EPSILON) ? dataset.amounts.epsilon_nano : epsilon_nano,
					   PG_ARGISNULL(DELTA) ? dataset.amounts.delta_atto : delta_atto, 0};
	dp_check_total(dataset.accountant, total);
	(void) dp_catalog_write(
		"UPDATE dp_catalog.dp_dataset SET epsilon_nano = $2, delta_atto = $3 WHERE id = $1",
		DP_ARGUMENTS(DP_INT32(dataset.id), DP_INT64(total.epsilon_nano),
					 DP_INT64(total.delta_atto)));
}

static void
set_max_epsilon(FunctionCallInfo fcinfo)
{
	int64 limit = dp_limit_argument(fcinfo, MAX_EPSILON, "max_epsilon_per_release", INFINITY);
	DpDataset dataset;

	own_dataset(PG_GETARG_OID(RELATION), "limit its releases", &dataset);
	(void) dp_catalog_write(
		"UPDATE dp_catalog.dp_dataset SET max_epsilon_nano = $2 WHERE id = $1",
		DP_ARGUMENTS(DP_INT32(dataset.id), {INT8OID, Int64GetDatum(limit), limit == 0}));
}

/* Whether a release fails can depend on the data. So even a release that fails has its price. */
static void
set_min_epsilon(FunctionCallInfo fcinfo)
{
	int64 least = dp_limit_argument(fcinfo, MIN_EPSILON, "min_epsilon_per_release", 0);
	DpDataset dataset;

	own_dataset(PG_GETARG_OID(RELATION), "say what its releases cost at least", &dataset);
	(void) dp_catalog_write(
		"UPDATE dp_catalog.dp_dataset SET min_epsilon_nano = $2 WHERE id = $1",
		DP_ARGUMENTS(DP_INT32(dataset.id), {INT8OID, Int64GetDatum(least), least == 0}));
}

/* Whatever this probability is, it costs no privacy. A custodian may want that what is published
 * shows few values that nobody has. */
static void
set_no_false_positives(FunctionCallInfo fcinfo)
{
	int64 probability = dp_limit_argument(fcinfo, NO_FALSE_POSITIVES, "no_false_positives", 0);
	DpDataset dataset;

	own_dataset(PG_GETARG_OID(RELATION), "say what its histograms show", &dataset);
	if (probability >= DP_EPSILON_ONE)
		ereport(
			ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("no_false_positives must be less than 1"),
			 errdetail("It is the probability that nothing shows which nobody has, and a release "
					   "that is differentially private cannot be sure of it.")));
	(void) dp_catalog_write(
		"UPDATE dp_catalog.dp_dataset SET no_false_positives_nano = $2 WHERE id = $1",
		DP_ARGUMENTS(DP_INT32(dataset.id),
					 {INT8OID, Int64GetDatum(probability), probability == 0}));
}

/* ---- refresh ---- */

#define REFRESH_YEARS_MAX 100

/* The upper limit keeps the views, which add the interval to a date, from running out of range. */
static void
check_interval(const Interval *every)
{
	if (every->month > REFRESH_YEARS_MAX * MONTHS_PER_YEAR ||
		every->day > REFRESH_YEARS_MAX * DAYS_PER_YEAR ||
		every->time > REFRESH_YEARS_MAX * (int64) DAYS_PER_YEAR * USECS_PER_DAY)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("the interval of a refresh may be %d years at most", REFRESH_YEARS_MAX)));
	if (every->month < 0 || every->day < 0 || every->time < 0)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("the interval of a refresh must be positive"),
						errhint("An interval of 0 ends the refresh.")));
}

/*
 * With a refresh the promise is weaker: (epsilon, delta) holds for each interval. So the ledger has
 * a line about the policy, and another one each time that a refresh is written.
 */
static void
set_refresh(FunctionCallInfo fcinfo)
{
	const Interval *interval = PG_GETARG_INTERVAL_P(REFRESH_EVERY);
	bool ends = interval->month == 0 && interval->day == 0 && interval->time == 0;
	DpArgument every = {INTERVALOID, PG_GETARG_DATUM(REFRESH_EVERY), ends};
	DpDataset dataset;

	own_budget(PG_GETARG_OID(RELATION), "refresh its budget", &dataset);
	check_interval(interval);
	(void) dp_catalog_write("UPDATE dp_catalog.dp_dataset SET refresh_every = $2, refreshed_at ="
							" CASE WHEN $2 IS NOT NULL THEN pg_catalog.clock_timestamp() END"
							" WHERE id = $1",
							DP_ARGUMENTS(DP_INT32(dataset.id), every));
	dp_ledger_statement(&dataset, "policy", (DpBudget){0, 0, 0},
						ends ? "no refresh"
							 : psprintf("refresh every %s", DatumGetCString(DirectFunctionCall1(
																interval_out, every.value))));
	if (!ends)
		ereport(WARNING,
				(errmsg("the budget of relation \"%s\" now holds for each interval, not for ever",
						dp_relation_words(dataset.relation)),
				 errdetail("What the same people lose adds up over intervals, without a bound.")));
}

/* ---- all of them ---- */

static void
set_alerts(FunctionCallInfo fcinfo)
{
	DpArgument shares = {FLOAT8ARRAYOID, dp_alerts_argument(fcinfo, ALERTS), false};
	DpDataset dataset;

	own_dataset(PG_GETARG_OID(RELATION), "set alerts on its budget", &dataset);
	dp_alerts_write(dataset.id, shares);
}

/* In one statement: after an error nothing is changed. */
Datum
dp_alter_protection(PG_FUNCTION_ARGS)
{
	static void (*const set[ARGUMENTS])(FunctionCallInfo) = {
		[EPSILON] = set_budget,          [MAX_EPSILON] = set_max_epsilon,
		[MIN_EPSILON] = set_min_epsilon, [NO_FALSE_POSITIVES] = set_no_false_positives,
		[REFRESH_EVERY] = set_refresh,   [ALERTS] = set_alerts,
	};
	int given = 0;

	dp_check_not_null(fcinfo, RELATION, "relation");
	for (int argument = EPSILON; argument < ARGUMENTS; argument++)
		given += PG_ARGISNULL(argument) ? 0 : 1;
	if (given == 0)
		ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED), errmsg("nothing is to be changed"),
						errdetail("An argument that is not given, or null, leaves its setting."),
						errhint("A subquery that finds no row gives NULL.")));
	for (int argument = EPSILON; argument < ARGUMENTS; argument++)
		if (set[argument] != NULL &&
			(!PG_ARGISNULL(argument) || (argument == EPSILON && !PG_ARGISNULL(DELTA))))
			set[argument](fcinfo);
	PG_RETURN_VOID();
}

/* ---- reconcile ---- */

/*
 * In a copy, the OID of a role may belong to somebody else, and that of a role that was dropped
 * earlier comes back from the dump as a bare number. So a grant stands only if its role still bears
 * the name that it had at the last grant or release.
 */
static void
revoke_strangers(const DpDataset *dataset)
{
	uint64 revoked = dp_catalog_write(
		"UPDATE dp_catalog.dp_allocation a SET active = false FROM dp_catalog.dp_dataset d"
		" WHERE d.id = a.dataset AND $1 IN (d.id, d.budget_of) AND a.active AND NOT EXISTS"
		" (SELECT FROM pg_catalog.pg_authid r WHERE r.oid = a.role AND r.rolname = a.role_name)",
		DP_ARGUMENTS(DP_INT32(dataset->id)));

	if (revoked > 0)
		ereport(
			WARNING,
			(errmsg("%llu grants of the budget of relation \"%s\" are revoked",
					(unsigned long long) revoked, dp_relation_words(dataset->relation)),
			 errdetail("Their roles are gone, or are not known to have borne the same name when "
					   "they were granted."),
			 errhint("See the view dp_budgets, and run dp_grant again.")));
}

/*
 * Turns the epsilon that the custodian stated, as dp_datasets reports it, into rho.
 * dp_rho_of_budget rounds down, so one unit more is at least what was spent. What the epsilons of
 * these releases add up to does not follow from it: unless it is stated, only rho counts from now
 * on (EPSILON_KNOWN).
 */
static DpBudget
as_rho(const DpDataset *dataset, DpBudget stated)
{
	int64 conversion = dp_zcdp_conversion_delta(dataset->amounts.delta_atto);

	if (stated.epsilon_nano > 0)
		stated.rho_pico = 1 + dp_rho_of_budget((DpBudget){.epsilon_nano = stated.epsilon_nano,
														  .delta_atto = conversion});
	stated.epsilon_nano = 0;
	return stated;
}

/* ERROR for a rho that is stated where the accountant does not count rho: it would be ignored. */
static int64
rho_argument(FunctionCallInfo fcinfo, int argument, const DpDataset *dataset)
{
	int64 rho = dp_rho_argument(fcinfo, argument);

	if (rho > 0 && dataset->accountant != DP_ZCDP)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("relation \"%s\" does not count rho", dp_relation_words(dataset->relation)),
				 errdetail("Its accountant is %s, which adds up epsilon and delta.",
						   dp_accountant_name(dataset->accountant)),
				 errhint("State the epsilon that was spent.")));
	return rho;
}

/* ERROR for a sum of epsilons beside the epsilon itself, where they are one and the same. */
static int64
sum_argument(FunctionCallInfo fcinfo, int argument, const DpDataset *dataset)
{
	if (dataset->accountant != DP_ZCDP)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("relation \"%s\" does not count rho", dp_relation_words(dataset->relation)),
				 errdetail("Its accountant is %s, whose epsilon is the sum of epsilons.",
						   dp_accountant_name(dataset->accountant)),
				 errhint("State the epsilon that was spent, and neither rho nor a sum.")));
	return dp_epsilon_argument(fcinfo, argument, true, "spent_epsilon_sum");
}

/*
 * After a restore, a clone or a promotion the custodian states what was spent everywhere, and from
 * then on this ledger may be spent from. What it knows to be spent never becomes less.
 */
Datum
dp_reconcile(PG_FUNCTION_ARGS)
{
	DpBudget spent;
	DpDataset dataset;
	DpFence here;

	dp_check_no_null(fcinfo);
	spent = dp_amounts_argument(fcinfo, 1, true);
	own_budget(PG_GETARG_OID(0), "reconcile its ledger", &dataset);
	here = dp_fence_here();
	if (dataset.accountant == DP_ZCDP)
		spent = as_rho(&dataset, spent);
	if (PG_NARGS() > 3)
		spent.rho_pico = Max(spent.rho_pico, rho_argument(fcinfo, 3, &dataset));
	if (PG_NARGS() > 4)
		spent.epsilon_nano = sum_argument(fcinfo, 4, &dataset);
	(void) dp_catalog_write(
		"UPDATE dp_catalog.dp_dataset SET spent_epsilon_nano = greatest(spent_epsilon_nano, $2),"
		" spent_delta_atto = greatest(spent_delta_atto, $3),"
		" spent_rho_pico = greatest(spent_rho_pico, $4), system_identifier = $5,"
		" timeline = $6, database = $7 WHERE id = $1",
		DP_ARGUMENTS(DP_INT32(dataset.id), DP_INT64(spent.epsilon_nano), DP_INT64(spent.delta_atto),
					 DP_INT64(spent.rho_pico), dp_text_argument(here.system_identifier),
					 DP_INT32(here.timeline), dp_text_argument(here.database)));
	dp_ledger_statement(&dataset, "reconcile",
						(DpBudget){Max(spent.epsilon_nano - dataset.ledger.spent.epsilon_nano, 0),
								   Max(spent.delta_atto - dataset.ledger.spent.delta_atto, 0),
								   Max(spent.rho_pico - dataset.ledger.spent.rho_pico, 0)},
						"stated by the custodian");
	revoke_strangers(&dataset);
	PG_RETURN_VOID();
}
