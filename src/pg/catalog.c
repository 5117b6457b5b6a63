/*
 * catalog.c -- reading and writing dpsyn's own tables.
 *
 * They belong to a superuser and are granted to nobody, so every access runs
 * elevated: as the bootstrap superuser, with search_path pinned to pg_catalog
 * and every table named with its schema. Rights are checked before, against
 * the user who called.
 */
#include "dpsyn.h"

#include <sys/stat.h>

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "access/xlog.h"
#include "access/xlogrecovery.h"
#include "catalog/indexing.h"
#include "catalog/pg_authid.h"
#include "catalog/pg_extension.h"
#include "commands/extension.h"
#include "executor/spi.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"
#include "utils/syscache.h"

/* ---- elevation ---- */

static void
pin_search_path(void)
{
	(void) set_config_option("search_path", "pg_catalog, pg_temp", PGC_USERSET, PGC_S_SESSION,
							 GUC_ACTION_SAVE, true, 0, false);
}

void
dp_elevate(DpElevation *elevation)
{
	GetUserIdAndSecContext(&elevation->user, &elevation->security_context);
	SetUserIdAndSecContext(BOOTSTRAP_SUPERUSERID,
						   elevation->security_context | SECURITY_LOCAL_USERID_CHANGE);
	elevation->guc_level = NewGUCNestLevel();
	pin_search_path();
}

/*
 * Whatever can run code that somebody else wrote (views, CHECK expressions,
 * domain types) runs as that role where this lowers our rights, and never where
 * it would raise them: then it runs as who we are.
 */
void
dp_become_owner(DpElevation *elevation, Oid owner)
{
	GetUserIdAndSecContext(&elevation->user, &elevation->security_context);
	if (!OidIsValid(owner) || !has_privs_of_role(elevation->user, owner))
		owner = elevation->user;
	SetUserIdAndSecContext(owner, elevation->security_context | SECURITY_LOCAL_USERID_CHANGE |
									  SECURITY_RESTRICTED_OPERATION);
	elevation->guc_level = NewGUCNestLevel();
	pin_search_path();
}

/* Also takes back every setting that was changed meanwhile. */
void
dp_unelevate(DpElevation *elevation)
{
	AtEOXact_GUC(false, elevation->guc_level);
	SetUserIdAndSecContext(elevation->user, elevation->security_context);
}

const char *
dp_schema(void)
{
	Oid extension = get_extension_oid("dpsyn", true);
	Oid schema = InvalidOid;
	char *version = NULL;
	Relation catalog;
	SysScanDesc scan;
	ScanKeyData key;
	HeapTuple tuple;

	catalog = table_open(ExtensionRelationId, AccessShareLock);
	ScanKeyInit(&key, Anum_pg_extension_oid, BTEqualStrategyNumber, F_OIDEQ,
				ObjectIdGetDatum(extension));
	scan = systable_beginscan(catalog, ExtensionOidIndexId, true, NULL, 1, &key);
	tuple = systable_getnext(scan);
	if (HeapTupleIsValid(tuple))
	{
		bool isnull;

		schema = ((Form_pg_extension) GETSTRUCT(tuple))->extnamespace;
		version = TextDatumGetCString(
			heap_getattr(tuple, Anum_pg_extension_extversion, RelationGetDescr(catalog), &isnull));
	}
	systable_endscan(scan);
	table_close(catalog, AccessShareLock);

	if (!OidIsValid(schema))
		ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
						errmsg("the extension dpsyn is not installed in this database"),
						errhint("Run CREATE EXTENSION dpsyn.")));
	if (strcmp(version, DPSYN_VERSION) != 0 && !creating_extension)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("the extension dpsyn is at version %s in this database, its library at "
						"version %s",
						version, DPSYN_VERSION),
				 errhint("Run ALTER EXTENSION dpsyn UPDATE, and connect again.")));
	return quote_identifier(get_namespace_name(schema));
}

/* statement with each @ replaced by the extension's schema. */
static char *
with_schema(const char *statement)
{
	const char *schema = dp_schema();
	StringInfoData words;

	initStringInfo(&words);
	for (; *statement; statement++)
	{
		if (*statement == '@')
			appendStringInfoString(&words, schema);
		else
			appendStringInfoChar(&words, *statement);
	}
	return words.data;
}

uint64
dp_spi(const char *statement, int expected, int nargs, Oid *types, Datum *values, const char *nulls,
	   bool read_only)
{
	int result;

	/* what the release worker committed a moment ago must be seen, whatever the caller's isolation */
	if (read_only)
		PushActiveSnapshot(GetLatestSnapshot());
	result =
		SPI_execute_with_args(with_schema(statement), nargs, types, values, nulls, read_only, 0);
	if (read_only)
		PopActiveSnapshot();
	if (result != expected)
		elog(ERROR, "dpsyn catalog statement failed: %s", SPI_result_code_string(result));
	return SPI_processed;
}

