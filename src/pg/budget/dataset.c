/*
 * dataset.c -- protected relations as the catalog has them: the unit that is
 * protected, the budget that pays (its own, or that of a relation with the same
 * people), and the fence around the ledger.
 */
#include "dpsyn.h"

#include <sys/stat.h>

#include "access/xlog.h"
#include "access/xlogrecovery.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"

/* ---- the fence ---- */

/* A standby has no timeline to write on, only the one it replays. */
static int32
timeline_here(void)
{
	TimeLineID timeline;

	if (!RecoveryInProgress())
		return (int32) GetWALInsertionTimeLine();
	(void) GetXLogReplayRecPtr(&timeline);
	return (int32) timeline;
}

/*
 * When the directory of this database was made. An OID alone does not tell a
 * database: its owner may drop it and make it again, from a copy, under the same
 * one. The file is written once, by CREATE DATABASE, and nobody without access
 * to the file system can set its time back.
 */
static char *
database_made_at(void)
{
	char *path = psprintf("%s/PG_VERSION", DatabasePath);
	struct stat status;

	if (stat(path, &status) != 0)
		ereport(ERROR, (errcode_for_file_access(), errmsg("could not stat file \"%s\": %m", path)));
	/* seconds would not do: a database is made again in a fraction of one */
	return psprintf(INT64_FORMAT ".%09ld", (int64) status.st_mtim.tv_sec,
					(long) status.st_mtim.tv_nsec);
}

/*
 * Where this ledger lives. A clone, a restored dump, a promoted standby or a
 * point-in-time recovery changes at least one of the three, so that the budget
 * cannot be spent once in each copy.
 */
void
dp_fence_here(char **system_identifier, int32 *timeline, char **database)
{
	*system_identifier = psprintf(UINT64_FORMAT, GetSystemIdentifier());
	*timeline = timeline_here();
	*database = psprintf("%u/%s", MyDatabaseId, database_made_at());
}

/* ---- accountants ---- */

const char *
dp_accountant_name(DpAccountant accountant)
{
	return accountant == DP_ZCDP ? "zcdp" : "basic";
}

DpAccountant
dp_accountant_from_name(const char *name)
{
	if (strcmp(name, "basic") == 0)
		return DP_BASIC;
	if (strcmp(name, "zcdp") == 0)
		return DP_ZCDP;
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("unknown accountant \"%s\"", name),
			 errhint("Use basic (epsilon and delta add up) or zcdp (rho and delta add up).")));
}

/*
 * Under zCDP half of delta is set aside: what rho allows is (epsilon, that
 * half)-DP, and the deltas of stability histograms have the other half.
 */
int64
dp_zcdp_conversion_delta(int64 delta_atto)
{
	return delta_atto / 2;
}

DpBudget
dp_budget_allowed(DpAccountant accountant, DpBudget amounts)
{
	if (accountant == DP_ZCDP)
	{
		int64 conversion = dp_zcdp_conversion_delta(amounts.delta_atto);

		amounts.rho_pico = dp_rho_of_budget(amounts.epsilon_nano, conversion);
		amounts.delta_atto -= conversion;
	}
	return amounts;
}

/* ---- units ---- */

/*
 * Rows of a unit are found by sorting, so its column's type must have an order.
 * Checked when it is declared and again before each debit: columns are renamed.
 */
void
dp_check_unit_column(Oid relation, const char *column)
{
	AttrNumber number = get_attnum(relation, column);
	Oid type;

	if (number <= 0)
		ereport(ERROR, (errcode(ERRCODE_UNDEFINED_COLUMN),
						errmsg("column \"%s\" of relation %s does not exist", column,
							   dp_relation_label(relation)),
						errdetail("It is to tell privacy units apart.")));
	type = get_atttype(relation, number);
	if (!OidIsValid(lookup_type_cache(type, TYPECACHE_LT_OPR)->lt_opr))
		ereport(ERROR, (errcode(ERRCODE_WRONG_OBJECT_TYPE),
						errmsg("column \"%s\" cannot tell units apart", column),
						errdetail("Values of type %s cannot be sorted.", format_type_be(type))));
}

/* ---- datasets ---- */

/* Of the relation's row and of its budget's, which is mostly the same: so that mostly one small query reads both. */
#define RELATION_COLUMNS(t)                                                                        \
	t ".id, " t ".active, " t ".neighbours, " t ".unit_column, " t ".max_rows_per_unit, " t        \
	  ".max_epsilon_nano"
