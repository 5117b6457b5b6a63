/*
 * protect.c -- dp_protect and dp_unprotect: which relation is protected, what a
 * unit is, and whose budget pays. They run in the custodian's transaction, like
 * any DDL; the release worker sees them once they are committed.
 */
#include "dpsyn.h"

#include "catalog/pg_class.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

PG_FUNCTION_INFO_V1(dp_protect);
PG_FUNCTION_INFO_V1(dp_unprotect);

#define ROWS_PER_UNIT_MAX 1000000

/* What dp_protect is asked for. */
typedef struct Protection
{
	Oid relation;
	DpUnit unit;
	char *unit_column;
	int32 budget_of;  /* 0: its own, of these amounts under this accountant */
	DpBudget amounts; /* of the budget that pays */
	DpAccountant accountant;
	int64 max_epsilon_nano;
} Protection;

/* ---- the relation ---- */

static void
check_relation_kind(Oid relation)
{
	char kind = get_rel_relkind(relation);

	switch (kind)
	{
		case RELKIND_RELATION:
		case RELKIND_PARTITIONED_TABLE:
		case RELKIND_VIEW:
		case RELKIND_MATVIEW:
		case RELKIND_FOREIGN_TABLE:
			break;
		case '\0':
			ereport(ERROR, (errcode(ERRCODE_UNDEFINED_TABLE),
							errmsg("relation with OID %u does not exist", relation)));
		default:
			ereport(ERROR, (errcode(ERRCODE_WRONG_OBJECT_TYPE),
							errmsg("%s is not a table, view or foreign table",
								   dp_relation_label(relation))));
	}
	if (get_rel_persistence(relation) == RELPERSISTENCE_TEMP)
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("temporary relation %s cannot be protected", dp_relation_label(relation)),
				 errdetail("The release worker, another process, cannot read it.")));
}

/* ---- the unit ---- */

static void
unit_arguments(FunctionCallInfo fcinfo, Protection *asked)
{
	int32 rows_max = PG_GETARG_INT32(5);

	asked->unit.neighbours = dp_neighbours_from_name(text_to_cstring(PG_GETARG_TEXT_PP(3)));
	if (rows_max < 1 || rows_max > ROWS_PER_UNIT_MAX)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("max_rows_per_unit must be between 1 and %d", ROWS_PER_UNIT_MAX)));
	asked->unit.rows_max = rows_max;
	if (PG_ARGISNULL(4))
		return;
	asked->unit_column = pstrdup(NameStr(*PG_GETARG_NAME(4)));
	dp_check_unit_column(asked->relation, asked->unit_column);
}

static void
note_view_units(const Protection *asked)
{
	if (asked->unit_column == NULL && get_rel_relkind(asked->relation) == RELKIND_VIEW)
		ereport(NOTICE,
				(errmsg("what is protected is a row of view %s, not a row of the tables below it",
						dp_relation_label(asked->relation)),
				 errdetail("One person who stands in several rows of the view is protected "
						   "that many times less."),
				 errhint("If a column tells persons apart, give it as unit_column.")));
}

/* ---- the budget ---- */

static void
own_budget(FunctionCallInfo fcinfo, Protection *asked)
{
	dp_check_not_null(fcinfo, 1, "epsilon");
	if (!PG_ARGISNULL(7))
		asked->accountant = dp_accountant_from_name(text_to_cstring(PG_GETARG_TEXT_PP(7)));
	asked->amounts = dp_amounts_argument(fcinfo, 1, 2, false);
	dp_check_total(asked->accountant, asked->amounts);
}

/* Two relations of the same people: what is spent on either counts against one total. */
static void
shared_budget(FunctionCallInfo fcinfo, Protection *asked)
{
	Oid other = PG_GETARG_OID(6);
	DpDataset dataset;

	if (!PG_ARGISNULL(1) || !PG_ARGISNULL(7) ||
		dp_delta_from_numeric(PG_GETARG_NUMERIC(2), true, "delta") != 0)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("epsilon, delta and accountant are those of budget_of"),
						errhint("Leave them out, or leave out budget_of.")));
	if (other == asked->relation)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("budget_of must be another relation")));
	dp_check_custodian(other, "let other relations spend its budget");
	dp_dataset_get(other, true, &dataset);
	if (dataset.unit.neighbours != asked->unit.neighbours)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("relation %s has neighbours %s", dp_relation_label(other),
						dp_neighbours_name(dataset.unit.neighbours)),
				 errdetail("What is spent under one neighbouring relation cannot be added to what "
						   "is spent under another.")));
	asked->budget_of = dataset.budget;
	asked->amounts = dataset.amounts;
	asked->accountant = dataset.accountant;
}

/* ---- protected before ---- */

/* A column that is not there any more was renamed, or so the custodian says by giving another one. */
static bool
same_unit_column(Oid relation, const char *before, const char *now)
{
	if (before == NULL || now == NULL)
		return before == now;
	return strcmp(before, now) == 0 || get_attnum(relation, before) == InvalidAttrNumber;
}