Datum
dp_spi_value(uint64 row, int column, bool *isnull)
{
	return SPI_getbinval(SPI_tuptable->vals[row], SPI_tuptable->tupdesc, column, isnull);
}

int64
dp_spi_int64(uint64 row, int column)
{
	bool isnull;
	Datum value = dp_spi_value(row, column, &isnull);

	return isnull ? 0 : DatumGetInt64(value);
}

Oid
dp_spi_oid(uint64 row, int column)
{
	bool isnull;
	Datum value = dp_spi_value(row, column, &isnull);

	return isnull ? InvalidOid : DatumGetObjectId(value);
}

bool
dp_spi_bool(uint64 row, int column)
{
	bool isnull;

	return DatumGetBool(dp_spi_value(row, column, &isnull)) && !isnull;
}

/* ---- labels ---- */

char *
dp_relation_label(Oid relation)
{
	char *name = get_rel_name(relation);

	if (name == NULL)
		return psprintf("with OID %u", relation); /* callers say "relation %s" */
	return quote_qualified_identifier(get_namespace_name(get_rel_namespace(relation)), name);
}

char *
dp_role_label(Oid role)
{
	char *name = GetUserNameFromId(role, true);

	return name ? name : psprintf("role with OID %u", role);
}

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

/* ---- datasets ---- */

Oid
dp_relation_owner(Oid relation)
{
	HeapTuple tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(relation));
	Oid owner = InvalidOid;

	if (HeapTupleIsValid(tuple))
	{
		owner = ((Form_pg_class) GETSTRUCT(tuple))->relowner;
		ReleaseSysCache(tuple);
	}
	return owner;
}

/* A relation that is gone is a superuser's. */
bool
dp_is_custodian(Oid relation, Oid user)
{
	Oid owner = dp_relation_owner(relation);

	return OidIsValid(owner) ? has_privs_of_role(user, owner) : superuser_arg(user);
}

void
dp_check_custodian(Oid relation, const char *action)
{
	if (!dp_is_custodian(relation, GetUserId()))
		ereport(ERROR, (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
						errmsg("must be owner of relation %s", dp_relation_label(relation)),
						errdetail("Only its custodian may %s.", action)));
}

bool
dp_dataset_find(Oid relation, bool for_update, DpDataset *dataset)
{
	Oid types[1] = {REGCLASSOID};
	Datum values[1] = {ObjectIdGetDatum(relation)};
	DpElevation elevation;
	bool found;

	MemSet(dataset, 0, sizeof(*dataset));
	dp_elevate(&elevation);
	SPI_connect();
	found =
		dp_spi(for_update
				   ? "SELECT id, active, neighbours, epsilon_nano, delta_atto, spent_epsilon_nano,"
					 " spent_delta_atto, system_identifier, timeline, database"
					 " FROM @.dp_dataset WHERE relation = $1 FOR UPDATE"
				   : "SELECT id, active, neighbours, epsilon_nano, delta_atto, spent_epsilon_nano,"
					 " spent_delta_atto, system_identifier, timeline, database"
					 " FROM @.dp_dataset WHERE relation = $1",
			   SPI_OK_SELECT, 1, types, values, NULL, !for_update) == 1;
	if (found)
	{
		HeapTuple row = SPI_tuptable->vals[0];
		TupleDesc desc = SPI_tuptable->tupdesc;
		char *system_identifier;
		int32 timeline;
		char *database;
		bool isnull;

		dp_fence_here(&system_identifier, &timeline, &database);
		dataset->id = DatumGetInt32(dp_spi_value(0, 1, &isnull));
		dataset->relation = relation;
		dataset->active = dp_spi_bool(0, 2);
		dataset->unit.neighbours = dp_neighbours_from_name(SPI_getvalue(row, desc, 3));
		dataset->unit.rows_max = 1;
		dataset->total = (DpBudget){dp_spi_int64(0, 4), dp_spi_int64(0, 5)};
		dataset->spent = (DpBudget){dp_spi_int64(0, 6), dp_spi_int64(0, 7)};
		dataset->fence_holds = strcmp(SPI_getvalue(row, desc, 8), system_identifier) == 0 &&
							   DatumGetInt32(dp_spi_value(0, 9, &isnull)) == timeline &&
							   strcmp(SPI_getvalue(row, desc, 10), database) == 0;
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

/* ---- who pays ---- */

static void
payer_from_row(uint64 row, DpPayer *payer)
{
	payer->custodian = false;
	payer->role = dp_spi_oid(row, 1);
	payer->total = (DpBudget){dp_spi_int64(row, 2), dp_spi_int64(row, 3)};
	payer->spent = (DpBudget){dp_spi_int64(row, 4), dp_spi_int64(row, 5)};
}

/*
 * The user's own grant; else, for the custodian, the total alone; else the one
 * grant of a group that the user is a member of. Returns how many could pay.
 */
static int
payer_choose(const DpDataset *dataset, Oid user, DpPayer *payer)
{
	Oid types[1] = {INT4OID};
	Datum values[1] = {Int32GetDatum(dataset->id)};
	bool custodian = dp_is_custodian(dataset->relation, user);
	uint64 rows = dp_spi("SELECT role, epsilon_nano, delta_atto, spent_epsilon_nano,"
						 " spent_delta_atto FROM @.dp_allocation"
						 " WHERE dataset = $1 AND active ORDER BY role",
						 SPI_OK_SELECT, 1, types, values, NULL, true);
	int groups = 0;

	for (uint64 i = 0; i < rows; i++)
	{
		Oid role = dp_spi_oid(i, 1);

		if (role == user)
		{
			payer_from_row(i, payer);
			return 1;
		}
		if (!custodian && has_privs_of_role(user, role))
		{
			payer_from_row(i, payer);
			groups++;
		}
	}
	if (!custodian)
		return groups;
	*payer = (DpPayer){.custodian = true, .role = InvalidOid};
	return 1;
}

static void
payer_lock(const DpDataset *dataset, DpPayer *payer)
{
	Oid types[2] = {INT4OID, OIDOID};
	Datum values[2] = {Int32GetDatum(dataset->id), ObjectIdGetDatum(payer->role)};

	if (dp_spi("SELECT role, epsilon_nano, delta_atto, spent_epsilon_nano, spent_delta_atto"
			   " FROM @.dp_allocation WHERE dataset = $1 AND role = $2 AND active FOR UPDATE",
			   SPI_OK_SELECT, 2, types, values, NULL, false) != 1)
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("the grant of role %s was revoked meanwhile", dp_role_label(payer->role))));
	payer_from_row(0, payer);
}

