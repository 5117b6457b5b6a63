/*
 * scan_units.c -- the rows of a query, by unit, read in one scan. RELEASE WORKER ONLY. If each row
 * is a unit, all rows are kept as those of one unit, and none is dropped.
 *
 * The aggregate dp_row_cache keeps the measured values of each row as bytes, in parallel workers if
 * PostgreSQL plans it so. From these bytes the rows of each unit are counted, and the rows of a
 * unit above the bound are sorted. If the rows do not fit in memory (dpsyn.row_memory), the
 * statements of source.c count and bound units.
 *
 * Releases of tables read the rows of units in the same way, and keep their codes (scan_bounded.c).
 */
#include "pg/worker/scan_units.h"

#include "catalog/pg_class.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "optimizer/cost.h"
#include "utils/lsyscache.h"

#include "pg/counting/spec.h"
#include "pg/counting/row_cache.h"
#include "pg/server/bridge.h"
#include "pg/server/catalog.h"
#include "pg/server/dpsyn.h"

#define ARGUMENTS_MAX (FUNC_MAX_ARGS - 2)

/* ---- what is kept of a row ---- */

static void
column_add(DpScanUnits *units, DpRowFieldKind kind, uint32 attribute, uint32 argument,
		   const DpSumRows *rows)
{
	DpRowField *column = &units->column[units->columns];

	*column = (DpRowField){.kind = kind,
						   .argument = argument,
						   .nullable = rows->query->nullable[attribute],
						   .levels = rows->domain->attribute[attribute].levels};
	if (kind == DP_FIELD_COORDINATE)
		column->grid = rows->query->grid[attribute];
	units->attribute[units->columns++] = attribute;
}

/* Fills in the columns, and lists the attributes that are read. Returns their number. */
static uint32
columns_of(DpScanUnits *units, const DpScan *scan, const DpSumRows *rows, uint32 *read)
{
	const DpSumNeeds *needs = &rows->needs;
	uint32 attributes = rows->domain->attributes, n = 0;

	units->column =
		MemoryContextAllocZero(scan->context, sizeof(DpRowField) * (2 * attributes + 1));
	units->attribute = MemoryContextAllocZero(scan->context, sizeof(uint32) * (2 * attributes + 1));
	for (uint32 a = 0; a < attributes; a++)
	{
		uint32 argument = (uint32) scan->source->units + n;

		if (!needs->code[a] && !needs->coordinate[a] && !needs->present[a])
			continue;
		if (needs->code[a])
			column_add(units, DP_FIELD_CODE, a, argument, rows);
		if (needs->coordinate[a])
			column_add(units, DP_FIELD_COORDINATE, a, argument, rows);
		else if (needs->present[a])
			column_add(units, DP_FIELD_PRESENT, a, argument, rows);
		read[n++] = a;
	}
	return n;
}

static bytea *
spec_of(const DpScan *scan, const DpRowCacheRead *read, bool parallel)
{
	uint32 workers = (uint32) Min(max_parallel_workers_per_gather, max_parallel_workers);
	DpRowCacheSpec spec = {.keys = read->keys,
						   .keep = {.bytes_max = (uint64) dpsyn_row_memory * 1024,
									.parts = parallel ? workers + 1 : 1},
						   .columns = read->columns,
						   .column = read->column};
	uint32 *coded = palloc(sizeof(uint32) * (read->columns + 1)), n = 0;
	DpSpecSet any = {.n = 1, .attribute = palloc0(sizeof(uint32)), .storage = DP_SPARSE};

	if (scan->source->key != NULL)
		memcpy(spec.key, VARDATA_ANY(scan->source->key), sizeof(spec.key));
	for (uint32 i = 0; i < read->columns; i++)
		if (read->column[i].kind == DP_FIELD_CODE)
			coded[n++] = read->attribute[i];
	dp_spec_domain(read->domain, scan->source->relation->column, coded, n, &spec.coded);
	spec.coded.clamps = true; /* whether a value is outside a domain is a fact of the data */
	spec.coded.sets = 1;      /* a spec must have at least one */
	spec.coded.set = &any;
	return dp_row_cache_spec(&spec);
}

static char *
statement_of(const DpScan *scan, const DpDomain *domain, const uint32 *read, uint32 n)
{
	StringInfoData sql;

	if (scan->source->units == 0)
		return psprintf("SELECT dp_catalog.dp_row_cache($1, %s) FROM %s",
						dp_column_list(domain, read, n), scan->source->clause);
	initStringInfo(&sql);
	appendStringInfoString(&sql, "SELECT dp_catalog.dp_row_cache($1");
	for (int i = 1; i <= scan->source->units; i++)
		appendStringInfo(&sql, ", r.u%d", i);
	for (uint32 i = 0; i < n; i++)
		appendStringInfo(&sql, ", r.c%u", read[i] + 1);
	appendStringInfo(&sql, ") FROM %s r", scan->source->unit_rows);
	return sql.data;
}

/* ---- reading ---- */

/* Whether the row cache can hold such rows: the number of a grid's steps has a limit. */
static bool
can_be_kept(const DpScanUnits *units)
{
	for (uint32 i = 0; i < units->columns; i++)
		if (units->column[i].kind == DP_FIELD_COORDINATE &&
			dp_grid_size(&units->column[i].grid) == PG_UINT64_MAX)
			return false;
	return true;
}

bool
dp_scan_reads_rows_here(const DpSource *source)
{
	ListCell *cell;

	if (source->distributed || source->planned == NULL)
		return false;
	foreach (cell, source->planned->rtable)
		if (lfirst_node(RangeTblEntry, cell)->rtekind == RTE_RELATION &&
			lfirst_node(RangeTblEntry, cell)->relkind == RELKIND_FOREIGN_TABLE)
			return false;
	return source->units == 0 || source->unit_rows != NULL;
}

