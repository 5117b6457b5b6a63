/*
 * scan_sums.c -- statistics of groups of rows. RELEASE WORKER ONLY.
 *
 * Each value becomes a code or a coordinate, and what it adds is decided in the core (exact/sums.c).
 * All comparisons are of integers; no operator of the relation's types runs but those that encode a
 * value. Rows are read in one pass, in parallel where PostgreSQL plans so (scan_units.c); where that
 * cannot be, they come one by one.
 */
#include "pg/server/compat.h"

#include "miscadmin.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#include "pg/counting/encode.h"
#include "pg/counting/spec.h"
#include "pg/domain/grid.h"
#include "pg/server/bridge.h"
#include "pg/server/catalog.h"
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
	const DpDomain *domain;
	const DpQuery *query;
	DpSums *sums;
	SumColumn *column; /* [columns] in the order of the SELECT */
	uint32 columns;
	DpSumValues values; /* of the row at hand */
} SumScan;

static void
column_take(SumScan *scan, const SumColumn *column, NullableDatum value)
{
	uint32 a = column->attribute;

	scan->values.present[a] = !value.isnull || !column->nullable;
	if (column->encoder != NULL)
		scan->values.code[a] = dp_encode_value(column->encoder, &value);
	if (column->coder != NULL)
		scan->values.present[a] =
			dp_grid_measured(column->coder, &value, column->nullable, &scan->values.coordinate[a]);
}

static bool
passes_filter(const SumScan *scan, const DpRowFilter *filter)
{
	uint32 a = filter->attribute;

	if (filter->level != NULL)
		return filter->level[scan->values.code[a]];
	if (filter->missing || !scan->values.present[a])
		return filter->missing && !scan->values.present[a];
	return scan->values.coordinate[a] >= filter->first &&
		   scan->values.coordinate[a] <= filter->last;
}

static bool
row_passes(const SumScan *scan)
{
	for (uint32 i = 0; i < scan->query->filters; i++)
		if (!passes_filter(scan, &scan->query->filter[i]))
			return false;
	return true;
}

/* A row whose values are there. */
static void
take_values(void *taker, const DpSumValues *values)
{
	SumScan *scan = taker;
	uint64 cell;

	if (!row_passes(scan))
		return;
	cell = dp_domain_cell(scan->domain, scan->query->by_attribute, scan->query->by, values->code);
	dp_sums_add(scan->sums, &(DpSumRow){cell, values->present, values->coordinate, values->code});
}

static void
take_row(void *taker, const Datum *values, const bool *isnull)
{
	SumScan *scan = taker;

	for (uint32 i = 0; i < scan->columns; i++)
		column_take(scan, &scan->column[i],
					(NullableDatum){.value = values[i], .isnull = isnull[i]});
	take_values(scan, &scan->values);
}

/* ---- which columns ---- */

static DpSumNeeds
needs_of(const DpDomain *domain, const DpQuery *query)
{
	DpSumNeeds needs = {palloc0(domain->attributes), palloc0(domain->attributes),
						palloc0(domain->attributes)};

	for (uint32 k = 0; k < query->by; k++)
		needs.code[query->by_attribute[k]] = true;
	for (uint32 i = 0; i < query->filters; i++)
		(query->filter[i].level != NULL ? needs.code
										: needs.coordinate)[query->filter[i].attribute] = true;
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
	return needs;
}

static void
columns_prepare(SumScan *scan, const DpScan *reader, const DpSumNeeds *needs,
				const uint32 *attribute)
{
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
	dp_spec_domain(scan->domain, column, coded, n, &spec);
	spec.clamps = true;
	encoders = dp_encoders_create(&spec, types, DP_FORM_TYPED);
	scan->column = palloc0(sizeof(SumColumn) * (scan->columns + 1));
	for (uint32 i = 0, k = 0; i < scan->columns; i++)
	{
		uint32 a = attribute[i];

		scan->column[i] = (SumColumn){.attribute = a, .nullable = scan->query->nullable[a]};
		if (needs->code[a])
			scan->column[i].encoder = dp_encoder_at(encoders, k++);
		if (needs->coordinate[a])
			scan->column[i].coder =
				dp_grid_coder(&scan->query->grid[a], column[a].type, column[a].typmod);
	}
}

static void
sums_by_rows(SumScan *scan, DpScan *reader, const DpSumNeeds *needs)
{
	uint32 attributes = scan->domain->attributes;
	uint32 *attribute = palloc(sizeof(uint32) * attributes);
	uint32 *position = palloc(sizeof(uint32) * attributes);
	bool *any = palloc(attributes);

	for (uint32 a = 0; a < attributes; a++)
		any[a] = needs->code[a] || needs->coordinate[a] || needs->present[a];
	scan->columns = dp_scan_list(any, scan->domain, attribute, position);
	if (scan->columns == 0) /* a row must have something to be read by */
		attribute[scan->columns++] = 0;
	if (reader->source->relation->asked != NULL)
		dp_scan_prefer_parallel();
	columns_prepare(scan, reader, needs, attribute);
	dp_scan_rows(reader, scan->domain, attribute, scan->columns, take_row, scan);
}

DpStatus
dp_scan_sums(void *context, const DpDomain *domain, const DpQuery *query, DpSums *sums,
			 DpError *error)
{
	DpScan *reader = context;
	MemoryContext work =
		AllocSetContextCreate(reader->context, "dpsyn sums", ALLOCSET_DEFAULT_SIZES);
	MemoryContext caller = MemoryContextSwitchTo(work);
	SumScan scan = {.domain = domain,
					.query = query,
					.sums = sums,
					.values = {.present = palloc0(sizeof(bool) * domain->attributes),
							   .coordinate = palloc0(sizeof(int64) * domain->attributes),
							   .code = palloc0(sizeof(uint32) * domain->attributes)}};
	DpSumNeeds needs = needs_of(domain, query);
	DpStatus status = DP_OK;
	DpUserContext user_context;

	dp_become_owner(&user_context, reader->owner);
	if (dp_scan_read_units(reader, domain, query, &needs))
		status = dp_scan_unit_values(reader, &scan.values, take_values, &scan);
	else
		sums_by_rows(&scan, reader, &needs);
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

/* Of units whose rows were read. */
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
	DpSumNeeds needs = needs_of(domain, query);
	UnitReceiver receiver = {count, classes, 0};
	DpUserContext user_context;

	memset(count, 0, sizeof(int64) * classes);
	dp_become_owner(&user_context, reader->owner);
	if (dp_scan_read_units(reader, domain, query, &needs))
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
