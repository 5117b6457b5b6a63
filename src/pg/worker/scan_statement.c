/*
 * scan_statement.c -- the statement that counts a relation, which decides where it is
 * counted. RELEASE WORKER ONLY.
 *
 *   anything            SELECT dp_marginals($1, a, b) FROM it; with parallel workers if
 *                       what they hand over is sure to fit one value. An array alone is
 *                       counted as a row, which no server is sent
 *   a foreign table     the same: postgres_fdw sends the call if the server has memory;
 *                       else the rows come and are counted here
 *   a view of foreign   the rows come, though PostgreSQL would send the call: no server
 *   tables              was asked whether it can count
 *   partitions that     each is counted by itself, and the counts are merged: PostgreSQL
 *   are foreign         lets a foreign server compute whole aggregates, not the partial
 *                       ones of a plan over partitions
 *   a Citus table       dp_marginals($1, ARRAY[a, b]): Citus sends calls to its workers
 *                       whose arguments have fixed types
 */
#include "pg/server/compat.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "access/tableam.h"
#include "catalog/dependency.h"
#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "catalog/pg_type.h"
#include "commands/extension.h"
#include "executor/spi.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "nodes/pg_list.h"
#include "storage/bufmgr.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/rls.h"
#include "utils/snapmgr.h"

#include "pg/counting/encode.h"
#include "pg/counting/spec.h"
#include "pg/server/catalog.h"
#include "pg/worker/lock.h"
#include "pg/worker/scan.h"

#define TUPLE_BYTES_MAX (MaxAllocSize - 16 * 1024) /* for one value in a tuple */

/* ---- Citus ---- */

/*
 * Whether pg_dist_partition has a row for the relation. The table is read as a catalog is: no
 * name is looked up through search_path, nobody's rights or row security matter, and nothing
 * of a user runs.
 */
static bool
is_distributed(Oid catalog, Oid relation)
{
	AttrNumber number = get_attnum(catalog, "logicalrelid");
	Relation table;
	SysScanDesc scan;
	ScanKeyData key;
	bool found;

	if (number == InvalidAttrNumber || get_atttype(catalog, number) != REGCLASSOID)
		return false;
	table = table_open(catalog, AccessShareLock);
	ScanKeyInit(&key, number, BTEqualStrategyNumber, F_OIDEQ, ObjectIdGetDatum(relation));
	scan = systable_beginscan(table, InvalidOid, false, GetActiveSnapshot(), 1, &key);
	found = HeapTupleIsValid(systable_getnext(scan));
	systable_endscan(scan);
	table_close(table, AccessShareLock);
	return found;
}

/* The catalog must belong to the extension, since anybody can make a table of that name. */
static bool
is_citus_table(Oid relation)
{
	Oid extension = get_extension_oid("citus", true);
	Oid catalog;

	if (!OidIsValid(extension))
		return false;
	catalog = get_relname_relid("pg_dist_partition", PG_CATALOG_NAMESPACE);
	return OidIsValid(catalog) && get_rel_relkind(catalog) == RELKIND_RELATION &&
		   getExtensionOfObject(RelationRelationId, catalog) == extension &&
		   is_distributed(catalog, relation);
}

static bool
all_are_integers(const DpSource *source, const uint32 *attribute, uint32 n)
{
	for (uint32 i = 0; i < n; i++)
	{
		Oid type = getBaseType(source->relation->column[attribute[i]].type);

		if (type != INT2OID && type != INT4OID)
			return false;
	}
	return true;
}

/* ARRAY["a"::text, "b"::text], or the same with int4 where all columns are integers. */
static char *
column_array(const DpSource *source, const uint32 *attribute, uint32 n)
{
	const char *type = all_are_integers(source, attribute, n) ? "integer" : "text";
	StringInfoData array;

	initStringInfo(&array);
	for (uint32 i = 0; i < n; i++)
		appendStringInfo(&array, "%s%s::pg_catalog.%s", i ? ", " : "ARRAY[",
						 quote_identifier(source->relation->domain.attribute[attribute[i]].name),
						 strcmp(type, "integer") == 0 ? "int4" : "text");
	appendStringInfoChar(&array, ']');
	return array.data;
}

