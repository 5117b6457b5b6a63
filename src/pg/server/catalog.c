/*
 * catalog.c -- reading and writing dpsyn's own tables.
 *
 * They belong to a superuser and are granted to nobody. So every access runs as the bootstrap
 * superuser, with search_path pinned to pg_catalog, and names each table with its schema. Rights
 * are checked before, against the user who called.
 */
#include "pg/server/catalog.h"

#include <math.h>

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/relation.h"
#include "access/table.h"
#include "access/xact.h"
#include "catalog/indexing.h"
#include "catalog/pg_authid.h"
#include "catalog/namespace.h"
#include "catalog/pg_extension.h"
#include "catalog/pg_proc.h"
#include "commands/extension.h"
#include "executor/executor.h"
#include "executor/spi.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/rls.h"
#include "utils/snapmgr.h"
#include "utils/syscache.h"

#include "core/base/nearest_name.h"
#include "pg/server/code_gate.h"
#include "pg/server/names.h"

/* ---- the extension ---- */

/* The schema of the extension in this database, and its version; InvalidOid: not installed. */
static Oid
extension_here(char **version)
{
	Oid extension = get_extension_oid("dpsyn", true);
	Oid schema = InvalidOid;
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
		*version = TextDatumGetCString(
			heap_getattr(tuple, Anum_pg_extension_extversion, RelationGetDescr(catalog), &isnull));
	}
	systable_endscan(scan);
	table_close(catalog, AccessShareLock);
	return schema;
}

bool
dp_catalog_is_current(void)
{
	char *version = NULL;

	return OidIsValid(extension_here(&version)) && strcmp(version, DPSYN_VERSION) == 0;
}

const char *
dp_schema(void)
{
	char *version = NULL;
	Oid schema = extension_here(&version);

	if (!OidIsValid(schema))
		ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
						errmsg("the extension dpsyn is not installed in this database"),
						errhint("Run CREATE EXTENSION dpsyn.")));
	if (strcmp(version, DPSYN_VERSION) != 0 && !creating_extension)
		ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
						errmsg("the extension dpsyn is at version %s in this database, its library "
							   "at version %s",
							   version, DPSYN_VERSION),
						errhint("Run ALTER EXTENSION dpsyn UPDATE, and connect again.")));
	return quote_identifier(get_namespace_name(schema));
}

static Oid
function_in(Oid schema, const char *name, Oid argument)
{
	return GetSysCacheOid3(PROCNAMEARGSNSP, Anum_pg_proc_oid, CStringGetDatum(name),
						   PointerGetDatum(buildoidvector(&argument, 1)), ObjectIdGetDatum(schema));
}

Oid
dp_function_of_users(const char *name, Oid argument)
{
	char *version = NULL;

	return function_in(extension_here(&version), name, argument);
}

Oid
dp_function_inside(const char *name, Oid argument)
{
	return function_in(get_namespace_oid("dp_catalog", true), name, argument);
}

/* ---- statements ---- */

DpArgument
dp_text_argument(const char *words)
{
	return (DpArgument){TEXTOID, words ? CStringGetTextDatum(words) : (Datum) 0, words == NULL};
}

DpArgument
dp_name_argument(const char *name)
{
	return (DpArgument){NAMEOID,
						name ? DirectFunctionCall1(namein, CStringGetDatum(name)) : (Datum) 0,
						name == NULL};
}

DpArgument
dp_names_argument(char *const *names, int n)
{
	Datum *values = palloc(sizeof(Datum) * Max(n, 1));
	ArrayType *array;

	for (int i = 0; i < n; i++)
		values[i] = DirectFunctionCall1(namein, CStringGetDatum(names[i]));
	array = construct_array(values, n, NAMEOID, NAMEDATALEN, false, TYPALIGN_CHAR);
	return (DpArgument){NAMEARRAYOID, PointerGetDatum(array), false};
}

void
dp_catalog_open(DpUserContext *user_context)
{
	GetUserIdAndSecContext(&user_context->user, &user_context->security_context);
	SetUserIdAndSecContext(BOOTSTRAP_SUPERUSERID, user_context->security_context |
													  SECURITY_LOCAL_USERID_CHANGE |
													  DP_SECURITY_TRUSTED_CODE);
	user_context->guc_level = NewGUCNestLevel();
	dp_pin_settings();
	SPI_connect();
}

void
dp_catalog_close(DpUserContext *user_context)
{
	SPI_finish();
	dp_unelevate(user_context);
}

void
dp_caller_open(DpUserContext *user_context, const List *relations)
{
	dp_become_owner(user_context, dp_common_owner(relations));
	SPI_connect();
	if (relations != NIL)
		(void) dp_expect_relations(NULL, relations);
}

void
dp_caller_close(DpUserContext *user_context)
{
	SPI_finish();
	dp_unelevate(user_context);
}

void
dp_public_open(DpUserContext *user_context, Oid relation, const char *text)
{
	GetUserIdAndSecContext(&user_context->user, &user_context->security_context);
	SetUserIdAndSecContext(dp_relation_owner(relation),
						   user_context->security_context | SECURITY_LOCAL_USERID_CHANGE |
							   SECURITY_RESTRICTED_OPERATION | DP_SECURITY_TRUSTED_CODE);
	user_context->guc_level = NewGUCNestLevel();
	dp_pin_settings();
	SPI_connect();
	PushActiveSnapshot(IsInParallelMode() ? GetActiveSnapshot() : GetLatestSnapshot());
	(void) dp_expect_relation(text, relation);
}

void
dp_public_close(DpUserContext *user_context)
{
	PopActiveSnapshot();
	SPI_finish();
	dp_unelevate(user_context);
}

