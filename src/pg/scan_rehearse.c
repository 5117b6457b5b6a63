/*
 * scan_rehearse.c -- what a scan could stumble over, tried before anything is
 * spent. RELEASE WORKER ONLY.
 *
 * The scan of all columns is planned, which takes the locks and checks the rights
 * of everything below the relation. And, before any row of the ledger is locked,
 * since a server can take long, each foreign server of postgres_fdw that the plan
 * reads is asked what the scan will ask of it, but of no row: the query's
 * condition is false, and its server finds that out while it plans. So a server
 * that cannot be reached, a table or a column that is not there, rights, a missing
 * dpsyn come up now. The condition is made of parameters whose values the planner
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
#include "nodes/plannodes.h"
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

static void
plan_of(const char *statement, List **foreign)
{
	Oid types[2] = {BYTEAOID, BYTEAOID};
	SPIPlanPtr plan = SPI_prepare(statement, 2, types);
	CachedPlan *cached = plan == NULL ? NULL : SPI_plan_get_cached_plan(plan);
	ListCell *cell;

	if (cached == NULL)
		elog(ERROR, "dpsyn: rehearsal failed: %s", SPI_result_code_string(SPI_result));
	foreach (cell, linitial_node(PlannedStmt, cached->stmt_list)->rtable)
	{
		RangeTblEntry *entry = lfirst_node(RangeTblEntry, cell);

		if (entry->rtekind == RTE_RELATION && entry->relkind == RELKIND_FOREIGN_TABLE)
			*foreign = list_append_unique_oid(*foreign, entry->relid);
	}
	ReleaseCachedPlan(cached, NULL);
	SPI_freeplan(plan);
}

/* ---- a foreign table ---- */

/* Other wrappers may not send the condition, and read all there is. */
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

/* A table that its server counts is asked for that; of another it must be there. */
static void
rehearse_foreign(DpSource *source, Oid relation, const char *call, MemoryContext context)
{
	MemoryContext spi;

	if (!is_of_postgres_fdw(relation))
		return;
	if (call == NULL)
	{
		probe(source, relation, "NULL");
		return;
	}
	probe(source, relation, psprintf("%s.dp_counting_room(*), %s", dp_schema(), call));
	spi = MemoryContextSwitchTo(context);
	source->shards = lappend(source->shards, shard_of_answer(relation));
	MemoryContextSwitchTo(spi);
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
	List *foreign = NIL;
	List *counted;
	DpElevation elevation;
	char *call;
	ListCell *cell;

	dp_become_owner(&elevation, owner);
	SPI_connect();
	plan_of(dp_scan_count_statement(source, owner, all, domain->attributes, NULL), &foreign);
	counted = dp_scan_counted_apart(source, owner);
	source->fetched = foreign != NIL && get_rel_relkind(source->relation->oid) == RELKIND_VIEW;
	call = dp_scan_count_call(source, all, domain->attributes);
	foreach (cell, foreign)
	{
		Oid relation = lfirst_oid(cell);

		/* below a view the rights of another role may be needed */
		if (dp_scan_reads_alone(relation, owner))
			rehearse_foreign(source, relation, list_member_oid(counted, relation) ? call : NULL,
							 context);
	}
	SPI_finish();
	dp_unelevate(&elevation);
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