char *
dp_scan_count_call(const DpSource *source, const uint32 *attribute, uint32 n)
{
	if (source->relation->asked == NULL && is_citus_table(source->relation->oid))
		return psprintf("%s.dp_marginals($1, %s)", dp_schema(), column_array(source, attribute, n));
	return dp_count_call(&source->relation->domain, source->relation->column, attribute, n);
}

/* ---- sizes ---- */

/*
 * A bound of the rows that a snapshot sees, from the blocks of the tables. UINT64_MAX: there
 * is none.
 */
static uint64
rows_at_most(Oid relation)
{
	uint64 blocks = 0;
	ListCell *cell;

	foreach (cell, find_all_inheritors(relation, AccessShareLock, NULL))
	{
		char kind = get_rel_relkind(lfirst_oid(cell));
		Relation table;

		if (kind == RELKIND_PARTITIONED_TABLE)
			continue;
		if (kind != RELKIND_RELATION && kind != RELKIND_MATVIEW)
			return PG_UINT64_MAX;
		table = table_open(lfirst_oid(cell), NoLock);
		if (table->rd_tableam != GetHeapamTableAmRoutine())
			blocks = PG_UINT64_MAX / MaxHeapTuplesPerPage;
		else
			blocks += RelationGetNumberOfBlocks(table);
		table_close(table, NoLock);
	}
	return blocks >= PG_UINT64_MAX / MaxHeapTuplesPerPage ? PG_UINT64_MAX
														  : blocks * MaxHeapTuplesPerPage;
}

/* A parallel worker hands its counts over in one tuple. */
bool
dp_scan_fits_parallel(const DpSource *source, const DpSpec *spec, Size spec_bytes)
{
	return spec_bytes < TUPLE_BYTES_MAX &&
		   dp_spec_bytes_max(spec, rows_at_most(source->relation->oid)) <
			   TUPLE_BYTES_MAX - spec_bytes;
}

/* Whether a server can count that, and send it as a text, which has two digits a byte. */
static bool
server_fits(const DpShard *shard, const DpSpec *spec, uint64 rows)
{
	return dp_spec_memory_max(spec, rows) <= shard->capacity &&
		   dp_spec_bytes_max(spec, rows) < MaxAllocSize / 4;
}

static uint64
count_rows(Oid relation)
{
	uint64 rows;
	bool isnull;

	SPI_connect();
	dp_lock_names();
	if (SPI_execute(psprintf("SELECT pg_catalog.count(*) FROM %s", dp_relation_label(relation)),
					true, 0) != SPI_OK_SELECT ||
		SPI_processed != 1)
		elog(ERROR, "dpsyn: counting rows failed");
	rows = (uint64) DatumGetInt64(
		SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1, &isnull));
	SPI_finish();
	return rows;
}

/* Whether a collation is named. A server need not have one of that name. */
static bool
names_collation(const DpSpec *spec)
{
	for (uint32 a = 0; a < spec->domain.attributes; a++)
		if (spec->collation[a] != NULL)
			return true;
	return false;
}

/*
 * Whether a foreign table is left to its server to count. Hashed tables hold no more cells
 * than there are rows, so rows are counted there if the largest tables would not fit.
 */
static bool
counts_itself(const DpSource *source, Oid relation, const DpSpec *spec)
{
	ListCell *cell;

	foreach (cell, source->shards)
	{
		const DpShard *shard = lfirst(cell);

		if (shard->relation == relation && spec != NULL)
			return !names_collation(spec) && (server_fits(shard, spec, PG_UINT64_MAX) ||
											  server_fits(shard, spec, count_rows(relation)));
	}
	return true;
}

/* ---- statements ---- */

