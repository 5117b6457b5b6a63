/*
 * scan_distinct.c -- the distinct values of columns, with how many rows have each.
 * RELEASE WORKER ONLY.
 */
#include "pg/server/compat.h"

#include "utils/lsyscache.h"
#include "utils/memutils.h"

#include "pg/domain/universe.h"
#include "pg/server/catalog.h"
#include "pg/server/values.h"
#include "pg/server/text_table.h"
#include "pg/worker/scan.h"

typedef struct DistinctValues
{
	text_table_hash *table; /* the number of a text is its count */
	FmgrInfo output;
	/* base type of a column with a universe, whose values have one text form; or InvalidOid */
	Oid universe_type;
	MemoryContext texts;
} DistinctValues;

typedef struct DistinctScan
{
	DistinctValues *column;
	uint32 columns;
} DistinctScan;

static void
distinct_add(DistinctValues *values, Datum value)
{
	char *words = OidIsValid(values->universe_type)
					  ? dp_text_canonical(&values->output, values->universe_type, value)
					  : OutputFunctionCall(&values->output, value);

	text_table_entry(values->table, words, 0, values->texts)->number++;
}

static void
take_row(void *taker, const Datum *values, const bool *isnull)
{
	DistinctScan *scan = taker;

	for (uint32 i = 0; i < scan->columns; i++)
		if (!isnull[i])
			distinct_add(&scan->column[i], values[i]);
}

static void
distinct_prepare(DistinctValues *values, Oid type, bool has_universe, MemoryContext texts)
{
	Oid function;
	bool varlena;

	getTypeOutputInfo(type, &function, &varlena);
	fmgr_info(function, &values->output);
	values->table = text_table_create(CurrentMemoryContext, 1024, NULL);
	values->texts = texts;
	if (has_universe)
		values->universe_type = getBaseType(type);
}

static void
distinct_result(const DistinctValues *values, MemoryContext context, DpValueCounts *out)
{
	text_table_iterator iterator;
	TextEntry *entry;
	uint64 n = values->table->members;

	out->n = 0;
	out->value = MemoryContextAllocHuge(context, sizeof(char *) * Max(n, 1));
	out->count = MemoryContextAllocHuge(context, sizeof(int64) * Max(n, 1));
	text_table_start_iterate(values->table, &iterator);
	while ((entry = text_table_iterate(values->table, &iterator)) != NULL)
	{
		out->value[out->n] = entry->words;
		out->count[out->n++] = entry->number;
	}
}

DpStatus
dp_scan_distinct(void *context, const DpDomain *domain, const uint32 *attributes, uint32 n,
				 DpValueCounts *out, DpError *error)
{
	DpScan *scan = context;
	MemoryContext work =
		AllocSetContextCreate(scan->context, "dpsyn distinct", ALLOCSET_DEFAULT_SIZES);
	MemoryContext caller = MemoryContextSwitchTo(work);
	DistinctScan distinct = {.column = palloc0(sizeof(DistinctValues) * n), .columns = n};
	DpUserContext user_context;

	dp_become_owner(&user_context, scan->owner);
	for (uint32 i = 0; i < n; i++)
		distinct_prepare(&distinct.column[i], scan->source->relation->column[attributes[i]].type,
						 domain->attribute[attributes[i]].universe != NULL, scan->context);
	dp_scan_rows(scan, domain, attributes, n, take_row, NULL, &distinct);
	dp_unelevate(&user_context);
	for (uint32 i = 0; i < n; i++)
		distinct_result(&distinct.column[i], scan->context, &out[i]);
	MemoryContextSwitchTo(caller);
	MemoryContextDelete(work);
	return DP_OK;
}
