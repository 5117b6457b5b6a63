/*
 * scan_sums.c -- statistics of groups of rows. RELEASE WORKER ONLY.
 *
 * Rows come one by one. Each value becomes a code or a coordinate, and what it adds is decided in
 * the core (exact/sums.c). All comparisons are of integers; no operator of the relation's types
 * runs but those that encode a value.
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
#include "pg/worker/scan.h"

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
	bool *present;     /* [attributes] of the row at hand */
	int64 *coordinate; /* [attributes] */
	uint32 *code;      /* [attributes] */
} SumScan;

/*
 * NaN and infinities have no coordinate. They count as missing where the column has a level for
 * that, else as the nearer end, so that every row of a column without NULL counts: the sensitivity
 * of a query rests on that. A value can be missing there all the same, as the distance between two
 * columns, or where a domain says NOT NULL: then it counts as the lowest, as it does in contingency
 * tables.
 */
static void
column_take(SumScan *scan, const SumColumn *column, Datum value, bool isnull)
{
	uint32 a = column->attribute;

	scan->present[a] = !isnull || !column->nullable;
	if (column->encoder != NULL)
		scan->code[a] =
			dp_encode_value(column->encoder, &(NullableDatum){.value = value, .isnull = isnull});
	if (column->coder != NULL && isnull)
		scan->coordinate[a] = scan->query->grid[a].first;
	else if (column->coder != NULL)
	{
		bool has_coordinate = dp_grid_coordinate(column->coder, value, &scan->coordinate[a]);

		scan->present[a] = has_coordinate || !column->nullable;
	}
}

static bool
passes_filter(const SumScan *scan, const DpRowFilter *filter)
{
	uint32 a = filter->attribute;

	if (filter->level != NULL)
		return filter->level[scan->code[a]];
	if (filter->missing || !scan->present[a])
		return filter->missing && !scan->present[a];
	return scan->coordinate[a] >= filter->first && scan->coordinate[a] <= filter->last;
}

static bool
row_passes(const SumScan *scan)
{
	for (uint32 i = 0; i < scan->query->filters; i++)
		if (!passes_filter(scan, &scan->query->filter[i]))
			return false;
	return true;
}

static void
take_row(void *taker, const Datum *values, const bool *isnull)
{
	SumScan *scan = taker;
	uint64 cell;

	for (uint32 i = 0; i < scan->columns; i++)
		column_take(scan, &scan->column[i], values[i], isnull[i]);
	if (!row_passes(scan))
		return;
	cell = dp_domain_cell(scan->domain, scan->query->by_attribute, scan->query->by, scan->code);
	dp_sums_add(scan->sums, &(DpSumRow){cell, scan->present, scan->coordinate, scan->code});
}

static void
end_unit(void *taker)
{
	dp_sums_end_unit(((SumScan *) taker)->sums);
}

/* ---- which columns ---- */

typedef struct Needs
{
	bool *code;       /* [attributes] */
	bool *coordinate; /* [attributes] */
	bool *any;        /* [attributes] */
} Needs;

static Needs
needs_of(const DpDomain *domain, const DpQuery *query)
{
	Needs needs = {palloc0(domain->attributes), palloc0(domain->attributes),
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
		needs.any[a] = true;
		if (dp_measure_needs_range(query->measure[i].kind))
			needs.coordinate[a] = true;
		else if (query->measure[i].kind == DP_COUNT_DISTINCT)
			needs.code[a] = true;
	}
	for (uint32 a = 0; a < domain->attributes; a++)
		needs.any[a] = needs.any[a] || needs.code[a] || needs.coordinate[a];
	return needs;
}

static void
columns_prepare(SumScan *scan, const DpScan *reader, const Needs *needs, const uint32 *attribute)
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
					.present = palloc0(sizeof(bool) * domain->attributes),
					.coordinate = palloc0(sizeof(int64) * domain->attributes),
					.code = palloc0(sizeof(uint32) * domain->attributes)};
	uint32 *attribute = palloc(sizeof(uint32) * domain->attributes);
	uint32 *position = palloc(sizeof(uint32) * domain->attributes);
	Needs needs = needs_of(domain, query);
	DpUserContext user_context;

	scan.columns = dp_scan_list(needs.any, domain, attribute, position);
	if (scan.columns == 0) /* a row must have something to be read by */
		attribute[scan.columns++] = 0;
	dp_become_owner(&user_context, reader->owner);
	if (reader->source->relation->asked != NULL)
		dp_scan_prefer_parallel();
	columns_prepare(&scan, reader, &needs, attribute);
	dp_scan_rows(reader, domain, attribute, scan.columns, take_row, sums->by_unit ? end_unit : NULL,
				 &scan);
	dp_unelevate(&user_context);
	MemoryContextSwitchTo(caller);
	MemoryContextDelete(work);
	return DP_OK;
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

DpStatus
dp_scan_units(void *context, const uint32 *last, uint32 classes, int64 *count, DpError *error)
{
	DpScan *reader = context;
	UnitReceiver receiver = {count, classes, 0};
	DpUserContext user_context;

	memset(count, 0, sizeof(int64) * classes);
	dp_become_owner(&user_context, reader->owner);
	dp_scan_one_row(reader, dp_source_units(reader->source, last, classes), take_units, &receiver);
	dp_unelevate(&user_context);
	reader->largest_unit = receiver.largest;
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
