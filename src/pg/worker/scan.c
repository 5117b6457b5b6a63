/*
 * scan.c -- one pass over a protected relation, for the core. RELEASE WORKER ONLY.
 *
 * A pass is a SELECT, run as the relation's owner in a security-restricted context. So
 * views, partitions, inheritance and foreign tables work as for the owner, and nothing
 * that they call can act as a superuser. Counting is the aggregate dp_marginals, so that
 * the planner may use parallel workers, or let a foreign server count. Where the values
 * themselves are needed, rows are received one by one (scan_cells.c).
 */
#include "pg/worker/scan.h"

#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "executor/tuptable.h"
#include "miscadmin.h"
#include "nodes/pg_list.h"
#include "tcop/dest.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"

#include "pg/counting/object.h"
#include "pg/counting/spec.h"
#include "pg/domain/universe.h"
#include "pg/server/catalog.h"
#include "pg/server/untrusted_code.h"
#include "pg/server/injection_point.h"
#include "pg/worker/lock.h"

#define SCAN_BATCH_ROWS 1024

/* ---- one pass ---- */

static void
ignore_startup(DestReceiver *self, int operation, TupleDesc desc)
{
}

static void
ignore_end(DestReceiver *self)
{
}

static ParamExternData
bytea_parameter(bytea *value)
{
	return (ParamExternData){.value = PointerGetDatum(value),
							 .isnull = value == NULL,
							 .pflags = PARAM_FLAG_CONST,
							 .ptype = BYTEAOID};
}

/* $1 is what is counted, if anything is; $2 is the key of the source, if it has one. */
static ParamListInfo
scan_parameters(const DpSource *source, bytea *spec)
{
	ParamListInfo parameters = makeParamList(2);

	parameters->params[0] = bytea_parameter(spec);
	parameters->params[1] = bytea_parameter(source->key);
	return parameters;
}

static void
scan_run(const DpSource *source, const char *sql, ParamListInfo parameters, DestReceiver *receiver)
{
	SPIExecuteOptions options = {.params = parameters, .read_only = true, .dest = receiver};
	int result;

	if (receiver->rStartup == NULL)
		receiver->rStartup = ignore_startup;
	receiver->rShutdown = ignore_end;
	receiver->rDestroy = ignore_end;
	receiver->mydest = DestTuplestore; /* a tuple sink like any other */

	if (dp_source_runs_code(source->relation))
		dp_scan_forbid_parallel();
	SPI_connect();
	dp_lock_names();
	result = SPI_execute_extended(sql, &options);
	if (result != SPI_OK_SELECT)
		elog(ERROR, "dpsyn: scan failed: %s", SPI_result_code_string(result));
	SPI_finish();
}

/* ---- which rows ---- */

typedef struct OneRowReceiver
{
	DestReceiver receiver; /* must be first */
	DpTakeSlot *take;
	void *taker;
} OneRowReceiver;

static bool
receive_one_row(TupleTableSlot *slot, DestReceiver *self)
{
	OneRowReceiver *receiver = (OneRowReceiver *) self;

	receiver->take(receiver->taker, slot);
	return true;
}

void
dp_scan_one_value(DpScan *scan, const char *sql, bytea *spec, DpTakeSlot *take, void *taker)
{
	OneRowReceiver receiver = {
		.receiver = {.receiveSlot = receive_one_row}, .take = take, .taker = taker};

	scan_run(scan->source, sql, scan_parameters(scan->source, spec), &receiver.receiver);
}

void
dp_scan_one_row(DpScan *scan, const char *sql, DpTakeSlot *take, void *taker)
{
	dp_scan_one_value(scan, sql, NULL, take, taker);
}

static void
take_answer(void *yes, TupleTableSlot *slot)
{
	bool isnull;

	*(bool *) yes = DatumGetBool(slot_getattr(slot, 1, &isnull));
}

const char *
dp_scan_clause(DpScan *scan)
{
	bool any = true;

	if (scan->clause != NULL)
		return scan->clause;
	if (scan->source->any_over != NULL)
		dp_scan_one_row(scan, scan->source->any_over, take_answer, &any);
	scan->clause = any ? scan->source->clause : scan->source->whole;
	return scan->clause;
}

/* ---- counting ---- */