/* With a unit column the unit is the same whatever its number of rows. */
static bool
same_unit(const DpDataset *before, const Protection *asked)
{
	return before->unit.neighbours == asked->unit.neighbours &&
		   same_unit_column(asked->relation, before->unit_column, asked->unit_column) &&
		   (asked->unit_column != NULL || before->unit.rows_max == asked->unit.rows_max);
}

/* What was spent must stay comparable with what will be, and stay where it was counted. */
static void
check_protected_before(const DpDataset *before, const Protection *asked)
{
	int32 budget = asked->budget_of ? asked->budget_of : before->id;
	const char *label = dp_relation_label(asked->relation);

	if (before->active)
		ereport(ERROR,
				(errcode(ERRCODE_DUPLICATE_OBJECT),
				 errmsg("relation %s is already protected", label),
				 errhint("dp_set_budget changes its budget, dp_unprotect ends the protection.")));
	if (asked->budget_of == before->id)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("budget_of shares the budget of relation %s itself", label),
						errhint("Give epsilon and delta instead.")));
	if (budget != before->id && dp_dataset_is_shared(before->id))
		ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
						errmsg("other relations share the budget of relation %s", label)));
	/* where others share the budget, what they have spent or will spend counts as its own */
	if (!dp_dataset_has_spent(before->id) && !dp_dataset_is_shared(before->id))
		return;
	if (!same_unit(before, asked))
		ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
						errmsg("relation %s has spent under neighbours %s, unit_column %s and "
							   "max_rows_per_unit %u",
							   label, dp_neighbours_name(before->unit.neighbours),
							   before->unit_column ? quote_identifier(before->unit_column) : "NULL",
							   before->unit.rows_max),
						errdetail("What was spent for one kind of unit cannot be added to what is "
								  "spent for another.")));
	if (budget != before->budget || asked->accountant != before->accountant)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("relation %s has spent from the budget of relation %s, accountant %s",
						label, dp_relation_label(before->budget_relation),
						dp_accountant_name(before->accountant)),
				 errdetail("Another budget or accountant would not know of it.")));
}

/*
 * What dropped relations of this name have spent: their own budgets as they
 * stand, and what they took from others'.
 */
static DpBudget
spent_by_namesakes(const char *label)
{
	Oid types[1] = {TEXTOID};
	Datum values[1] = {CStringGetTextDatum(label)};
	DpElevation elevation;
	DpBudget spent;

	dp_elevate(&elevation);
	SPI_connect();
	(void) dp_spi(
		"SELECT pg_catalog.sum(CASE WHEN d.budget_of IS NULL THEN d.spent_epsilon_nano"
		"                      ELSE l.epsilon_nano END)::bigint,"
		" pg_catalog.sum(CASE WHEN d.budget_of IS NULL THEN d.spent_delta_atto"
		"                ELSE l.delta_atto END)::bigint,"
		" pg_catalog.sum(CASE WHEN d.budget_of IS NULL THEN d.spent_rho_pico"
		"                ELSE l.rho_pico END)::bigint"
		" FROM @.dp_dataset d CROSS JOIN LATERAL (SELECT"
		"  pg_catalog.sum(CASE e.kind WHEN 'refund' THEN - e.epsilon_nano ELSE e.epsilon_nano END)"
		"  AS epsilon_nano,"
		"  pg_catalog.sum(CASE e.kind WHEN 'refund' THEN - e.delta_atto ELSE e.delta_atto END)"
		"  AS delta_atto,"
		"  pg_catalog.sum(CASE e.kind WHEN 'refund' THEN - e.rho_pico ELSE e.rho_pico END)"
		"  AS rho_pico,"
		"  pg_catalog.count(*) FILTER (WHERE e.relation_name = $1) AS named"
		"  FROM @.dp_ledger_entry e WHERE e.dataset = d.id AND e.kind IN ('debit', 'refund')) l"
		" WHERE (d.relation_name = $1 OR l.named > 0)"
		" AND NOT EXISTS (SELECT FROM pg_catalog.pg_class c WHERE c.oid = d.relation)",
		SPI_OK_SELECT, 1, types, values, NULL, true);
	spent = (DpBudget){dp_spi_int64(0, 1), dp_spi_int64(0, 2), dp_spi_int64(0, 3)};
	SPI_finish();
	dp_unelevate(&elevation);
	return spent;
}

/* A table that was dropped and made again is a new one to PostgreSQL, and may hold the same people. */
static void
warn_of_namesake(const Protection *asked)
{
	const char *label = dp_relation_label(asked->relation);
	DpBudget spent = spent_by_namesakes(label);
	char words[2][32];

	if (spent.epsilon_nano == 0 && spent.rho_pico == 0)
		return;
	if (asked->accountant == DP_ZCDP)
		spent.epsilon_nano =
			dp_epsilon_of_rho(spent.rho_pico, dp_zcdp_conversion_delta(asked->amounts.delta_atto));
	dp_decimal_print(spent.epsilon_nano, 9, words[0]);
	dp_decimal_print(spent.delta_atto, 18, words[1]);
	ereport(WARNING,
			(errmsg("a relation of this name that was dropped had spent epsilon %s and delta %s",
					words[0], words[1]),
			 asked->budget_of
				 ? errhint("If it held the same people, and did not share this budget: add that to "
						   "what the budget has spent, and run dp_reconcile.")
				 : errhint("If it held the same people: SELECT dp_reconcile(%s, %s, %s).",
						   quote_literal_cstr(label), words[0], words[1])));
}

