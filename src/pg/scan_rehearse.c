/*
 * scan_rehearse.c -- what a scan could stumble over, tried before anything is
 * spent, and before any row of the ledger is locked: servers can take long, also to
 * plan (use_remote_estimate). RELEASE WORKER ONLY.
 *
 * The scan of all columns is planned, which takes the locks and checks the rights
 * of everything below the relation. And each foreign server of postgres_fdw that the plan
 * reads is asked what the scan will ask of it, but of no row: the query's
 * condition is false, and its server finds that out while it plans. So a server
 * that cannot be reached, a table or a column that is not there, rights, a missing
 * dpsyn come up now. Of other wrappers the scan is begun. Either is done as who the
 * scan reads that table as. The condition is made of parameters whose values the planner
 * here does not know, and a column, or it would be found false here and nothing
 * sent.
 */
#include "scan.h"

#include "access/table.h"
#include "catalog/dependency.h"
#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "catalog/pg_foreign_data_wrapper.h"
#include "catalog/pg_foreign_table.h"
#include "commands/extension.h"
#include "executor/spi.h"
#include "foreign/foreign.h"
#include "lib/stringinfo.h"
#include "nodes/plannodes.h"
#include "parser/parse_relation.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/plancache.h"
#include "utils/rel.h"

#include "marginal_counts.h"

/* $1: the spec, if one was made; $2: the key of the source; $3: false, $4: true, and the planner is not told. */
static ParamListInfo
probe_parameters(const DpSource *source)
{
	ParamListInfo parameters = makeParamList(4);

	parameters->params[0] = (ParamExternData){.isnull = true, .ptype = BYTEAOID};
	parameters->params[1] = (ParamExternData){
		.value = PointerGetDatum(source->key), .isnull = source->key == NULL, .ptype = BYTEAOID};
	parameters->params[2] = (ParamExternData){.value = BoolGetDatum(false), .ptype = BOOLOID};
	parameters->params[3] = (ParamExternData){.value = BoolGetDatum(true), .ptype = BOOLOID};
	return parameters;
}

/* ---- the plan ---- */

/* A foreign table that the scan reads, and whose rights and user mapping it is read with: the owner's, or those
 * of who owns a view in between. */
typedef struct ForeignRead
{
	Oid relation;
	Oid reader;
} ForeignRead;

static List *
read_add(List *reads, Oid relation, Oid reader)
{
	ForeignRead *read;
	ListCell *cell;

	foreach (cell, reads)
	{
		read = lfirst(cell);
		if (read->relation == relation && read->reader == reader)
			return reads;
	}
	read = palloc(sizeof(ForeignRead));
	*read = (ForeignRead){relation, reader};
	return lappend(reads, read);
}

/* In the memory of context. */
static List *
foreign_reads(const char *statement, Oid owner, MemoryContext context)
{
	Oid types[2] = {BYTEAOID, BYTEAOID};
	SPIPlanPtr plan = SPI_prepare(statement, 2, types);
	CachedPlan *cached = plan == NULL ? NULL : SPI_plan_get_cached_plan(plan);
	MemoryContext spi = MemoryContextSwitchTo(context);
	List *reads = NIL;
	PlannedStmt *planned;
	ListCell *cell;

	if (cached == NULL)
		elog(ERROR, "dpsyn: rehearsal failed: %s", SPI_result_code_string(SPI_result));
	planned = linitial_node(PlannedStmt, cached->stmt_list);
	foreach (cell, planned->rtable)
	{
		RangeTblEntry *entry = lfirst_node(RangeTblEntry, cell);
		Oid reader;

		if (entry->rtekind != RTE_RELATION || entry->relkind != RELKIND_FOREIGN_TABLE)
			continue;
		reader = DP_ENTRY_READER(planned, entry);
		reads = read_add(reads, entry->relid, OidIsValid(reader) ? reader : owner);
	}
	MemoryContextSwitchTo(spi);
	ReleaseCachedPlan(cached, NULL);
	SPI_freeplan(plan);
	return reads;
}

