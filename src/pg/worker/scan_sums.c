/*
 * scan_sums.c -- statistics of groups of rows. RELEASE WORKER ONLY.
 *
 * Each value becomes a code or a coordinate. The core (exact/sums.c) adds it up, and compares
 * integers alone. The only operators of the relation's types that run are those that encode a
 * value. Rows are read in one scan, in parallel if PostgreSQL plans it so (scan_units.c), or are
 * sent as codes by the worker nodes of Citus. If neither is possible, they are
 * fetched one by one.
 */
#include "core/exact/count_kernel.h"
#include "pg/counting/object.h"
#include "pg/server/compat.h"

#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#include "pg/counting/encode.h"
#include "pg/counting/spec.h"
#include "pg/domain/grid.h"
#include "pg/question/asked.h"
#include "pg/server/bridge.h"
#include "pg/server/catalog.h"
#include "pg/server/dpsyn.h"
#include "pg/server/values.h"
#include "pg/worker/scan_units.h"

typedef struct SumColumn
{
	uint32 attribute;
	DpEncoder *encoder; /* NULL: no code is needed */
	DpGridCoder *coder; /* NULL: no coordinate is */
	bool nullable;
} SumColumn;

typedef struct SumScan
{
	DpSumRows rows;
	DpSums *sums;
	SumColumn *column; /* [columns] in the order of the SELECT */
	uint32 columns;
} SumScan;

static void
column_take(SumScan *scan, const SumColumn *column, NullableDatum value)
{
	uint32 a = column->attribute;

	scan->rows.values.present[a] = !value.isnull || !column->nullable;
	if (column->encoder != NULL)
		scan->rows.values.code[a] = dp_encode_value(column->encoder, &value);
	if (column->coder != NULL)
		scan->rows.values.present[a] = dp_grid_measured(column->coder, &value, column->nullable,
														&scan->rows.values.coordinate[a]);
}

/* Adds a row whose values are set. */
static void
take_values(void *taker)
{
	SumScan *scan = taker;
	const DpSumValues *values = &scan->rows.values;
	const DpQuery *query = scan->rows.query;
	uint64 cell;

	cell = dp_domain_cell(scan->rows.domain, query->by_attribute, query->by, values->code);
	dp_sums_add(scan->sums, &(DpSumRow){cell, values->present, values->coordinate, values->code});
}

static void
take_row(void *taker, const Datum *values, const bool *isnull)
{
	SumScan *scan = taker;

	for (uint32 i = 0; i < scan->columns; i++)
		column_take(scan, &scan->column[i],
					(NullableDatum){.value = values[i], .isnull = isnull[i]});
	take_values(scan);
}

static void
end_unit(void *taker)
{
	dp_sums_end_unit(((SumScan *) taker)->sums);
}

/* ---- which columns ---- */

static DpSumRows
rows_of(const DpDomain *domain, const DpQuery *query)
{
	uint32 n = domain->attributes;
	DpSumNeeds needs = {palloc0(n), palloc0(n), palloc0(n)};

	for (uint32 k = 0; k < query->by; k++)
		needs.code[query->by_attribute[k]] = true;
	for (uint32 i = 0; i < query->measures; i++)
	{
		uint32 a = query->measure[i].column;

		if (a == DP_NO_COLUMN)
			continue;
		needs.present[a] = true;
		if (dp_measure_needs_range(query->measure[i].kind))
			needs.coordinate[a] = true;
		else if (query->measure[i].kind == DP_COUNT_DISTINCT)
			needs.code[a] = true;
	}
	return (DpSumRows){.domain = domain,
					   .query = query,
					   .needs = needs,
					   .values = {.present = palloc0(sizeof(bool) * n),
								  .coordinate = palloc0(sizeof(int64) * n),
								  .code = palloc0(sizeof(uint32) * n)}};
}