/* The statement with the extension's schema in place of each @. */
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

static uint64
run(const char *statement, DpArguments arguments, bool read_only)
{
	Oid *types = palloc(sizeof(Oid) * Max(arguments.n, 1));
	Datum *values = palloc(sizeof(Datum) * Max(arguments.n, 1));
	char *nulls = palloc(Max(arguments.n, 1));
	int result;

	for (int i = 0; i < arguments.n; i++)
	{
		types[i] = arguments.argument[i].type;
		values[i] = arguments.argument[i].value;
		nulls[i] = arguments.argument[i].isnull ? 'n' : ' ';
	}
	result = SPI_execute_with_args(with_schema(statement), arguments.n, types, values, nulls,
								   read_only, 0);
	if (result < 0 || result == SPI_OK_REWRITTEN)
		elog(ERROR, "dpsyn catalog statement failed: %s", SPI_result_code_string(result));
	return SPI_processed;
}

/*
 * Whoever owns the schema of the extension may rename it, and make another one of that name: so
 * these statements, which are a superuser's, are compared too.
 *
 * This one takes a snapshot of its own: what the release worker committed a moment ago must be
 * seen. A parallel query, in which no release runs, can take none.
 */
uint64
dp_spi_read(const char *statement, DpArguments arguments)
{
	uint64 rows;

	PushActiveSnapshot(IsInParallelMode() ? GetActiveSnapshot() : GetLatestSnapshot());
	dp_expect_own();
	rows = run(statement, arguments, true);
	PopActiveSnapshot();
	return rows;
}

uint64
dp_spi_write(const char *statement, DpArguments arguments)
{
	dp_expect_own();
	return run(statement, arguments, false);
}

uint64
dp_spi_read_as_caller(const char *statement, DpArguments arguments)
{
	return run(statement, arguments, true);
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

int32
dp_spi_int32(uint64 row, int column)
{
	bool isnull;
	Datum value = dp_spi_value(row, column, &isnull);

	return isnull ? 0 : DatumGetInt32(value);
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

double
dp_spi_float8(uint64 row, int column)
{
	bool isnull;
	Datum value = dp_spi_value(row, column, &isnull);

	return isnull ? NAN : DatumGetFloat8(value);
}

char *
dp_spi_text(uint64 row, int column)
{
	return SPI_getvalue(SPI_tuptable->vals[row], SPI_tuptable->tupdesc, column);
}

char **
dp_spi_names(uint64 row, int column, int *n)
{
	bool isnull;
	Datum value = dp_spi_value(row, column, &isnull);
	char **names;
	Datum *elements;

	*n = 0;
	if (isnull)
		return NULL;
	deconstruct_array(DatumGetArrayTypeP(value), NAMEOID, NAMEDATALEN, false, TYPALIGN_CHAR,
					  &elements, NULL, n);
	names = palloc(sizeof(char *) * Max(*n, 1));
	for (int i = 0; i < *n; i++)
		names[i] = pstrdup(NameStr(*DatumGetName(elements[i])));
	return names;
}

void
dp_raise_newer(void)
{
	ereport(ERROR, (errcode(ERRCODE_T_R_SERIALIZATION_FAILURE),
					errmsg("the ledger has changed since this transaction began"),
					errhint("Try again in a new transaction.")));
}

uint64
dp_catalog_write(const char *statement, DpArguments arguments)
{
	DpUserContext user_context;
	uint64 rows;

	dp_catalog_open(&user_context);
	rows = dp_spi_write(statement, arguments);
	dp_catalog_close(&user_context);
	return rows;
}

bool
dp_catalog_finds(const char *statement, DpArguments arguments)
{
	DpUserContext user_context;
	bool found;

	dp_catalog_open(&user_context);
	found = dp_spi_read(statement, arguments) > 0;
	dp_catalog_close(&user_context);
	return found;
}

List *
dp_catalog_list(const char *statement, DpArguments arguments, DpReadRow *read)
{
	MemoryContext caller = CurrentMemoryContext, spi;
	DpUserContext user_context;
	List *list = NIL;
	uint64 rows;

	dp_catalog_open(&user_context);
	rows = dp_spi_read(statement, arguments);
	spi = MemoryContextSwitchTo(caller);
	for (uint64 i = 0; i < rows; i++)
	{
		void *item = read(i);

		if (item != NULL)
			list = lappend(list, item);
	}
	MemoryContextSwitchTo(spi);
	dp_catalog_close(&user_context);
	return list;
}

List *
dp_catalog_oids(const char *statement)
{
	MemoryContext caller = CurrentMemoryContext, spi;
	DpUserContext user_context;
	List *oids = NIL;
	uint64 rows;

	dp_catalog_open(&user_context);
	rows = dp_spi_read(statement, DP_NO_ARGUMENTS);
	spi = MemoryContextSwitchTo(caller);
	for (uint64 i = 0; i < rows; i++)
		oids = lappend_oid(oids, dp_spi_oid(i, 1));
	MemoryContextSwitchTo(spi);
	dp_catalog_close(&user_context);
	return oids;
}

void
dp_run_planned(PlannedStmt *planned, const char *text, ParamListInfo parameters,
			   DestReceiver *receiver)
{
	QueryDesc *running = CreateQueryDesc(planned, text, GetActiveSnapshot(), InvalidSnapshot,
										 receiver, parameters, NULL, 0);

	ExecutorStart(running, 0);
	DP_EXECUTOR_RUN(running);
	ExecutorFinish(running);
	ExecutorEnd(running);
	FreeQueryDesc(running);
}