/* Takes the one row of the aggregate. */
typedef struct CountReceiver
{
	DestReceiver receiver; /* must be first */
	const bytea *sent;     /* what was asked for */
	DpTakeCounts *take;
	void *taker;
} CountReceiver;

static bool
receive_counts(TupleTableSlot *slot, DestReceiver *self)
{
	CountReceiver *receiver = (CountReceiver *) self;
	DpCountsObject *object;
	bool isnull;
	Datum value = slot_getattr(slot, 1, &isnull);

	if (isnull) /* not a single row */
		return true;
	object = dp_counts_object_get(value);
	if (object->spec_length != VARSIZE_ANY_EXHDR(receiver->sent) ||
		memcmp(object->spec_bytes, VARDATA_ANY(receiver->sent), object->spec_length) != 0)
		elog(ERROR, "dpsyn: a scan counted something else");
	receiver->take(receiver->taker, &object->counts);
	return true;
}

void
dp_scan_counts(DpScan *scan, const char *sql, bytea *spec, DpTakeCounts *take, void *taker)
{
	CountReceiver receiver = {
		.receiver = {.receiveSlot = receive_counts}, .sent = spec, .take = take, .taker = taker};

	scan_run(scan->source, sql, scan_parameters(scan->source, spec), &receiver.receiver);
}

/* ---- marginals ---- */

/* Takes what was counted apart. */
typedef struct MarginalTaker
{
	DpMarginal *const *marginals;
	uint32 n;
	DpStatus status;
	DpScan *scan;
	bool keeps; /* the scan takes the rows over that were kept */
	const DpDomain *domain;
	const DpScanColumns *columns;
	const DpSpec *spec;
} MarginalTaker;

DpStatus
dp_scan_marginal_take(DpMarginal *into, const DpMarginal *from)
{
	DpMarginal renamed = *from;

	renamed.attribute = into->attribute;
	return dp_marginal_merge(into, &renamed);
}

static void
take_marginals(void *taker, DpCounts *counts)
{
	MarginalTaker *to = taker;

	for (uint32 i = 0; i < to->n && to->status == DP_OK; i++)
		to->status = dp_scan_marginal_take(to->marginals[i], &counts->table[i]);
	if (to->keeps)
		dp_scan_take_cached(to->scan, to->domain, to->columns, to->spec, &counts->kept);
}

uint32
dp_scan_list(const bool *needed, const DpDomain *domain, uint32 *attribute, uint32 *position)
{
	uint32 n = 0;

	for (uint32 i = 0; i < domain->attributes; i++)
	{
		position[i] = n;
		if (needed[i])
			attribute[n++] = i;
	}
	return n;
}

static DpScanColumns
columns_of_marginals(const DpDomain *domain, DpMarginal *const *marginals, uint32 n, bool keeps)
{
	bool *needed = palloc0(sizeof(bool) * domain->attributes);
	DpScanColumns columns = {.attribute = palloc(sizeof(uint32) * domain->attributes),
							 .position = palloc(sizeof(uint32) * domain->attributes)};

	for (uint32 i = 0; i < n; i++)
		for (uint32 k = 0; k < marginals[i]->n; k++)
			needed[marginals[i]->attribute[k]] = true;
	if (keeps)
		dp_scan_keep_columns(domain, needed);
	columns.n = dp_scan_list(needed, domain, columns.attribute, columns.position);
	return columns;
}

static void
spec_sets(DpMarginal *const *marginals, uint32 n, const uint32 *position, DpSpec *spec)
{
	spec->sets = n;
	spec->set = palloc(sizeof(DpSpecSet) * n);
	for (uint32 i = 0; i < n; i++)
	{
		DpSpecSet *set = &spec->set[i];

		set->n = marginals[i]->n;
		set->storage = marginals[i]->storage;
		set->attribute = palloc(sizeof(uint32) * set->n);
		for (uint32 k = 0; k < set->n; k++)
			set->attribute[k] = position[marginals[i]->attribute[k]];
	}
}

void
dp_scan_forbid_parallel(void)
{
	(void) set_config_option("max_parallel_workers_per_gather", "0", PGC_USERSET, PGC_S_SESSION,
							 GUC_ACTION_SAVE, true, 0, false);
}

void
dp_scan_prefer_parallel(void)
{
	(void) set_config_option("parallel_tuple_cost", "0", PGC_USERSET, PGC_S_SESSION,
							 GUC_ACTION_SAVE, true, 0, false);
}

