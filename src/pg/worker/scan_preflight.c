/*
 * scan_preflight.c -- tries what a scan could stumble over, before anything is spent.
 * RELEASE WORKER ONLY.
 *
 * This also comes before any row of the ledger is locked: servers can take long, even to
 * plan (use_remote_estimate).
 *
 * The scan of all columns is planned. That takes the locks and checks the rights of
 * everything below the relation. Then each foreign server of postgres_fdw that the plan
 * reads is asked what the scan will ask of it, but with a condition that is false, which
 * the server finds out while it plans. So it comes up now if a server cannot be reached,
 * if a table, a column or a right is missing there, or if dpsyn is. With other wrappers the
 * scan is begun, and no row is fetched. Worker nodes of Citus are asked in scan_citus.c.
 *
 * A table is tried with the rights and the user mapping that the scan reads it with, and as
 * the owner of the relation, as the scan does it. Whoever owns a view in between has said
 * that rows may be read with their rights, and not that code below the view runs as them.
 *
 * The false condition is made of a column and of parameters whose values the planner here
 * does not know. Else the planner would find it false, and send nothing.
 */
#include "pg/server/compat.h"

#include "access/table.h"
#include "catalog/dependency.h"
#include "catalog/pg_class.h"
#include "catalog/pg_foreign_data_wrapper.h"
#include "catalog/pg_inherits.h"
#include "commands/extension.h"
#include "executor/executor.h"
#include "executor/spi.h"
#include "foreign/foreign.h"
#include "lib/stringinfo.h"
#include "nodes/pathnodes.h"
#include "nodes/pg_list.h"
#include "nodes/plannodes.h"
#include "parser/analyze.h"
#include "parser/parse_relation.h"
#include "parser/parsetree.h"
#include "tcop/dest.h"
#include "tcop/tcopprot.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/plancache.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

#include "pg/counting/spec.h"
#include "pg/server/catalog.h"
#include "pg/server/names.h"
#include "pg/worker/lock.h"
#include "pg/worker/scan.h"

static const Oid probe_types[4] = {BYTEAOID, BYTEAOID, BOOLOID, BOOLOID};

/*
 * $1 is the spec, if one was made, $2 the key of the source, $3 false and $4 true. The planner
 * does not see these values.
 */
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

/*
 * A foreign table that the scan reads. The reader is the role whose rights and user mapping it
 * is read with: the owner of the relation, or the owner of a view in between.
 */
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

/* The entry whose rights count. A child that has none of its own is read with its parent's. */
static RangeTblEntry *
entry_with_rights(const PlannedStmt *planned, Index number)
{
	RangeTblEntry *entry = rt_fetch(number, planned->rtable);
	ListCell *cell;

	if (DP_ENTRY_HAS_RIGHTS(entry))
		return entry;
	foreach (cell, planned->appendRelations)
	{
		const AppendRelInfo *append = lfirst_node(AppendRelInfo, cell);

		if (append->child_relid == number)
			return entry_with_rights(planned, append->parent_relid);
	}
	return entry;
}

/* The plan of a statement, in the memory of context. */
static PlannedStmt *
plan_of(const DpSource *source, const char *statement, MemoryContext context)
{
	Oid types[2] = {BYTEAOID, BYTEAOID};
	SPIPlanPtr plan;
	CachedPlan *cached;
	MemoryContext spi;
	PlannedStmt *planned;

	if (source->distributed)
	{
		spi = MemoryContextSwitchTo(context);
		planned = dp_scan_plan_distributed(source, statement);
		MemoryContextSwitchTo(spi);
		return planned;
	}
	dp_lock_names();
	plan = SPI_prepare(statement, 2, types);
	cached = plan == NULL ? NULL : SPI_plan_get_cached_plan(plan);
	spi = MemoryContextSwitchTo(context);
	if (cached == NULL)
		elog(ERROR, "dpsyn: preflight failed: %s", SPI_result_code_string(SPI_result));
	planned = copyObject(linitial_node(PlannedStmt, cached->stmt_list));
	MemoryContextSwitchTo(spi);
	ReleaseCachedPlan(cached, NULL);
	SPI_freeplan(plan);
	return planned;
}