static void
columns_prepare(SumScan *scan, const DpScan *reader, const uint32 *attribute)
{
	const DpSumNeeds *needs = &scan->rows.needs;
	const DpColumn *column = reader->source->relation->column;
	uint32 *coded = palloc(sizeof(uint32) * (scan->columns + 1)), n = 0;
	Oid *types = palloc(sizeof(Oid) * (scan->columns + 1));
	DpEncoder *encoders;
	DpSpec spec;

	/* a column of which coordinates alone are needed may be of a type that has no codes */
	for (uint32 i = 0; i < scan->columns; i++)
		if (needs->code[attribute[i]])
		{
			types[n] = column[attribute[i]].type;
			coded[n++] = attribute[i];
		}
	dp_spec_domain(scan->rows.domain, column, coded, n, &spec);
	spec.clamps = true;
	encoders = dp_encoders_create(&spec, types, DP_FORM_TYPED);
	scan->column = palloc0(sizeof(SumColumn) * (scan->columns + 1));
	for (uint32 i = 0, k = 0; i < scan->columns; i++)
	{
		uint32 a = attribute[i];

		scan->column[i] = (SumColumn){.attribute = a, .nullable = scan->rows.query->nullable[a]};
		if (needs->code[a])
			scan->column[i].encoder = dp_encoder_at(encoders, k++);
		if (needs->coordinate[a])
			scan->column[i].coder =
				dp_grid_coder(&scan->rows.query->grid[a], column[a].type, column[a].typmod);
	}
}

static void
sums_by_rows(SumScan *scan, DpScan *reader)
{
	const DpSumNeeds *needs = &scan->rows.needs;
	uint32 attributes = scan->rows.domain->attributes;
	uint32 *attribute = palloc(sizeof(uint32) * attributes);
	uint32 *position = palloc(sizeof(uint32) * attributes);
	bool *any = palloc(attributes);

	for (uint32 a = 0; a < attributes; a++)
		any[a] = needs->code[a] || needs->coordinate[a] || needs->present[a];
	scan->columns = dp_scan_list(any, scan->rows.domain, attribute, position);
	if (scan->columns == 0) /* a row must have at least one column */
		attribute[scan->columns++] = 0;
	if (dp_asked_by_select(reader->source->relation))
		dp_scan_prefer_parallel();
	columns_prepare(scan, reader, attribute);
	dp_scan_rows(reader, scan->rows.domain, attribute, scan->columns, take_row, scan->rows.end_unit,
				 scan);
}

/* The rows of a query, read as codes that the worker nodes of Citus send. RELEASE WORKER ONLY. */

/* What is sent for a column. */
typedef enum FieldKind
{
	FIELD_MISSING,   /* 1 where it is NULL, else 0 */
	FIELD_CODE,      /* its level */
	FIELD_COORDINATE /* its offset in the grid; missing follows the last one */
} FieldKind;

typedef struct Field
{
	FieldKind kind;
	uint32 attribute;
	bool nullable;
} Field;

typedef struct SentRows
{
	const DpSumRows *rows;
	Field *field; /* [spec.domain.attributes] */
	DpSpec spec;  /* of one set: the smallest field */
	StringInfoData expressions;
	bool lost; /* the rows exceeded the memory */
} SentRows;

static void
field_take(SentRows *sent, const Field *field, uint32 code)
{
	uint32 a = field->attribute;

	if (field->kind == FIELD_CODE)
	{
		sent->rows->values.code[a] = code;
		return;
	}
	sent->rows->values.present[a] = !field->nullable;
	if (field->kind == FIELD_MISSING)
		sent->rows->values.present[a] |= code == 0;
	else
	{
		const DpGrid *grid = &sent->rows->query->grid[a];

		sent->rows->values.present[a] |= code < dp_grid_size(grid);
		sent->rows->values.coordinate[a] = grid->first + (int64) code;
	}
}

static void
take_sent(void *taker, DpCounts *counts)
{
	SentRows *sent = taker;
	const DpSumRows *to = sent->rows;
	uint32 n = sent->spec.domain.attributes, rows;
	DpCodeCacheReader reader = {.kept = &counts->kept};
	DpCachedColumn *column = palloc0(sizeof(DpCachedColumn) * n);
	uint32 **code = palloc(sizeof(uint32 *) * n);

	sent->lost = counts->kept.lost;
	for (uint32 f = 0; f < n; f++)
	{
		column[f].attribute = f;
		code[f] = palloc(sizeof(uint32) * DP_BATCH_ROWS);
	}
	while (!sent->lost && (rows = dp_code_cache_next(&reader, column, n, code)) > 0)
	{
		CHECK_FOR_INTERRUPTS();
		for (uint32 r = 0; r < rows; r++)
		{
			for (uint32 f = 0; f < n; f++)
				field_take(sent, &sent->field[f], code[f][r]);
			to->take(to->taker);
		}
	}
}

