/*
 * scan_cells.c -- the distinct values of open columns, with how many rows have each, and cells of
 * histograms some of whose columns are open. RELEASE WORKER ONLY.
 *
 * For a histogram each value becomes a number, by a universe or in the order in which values are
 * seen. Then the combinations of these numbers are counted.
 */
#include "pg/server/compat.h"

#include "common/hashfn.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#include "pg/counting/encode.h"
#include "pg/counting/spec.h"
#include "pg/domain/universe.h"
#include "pg/server/catalog.h"
#include "pg/server/text_table.h"
#include "pg/server/values.h"
#include "pg/worker/scan.h"

/* ---- distinct values ---- */

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
distinct_take_row(void *taker, const Datum *values, const bool *isnull)
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
	dp_scan_rows(scan, domain, attributes, n, distinct_take_row, NULL, &distinct);
	dp_unelevate(&user_context);
	for (uint32 i = 0; i < n; i++)
		distinct_result(&distinct.column[i], scan->context, &out[i]);
	MemoryContextSwitchTo(caller);
	MemoryContextDelete(work);
	return DP_OK;
}

/* ---- combinations ---- */

typedef struct CellEntry
{
	uint64 *index; /* key: as many as the table's private data says */
	uint32 hash;
	char status;
	int64 count;
} CellEntry;

#define SH_PREFIX cell
#define SH_ELEMENT_TYPE CellEntry
#define SH_KEY_TYPE uint64 *
#define SH_KEY index
#define SH_HASH_KEY(tb, key)                                                                       \
	hash_bytes((const unsigned char *) (key),                                                      \
			   (int) (*(uint32 *) (tb)->private_data * sizeof(uint64)))
#define SH_EQUAL(tb, a, b) (memcmp(a, b, *(uint32 *) (tb)->private_data * sizeof(uint64)) == 0)
#define SH_SCOPE static inline
#define SH_STORE_HASH
#define SH_GET_HASH(tb, a) (a)->hash
#define SH_DECLARE
#define SH_DEFINE
#include "lib/simplehash.h"

/* ---- a column ---- */

typedef struct CellColumn
{
	const DpAttribute *attribute;
	Oid type;           /* of the column */
	Oid base;           /* its base type */
	DpEncoder *encoder; /* NULL: it is open */
	FmgrInfo output;
	char *scratch;         /* of the universe */
	text_table_hash *seen; /* the number of a text is its place among those seen */
	MemoryContext context; /* of what was seen */
	uint64 index;          /* in the row at hand */
	bool outside;          /* the row at hand has none */
} CellColumn;

/* The number of a value without a universe. It is the rest if the value cannot be a label. */
static uint64
number_seen(CellColumn *column, char *words)
{
	if (strlen(words) > DP_TEXT_MAX ||
		(column->attribute->other != NULL && strcmp(words, column->attribute->other) == 0))
		return DP_CELL_OTHER;
	return (uint64) text_table_entry(column->seen, words, column->seen->members, column->context)
		->number;
}

static void
column_take(CellColumn *column, Datum value, bool isnull)
{
	const DpUniverse *universe = column->attribute->universe;
	char *words;

	column->outside = false;
	if (column->encoder != NULL)
	{
		column->index =
			dp_encode_value(column->encoder, &(NullableDatum){.value = value, .isnull = isnull});
		return;
	}
	if (isnull)
	{
		column->index = DP_CELL_OTHER;
		column->outside = universe != NULL;
		return;
	}
	words = dp_text_canonical(&column->output, column->base, value);
	if (universe == NULL)
		column->index = number_seen(column, words);
	else
		column->outside =
			!dp_universe_find(universe, words, strlen(words), column->scratch, &column->index);
}

/* ---- the pass ---- */

typedef struct CellScan
{
	CellColumn *column; /* [columns] */
	uint32 columns;
	uint32 *position; /* domain index to column */
	DpCells *sets;
	uint32 n;
	cell_hash **table;  /* [n] */
	uint64 *key;        /* scratch */
	MemoryContext keep; /* of keys */
	int64 rows;
} CellScan;

static void
set_add(CellScan *scan, uint32 i)
{
	const DpCells *set = &scan->sets[i];
	CellEntry *entry;
	bool found;

	for (uint32 k = 0; k < set->n; k++)
	{
		const CellColumn *column = &scan->column[scan->position[set->attribute[k]]];

		if (column->outside)
			return;
		scan->key[k] = column->index;
	}
	entry = cell_insert(scan->table[i], scan->key, &found);
	if (!found)
	{
		entry->index = MemoryContextAlloc(scan->keep, sizeof(uint64) * set->n);
		memcpy(entry->index, scan->key, sizeof(uint64) * set->n);
		entry->count = 0;
	}
	entry->count++;
}

static void
take_row(void *taker, const Datum *values, const bool *isnull)
{
	CellScan *scan = taker;

	for (uint32 i = 0; i < scan->columns; i++)
		column_take(&scan->column[i], values[i], isnull[i]);
	for (uint32 i = 0; i < scan->n; i++)
		set_add(scan, i);
	scan->rows++;
}

/* ---- before and after ---- */