#define BUDGET_COLUMNS(t)                                                                          \
	t ".id, " t ".relation, " t ".accountant, " t ".epsilon_nano, " t ".delta_atto,"               \
	  " coalesce(pg_catalog.clock_timestamp() >= " t ".refreshed_at + " t                          \
	  ".refresh_every, false),"                                                                    \
	  " " t ".spent_epsilon_nano, " t ".spent_delta_atto, " t ".spent_rho_pico, " t                \
	  ".system_identifier, " t ".timeline, " t ".database"

#define READ_OWN                                                                                   \
	"SELECT " RELATION_COLUMNS("d") ", " BUDGET_COLUMNS(                                           \
		"d") " FROM @.dp_dataset d"                                                                \
			 " WHERE d.relation = $1 AND d.budget_of IS NULL"
#define READ_SHARED                                                                                \
	"SELECT " RELATION_COLUMNS("d") ", " BUDGET_COLUMNS(                                           \
		"b") " FROM @.dp_dataset d"                                                                \
			 " JOIN @.dp_dataset b ON b.id = d.budget_of WHERE d.relation = $1"
/* Both rows, in the order of their keys, as every release locks them. */
#define LOCK_SHARED                                                                                \
	"SELECT id FROM @.dp_dataset WHERE id IN (SELECT id FROM @.dp_dataset WHERE relation = $1"     \
	" UNION SELECT budget_of FROM @.dp_dataset WHERE relation = $1) ORDER BY id FOR UPDATE"

/*
 * A refresh that is due: what was spent, by the relation and by every role, is
 * 0 again, and the ledger says how much that was. The budget's row is locked.
 */
static void
refresh_apply(int32 budget)
{
	Oid types[1] = {INT4OID};
	Datum values[1] = {Int32GetDatum(budget)};

	(void) dp_spi("SELECT FROM @.dp_allocation a JOIN @.dp_dataset d ON d.id = a.dataset"
				  " WHERE $1 IN (d.id, d.budget_of) ORDER BY a.dataset, a.role FOR UPDATE OF a",
				  SPI_OK_SELECT, 1, types, values, NULL, false);
	(void) dp_spi("INSERT INTO @.dp_ledger_entry (kind, dataset, relation_name, role, role_name,"
				  " epsilon_nano, delta_atto, rho_pico, reason)"
				  " SELECT 'refresh', d.id, d.relation::pg_catalog.text, o.oid, o.rolname,"
				  " d.spent_epsilon_nano, d.spent_delta_atto, d.spent_rho_pico,"
				  " 'every ' || d.refresh_every FROM @.dp_dataset d"
				  " LEFT JOIN pg_catalog.pg_class c ON c.oid = d.relation"
				  " JOIN pg_catalog.pg_authid o ON o.oid = coalesce(c.relowner, 10)"
				  " WHERE d.id = $1",
				  SPI_OK_INSERT, 1, types, values, NULL, false);
	(void) dp_spi("UPDATE @.dp_dataset SET spent_epsilon_nano = 0, spent_delta_atto = 0,"
				  " spent_rho_pico = 0, refreshed_at = pg_catalog.clock_timestamp() WHERE id = $1",
				  SPI_OK_UPDATE, 1, types, values, NULL, false);
	(void) dp_spi("UPDATE @.dp_allocation a SET spent_epsilon_nano = 0, spent_delta_atto = 0,"
				  " spent_rho_pico = 0 FROM @.dp_dataset d"
				  " WHERE d.id = a.dataset AND $1 IN (d.id, d.budget_of)",
				  SPI_OK_UPDATE, 1, types, values, NULL, false);
}

/* Fills dataset from the row that was read last; context keeps its texts. */
static void
dataset_from_row(DpDataset *dataset, MemoryContext context)
{
	HeapTuple row = SPI_tuptable->vals[0];
	TupleDesc desc = SPI_tuptable->tupdesc;
	char *unit_column = SPI_getvalue(row, desc, 4);
	char *system_identifier;
	int32 timeline;
	char *database;

	dp_fence_here(&system_identifier, &timeline, &database);
	dataset->id = dp_spi_int32(0, 1);
	dataset->active = dp_spi_bool(0, 2);
	dataset->unit.neighbours = dp_neighbours_from_name(SPI_getvalue(row, desc, 3));
	dataset->unit_column = unit_column ? MemoryContextStrdup(context, unit_column) : NULL;
	dataset->unit.rows_max = (uint32) dp_spi_int32(0, 5);
	dataset->max_epsilon_nano = dp_spi_int64(0, 6);
	dataset->budget = dp_spi_int32(0, 7);
	dataset->budget_relation = dp_spi_oid(0, 8);
	dataset->accountant = dp_accountant_from_name(SPI_getvalue(row, desc, 9));
	dataset->amounts = (DpBudget){dp_spi_int64(0, 10), dp_spi_int64(0, 11), 0};
	dataset->refresh_due = dp_spi_bool(0, 12);
	if (!dataset->refresh_due)
		dataset->spent = (DpBudget){dp_spi_int64(0, 13), dp_spi_int64(0, 14), dp_spi_int64(0, 15)};
	dataset->fence_holds = strcmp(SPI_getvalue(row, desc, 16), system_identifier) == 0 &&
						   dp_spi_int32(0, 17) == timeline &&
						   strcmp(SPI_getvalue(row, desc, 18), database) == 0;
}

