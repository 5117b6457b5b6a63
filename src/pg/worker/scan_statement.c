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
 *   Citus tables        dp_marginals($1, ROW(a, b)), and dp_marginals($1, ARRAY[a, b])
 *                       of a view of them: Citus sends calls to its worker nodes whose
 *                       arguments have fixed types. Where counts might not fit the value
 *                       that comes back, rows are fetched and counted here
 */
#include "pg/server/compat.h"

#include "access/table.h"
#include "access/tableam.h"
#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "executor/spi.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "nodes/pg_list.h"
#include "storage/bufmgr.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/rls.h"

#include "pg/counting/encode.h"
#include "pg/counting/spec.h"
#include "pg/question/asked.h"
#include "pg/server/catalog.h"
#include "pg/server/values.h"
#include "pg/worker/lock.h"
#include "pg/worker/scan.h"

#define TUPLE_BYTES_MAX (MaxAllocSize - 16 * 1024) /* for one value in a tuple */

/* ARRAY[dp_catalog.dp_text("a"), dp_catalog.dp_text("b")] */
static char *
text_array(const DpDomain *domain, const uint32 *attribute, uint32 n)
{
	StringInfoData array;

	initStringInfo(&array);
	for (uint32 i = 0; i < n; i++)
		appendStringInfo(
			&array, "%s%s", i ? ", " : "ARRAY[",
			dp_text_expression(quote_identifier(domain->attribute[attribute[i]].name)));
	appendStringInfoChar(&array, ']');
	return array.data;
}

/* A row of constants, which columns of a view can be, would be sent as a text that nothing reads. */
bool
dp_scan_counts_records(const DpSource *source)
{
	return source->distributed && !dp_asked_by_select(source->relation) &&
		   get_rel_relkind(source->relation->oid) != RELKIND_VIEW;
}

static char *
record_call(const char *expressions)
{
	return psprintf("%s.dp_marginals($1, ROW(%s))", dp_schema(), expressions);
}

char *
dp_scan_record_statement(const char *from, const char *expressions)
{
	return psprintf("SELECT %s FROM %s", record_call(expressions), from);
}

char *
dp_scan_count_call(const DpSource *source, const uint32 *attribute, uint32 n)
{
	const DpDomain *domain = &source->relation->domain;

	if (dp_scan_counts_records(source))
		return record_call(dp_column_list(domain, attribute, n));
	if (source->distributed && !dp_asked_by_select(source->relation))
		return psprintf("%s.dp_marginals($1, %s)", dp_schema(), text_array(domain, attribute, n));
	return dp_count_call(domain, source->relation->column, attribute, n);
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
	return !source->distributed && spec_bytes < TUPLE_BYTES_MAX &&
		   dp_spec_bytes_max(spec, rows_at_most(source->relation->oid)) <
			   TUPLE_BYTES_MAX - spec_bytes;
}

/* Whether counts can be sent as a text, which has two digits a byte. */
static bool
text_fits(const DpSpec *spec, uint64 rows)
{
	return dp_spec_bytes_max(spec, rows) < MaxAllocSize / 4;
}

/* Whether a server can count that, and send it. */
static bool
server_fits(const DpShard *shard, const DpSpec *spec, uint64 rows)
{
	return dp_spec_memory_max(spec, rows) <= shard->capacity && text_fits(spec, rows);
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

/* Whether worker nodes of Citus can send what they count. A row of a tree may count more than once. */
static bool
nodes_fit(const DpSource *source, const DpSpec *spec)
{
	return spec == NULL || text_fits(spec, PG_UINT64_MAX) ||
		   (!source->of_tree && text_fits(spec, count_rows(source->relation->oid)));
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

	if (dp_asked_by_select(source->relation)) /* it may join others */
		return NIL;
	if (source->key != NULL ||
		source->distributed) /* the rows of one unit may be in several shards */
		return NIL;
	if (get_rel_relkind(relation) == RELKIND_FOREIGN_TABLE)
		return list_make1_oid(relation);
	return foreign_shards(relation, owner);
}

bool
dp_scan_counts_here(const DpSource *source, Oid owner)
{
	return !source->fetched && !source->distributed && dp_scan_counted_apart(source, owner) == NIL;
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

	if (parts == NIL && (source->fetched || (source->distributed && !nodes_fit(source, spec))))
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
