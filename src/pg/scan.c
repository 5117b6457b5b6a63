/*
 * scan.c -- one pass over a protected relation, for the core. RELEASE WORKER
 * ONLY.
 *
 * The rows come from a plain SELECT of the columns that are needed, run as the
 * relation's owner in a security-restricted context: so views, partitions,
 * inheritance and foreign tables work as for the owner, and nothing that they
 * call can act as a superuser. Rows are not kept: they are encoded as they
 * come, 1024 at a time, columns apart.
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
#include "utils/snapmgr.h"

#define SCAN_BATCH_ROWS 1024

struct DpScan
{
	const DpSource *source;
	Oid owner;
	MemoryContext context;
	DpCounter counter;
};

/* What receives the rows of one pass. */
typedef struct ScanReceiver
{
	DestReceiver receiver;  /* must be first */
	const DpColumn *column; /* of the relation, by domain index */
	uint32 columns;
	const uint32 *attribute; /* [columns] domain index of each selected column */
	MemoryContext batch;     /* emptied after each batch */
	uint32 rows;             /* in the batch */
	DpStatus status;
	/* counting */
	DpEncoder **encoder; /* [columns] */
	uint32 **codes;      /* [domain attributes], NULL where not selected */
	DpMarginal *const *marginals;
	uint32 marginals_n;
	/* discovering */
	struct DistinctValues *distinct; /* [columns] */
} ScanReceiver;

/* ---- counting ---- */

static void
batch_count(ScanReceiver *scan)
{
	for (uint32 i = 0; i < scan->marginals_n && scan->status == DP_OK; i++)
		scan->status =
			dp_marginal_add(scan->marginals[i], (const uint32 *const *) scan->codes, scan->rows);
	scan->rows = 0;
	MemoryContextReset(scan->batch);
}

static bool
receive_count(TupleTableSlot *slot, DestReceiver *self)
{
	ScanReceiver *scan = (ScanReceiver *) self;
	MemoryContext caller = MemoryContextSwitchTo(scan->batch);

	slot_getallattrs(slot);
	for (uint32 i = 0; i < scan->columns; i++)
		scan->codes[scan->attribute[i]][scan->rows] =
			dp_encode(scan->encoder[i], slot->tts_values[i], slot->tts_isnull[i]);
	MemoryContextSwitchTo(caller);
	if (++scan->rows == SCAN_BATCH_ROWS)
		batch_count(scan);
	return true;
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
	MemoryContext texts;
};