/* ---- a foreign table ---- */

static bool
is_of_postgres_fdw(Oid relation)
{
	ForeignServer *server = GetForeignServer(GetForeignTable(relation)->serverid);
	Oid extension = getExtensionOfObject(ForeignDataWrapperRelationId, server->fdwid);

	return OidIsValid(extension) && strcmp(get_extension_name(extension), "postgres_fdw") == 0;
}

/* One that the scan reads, if it is there; NULL if there is none. */
static const char *
some_column(const DpSource *source, Oid relation)
{
	const char *wanted = source->relation->domain.attribute[0].name;
	Relation table = table_open(relation, AccessShareLock);
	TupleDesc desc = RelationGetDescr(table);
	const char *name = NULL;

	for (int i = 0; i < desc->natts; i++)
	{
		Form_pg_attribute column = TupleDescAttr(desc, i);

		if (!column->attisdropped &&
			(name == NULL || strcmp(NameStr(column->attname), wanted) == 0))
			name = quote_identifier(pstrdup(NameStr(column->attname)));
	}
	table_close(table, AccessShareLock);
	return name;
}

/* What the scan reads of a table that it does not have counted: below a view nobody knows, but that it is there. */
static char *
columns_read(const DpSource *source)
{
	const DpDomain *domain = &source->relation->domain;
	StringInfoData columns;

	if (get_rel_relkind(source->relation->oid) == RELKIND_VIEW)
		return pstrdup("NULL");
	initStringInfo(&columns);
	for (uint32 i = 0; i < domain->attributes; i++)
		appendStringInfo(&columns, "%s%s", i > 0 ? ", " : "",
						 quote_identifier(domain->attribute[i].name));
	if (source->unit_column != NULL)
		appendStringInfo(&columns, ", %s", quote_identifier(source->unit_column));
	return columns.data;
}

/* Of no row: what is selected from a foreign table. */
static void
probe(const DpSource *source, Oid relation, const char *columns)
{
	SPIExecuteOptions options = {.params = probe_parameters(source), .read_only = true};
	const char *column = some_column(source, relation);

	if (column == NULL)
		return;
	if (SPI_execute_extended(psprintf("SELECT %s FROM %s WHERE ($3 AND %s IS NULL) = $4", columns,
									  dp_relation_label(relation), column),
							 &options) != SPI_OK_SELECT)
		elog(ERROR, "dpsyn: rehearsal failed");
}

/* How its server counts. One that answers with something else counts in no known format. */
static DpShard *
shard_of_answer(Oid relation)
{
	DpShard *shard = palloc0(sizeof(DpShard));
	bool isnull = true;
	Datum answer = SPI_processed != 1
					   ? (Datum) 0
					   : SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1, &isnull);
	ArrayType *array = isnull ? NULL : DatumGetArrayTypeP(answer);

	shard->relation = relation;
	if (array == NULL || ARR_NDIM(array) != 1 || ARR_DIMS(array)[0] != 2 || ARR_HASNULL(array))
		return shard;
	shard->format = ((const int64 *) ARR_DATA_PTR(array))[0];
	shard->room = (uint64) Max(((const int64 *) ARR_DATA_PTR(array))[1], 0);
	return shard;
}

/* Of a wrapper that is not known to send a condition, nothing is asked: the scan is begun, and no row fetched.
 * A file is opened by that, a server mostly connected to. */
static void
begin_scan(Oid relation)
{
	if (SPI_execute(psprintf("SELECT NULL FROM %s LIMIT 0", dp_relation_label(relation)), true,
					0) != SPI_OK_SELECT)
		elog(ERROR, "dpsyn: rehearsal failed");
}

