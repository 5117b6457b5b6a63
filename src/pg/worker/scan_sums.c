/*
 * scan_sums.c -- statistics of groups of rows. RELEASE WORKER ONLY.
 *
 * Rows come one by one. Each value becomes a code or a coordinate, and what it adds is decided in
 * the core (exact/sums.c). All comparisons are of integers; no operator of the relation's types
 * runs but those that encode a value.
 *
 * Worker nodes of Citus send the codes of their rows, which are a few bytes, as they do for what finds
 * bins (scan_code_cache.c). A coordinate is the code of a cell then, so that each value of its grid
 * must be a cell. Otherwise rows are fetched and encoded here.
 */
#include "pg/server/compat.h"

#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#include "core/exact/count_kernel.h"
#include "pg/counting/encode.h"
#include "pg/counting/object.h"
#include "pg/counting/spec.h"
#include "pg/domain/grid.h"
#include "pg/server/bridge.h"
#include "pg/server/catalog.h"
#include "pg/server/dpsyn.h"
#include "pg/server/values.h"
#include "pg/worker/scan.h"

typedef struct SumColumn
{
	uint32 attribute;
	DpEncoder *encoder; /* NULL: no code is needed */
	DpGridCoder *coder; /* NULL: no coordinate is */
	bool nullable;
} SumColumn;

typedef struct Needs
{
	bool *code;       /* [attributes] */
	bool *coordinate; /* [attributes] */
	bool *any;        /* [attributes] */
} Needs;

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
row_add(SumScan *scan)
{
	uint64 cell;

	if (!row_passes(scan))
		return;
	cell = dp_domain_cell(scan->domain, scan->query->by_attribute, scan->query->by, scan->code);
	dp_sums_add(scan->sums, &(DpSumRow){cell, scan->present, scan->coordinate, scan->code});
}

static void
take_row(void *taker, const Datum *values, const bool *isnull)
{
	SumScan *scan = taker;

	for (uint32 i = 0; i < scan->columns; i++)
		column_take(scan, &scan->column[i], values[i], isnull[i]);
	row_add(scan);
}

/* ---- rows that nodes send as codes ---- */

/* What is sent of a column. */
typedef enum FieldKind
{
	FIELD_MISSING,   /* 1 where it is NULL, else 0 */
	FIELD_CODE,      /* its level */
	FIELD_COORDINATE /* from the first one of its grid; a value that has none follows the last one */
} FieldKind;

typedef struct Field
{
	FieldKind kind;
	uint32 attribute;
	bool nullable;
} Field;

typedef struct SentRows
{
	SumScan *scan;
	Field *field; /* [spec.domain.attributes] */
	DpSpec spec;  /* of one set, of the field that is smallest */
	StringInfoData expressions;
	bool lost; /* there were too many rows to be kept */
} SentRows;

static void
field_take(SumScan *scan, const Field *field, uint32 code)
{
	uint32 a = field->attribute;

	if (field->kind == FIELD_CODE)
	{
		scan->code[a] = code;
		return;
	}
	scan->present[a] = !field->nullable;
	if (field->kind == FIELD_MISSING)
		scan->present[a] |= code == 0;
	else
	{
		const DpGrid *grid = &scan->query->grid[a];

		scan->present[a] |= code < dp_grid_size(grid);
		scan->coordinate[a] = grid->first + (int64) code;
	}
}

static void
take_sent(void *taker, DpCounts *counts)
{
	SentRows *sent = taker;
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
				field_take(sent->scan, &sent->field[f], code[f][r]);
			row_add(sent->scan);
		}
	}
}

/* Adds a field, whose expression was written: no planner may know its value, or the row could become a
 * constant, which would be sent as a text that nothing reads. Fields have names of their own, since two can be of one
 * column. */
static void
field_add(SentRows *sent, FieldKind kind, uint32 attribute, DpAttribute levels)
{
	uint32 f = sent->spec.domain.attributes++;

	sent->field[f] = (Field){kind, attribute, sent->scan->query->nullable[attribute]};
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
	const DpGrid *grid = &sent->scan->query->grid[attribute];
	DpRange *range = palloc0(sizeof(DpRange));

	if (grid->first > grid->last || dp_grid_size(grid) > DP_GRID_CELLS_MAX)
		return false;
	*range = (DpRange){.grid = *grid, .state = DP_RANGE_CELLS, .bins_max = 1};
	appendStringInfo(&sent->expressions, ", %s", name);
	field_add(sent, FIELD_COORDINATE, attribute,
			  (DpAttribute){.type = dp_type_label(getBaseType(column->type)),
							.kind = DP_BINS,
							.range = range,
							.has_other = sent->scan->query->nullable[attribute]});
	return true;
}

static void
code_add(SentRows *sent, uint32 attribute, const DpColumn *column, const char *name)
{
	DpSpec one;

	dp_spec_domain(sent->scan->domain, column - attribute, &attribute, 1, &one);
	appendStringInfo(&sent->expressions, ", %s", name);
	field_add(sent, FIELD_CODE, attribute, one.domain.attribute[0]);
	sent->spec.collation[sent->spec.domain.attributes - 1] = one.collation[0];
}

/* False: nodes cannot send what is needed of some column. There is always a field of two levels. */
static bool
fields_prepare(SentRows *sent, const DpScan *reader, const Needs *needs, const uint32 *attribute)
{
	uint32 most = 3 * sent->scan->columns;

	*sent = (SentRows){.scan = sent->scan, .field = palloc(sizeof(Field) * most)};
	sent->spec.domain.attribute = palloc(sizeof(DpAttribute) * most);
	sent->spec.collation = palloc(sizeof(char *) * most);
	initStringInfo(&sent->expressions);
	for (uint32 i = 0; i < sent->scan->columns; i++)
	{
		uint32 a = attribute[i];
		const DpColumn *column = &reader->source->relation->column[a];
		const char *name = quote_identifier(sent->scan->domain->attribute[a].name);

		if (i == 0 || !needs->coordinate[a])
			missing_add(sent, a, name);
		if (needs->coordinate[a] && !coordinate_add(sent, a, column, name))
			return false;
		if (needs->code[a])
			code_add(sent, a, column, name);
	}
	return sent->spec.domain.attributes <= DP_ATTRIBUTES_MAX;
}

/* False: nothing was read. */
static bool
sums_of_nodes(SumScan *scan, DpScan *reader, const Needs *needs, const uint32 *attribute)
{
	uint32 first = 0;
	DpSpecSet set = {.n = 1, .attribute = &first, .storage = DP_DENSE};
	SentRows sent = {.scan = scan};

	if (dpsyn_row_memory == 0 || !dp_scan_counts_records(reader->source) ||
		!fields_prepare(&sent, reader, needs, attribute))
		return false;
	sent.spec.clamps = true;
	sent.spec.keep = dp_scan_keep(reader, true);
	sent.spec.memory_max = dp_counts_memory();
	sent.spec.sets = 1;
	sent.spec.set = &set;
	if (dp_spec_check(&sent.spec, NULL, NULL) != DP_OK)
		return false;
	dp_scan_counts(
		reader,
		dp_scan_record_statement(dp_scan_clause(reader), sent.expressions.data + strlen(", ")),
		dp_spec_to_bytea(&sent.spec), take_sent, &sent);
	return !sent.lost;
}

/* ---- which columns ---- */

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
	if (!sums_of_nodes(&scan, reader, &needs, attribute))
	{
		columns_prepare(&scan, reader, &needs, attribute);
		dp_scan_rows(reader, domain, attribute, scan.columns, take_row, &scan);
	}
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