static List *
foreign_reads(const PlannedStmt *planned, Oid owner)
{
	List *reads = NIL;
	ListCell *cell;

	foreach (cell, planned->rtable)
	{
		RangeTblEntry *entry = lfirst_node(RangeTblEntry, cell);
		Oid reader;

		if (entry->rtekind != RTE_RELATION || entry->relkind != RELKIND_FOREIGN_TABLE)
			continue;
		reader = DP_ENTRY_READER(
			planned, entry_with_rights(planned, (Index) foreach_current_index(cell) + 1));
		reads = read_add(reads, entry->relid, OidIsValid(reader) ? reader : owner);
	}
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

/* A column that the scan reads, if the table has it, else any. NULL: the table has no column. */
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

/*
 * The columns that a scan reads of a table whose server does not count it. Below a view the columns
 * are not known, and only the table itself is probed.
 */
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
						 quote_identifier(source->relation->column[i].field != NULL
											  ? source->relation->column[i].field->column
											  : domain->attribute[i].name));
	for (uint32 i = 0; i < domain->attributes; i++)
		if (source->relation->column[i].base != 0)
			appendStringInfo(&columns, ", %s",
							 quote_identifier(source->relation->column[i].base_name));
	if (source->unit_columns != NULL)
		appendStringInfo(&columns, ", %s", source->unit_columns);
	return columns.data;
}

/*
 * Runs a query of one foreign table with the rights of a role that may not be the current
 * user, as PostgreSQL does below a view of that role. It is planned, and whatever it calls
 * runs, as the current user. The query says ONLY, since children have queries of their own.
 */
static void
run_as_reader(const char *sql, const ForeignRead *read, ParamListInfo parameters)
{
	RawStmt *parsed = linitial_node(RawStmt, pg_parse_query(sql));
	Query *query = parse_analyze_fixedparams(parsed, sql, probe_types, lengthof(probe_types), NULL);
	RangeTblEntry *entry = linitial_node(RangeTblEntry, query->rtable);

	/* a name may mean another relation by now, if its schema has another */
	if (list_length(query->rtable) != 1 || entry->relid != read->relation)
		elog(ERROR, "dpsyn: preflight failed");
	DP_ENTRY_SET_READER(query, entry, read->reader);
	dp_run_planned(DP_PLAN_QUERY(query, sql, 0, parameters), sql, parameters, None_Receiver);
}

/* A query that selects columns of a foreign table, and reads no row. NULL: it has no column. */
static char *
probe(const DpSource *source, const char *from, Oid relation, const char *columns)
{
	const char *column = some_column(source, relation);

	return column == NULL ? NULL
						  : psprintf("SELECT %s FROM %s %s WHERE ($3 AND %s IS NULL) = $4", columns,
									 from, dp_relation_label(relation), column);
}

/* How the server of a table counts. If it answers something else, its format is unknown. */
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
	shard->capacity = (uint64) Max(((const int64 *) ARR_DATA_PTR(array))[1], 0);
	return shard;
}

/*
 * Whether it is a table of file_fdw over a program. That would be run for nothing, and it may
 * well fail when nobody reads what it writes.
 */
static bool
is_program(Oid relation)
{
	ListCell *cell;

	foreach (cell, GetForeignTable(relation)->options)
		if (strcmp(lfirst_node(DefElem, cell)->defname, "program") == 0)
			return true;
	return false;
}

/* Asks how the server counts a table that the current user reads. */
static DpShard *
ask_to_count(const DpSource *source, Oid relation, const char *call)
{
	SPIExecuteOptions options = {.params = probe_parameters(source), .read_only = true};
	char *sql =
		probe(source, "", relation, psprintf("dp_catalog.dp_counting_memory_limit(*), %s", call));

	if (sql != NULL &&
		SPI_execute_extended(dp_expect_relation(sql, relation), &options) != SPI_OK_SELECT)
		elog(ERROR, "dpsyn: preflight failed");
	return shard_of_answer(relation);
}

/*
 * Tries a table whose server does not count it. Wrappers other than postgres_fdw may not send
 * the condition. With them the scan is begun, which opens a file or mostly connects to a
 * server, and no row is fetched.
 */
static void
ask(const DpSource *source, const ForeignRead *read)
{
	ParamListInfo parameters = probe_parameters(source);
	char *sql;

	if (is_of_postgres_fdw(read->relation))
		sql = probe(source, "ONLY", read->relation, columns_read(source));
	else if (!is_program(read->relation))
		sql = psprintf("SELECT NULL FROM ONLY %s LIMIT 0", dp_relation_label(read->relation));
	else
		sql = NULL;
	if (sql != NULL)
		run_as_reader(sql, read, parameters);
}

