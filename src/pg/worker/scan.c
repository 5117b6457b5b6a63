/*
 * scan.c -- one pass over a protected relation, for the core. RELEASE WORKER
 * ONLY.
 *
 * A pass is a SELECT, run as the relation's owner in a security-restricted
 * context: so views, partitions, inheritance and foreign tables work as for the
 * owner, and nothing that they call can act as a superuser. Counting is the
 * aggregate dp_marginals, so that the planner may use parallel workers, or let a
 * foreign server count; distinct values are received row by row.
 */
#include "scan.h"

#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "executor/tuptable.h"
#include "miscadmin.h"
#include "tcop/dest.h"
#include "utils/builtins.h"
#include "common/hashfn.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#include "marginals.h"

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

/* $1: what is counted, if anything is; $2: the key of the source, if it has one. */
static ParamListInfo
scan_parameters(const DpSource *source, bytea *spec)
{
	ParamListInfo parameters = makeParamList(2);

	parameters->params[0] = bytea_parameter(spec);
	parameters->params[1] = bytea_parameter(source->key);
	return parameters;
}

static void
scan_run(const char *sql, ParamListInfo parameters, DestReceiver *receiver)
{
	SPIExecuteOptions options = {.params = parameters, .read_only = true, .dest = receiver};
	int result;

	if (receiver->rStartup == NULL)
		receiver->rStartup = ignore_startup;
	receiver->rShutdown = ignore_end;
	receiver->rDestroy = ignore_end;
	receiver->mydest = DestTuplestore; /* a tuple sink like any other */

	SPI_connect();
	result = SPI_execute_extended(sql, &options);
	if (result != SPI_OK_SELECT)
		elog(ERROR, "dpsyn: scan failed: %s", SPI_result_code_string(result));
	SPI_finish();
}

/* ---- counting ---- */

/* What takes the one row of the aggregate apart. */
typedef struct CountReceiver
{
	DestReceiver receiver; /* must be first */
	const bytea *spec;     /* that was asked for */
	DpMarginal *const *marginals;
	uint32 n;
	DpStatus status;
} CountReceiver;

/* A table of the aggregate is over the attributes of its spec, which are other numbers. */
static DpStatus
marginal_take(DpMarginal *into, const DpMarginal *from)
{
	DpMarginal renamed = *from;

	renamed.attribute = into->attribute;
	return dp_marginal_merge(into, &renamed);
}

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
	if (object->spec_length != VARSIZE_ANY_EXHDR(receiver->spec) ||
		memcmp(object->spec_bytes, VARDATA_ANY(receiver->spec), object->spec_length) != 0)
		elog(ERROR, "dpsyn: a scan counted something else");
	for (uint32 i = 0; i < receiver->n && receiver->status == DP_OK; i++)
		receiver->status = marginal_take(receiver->marginals[i], &object->counts.table[i]);
	return true;
}