static void
distinct_add(struct DistinctValues *values, Datum value)
{
	char *words = OutputFunctionCall(&values->output, value);
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
	ScanReceiver *scan = (ScanReceiver *) self;
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

/* ---- one pass ---- */

/* An encoder reads a value of another type as an address. */
static void
receiver_startup(DestReceiver *self, int operation, TupleDesc desc)
{
	ScanReceiver *scan = (ScanReceiver *) self;

	for (uint32 i = 0; i < scan->columns; i++)
		if (TupleDescAttr(desc, i)->atttypid != scan->column[scan->attribute[i]].type)
			elog(ERROR, "dpsyn: a column has changed its type since the release was prepared");
}

static void
receiver_done(DestReceiver *self)
{
}

static char *
select_columns(const DpSource *source, const DpDomain *domain, const uint32 *attribute, uint32 n)
{
	StringInfoData sql;

	initStringInfo(&sql);
	appendStringInfoString(&sql, "SELECT ");
	for (uint32 i = 0; i < n; i++)
		appendStringInfo(&sql, "%s%s", i ? ", " : "",
						 quote_identifier(domain->attribute[attribute[i]].name));
	appendStringInfo(&sql, " FROM %s", source->clause);
	return sql.data;
}

static void
scan_run(const DpScan *scan, const char *sql, ScanReceiver *receiver)
{
	SPIExecuteOptions options = {
		.params = scan->source->params, .read_only = true, .dest = &receiver->receiver};
	int result;

	receiver->receiver.rStartup = receiver_startup;
	receiver->receiver.rShutdown = receiver_done;
	receiver->receiver.rDestroy = receiver_done;
	receiver->receiver.mydest = DestTuplestore; /* a tuple sink like any other */

	SPI_connect();
	result = SPI_execute_extended(sql, &options);
	if (result != SPI_OK_SELECT)
		elog(ERROR, "dpsyn: scan failed: %s", SPI_result_code_string(result));
	SPI_finish();
}

/* The domain attributes that the marginals need, ascending. */
static uint32
attributes_needed(const DpDomain *domain, DpMarginal *const *marginals, uint32 n,
				  uint32 **attribute)
{
	bool *needed = palloc0(sizeof(bool) * domain->attributes);
	uint32 count = 0;

	for (uint32 i = 0; i < n; i++)
		for (uint32 k = 0; k < marginals[i]->n; k++)
			needed[marginals[i]->attribute[k]] = true;
	*attribute = palloc(sizeof(uint32) * domain->attributes);
	for (uint32 i = 0; i < domain->attributes; i++)
		if (needed[i])
			(*attribute)[count++] = i;
	return count;
}

static DpStatus
scan_count(void *context, const DpDomain *domain, DpMarginal *const *marginals, uint32 n,
		   DpError *error)
{
	DpScan *scan = context;
	MemoryContext work = AllocSetContextCreate(scan->context, "dpsyn scan", ALLOCSET_DEFAULT_SIZES);
	MemoryContext caller = MemoryContextSwitchTo(work);
	ScanReceiver receiver = {
		.column = scan->source->relation->column, .marginals = marginals, .marginals_n = n};
	DpElevation elevation;
	uint32 *attribute;

	dp_become_owner(&elevation, scan->owner);
	receiver.columns = attributes_needed(domain, marginals, n, &attribute);
	receiver.attribute = attribute;
	receiver.batch = AllocSetContextCreate(work, "dpsyn batch", ALLOCSET_DEFAULT_SIZES);
	receiver.encoder = palloc(sizeof(DpEncoder *) * Max(receiver.columns, 1));
	receiver.codes = palloc0(sizeof(uint32 *) * domain->attributes);
	for (uint32 i = 0; i < receiver.columns; i++)
	{
		uint32 a = receiver.attribute[i];

		receiver.encoder[i] =
			dp_encoder_create(&domain->attribute[a], &scan->source->relation->column[a]);
		receiver.codes[a] = palloc(sizeof(uint32) * SCAN_BATCH_ROWS);
	}
	receiver.receiver.receiveSlot = receive_count;
	scan_run(scan, select_columns(scan->source, domain, receiver.attribute, receiver.columns),
			 &receiver);
	dp_unelevate(&elevation);
	batch_count(&receiver);
	MemoryContextSwitchTo(caller);
	MemoryContextDelete(work);
	if (receiver.status != DP_OK)
		return dp_fail(error, receiver.status, "the contingency tables do not fit in memory");
	return DP_OK;
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
	ScanReceiver receiver = {
		.column = scan->source->relation->column, .columns = n, .attribute = attributes};
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
	}
	receiver.receiver.receiveSlot = receive_distinct;
	scan_run(scan, select_columns(scan->source, domain, attributes, n), &receiver);
	dp_unelevate(&elevation);
	for (uint32 i = 0; i < n; i++)
		distinct_result(scan, &receiver.distinct[i], &out[i]);
	MemoryContextSwitchTo(caller);
	MemoryContextDelete(work);
	return DP_OK;
}

void
dp_scan_rehearse(const DpSource *source, Oid owner)
{
	const DpDomain *domain = &source->relation->domain;
	SPIExecuteOptions options = {.params = source->params, .read_only = false};
	uint32 *all = palloc(sizeof(uint32) * domain->attributes);
	DpElevation elevation;

	for (uint32 i = 0; i < domain->attributes; i++)
		all[i] = i;
	dp_become_owner(&elevation, owner);
	SPI_connect();
	if (SPI_execute_extended(
			psprintf("EXPLAIN %s", select_columns(source, domain, all, domain->attributes)),
			&options) != SPI_OK_UTILITY)
		elog(ERROR, "dpsyn: rehearsal failed");
	SPI_finish();
	dp_unelevate(&elevation);
}

DpScan *
dp_scan_create(const DpSource *source, Oid owner, MemoryContext context)
{
	DpScan *scan = MemoryContextAllocZero(context, sizeof(DpScan));

	scan->source = source;
	scan->owner = owner;
	scan->context = context;
	scan->counter = (DpCounter){scan, scan_count, scan_distinct};
	return scan;
}

const DpCounter *
dp_scan_counter(DpScan *scan)
{
	return &scan->counter;
}