bool
dp_scan_reads_alone(Oid relation, Oid owner)
{
	return pg_class_aclcheck(relation, owner, ACL_SELECT) == ACLCHECK_OK &&
		   check_enable_rls(relation, owner, true) != RLS_ENABLED;
}

/*
 * The partitions of a relation, if some of them are foreign tables and the owner can read
 * each partition by itself. Else NIL.
 */
static List *
foreign_shards(Oid relation, Oid owner)
{
	List *leaves = NIL;
	bool foreign = false;
	ListCell *cell;

	if (get_rel_relkind(relation) != RELKIND_PARTITIONED_TABLE)
		return NIL;
	foreach (cell, find_all_inheritors(relation, AccessShareLock, NULL))
	{
		char kind = get_rel_relkind(lfirst_oid(cell));

		if (kind == RELKIND_PARTITIONED_TABLE)
			continue;
		if (!dp_scan_reads_alone(lfirst_oid(cell), owner))
			return NIL;
		foreign |= kind == RELKIND_FOREIGN_TABLE;
		leaves = lappend_oid(leaves, lfirst_oid(cell));
	}
	return foreign ? leaves : NIL;
}

List *
dp_scan_counted_apart(const DpSource *source, Oid owner)
{
	Oid relation = source->relation->oid;

	if (source->relation->asked != NULL) /* it may join others */
		return NIL;
	if (source->key != NULL) /* the rows of one unit may be in several shards */
		return NIL;
	if (get_rel_relkind(relation) == RELKIND_FOREIGN_TABLE)
		return list_make1_oid(relation);
	return foreign_shards(relation, owner);
}

bool
dp_scan_counts_here(const DpSource *source, Oid owner)
{
	return !source->fetched && dp_scan_counted_apart(source, owner) == NIL &&
		   !is_citus_table(source->relation->oid);
}

/* OFFSET keeps PostgreSQL from sending the call. The rows come in a cursor's batches. */
static char *
count_of_fetched(const char *call, const char *columns, const char *from)
{
	return psprintf("SELECT %s AS counts FROM (SELECT %s FROM %s OFFSET 0) fetched", call, columns,
					from);
}

static char *
count_of_part(const DpSource *source, Oid part, const char *call, const char *columns,
			  const DpSpec *spec)
{
	const char *label = dp_source_of(source->relation, dp_relation_label(part));

	if (get_rel_relkind(part) == RELKIND_FOREIGN_TABLE && !counts_itself(source, part, spec))
	{
		ereport(LOG,
				(errmsg("dpsyn: %s is not counted by its server, rows are fetched", label),
				 errdetail("The counts may not fit its memory, or a column has a nondeterministic "
						   "collation."),
				 errhint("Set dpsyn.counting_memory there, for the role of the user mapping.")));
		return count_of_fetched(call, columns, label);
	}
	return psprintf("SELECT %s AS counts FROM %s", call, label);
}

char *
dp_scan_count_statement(const DpSource *source, const char *from, Oid owner,
						const uint32 *attribute, uint32 n, const DpSpec *spec)
{
	List *parts = dp_scan_counted_apart(source, owner);
	char *columns = dp_column_list(&source->relation->domain, attribute, n);
	char *call = dp_scan_count_call(source, attribute, n);
	StringInfoData sql;
	ListCell *cell;

	if (parts == NIL && source->fetched)
		return count_of_fetched(call, columns, from);
	if (parts == NIL)
		return psprintf("SELECT %s FROM %s", call, from);
	if (list_length(parts) == 1)
		return count_of_part(source, linitial_oid(parts), call, columns, spec);
	initStringInfo(&sql);
	appendStringInfo(&sql, "SELECT %s.dp_merge(counts) FROM (", dp_schema());
	foreach (cell, parts)
		appendStringInfo(&sql, "%s%s", cell == list_head(parts) ? "" : " UNION ALL ",
						 count_of_part(source, lfirst_oid(cell), call, columns, spec));
	appendStringInfoString(&sql, ") shards");
	return sql.data;
}