/*
 * Tries one foreign table. call is the count that its server is asked for; NULL: it is not
 * asked to count. A table that the reader may only read through its parent, or only in some
 * columns, cannot be tried by itself.
 */
static void
preflight_foreign(DpSource *source, const ForeignRead *read, Oid owner, const char *call)
{
	MemoryContext context = CurrentMemoryContext;
	DpUserContext user_context;

	if (!dp_scan_reads_alone(read->relation, read->reader))
		return;
	dp_become_owner(&user_context, owner);
	SPI_connect();
	if (call != NULL && read->reader == owner && is_of_postgres_fdw(read->relation))
	{
		DpShard *shard = ask_to_count(source, read->relation, call);

		MemoryContextSwitchTo(context);
		source->shards =
			lappend(source->shards, memcpy(palloc(sizeof(*shard)), shard, sizeof(*shard)));
	}
	else
		ask(source, read);
	SPI_finish();
	dp_unelevate(&user_context);
}

/* ---- the whole relation ---- */

static const uint32 *
all_columns(const DpDomain *domain)
{
	uint32 *all = palloc(sizeof(uint32) * domain->attributes);

	for (uint32 i = 0; i < domain->attributes; i++)
		all[i] = i;
	return all;
}

/* Provokes the errors of planning, and of starting the plan. */
static void
explain(const DpSource *source, const char *statement)
{
	SPIExecuteOptions options = {.params = probe_parameters(source)};

	dp_lock_names();
	if (SPI_execute_extended(psprintf("EXPLAIN %s", statement), &options) != SPI_OK_UTILITY)
		elog(ERROR, "dpsyn: preflight failed");
}

/* The statements by which worker nodes are asked for counts and for rows. */
static void
ask_nodes(const DpSource *source, const char *count)
{
	const DpDomain *domain = &source->relation->domain;
	char *columns = dp_column_list(domain, all_columns(domain), domain->attributes);

	dp_scan_ask_nodes(source, count);
	dp_scan_ask_nodes(source, psprintf("SELECT %s FROM %s", columns, source->clause));
}

void
dp_scan_preflight(DpSource *source, Oid owner)
{
	const DpDomain *domain = &source->relation->domain;
	MemoryContext context = CurrentMemoryContext;
	DpUserContext user_context;
	char *statement;

	dp_become_owner(&user_context, owner);
	statement = dp_scan_count_statement(source, source->clause, owner, all_columns(domain),
										domain->attributes, NULL);
	SPI_connect();
	if (source->distributed)
		ask_nodes(source, statement);
	else
		explain(source, statement);
	source->planned = plan_of(source, statement, context);
	SPI_finish();
	dp_unelevate(&user_context);
}

void
dp_scan_check_rights(const DpSource *source, Oid owner)
{
	DpUserContext user_context;
	bool may_read;

	dp_become_owner(&user_context, owner);
	may_read = DP_MAY_READ(source->planned);
	dp_unelevate(&user_context);
	if (!may_read)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("relation \"%s\" cannot be read any more",
						dp_relation_words(source->relation->oid)),
				 errdetail("A right that the release needs was revoked meanwhile. Nothing was "
						   "spent.")));
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
	PlannedStmt *planned;
	List *reads;
	List *counted;
	DpUserContext user_context;
	char *call;
	ListCell *cell;

	dp_become_owner(&user_context, owner);
	counted = dp_scan_counted_apart(source, owner);
	call = dp_scan_count_call(source, all, domain->attributes);
	SPI_connect();
	planned = plan_of(
		source,
		dp_scan_count_statement(source, source->clause, owner, all, domain->attributes, NULL),
		context);
	SPI_finish();
	reads = foreign_reads(planned, owner);
	dp_unelevate(&user_context);
	source->fetched = reads != NIL && get_rel_relkind(source->relation->oid) == RELKIND_VIEW;
	foreach (cell, reads)
	{
		const ForeignRead *read = lfirst(cell);

		preflight_foreign(source, read, owner,
						  list_member_oid(counted, read->relation) ? call : NULL);
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