void
dp_payer_get(const DpDataset *dataset, Oid user, bool for_update, DpPayer *payer)
{
	DpElevation elevation;
	int payers;

	dp_elevate(&elevation);
	SPI_connect();
	payers = payer_choose(dataset, user, payer);
	if (payers == 1 && for_update && !payer->custodian)
		payer_lock(dataset, payer);
	SPI_finish();
	dp_unelevate(&elevation);

	if (payers == 0)
		ereport(ERROR, (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
						errmsg("role %s has no privacy budget for relation %s", dp_role_label(user),
							   dp_relation_label(dataset->relation)),
						errhint("Its custodian can run dp_grant, and commit.")));
	if (payers > 1)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("more than one grant could pay for role %s", dp_role_label(user)),
				 errdetail("The role is a member of %d roles that hold a budget for relation %s.",
						   payers, dp_relation_label(dataset->relation)),
				 errhint("Choose one with SET ROLE.")));
}

bool
dp_may_ask(const DpDataset *dataset, Oid user)
{
	DpElevation elevation;
	DpPayer payer;
	bool may;

	dp_elevate(&elevation);
	SPI_connect();
	may = payer_choose(dataset, user, &payer) > 0;
	SPI_finish();
	dp_unelevate(&elevation);
	return may;
}

static void
check_fits(DpBudget total, DpBudget spent, DpBudget cost, const char *whose)
{
	DpBudget left = {Max(total.epsilon_nano - spent.epsilon_nano, 0),
					 Max(total.delta_atto - spent.delta_atto, 0)};
	char asked[2][32];
	char rest[2][32];

	if (cost.epsilon_nano <= left.epsilon_nano && cost.delta_atto <= left.delta_atto)
		return;
	ereport(
		ERROR,
		(errcode(ERRCODE_CONFIGURATION_LIMIT_EXCEEDED),
		 errmsg("privacy budget of %s is exhausted", whose),
		 errdetail("The release costs epsilon %s and delta %s; left are epsilon %s and delta %s.",
				   dp_decimal_print(cost.epsilon_nano, 9, asked[0]),
				   dp_decimal_print(cost.delta_atto, 18, asked[1]),
				   dp_decimal_print(left.epsilon_nano, 9, rest[0]),
				   dp_decimal_print(left.delta_atto, 18, rest[1])),
		 errhint("Ask for less, or draw again from a stored release (view dp_releases) "
				 "at no cost.")));
}

void
dp_check_budget(const DpDataset *dataset, const DpPayer *payer, DpBudget cost)
{
	if (!dataset->fence_holds)
		ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
						errmsg("the ledger of relation %s was kept in another cluster or database",
							   dp_relation_label(dataset->relation)),
						errdetail("A copy could spend the same budget a second time."),
						errhint("Its custodian can run dp_reconcile with what was spent in all.")));
	if (!payer->custodian)
		check_fits(payer->total, payer->spent, cost,
				   psprintf("role %s for relation %s", dp_role_label(payer->role),
							dp_relation_label(dataset->relation)));
	check_fits(dataset->total, dataset->spent, cost,
			   psprintf("relation %s", dp_relation_label(dataset->relation)));
}