/* Sorts rows with the memory of an index build (maintenance_work_mem), until the settings are
 * restored. */
static void
sort_in_memory(void)
{
	if (maintenance_work_mem > work_mem)
		(void) set_config_option("work_mem", psprintf("%d", maintenance_work_mem), PGC_USERSET,
								 PGC_S_SESSION, GUC_ACTION_SAVE, true, 0, false);
}

bool
dp_scan_runs_code(const DpScan *scan, const uint32 *attribute, uint32 n)
{
	for (uint32 i = 0; i < n; i++)
		if (dp_type_runs_code(getBaseType(scan->source->relation->column[attribute[i]].type)))
			return true;
	return false;
}

/* Runs the aggregate over the source. */
static void
count_pass(DpScan *scan, DpSpec *spec, MarginalTaker *taker)
{
	const DpScanColumns *columns = taker->columns;
	bool alone = dp_scan_runs_code(scan, columns->attribute, columns->n);
	bytea *sent;

	if (taker->keeps)
		spec->keep = dp_scan_keep(scan, !alone);
	if (scan->source->distributed) /* worker nodes have settings of their own */
		spec->memory_max = dp_counts_memory();
	sent = dp_spec_to_bytea(spec);
	if (alone || !dp_scan_fits_parallel(scan->source, spec, VARSIZE_ANY(sent)))
		dp_scan_forbid_parallel();
	/* a foreign server may answer anything; where none counts, a view may hold counts of its own */
	if (dp_scan_counted_apart(scan->source, scan->owner) != NIL)
		dp_counts_expect(sent);
	dp_scan_counts(scan,
				   dp_scan_count_statement(scan->source, dp_scan_clause(scan), scan->owner,
										   columns->attribute, columns->n, spec),
				   sent, take_marginals, taker);
	dp_counts_expect(NULL);
}

/* Keeps rows without counting the requested sets. A spec must have a set: the one with the fewest
 * cells. */
static void
keep_pass(DpScan *scan, const DpSpec *wanted, const MarginalTaker *of)
{
	DpSpec spec = *wanted;
	uint32 least = 0;
	DpSpecSet set = {.n = 1, .attribute = &least, .storage = DP_DENSE};
	MarginalTaker taker = *of;

	for (uint32 a = 1; a < spec.domain.attributes; a++)
		if (spec.domain.attribute[a].levels < spec.domain.attribute[least].levels)
			least = a;
	spec.sets = 1;
	spec.set = &set;
	taker.n = 0;
	taker.spec = &spec;
	count_pass(scan, &spec, &taker);
}

static DpStatus
scan_count(void *context, const DpDomain *domain, DpMarginal *const *marginals, uint32 n,
		   DpError *error)
{
	DpScan *scan = context;
	MemoryContext work = AllocSetContextCreate(scan->context, "dpsyn scan", ALLOCSET_DEFAULT_SIZES);
	MemoryContext caller = MemoryContextSwitchTo(work);
	TimestampTz started = GetCurrentTimestamp();
	DpUserContext user_context;
	DpScanColumns columns;
	MarginalTaker taker;
	DpSpec spec;
	bool again;

	dp_become_owner(&user_context, scan->owner);
	taker = (MarginalTaker){.marginals = marginals,
							.n = n,
							.scan = scan,
							.keeps = dp_scan_keeps(scan, domain),
							.domain = domain,
							.columns = &columns,
							.spec = &spec};
	columns = columns_of_marginals(domain, marginals, n, taker.keeps);
	dp_spec_domain(domain, scan->source->relation->column, columns.attribute, columns.n, &spec);
	spec.clamps = true; /* whether a value is outside a domain is a fact of the data */
	spec_sets(marginals, n, columns.position, &spec);
	if (taker.keeps && scan->source->distributed)
	{
		keep_pass(scan, &spec, &taker);
		taker.keeps = false;
	}
	again = dp_scan_count_cached(scan, domain, &columns, &spec, marginals, &taker.status, error) ||
			(dp_scan_read_bounded(scan, domain) &&
			 dp_scan_count_cached(scan, domain, &columns, &spec, marginals, &taker.status, error));
	if (!again)
		count_pass(scan, &spec, &taker);
	dp_unelevate(&user_context);
	DP_INJECTION_POINT("counted");
	MemoryContextSwitchTo(caller);
	MemoryContextDelete(work);
	ereport(DEBUG1,
			(errmsg_internal("dpsyn: %u tables counted%s in " INT64_FORMAT " us", n,
							 again ? " from cached rows" : "", GetCurrentTimestamp() - started)));
	if (taker.status != DP_OK)
		return dp_fail(error, taker.status, "%s",
					   taker.status == DP_ERR_MEMORY ? "the contingency tables do not fit in memory"
													 : dp_status_text(taker.status));
	return DP_OK;
}