/* The domain attributes that the marginals need, ascending; position[]: where each then is. */
static uint32
attributes_needed(const DpDomain *domain, DpMarginal *const *marginals, uint32 n, uint32 *attribute,
				  uint32 *position)
{
	bool *needed = palloc0(sizeof(bool) * domain->attributes);
	uint32 count = 0;

	for (uint32 i = 0; i < n; i++)
		for (uint32 k = 0; k < marginals[i]->n; k++)
			needed[marginals[i]->attribute[k]] = true;
	for (uint32 i = 0; i < domain->attributes; i++)
	{
		position[i] = count;
		if (needed[i])
			attribute[count++] = i;
	}
	return count;
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

/* Until the settings are taken back. */
static void
forbid_parallel(void)
{
	(void) set_config_option("max_parallel_workers_per_gather", "0", PGC_USERSET, PGC_S_SESSION,
							 GUC_ACTION_SAVE, true, 0, false);
}

/* Such code need not be fit for parallel workers, where PostgreSQL would not have run it. */
static bool
runs_code(const DpScan *scan, const uint32 *attribute, uint32 n)
{
	for (uint32 i = 0; i < n; i++)
		if (dp_type_runs_code(getBaseType(scan->source->relation->column[attribute[i]].type)))
			return true;
	return false;
}

static DpStatus
scan_count(void *context, const DpDomain *domain, DpMarginal *const *marginals, uint32 n,
		   DpError *error)
{
	DpScan *scan = context;
	MemoryContext work = AllocSetContextCreate(scan->context, "dpsyn scan", ALLOCSET_DEFAULT_SIZES);
	MemoryContext caller = MemoryContextSwitchTo(work);
	CountReceiver receiver = {
		.receiver = {.receiveSlot = receive_counts}, .marginals = marginals, .n = n};
	uint32 *attribute = palloc(sizeof(uint32) * domain->attributes);
	uint32 *position = palloc(sizeof(uint32) * domain->attributes);
	uint32 columns = attributes_needed(domain, marginals, n, attribute, position);
	DpElevation elevation;
	DpSpec spec;
	TimestampTz started = GetCurrentTimestamp();
	bytea *sent;

	dp_become_owner(&elevation, scan->owner);
	dp_spec_domain(domain, scan->source->relation->column, attribute, columns, &spec);
	spec.clamps = true; /* whether a value is outside a domain is a fact of the data */
	spec_sets(marginals, n, position, &spec);
	sent = dp_spec_to_bytea(&spec);
	receiver.spec = sent;
	if (runs_code(scan, attribute, columns) ||
		!dp_scan_fits_parallel(scan->source, &spec, VARSIZE_ANY(sent)))
		forbid_parallel();
	/* a foreign server may answer anything; where none counts, counts are some view's own affair */
	if (dp_scan_counted_apart(scan->source, scan->owner) != NIL)
		dp_counts_expect(sent);
	scan_run(dp_scan_count_statement(scan->source, scan->owner, attribute, columns, &spec),
			 scan_parameters(scan->source, sent), &receiver.receiver);
	dp_counts_expect(NULL);
	dp_unelevate(&elevation);
	MemoryContextSwitchTo(caller);
	MemoryContextDelete(work);
	ereport(DEBUG1, (errmsg_internal("dpsyn: %u tables counted in " INT64_FORMAT " us", n,
									 GetCurrentTimestamp() - started)));
	if (receiver.status != DP_OK)
		return dp_fail(error, receiver.status, "%s",
					   receiver.status == DP_ERR_MEMORY
						   ? "the contingency tables do not fit in memory"
						   : dp_status_text(receiver.status));
	return DP_OK;
}

/* ---- values as they are ---- */

void
dp_scan_columns(const DpScan *scan, const DpDomain *domain, const uint32 *attribute, uint32 n,
				DestReceiver *receiver)
{
	scan_run(
		psprintf("SELECT %s FROM %s", dp_column_list(domain, attribute, n), scan->source->clause),
		scan_parameters(scan->source, NULL), receiver);
}

/* ---- discovering ---- */

typedef struct DistinctEntry
{
	char *words; /* key */
	uint32 hash;
	char status;
	int64 count;
} DistinctEntry;

#define SH_PREFIX distinct
#define SH_ELEMENT_TYPE DistinctEntry
#define SH_KEY_TYPE char *
#define SH_KEY words
#define SH_HASH_KEY(tb, key) hash_bytes((const unsigned char *) key, strlen(key))
#define SH_EQUAL(tb, a, b) (strcmp(a, b) == 0)
#define SH_SCOPE static inline
#define SH_STORE_HASH
#define SH_GET_HASH(tb, a) (a)->hash
#define SH_DECLARE
#define SH_DEFINE
#include "lib/simplehash.h"

struct DistinctValues
{
	distinct_hash *table;
	FmgrInfo output;
	Oid domain_type; /* base type of a column with a domain, whose values have one text form; or InvalidOid */
	MemoryContext texts;
};

/* What receives the rows of one pass. */
typedef struct DistinctReceiver
{
	DestReceiver receiver;  /* must be first */
	const DpColumn *column; /* of the relation, by domain index */
	uint32 columns;
	const uint32 *attribute;         /* [columns] domain index of each selected column */
	MemoryContext batch;             /* emptied after each batch */
	uint32 rows;                     /* in the batch */
	struct DistinctValues *distinct; /* [columns] */
} DistinctReceiver;

static void
distinct_add(struct DistinctValues *values, Datum value)
{
	char *words = OidIsValid(values->domain_type)
					  ? dp_text_canonical(&values->output, values->domain_type, value)
					  : OutputFunctionCall(&values->output, value);
	DistinctEntry *entry;
	bool found;

	entry = distinct_insert(values->table, words, &found);
	if (!found)
	{
		entry->words = MemoryContextStrdup(values->texts, words);
		entry->count = 0;
	}
	entry->count++;
}

static bool
receive_distinct(TupleTableSlot *slot, DestReceiver *self)
{
	DistinctReceiver *scan = (DistinctReceiver *) self;
	MemoryContext caller = MemoryContextSwitchTo(scan->batch);

	slot_getallattrs(slot);
	for (uint32 i = 0; i < scan->columns; i++)
		if (!slot->tts_isnull[i])
			distinct_add(&scan->distinct[i], slot->tts_values[i]);
	MemoryContextSwitchTo(caller);
	if (++scan->rows == SCAN_BATCH_ROWS)
	{
		scan->rows = 0;
		MemoryContextReset(scan->batch);
	}
	return true;
}

/* An output function reads a value of another type as an address. */
static void
distinct_startup(DestReceiver *self, int operation, TupleDesc desc)
{
	DistinctReceiver *scan = (DistinctReceiver *) self;

	for (uint32 i = 0; i < scan->columns; i++)
		if (TupleDescAttr(desc, i)->atttypid != scan->column[scan->attribute[i]].type)
			elog(ERROR, "dpsyn: a column has changed its type since the release was prepared");
}

static void
distinct_result(const DpScan *scan, struct DistinctValues *values, DpValueCounts *out)
{
	distinct_iterator iterator;
	DistinctEntry *entry;
	uint64 n = values->table->members;

	out->n = 0;
	out->value = MemoryContextAllocHuge(scan->context, sizeof(char *) * Max(n, 1));
	out->count = MemoryContextAllocHuge(scan->context, sizeof(int64) * Max(n, 1));
	distinct_start_iterate(values->table, &iterator);
	while ((entry = distinct_iterate(values->table, &iterator)) != NULL)
	{
		out->value[out->n] = entry->words;
		out->count[out->n++] = entry->count;
	}
}

static DpStatus
scan_distinct(void *context, const DpDomain *domain, const uint32 *attributes, uint32 n,
			  DpValueCounts *out, DpError *error)
{
	DpScan *scan = context;
	MemoryContext work =
		AllocSetContextCreate(scan->context, "dpsyn distinct", ALLOCSET_DEFAULT_SIZES);
	MemoryContext caller = MemoryContextSwitchTo(work);
	DistinctReceiver receiver = {
		.receiver = {.receiveSlot = receive_distinct, .rStartup = distinct_startup},
		.column = scan->source->relation->column,
		.columns = n,
		.attribute = attributes};
	DpElevation elevation;

	dp_become_owner(&elevation, scan->owner);
	receiver.batch = AllocSetContextCreate(work, "dpsyn batch", ALLOCSET_DEFAULT_SIZES);
	receiver.distinct = palloc0(sizeof(struct DistinctValues) * n);
	for (uint32 i = 0; i < n; i++)
	{
		Oid function;
		bool varlena;

		getTypeOutputInfo(scan->source->relation->column[attributes[i]].type, &function, &varlena);
		fmgr_info(function, &receiver.distinct[i].output);
		receiver.distinct[i].table = distinct_create(work, 1024, NULL);
		receiver.distinct[i].texts = scan->context;
		if (domain->attribute[attributes[i]].universe != NULL)
			receiver.distinct[i].domain_type =
				getBaseType(scan->source->relation->column[attributes[i]].type);
	}
	dp_scan_columns(scan, domain, attributes, n, &receiver.receiver);
	dp_unelevate(&elevation);
	for (uint32 i = 0; i < n; i++)
		distinct_result(scan, &receiver.distinct[i], &out[i]);
	MemoryContextSwitchTo(caller);
	MemoryContextDelete(work);
	return DP_OK;
}

DpScan *
dp_scan_create(const DpSource *source, Oid owner, MemoryContext context)
{
	DpScan *scan = MemoryContextAllocZero(context, sizeof(DpScan));

	scan->source = source;
	scan->owner = owner;
	scan->context = context;
	scan->counter = (DpCounter){scan, scan_count, scan_distinct, dp_scan_cells};
	return scan;
}

const DpCounter *
dp_scan_counter(DpScan *scan)
{
	return &scan->counter;
}