/* ---- both ---- */

/*
 * A relation that was protected before keeps what it spent, and the fence it was
 * spent behind; limits and policies are as they are given now.
 */
static void
protection_write(const Protection *asked)
{
	Oid types[13] = {REGCLASSOID, TEXTOID, INT8OID, INT8OID, TEXTOID, INT4OID, TEXTOID,
					 INT4OID,     NAMEOID, INT4OID, TEXTOID, INT8OID, TEXTOID};
	Datum values[13];
	char nulls[14] = "             ";
	char *system_identifier;
	int32 timeline;
	char *database;

	dp_fence_here(&system_identifier, &timeline, &database);
	values[0] = ObjectIdGetDatum(asked->relation);
	values[1] = CStringGetTextDatum(dp_neighbours_name(asked->unit.neighbours));
	values[2] = Int64GetDatum(asked->amounts.epsilon_nano);
	values[3] = Int64GetDatum(asked->amounts.delta_atto);
	nulls[2] = nulls[3] = asked->budget_of ? 'n' : ' ';
	values[4] = CStringGetTextDatum(system_identifier);
	values[5] = Int32GetDatum(timeline);
	values[6] = CStringGetTextDatum(database);
	values[7] = Int32GetDatum(asked->budget_of);
	nulls[7] = asked->budget_of ? ' ' : 'n';
	values[8] = asked->unit_column
					? DirectFunctionCall1(namein, CStringGetDatum(asked->unit_column))
					: (Datum) 0;
	nulls[8] = asked->unit_column ? ' ' : 'n';
	values[9] = Int32GetDatum((int32) asked->unit.rows_max);
	values[10] = CStringGetTextDatum(dp_accountant_name(asked->accountant));
	values[11] = Int64GetDatum(asked->max_epsilon_nano);
	nulls[11] = asked->max_epsilon_nano ? ' ' : 'n';
	values[12] = CStringGetTextDatum(dp_relation_label(asked->relation));
	if (dp_write_catalog(
			"INSERT INTO @.dp_dataset AS d (relation, neighbours, epsilon_nano, delta_atto,"
			" system_identifier, timeline, database, budget_of, unit_column, max_rows_per_unit,"
			" accountant, max_epsilon_nano, relation_name)"
			" VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)"
			" ON CONFLICT (relation) DO UPDATE SET active = true, neighbours = $2,"
			" epsilon_nano = $3, delta_atto = $4, budget_of = $8, unit_column = $9,"
			" max_rows_per_unit = $10, accountant = $11, max_epsilon_nano = $12, relation_name = "
			"$13,"
			" refresh_every = NULL, refreshed_at = NULL, protected_at = pg_catalog.now()"
			" WHERE NOT d.active",
			SPI_OK_INSERT, 13, types, values, nulls) == 0)
		ereport(ERROR,
				(errcode(ERRCODE_DUPLICATE_OBJECT), errmsg("relation %s was protected meanwhile",
														   dp_relation_label(asked->relation))));
}

Datum
dp_protect(PG_FUNCTION_ARGS)
{
	Protection asked = {0};
	DpDataset before;

	(void) dp_schema(); /* that the function was declared by this version of the extension */
	dp_check_not_null(fcinfo, 0, "relation");
	dp_check_not_null(fcinfo, 2, "delta");
	dp_check_not_null(fcinfo, 3, "neighbours");
	dp_check_not_null(fcinfo, 5, "max_rows_per_unit");
	asked.relation = PG_GETARG_OID(0);
	check_relation_kind(asked.relation);
	dp_check_custodian(asked.relation, "protect it");
	unit_arguments(fcinfo, &asked);
	if (PG_ARGISNULL(6))
		own_budget(fcinfo, &asked);
	else
		shared_budget(fcinfo, &asked);
	asked.max_epsilon_nano = dp_limit_argument(fcinfo, 8);
	if (dp_dataset_find(asked.relation, false, &before))
		check_protected_before(&before, &asked);
	else
		warn_of_namesake(&asked);
	protection_write(&asked);
	note_view_units(&asked);
	PG_RETURN_VOID();
}

Datum
dp_unprotect(PG_FUNCTION_ARGS)
{
	Oid types[1] = {INT4OID};
	Datum values[1];
	DpDataset dataset;

	dp_check_custodian(PG_GETARG_OID(0), "end its protection");
	dp_dataset_get(PG_GETARG_OID(0), false, &dataset);
	values[0] = Int32GetDatum(dataset.id);
	(void) dp_write_catalog("UPDATE @.dp_dataset SET active = false WHERE id = $1", SPI_OK_UPDATE,
							1, types, values, NULL);
	PG_RETURN_VOID();
}