/* Takes the one value of the statement. */
typedef struct ResultTaker
{
	MemoryContext context;
	DpRowCache *rows;
	bool lost;
} ResultTaker;

static void
take_result(void *taker, TupleTableSlot *slot)
{
	ResultTaker *to = taker;
	bool isnull;
	Datum value = slot_getattr(slot, 1, &isnull);
	MemoryContext caller;

	if (isnull) /* not a single row */
		return;
	caller = MemoryContextSwitchTo(to->context);
	to->lost = !dp_row_cache_of_result(DatumGetByteaPCopy(value), to->rows);
	MemoryContextSwitchTo(caller);
}

bool
dp_scan_row_cache(DpScan *scan, const DpRowCacheRead *read, DpRowCache *rows)
{
	ResultTaker taker = {.context = CurrentMemoryContext, .rows = rows};
	bool parallel = !dp_scan_runs_code(scan, read->argument, read->arguments);

	*rows = (DpRowCache){0};
	if (read->keys + read->arguments + read->others > ARGUMENTS_MAX)
		return false;
	if (!parallel)
		dp_scan_forbid_parallel();
	dp_scan_one_value(scan, read->statement, spec_of(scan, read, parallel), take_result, &taker);
	rows->hashed = read->columns > 0 && read->column[0].kind == DP_FIELD_HASH;
	return !taker.lost;
}

bool
dp_scan_read_units(DpScan *scan, const DpSumRows *rows)
{
	uint32 *read = palloc(sizeof(uint32) * (rows->domain->attributes + 1)), n;
	DpScanUnits *units = scan->units;
	DpRowCacheRead reading;
	MemoryContext caller;

	if (units != NULL)
		return !units->lost;
	if (!dp_scan_reads_rows_here(scan->source) || dpsyn_row_memory <= 0)
		return false;
	units = scan->units = MemoryContextAllocZero(scan->context, sizeof(DpScanUnits));
	n = columns_of(units, scan, rows, read);
	units->lost = !can_be_kept(units);
	if (units->lost)
		return false;
	if (units->columns == 0) /* a row must have something to be read by */
	{
		column_add(units, DP_FIELD_PRESENT, 0, (uint32) scan->source->units, rows);
		read[n++] = 0;
	}
	reading = (DpRowCacheRead){.domain = rows->domain,
							   .statement = statement_of(scan, rows->domain, read, n),
							   .keys = (uint32) scan->source->units,
							   .arguments = n,
							   .argument = read,
							   .columns = units->columns,
							   .column = units->column,
							   .attribute = units->attribute};
	caller = MemoryContextSwitchTo(scan->context);
	units->lost = !dp_scan_row_cache(scan, &reading, &units->rows);
	MemoryContextSwitchTo(caller);
	if (units->lost)
		return false;
	units->count = MemoryContextAllocHuge(scan->context,
										  sizeof(uint32) * (units->rows.units + UINT64CONST(1)));
	dp_row_cache_count(&units->rows, units->count);
	return true;
}

/* ---- the rows that are counted ---- */

static void
read_values(const DpScanUnits *units, const unsigned char *row, const DpSumValues *values)
{
	row += DP_UNIT_BYTES;
	for (uint32 i = 0; i < units->columns; i++)
	{
		const DpRowField *column = &units->column[i];
		uint32 a = units->attribute[i], bytes = dp_row_field_bytes(column);
		uint64 value = dp_row_field_read(row, bytes);

		row += bytes;
		if (column->kind == DP_FIELD_CODE)
		{
			values->code[a] = (uint32) value;
			continue;
		}
		values->present[a] = value > 0;
		if (column->kind == DP_FIELD_COORDINATE)
			values->coordinate[a] = column->grid.first + (int64) value - (value > 0 ? 1 : 0);
	}
}

static void
take_kept(const DpScanUnits *units, uint64 i, const DpSumRows *rows)
{
	read_values(units, units->rows.row + i * units->rows.bytes, &rows->values);
	rows->take(rows->taker);
}

/* Hands over the rows unit by unit. */
static DpStatus
take_by_unit(const DpScanUnits *units, const bool *drops, const DpSumRows *rows, DpArena *arena)
{
	uint64 *row = dp_alloc(arena, units->rows.rows + 1, sizeof(*row));
	uint64 *end = dp_alloc(arena, units->rows.units + UINT64CONST(1), sizeof(*end));
	uint64 i = 0;

	if (row == NULL || end == NULL)
		return DP_ERR_MEMORY;
	dp_row_cache_by_unit(&units->rows, units->count, row, end);
	for (uint32 u = 0; u < units->rows.units; u++)
	{
		for (; i < end[u]; i++)
			if (!drops[row[i]])
				take_kept(units, row[i], rows);
		rows->end_unit(rows->taker);
	}
	return DP_OK;
}

DpStatus
dp_scan_unit_values(const DpScan *scan, const DpSumRows *rows)
{
	const DpScanUnits *units = scan->units;
	DpArena arena = dp_arena_for(CurrentMemoryContext);
	bool *drops = dp_alloc(&arena, units->rows.rows + 1, sizeof(*drops));

	if (drops == NULL)
		return DP_ERR_MEMORY;
	if (scan->source->units > 0)
		DP_TRY(dp_row_cache_bound(&units->rows, units->count, scan->source->rows_max,
								  (const unsigned char *) VARDATA_ANY(scan->source->key), drops,
								  &arena));
	if (rows->end_unit != NULL)
		return take_by_unit(units, drops, rows, &arena);
	for (uint64 i = 0; i < units->rows.rows; i++)
		if (!drops[i])
			take_kept(units, i, rows);
	return DP_OK;
}