/*
 * Adds a field for the expression that was written. The planner must not know its value: a constant
 * row would be sent as a text that no node can read. Fields have names of their own, since two can
 * be of one column.
 */
static void
field_add(SentRows *sent, FieldKind kind, uint32 attribute, DpAttribute levels)
{
	uint32 f = sent->spec.domain.attributes++;

	sent->field[f] = (Field){kind, attribute, sent->rows->query->nullable[attribute]};
	levels.name = psprintf("%u", f);
	dp_attribute_count_levels(&levels);
	sent->spec.domain.attribute[f] = levels;
	sent->spec.collation[f] = NULL;
}

static void
missing_add(SentRows *sent, uint32 attribute, const char *name)
{
	const char **labels = palloc(2 * sizeof(char *));

	labels[0] = "0";
	labels[1] = "1";
	appendStringInfo(&sent->expressions, ", pg_catalog.num_nulls(%s)", name);
	field_add(sent, FIELD_MISSING, attribute,
			  (DpAttribute){.type = "integer", .labels_n = 2, .labels = labels});
}

/* False: a cell of the grid has several values. */
static bool
coordinate_add(SentRows *sent, uint32 attribute, const DpColumn *column, const char *name)
{
	const DpGrid *grid = &sent->rows->query->grid[attribute];
	DpRange *range = palloc0(sizeof(DpRange));

	if (grid->first > grid->last || dp_grid_size(grid) > DP_GRID_CELLS_MAX)
		return false;
	*range = (DpRange){.grid = *grid, .state = DP_RANGE_CELLS, .bins_max = 1};
	appendStringInfo(&sent->expressions, ", %s", name);
	field_add(sent, FIELD_COORDINATE, attribute,
			  (DpAttribute){.type = dp_type_label(getBaseType(column->type)),
							.kind = DP_BINS,
							.range = range,
							.has_other = sent->rows->query->nullable[attribute]});
	return true;
}

static void
code_add(SentRows *sent, uint32 attribute, const DpColumn *column, const char *name)
{
	DpSpec one;

	dp_spec_domain(sent->rows->domain, column - attribute, &attribute, 1, &one);
	appendStringInfo(&sent->expressions, ", %s", name);
	field_add(sent, FIELD_CODE, attribute, one.domain.attribute[0]);
	sent->spec.collation[sent->spec.domain.attributes - 1] = one.collation[0];
}

/* False: nodes cannot send the needed values of some column. */
static bool
fields_of(SentRows *sent, const DpScan *scan, uint32 a)
{
	const DpSumNeeds *needs = &sent->rows->needs;
	const DpColumn *column = &scan->source->relation->column[a];
	const char *name = quote_identifier(sent->rows->domain->attribute[a].name);

	if (sent->spec.domain.attributes == 0 || !needs->coordinate[a])
		missing_add(sent, a, name);
	if (needs->coordinate[a] && !coordinate_add(sent, a, column, name))
		return false;
	if (needs->code[a])
		code_add(sent, a, column, name);
	return true;
}

/* The same. There is always a field of two levels. */
static bool
fields_prepare(SentRows *sent, const DpScan *scan)
{
	const DpSumNeeds *needs = &sent->rows->needs;
	uint32 attributes = sent->rows->domain->attributes, most = 3 * attributes;

	sent->field = palloc(sizeof(Field) * most);
	sent->spec.domain.attribute = palloc(sizeof(DpAttribute) * most);
	sent->spec.collation = palloc(sizeof(char *) * most);
	initStringInfo(&sent->expressions);
	for (uint32 a = 0; a < attributes; a++)
		if ((needs->code[a] || needs->coordinate[a] || needs->present[a]) &&
			!fields_of(sent, scan, a))
			return false;
	if (sent->spec.domain.attributes == 0 && !fields_of(sent, scan, 0))
		return false;
	return sent->spec.domain.attributes <= DP_ATTRIBUTES_MAX;
}

/* Hands over all rows, read as the current user. False: they cannot be read in this way, and none
 * was handed over. */