/* ---- rows ---- */

/* Receives the rows of one pass. */
typedef struct RowReceiver
{
	DestReceiver receiver;   /* must be first */
	const DpColumn *column;  /* of the relation, by domain index */
	const uint32 *attribute; /* domain index of each selected column */
	uint32 columns;
	DpTakeRow *take;
	DpEndUnit *end; /* NULL: rows need not come unit by unit */
	void *taker;
	MemoryContext batch; /* emptied after each batch */
	uint32 rows;         /* in the batch */
	DpUnitOrder *order;  /* end != NULL */
} RowReceiver;

/* An output function would read a value of another type as an address. */
static void
rows_startup(DestReceiver *self, int operation, TupleDesc desc)
{
	RowReceiver *receiver = (RowReceiver *) self;

	for (uint32 i = 0; i < receiver->columns; i++)
		if (TupleDescAttr(desc, i)->atttypid != receiver->column[receiver->attribute[i]].type)
			elog(ERROR, "dpsyn: a column has changed its type since the release was prepared");
}

static bool
receive_row(TupleTableSlot *slot, DestReceiver *self)
{
	RowReceiver *receiver = (RowReceiver *) self;
	MemoryContext caller = MemoryContextSwitchTo(receiver->batch);

	slot_getallattrs(slot);
	if (receiver->end != NULL && dp_unit_order_next(receiver->order, slot))
		receiver->end(receiver->taker);
	receiver->take(receiver->taker, slot->tts_values, slot->tts_isnull);
	MemoryContextSwitchTo(caller);
	if (++receiver->rows == SCAN_BATCH_ROWS)
	{
		receiver->rows = 0;
		MemoryContextReset(receiver->batch);
	}
	return true;
}

/* "u1, u2, ..." */
static char *
unit_list(const DpSource *source)
{
	StringInfoData list;
	ListCell *cell;

	initStringInfo(&list);
	foreach (cell, source->unit_names)
		appendStringInfo(&list, "%s%s", foreach_current_index(cell) > 0 ? ", " : "",
						 (char *) lfirst(cell));
	return list.data;
}

void
dp_scan_rows(DpScan *scan, const DpDomain *domain, const uint32 *attribute, uint32 n,
			 DpTakeRow *take, DpEndUnit *end, void *taker)
{
	const char *columns = dp_column_list(domain, attribute, n), *from = dp_scan_clause(scan);
	char *unit = end != NULL ? unit_list(scan->source) : NULL;
	RowReceiver receiver = {.receiver = {.receiveSlot = receive_row, .rStartup = rows_startup},
							.column = scan->source->relation->column,
							.attribute = attribute,
							.columns = n,
							.take = take,
							.end = end,
							.taker = taker,
							.order = dp_unit_order_create(n),
							.batch = AllocSetContextCreate(CurrentMemoryContext, "dpsyn batch",
														   ALLOCSET_DEFAULT_SIZES)};

	if (unit != NULL)
		sort_in_memory();
	scan_run(scan->source,
			 unit == NULL
				 ? psprintf("SELECT %s FROM %s", columns, from)
				 : psprintf("SELECT %s, %s FROM %s ORDER BY %s", columns, unit, from, unit),
			 scan_parameters(scan->source, NULL), &receiver.receiver);
	if (end != NULL)
		end(taker);
	MemoryContextDelete(receiver.batch);
}

DpScan *
dp_scan_create(const DpSource *source, Oid owner, MemoryContext context)
{
	DpScan *scan = MemoryContextAllocZero(context, sizeof(DpScan));

	scan->source = source;
	scan->owner = owner;
	scan->context = context;
	scan->counter = (DpCounter){scan,         scan_count,    dp_scan_distinct, dp_scan_cells,
								dp_scan_sums, dp_scan_units, dp_scan_bound};
	return scan;
}

const DpCounter *
dp_scan_counter(DpScan *scan)
{
	return &scan->counter;
}