static uint32
attributes_of_sets(const DpDomain *domain, const DpCells *sets, uint32 n, uint32 *attribute,
				   uint32 *position)
{
	bool *needed = palloc0(sizeof(bool) * domain->attributes);

	for (uint32 i = 0; i < n; i++)
		for (uint32 k = 0; k < sets[i].n; k++)
			needed[sets[i].attribute[k]] = true;
	return dp_scan_list(needed, domain, attribute, position);
}

static void
open_prepare(CellColumn *column, MemoryContext context)
{
	Oid function;
	bool varlena;

	getTypeOutputInfo(column->type, &function, &varlena);
	fmgr_info(function, &column->output);
	column->context = context;
	if (column->attribute->universe != NULL)
		column->scratch = palloc(column->attribute->universe->text_bytes + 1);
	else
		column->seen = text_table_create(CurrentMemoryContext, 1024, NULL);
}

static void
columns_prepare(CellScan *scan, const DpDomain *domain, const DpColumn *column,
				const uint32 *attribute, MemoryContext context)
{
	uint32 *closed = palloc(sizeof(uint32) * scan->columns);
	Oid *types = palloc(sizeof(Oid) * scan->columns);
	DpEncoder *encoders;
	uint32 n = 0;
	DpSpec spec;

	scan->column = palloc0(sizeof(CellColumn) * scan->columns);
	for (uint32 i = 0; i < scan->columns; i++)
	{
		scan->column[i].attribute = &domain->attribute[attribute[i]];
		scan->column[i].type = column[attribute[i]].type;
		scan->column[i].base = getBaseType(column[attribute[i]].type);
		if (scan->column[i].attribute->open)
			open_prepare(&scan->column[i], context);
		else
		{
			types[n] = column[attribute[i]].type;
			closed[n++] = attribute[i];
		}
	}
	dp_spec_domain(domain, column, closed, n, &spec);
	spec.clamps = true; /* whether a value is outside a domain is a fact of the data */
	encoders = dp_encoders_create(&spec, types, DP_FORM_TYPED);
	n = 0;
	for (uint32 i = 0; i < scan->columns; i++)
		if (!scan->column[i].attribute->open)
			scan->column[i].encoder = dp_encoder_at(encoders, n++);
}

static void
seen_result(const CellColumn *column, MemoryContext context, uint64 *n, const char ***values)
{
	text_table_iterator iterator;
	TextEntry *entry;

	*n = column->seen->members;
	*values = MemoryContextAllocHuge(context, sizeof(char *) * Max(*n, 1));
	text_table_start_iterate(column->seen, &iterator);
	while ((entry = text_table_iterate(column->seen, &iterator)) != NULL)
		(*values)[entry->number] = entry->words;
}

static void
set_result(const CellScan *scan, uint32 i, MemoryContext context)
{
	DpCells *set = &scan->sets[i];
	cell_iterator iterator;
	CellEntry *entry;
	uint64 members = scan->table[i]->members;

	set->cells = 0;
	set->rows = scan->rows;
	set->index = MemoryContextAllocHuge(context, sizeof(uint64) * set->n * Max(members, 1));
	set->count = MemoryContextAllocHuge(context, sizeof(int64) * Max(members, 1));
	cell_start_iterate(scan->table[i], &iterator);
	while ((entry = cell_iterate(scan->table[i], &iterator)) != NULL)
	{
		memcpy(set->index + set->cells * set->n, entry->index, sizeof(uint64) * set->n);
		set->count[set->cells++] = entry->count;
	}
	for (uint32 k = 0; k < set->n; k++)
	{
		const CellColumn *column = &scan->column[scan->position[set->attribute[k]]];

		if (column->seen != NULL)
			seen_result(column, context, &set->seen_n[k], &set->seen[k]);
	}
}

static void
tables_create(CellScan *scan, uint32 widest)
{
	scan->table = palloc(sizeof(cell_hash *) * scan->n);
	for (uint32 i = 0; i < scan->n; i++)
		scan->table[i] = cell_create(CurrentMemoryContext, 1024, &scan->sets[i].n);
	scan->key = palloc(sizeof(uint64) * Max(widest, 1));
	scan->keep = AllocSetContextCreate(CurrentMemoryContext, "dpsyn cells", ALLOCSET_DEFAULT_SIZES);
}

DpStatus
dp_scan_cells(void *context, const DpDomain *domain, DpCells *sets, uint32 n, DpError *error)
{
	DpScan *scan = context;
	MemoryContext work =
		AllocSetContextCreate(scan->context, "dpsyn cells", ALLOCSET_DEFAULT_SIZES);
	MemoryContext caller = MemoryContextSwitchTo(work);
	uint32 *attribute = palloc(sizeof(uint32) * domain->attributes);
	CellScan cells = {
		.sets = sets, .n = n, .position = palloc(sizeof(uint32) * domain->attributes)};
	DpUserContext user_context;

	cells.columns = attributes_of_sets(domain, sets, n, attribute, cells.position);
	dp_become_owner(&user_context, scan->owner);
	columns_prepare(&cells, domain, scan->source->relation->column, attribute, scan->context);
	tables_create(&cells, domain->attributes);
	dp_scan_rows(scan, domain, attribute, cells.columns, take_row, NULL, &cells);
	dp_unelevate(&user_context);
	for (uint32 i = 0; i < n; i++)
		set_result(&cells, i, scan->context);
	MemoryContextSwitchTo(caller);
	MemoryContextDelete(work);
	return DP_OK;
}