static bool
scan_node_values(DpScan *scan, const DpSumRows *rows)
{
	uint32 first = 0;
	DpSpecSet set = {.n = 1, .attribute = &first, .storage = DP_DENSE};
	SentRows sent = {.rows = rows};

	if (dpsyn_row_memory == 0 || !dp_scan_counts_records(scan->source) ||
		!fields_prepare(&sent, scan))
		return false;
	sent.spec.clamps = true;
	sent.spec.keep = dp_scan_keep(scan, true);
	sent.spec.memory_max = dp_counts_memory();
	sent.spec.sets = 1;
	sent.spec.set = &set;
	if (dp_spec_check(&sent.spec, NULL, NULL) != DP_OK)
		return false;
	dp_scan_counts(
		scan, dp_scan_record_statement(dp_scan_clause(scan), sent.expressions.data + strlen(", ")),
		dp_spec_to_bytea(&sent.spec), take_sent, &sent);
	return !sent.lost;
}

DpStatus
dp_scan_sums(void *context, const DpDomain *domain, const DpQuery *query, DpSums *sums,
			 DpError *error)
{
	DpScan *reader = context;
	MemoryContext work =
		AllocSetContextCreate(reader->context, "dpsyn sums", ALLOCSET_DEFAULT_SIZES);
	MemoryContext caller = MemoryContextSwitchTo(work);
	SumScan scan = {.rows = rows_of(domain, query), .sums = sums};
	DpStatus status = DP_OK;
	DpUserContext user_context;

	scan.rows.take = take_values;
	scan.rows.taker = &scan;
	scan.rows.end_unit = sums->by_unit ? end_unit : NULL;
	dp_become_owner(&user_context, reader->owner);
	if (dp_scan_read_units(reader, &scan.rows))
		status = dp_scan_unit_values(reader, &scan.rows);
	else if (sums->by_unit || !scan_node_values(reader, &scan.rows))
		sums_by_rows(&scan, reader);
	dp_unelevate(&user_context);
	MemoryContextSwitchTo(caller);
	MemoryContextDelete(work);
	return status == DP_OK ? DP_OK : dp_fail(error, status, "%s", dp_status_text(status));
}

/* ---- how many rows of a unit ---- */

typedef struct UnitReceiver
{
	int64 *count;
	uint32 classes;
	int64 largest;
} UnitReceiver;

static void
take_units(void *taker, TupleTableSlot *slot)
{
	UnitReceiver *receiver = taker;
	bool isnull;
	Datum largest = slot_getattr(slot, (int) receiver->classes + 1, &isnull);

	receiver->largest = isnull ? 0 : DatumGetInt64(largest);
	for (uint32 i = 0; i < receiver->classes; i++)
		receiver->count[i] = DatumGetInt64(slot_getattr(slot, (int) i + 1, &isnull));
}

/* Counts units whose rows were read. */
static void
count_units(const DpScan *reader, const uint32 *last, uint32 classes, UnitReceiver *into)
{
	const DpScanUnits *units = reader->units;

	for (uint32 u = 0; u < units->rows.units; u++)
	{
		uint32 class = 0;

		while (class + 1 < classes && units->count[u] > last[class])
			class ++;
		into->count[class]++;
		into->largest = Max(into->largest, units->count[u]);
	}
}

DpStatus
dp_scan_units(void *context, const DpDomain *domain, const DpQuery *query, const uint32 *last,
			  uint32 classes, int64 *count, DpError *error)
{
	DpScan *reader = context;
	MemoryContext work =
		AllocSetContextCreate(reader->context, "dpsyn units", ALLOCSET_DEFAULT_SIZES);
	MemoryContext caller = MemoryContextSwitchTo(work);
	DpSumRows rows = rows_of(domain, query);
	UnitReceiver receiver = {count, classes, 0};
	DpUserContext user_context;

	memset(count, 0, sizeof(int64) * classes);
	dp_become_owner(&user_context, reader->owner);
	if (dp_scan_read_units(reader, &rows))
		count_units(reader, last, classes, &receiver);
	else
		dp_scan_one_row(reader, dp_source_units(reader->source, last, classes), take_units,
						&receiver);
	dp_unelevate(&user_context);
	reader->largest_unit = receiver.largest;
	MemoryContextSwitchTo(caller);
	MemoryContextDelete(work);
	return DP_OK;
}

void
dp_scan_bound(void *context, uint32 rows_max)
{
	DpScan *reader = context;
	MemoryContext caller = MemoryContextSwitchTo(reader->context);

	reader->source = dp_source_with_bound(reader->source, rows_max, reader->largest_unit);
	reader->clause = NULL;
	MemoryContextSwitchTo(caller);
}