/* A table that its server counts is asked for that; of another it must be there. call NULL: it does not. */
static void
ask(DpSource *source, Oid relation, const char *call, MemoryContext context)
{
	MemoryContext spi;

	if (!is_of_postgres_fdw(relation))
		begin_scan(relation);
	else if (call == NULL)
		probe(source, relation, columns_read(source));
	else
	{
		probe(source, relation, psprintf("%s.dp_counting_room(*), %s", dp_schema(), call));
		spi = MemoryContextSwitchTo(context);
		source->shards = lappend(source->shards, shard_of_answer(relation));
		MemoryContextSwitchTo(spi);
	}
}

/* One that is read through its parent, or some columns of it, cannot be asked for by itself. */
static void
rehearse_foreign(DpSource *source, const ForeignRead *read, const char *call)
{
	MemoryContext context = CurrentMemoryContext;
	DpElevation elevation;

	dp_become_owner(&elevation, read->reader);
	SPI_connect();
	if (dp_scan_reads_alone(read->relation, read->reader))
		ask(source, read->relation, call, context);
	SPI_finish();
	dp_unelevate(&elevation);
}

/* ---- all of it ---- */

static const uint32 *
all_columns(const DpDomain *domain)
{
	uint32 *all = palloc(sizeof(uint32) * domain->attributes);

	for (uint32 i = 0; i < domain->attributes; i++)
		all[i] = i;
	return all;
}

void
dp_scan_rehearse(const DpSource *source, Oid owner)
{
	const DpDomain *domain = &source->relation->domain;
	SPIExecuteOptions options = {.params = probe_parameters(source)};
	DpElevation elevation;

	dp_become_owner(&elevation, owner);
	SPI_connect();
	if (SPI_execute_extended(
			psprintf("EXPLAIN %s", dp_scan_count_statement(source, owner, all_columns(domain),
														   domain->attributes, NULL)),
			&options) != SPI_OK_UTILITY)
		elog(ERROR, "dpsyn: rehearsal failed");
	SPI_finish();
	dp_unelevate(&elevation);
}

bool
dp_scan_may_be_foreign(Oid relation)
{
	char kind = get_rel_relkind(relation);

	return kind == RELKIND_FOREIGN_TABLE || kind == RELKIND_VIEW ||
		   (kind != RELKIND_MATVIEW && has_subclass(relation));
}

void
dp_scan_ask_servers(DpSource *source, Oid owner)
{
	const DpDomain *domain = &source->relation->domain;
	MemoryContext context = CurrentMemoryContext;
	const uint32 *all = all_columns(domain);
	List *reads;
	List *counted;
	DpElevation elevation;
	char *call;
	ListCell *cell;

	dp_become_owner(&elevation, owner);
	counted = dp_scan_counted_apart(source, owner);
	call = dp_scan_count_call(source, all, domain->attributes);
	SPI_connect();
	reads = foreign_reads(dp_scan_count_statement(source, owner, all, domain->attributes, NULL),
						  owner, context);
	SPI_finish();
	dp_unelevate(&elevation);
	source->fetched = reads != NIL && get_rel_relkind(source->relation->oid) == RELKIND_VIEW;
	foreach (cell, reads)
	{
		const ForeignRead *read = lfirst(cell);

		rehearse_foreign(source, read, list_member_oid(counted, read->relation) ? call : NULL);
	}
}

/* ---- formats ---- */

void
dp_scan_check_shards(const DpSource *source)
{
	ListCell *cell;

	foreach (cell, source->shards)
	{
		const DpShard *shard = lfirst(cell);

		if (shard->format != DP_COUNTS_FORMAT)
			ereport(
				ERROR,
				(errcode(ERRCODE_FDW_ERROR),
				 errmsg("server \"%s\" has another version of dpsyn",
						GetForeignServer(GetForeignTable(shard->relation)->serverid)->servername),
				 errdetail("It counts in another format. Nothing was spent."),
				 errhint("Install the same version there.")));
	}
}