/* Whose budget pays may have changed while the lock on the relation's row was waited for: then another's row
 * was locked than the one that was read. */
static void
check_locked(Oid relation, uint64 rows, const int32 *ids)
{
	int32 budget = rows == 1 ? dp_spi_int32(0, 7) : 0;

	if (budget == 0 || (budget != ids[0] && budget != ids[1]))
		ereport(ERROR, (errcode(ERRCODE_T_R_SERIALIZATION_FAILURE),
						errmsg("the budget of relation %s was changed meanwhile",
							   dp_relation_label(relation)),
						errdetail("Nothing was spent."), errhint("Try again.")));
}

static bool
dataset_read(Oid relation, bool for_update, DpDataset *dataset, MemoryContext context)
{
	Oid types[1] = {REGCLASSOID};
	Datum values[1] = {ObjectIdGetDatum(relation)};
	uint64 rows = dp_spi(for_update ? READ_OWN " FOR UPDATE" : READ_OWN, SPI_OK_SELECT, 1, types,
						 values, NULL, !for_update);

	if (rows == 0)
	{
		uint64 locked =
			for_update ? dp_spi(LOCK_SHARED, SPI_OK_SELECT, 1, types, values, NULL, false) : 0;
		int32 ids[2] = {locked > 0 ? dp_spi_int32(0, 1) : 0, locked > 1 ? dp_spi_int32(1, 1) : 0};

		rows = dp_spi(READ_SHARED, SPI_OK_SELECT, 1, types, values, NULL, !for_update);
		if (locked > 0)
			check_locked(relation, rows, ids);
	}
	if (rows != 1)
		return false;
	MemSet(dataset, 0, sizeof(*dataset));
	dataset->relation = relation;
	dataset_from_row(dataset, context);
	return true;
}

bool
dp_dataset_find(Oid relation, bool for_update, DpDataset *dataset)
{
	MemoryContext caller = CurrentMemoryContext;
	DpElevation elevation;
	bool found;

	MemSet(dataset, 0, sizeof(*dataset));
	dp_elevate(&elevation);
	SPI_connect();
	found = dataset_read(relation, for_update, dataset, caller);
	if (found && for_update && dataset->refresh_due)
	{
		refresh_apply(dataset->budget);
		found = dataset_read(relation, true, dataset, caller);
	}
	SPI_finish();
	dp_unelevate(&elevation);
	return found;
}

void
dp_dataset_get(Oid relation, bool for_update, DpDataset *dataset)
{
	if (!dp_dataset_find(relation, for_update, dataset) || !dataset->active)
		ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
						errmsg("relation %s is not protected", dp_relation_label(relation)),
						errhint("Its owner can run dp_protect(%s, epsilon => ...), and commit.",
								quote_literal_cstr(dp_relation_label(relation)))));
}

/* Whether a statement about a dataset finds anything. */
static bool
finds(const char *statement, int32 dataset)
{
	Oid types[1] = {INT4OID};
	Datum values[1] = {Int32GetDatum(dataset)};
	DpElevation elevation;
	bool found;

	dp_elevate(&elevation);
	SPI_connect();
	found = dp_spi(statement, SPI_OK_SELECT, 1, types, values, NULL, true) > 0;
	SPI_finish();
	dp_unelevate(&elevation);
	return found;
}

bool
dp_dataset_has_spent(int32 dataset)
{
	return finds("SELECT FROM @.dp_ledger_entry WHERE dataset = $1"
				 " AND kind IN ('debit', 'reconcile') LIMIT 1",
				 dataset);
}

bool
dp_dataset_is_shared(int32 dataset)
{
	return finds("SELECT FROM @.dp_dataset WHERE budget_of = $1 LIMIT 1", dataset);
}
