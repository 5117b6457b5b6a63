/*
 * query.c -- measures and groups of method query, against the columns of a relation.
 *
 * Nothing of it becomes SQL: names are looked up among the columns.
 */
#include "pg/domain/query.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "utils/lsyscache.h"

#include "core/domain/measure_text.h"
#include "pg/domain/ancestor_columns.h"
#include "pg/domain/grid.h"
#include "pg/domain/predicate.h"
#include "pg/domain/query_filter.h"
#include "pg/server/bridge.h"
#include "pg/server/catalog.h"
#include "pg/server/values.h"

#define STEPS_MAX 3e10 /* of a range whose type does not say what it can tell apart */

/* ---- ranges ---- */

/* Bins are in order of their values, categories in any. Adds a value's coordinate to those of
 * others. */
static void
widen(DpGrid *grid, int64 coordinate)
{
	grid->first = Min(grid->first, coordinate);
	grid->last = Max(grid->last, coordinate);
}

/* The digits after the point that a number of this type has, where it says so; else as many as make
 * some 10^10 steps of the range. */
static int
digits_of(const DpAttribute *attribute, const DpColumn *column)
{
	int32 typmod = column->typmod;
	double low = INFINITY, high = -INFINITY, digits;

	if (getBaseTypeAndTypmod(column->type, &typmod) == NUMERICOID && typmod >= (int32) VARHDRSZ)
		return Max((((typmod - VARHDRSZ) & 0x7ff) ^ 1024) - 1024, 0);
	for (uint32 i = 0; i < attribute->labels_n; i++)
	{
		low = Min(low, strtod(attribute->labels[i], NULL));
		high = Max(high, strtod(attribute->labels[i], NULL));
	}
	digits = floor(log10(STEPS_MAX / Max(high - low, 1e-25)));
	return (int) Max(Min(digits, 24), -24);
}

static bool
grid_of_numbers(const DpAttribute *attribute, int digits, DpGrid *grid)
{
	int64 coordinate;
	bool exact;

	*grid = (DpGrid){.kind = DP_GRID_NUMBER,
					 .first = PG_INT64_MAX,
					 .last = PG_INT64_MIN,
					 .step = 1,
					 .digits = digits};
	for (uint32 i = 0; i < attribute->labels_n; i++)
	{
		if (!dp_grid_steps(attribute->labels[i], digits, &coordinate, &exact))
			return false;
		widen(grid, coordinate);
	}
	return true;
}

static void
grid_of_words(const DpAttribute *attribute, Oid type, DpGrid *grid)
{
	*grid = (DpGrid){
		.kind = dp_grid_kind_of(type), .first = PG_INT64_MAX, .last = PG_INT64_MIN, .step = 1};
	for (uint32 i = 0; i < attribute->labels_n; i++)
		widen(grid, dp_value_word(dp_value_in(attribute->labels[i], type, -1), type));
}

/* The grid of a range in its raw units, so that filters end where they say. */
static bool
grid_of_range(const DpGrid *range, DpGrid *grid)
{
	DpError error = {0};

	*grid = *range;
	grid->step = 1;
	return !__builtin_mul_overflow(range->first, range->step, &grid->first) &&
		   !__builtin_mul_overflow(range->last, range->step, &grid->last) &&
		   dp_grid_check(grid, &error) == DP_OK;
}

bool
dp_column_grid(const DpAttribute *attribute, const DpColumn *column, DpGrid *grid)
{
	static const DpGrid none = {.first = 1, .last = 0, .step = 1};
	Oid type = getBaseType(column->type);
	DpError error = {0};
	int level;

	if (attribute->range != NULL && grid_of_range(&attribute->range->grid, grid))
		return true;
	*grid = none;
	if (attribute->open || attribute->labels_n < (attribute->kind == DP_BINS ? 2 : 1))
		return false;
	level = dp_values_begin();
	switch (type)
	{
		case INT2OID:
		case INT4OID:
		case INT8OID:
			if (!grid_of_numbers(attribute, 0, grid))
				*grid = none;
			break;
		case NUMERICOID:
		case FLOAT4OID:
		case FLOAT8OID:
			if (!grid_of_numbers(attribute, digits_of(attribute, column), grid))
				*grid = none;
			break;
		case DATEOID:
		case TIMESTAMPOID:
		case TIMESTAMPTZOID:
			grid_of_words(attribute, type, grid);
			break;
		default:
			break;
	}
	dp_values_end(level);
	if (grid->first <= grid->last && dp_grid_check(grid, &error) == DP_OK)
		return true;
	*grid = none;
	return false;
}

/* ---- names ---- */

static const DpNameList *
names_of(const DpOptions *options, const char *name)
{
	static const DpNameList none = {0};
	const DpOption *option = dp_option_lists(options, name);

	return option != NULL && option->kind == DP_VALUE_LIST && option->lists == 1 ? &option->list[0]
																				 : &none;
}

static DpMeasure
measure_of(const char *text, const char **column)
{
	DpArena arena = dp_arena_for(CurrentMemoryContext);
	DpError error = {0};
	DpMeasure measure;

	if (dp_measure_read(text, &measure, column, &arena, &error) != DP_OK)
		dp_raise(&error);
	return measure;
}

static const char *
first_with_levels(const DpRelation *relation)
{
	for (uint32 i = 0; i < relation->domain.attributes; i++)
		if (!relation->domain.attribute[i].open)
			return relation->domain.attribute[i].name;
	return relation->domain.attributes > 0 ? relation->domain.attribute[0].name : NULL;
}

/* Rows can be counted where no column has a public domain: any one stands for them, as a column of
 * which nothing is known and nothing is read. */
static void
take_any_column(DpRelation *relation)
{
	DpUnmodelled *any = relation->unmodelled == NIL ? NULL : linitial(relation->unmodelled);

	if (any == NULL || relation->domain.attributes > 0)
		return;
	relation->domain.attribute[0] =
		(DpAttribute){.name = any->name, .type = "text", .has_other = true};
	dp_attribute_count_levels(&relation->domain.attribute[0]);
	relation->column[0] = (DpColumn){.number = any->number,
									 .type = any->type,
									 .typmod = any->typmod,
									 .collation = any->collation,
									 .own_type = any->type};
	relation->domain.attributes = 1;
}

/* The columns that measures, groups and filter name. There is space for one more. */
static DpNameList
names_needed(const DpOptions *options, Jsonb *json)
{
	const DpNameList *measures = names_of(options, "measures");
	const DpNameList *by = names_of(options, "by");
	DpNameList needed = {0};
	List *filtered = dp_query_filter_members(json);
	ListCell *cell;

	needed.name = palloc(sizeof(char *) * (measures->n + by->n + list_length(filtered) + 1));
	for (uint32 i = 0; i < measures->n; i++)
	{
		const char *column;

		(void) measure_of(measures->name[i], &column);
		if (column != NULL)
			needed.name[needed.n++] = column;
	}
	for (uint32 i = 0; i < by->n; i++)
		needed.name[needed.n++] = by->name[i];
	foreach (cell, filtered)
		needed.name[needed.n++] = ((DpMember *) lfirst(cell))->column;
	return needed;
}

void
dp_query_restrict(DpRelation *relation, const DpDataset *dataset, const DpOptions *options,
				  Jsonb *json)
{
	DpNameList needed = names_needed(options, json);
	DpOption option = {.name = "columns", .kind = DP_VALUE_LIST, .lists = 1, .list = &needed};

	for (uint32 i = 0; i < needed.n; i++)
		dp_column_above_add(relation, dataset, needed.name[i]);
	if (needed.n == 0)
		take_any_column(relation);
	if (needed.n == 0 && first_with_levels(relation) != NULL)
		needed.name[needed.n++] = first_with_levels(relation);
	dp_relation_restrict(relation, &(DpOptions){.n = 1, .option = &option});
}

/* ---- measures and groups ---- */

static void
check_measure(const DpRelation *relation, const DpQuery *query, const DpMeasure *measure)
{
	const DpAttribute *attribute = &relation->domain.attribute[measure->column];

	if (attribute->open)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("open column \"%s\" can only group", attribute->name),
				 errdetail("Nothing is known of its values, so that a sum of them has no bound."),
				 errhint("Name it in \"by\". Its custodian can declare a range or categories "
						 "with dp_define_column.")));
	if (measure->kind == DP_COUNT_DISTINCT && attribute->kind == DP_BINS)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("distinct values of column \"%s\" cannot be counted", attribute->name),
				 errhint("Only columns with categories have a bound of them.")));
	if (!dp_measure_needs_range(measure->kind))
		return;
	if (!dp_query_has_range(query, measure->column))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("column \"%s\" has no public range", attribute->name),
				 errdetail("Values are clamped to a range, which bounds what one row can "
						   "change."),
				 errhint("Its custodian can declare a range, bins or categories of numbers or "
						 "dates with dp_define_column.")));
	if (measure->kind == DP_SUM && query->grid[measure->column].kind != DP_GRID_NUMBER)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("column \"%s\" has no numbers to add up", attribute->name),
						errhint("Of times, ask for avg or a quantile.")));
}

static void
measures_read(const DpRelation *relation, const DpNameList *names, DpQuery *query)
{
	if (names->n > DP_MEASURES_MAX)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("a query has at most %d measures", DP_MEASURES_MAX)));
	query->measure = palloc0(sizeof(DpMeasure) * (names->n + 1));
	for (uint32 i = 0; i < names->n; i++)
	{
		const char *column;
		DpMeasure measure = measure_of(names->name[i], &column);

		if (column != NULL)
		{
			measure.column = dp_relation_attribute(relation, column);
			check_measure(relation, query, &measure);
		}
		query->measure[query->measures++] = measure;
	}
}

/* ---- ranges whose bins nobody needs ---- */

/* A range is one bin to a query, so that nothing is paid for finding bins of it. */
static void
merge_bins(DpAttribute *attribute, const DpColumn *column)
{
	attribute->labels = palloc(sizeof(char *) * 2);
	attribute->labels[0] = column->low;
	attribute->labels[1] = column->high;
	attribute->labels_n = 2;
	attribute->range = NULL;
	dp_attribute_count_levels(attribute);
}

static bool
groups_by(const DpQuery *query, uint32 attribute)
{
	for (uint32 i = 0; i < query->by; i++)
		if (query->by_attribute[i] == attribute)
			return true;
	return false;
}

static bool
measures_values_of(const DpQuery *query, uint32 attribute)
{
	for (uint32 i = 0; i < query->measures; i++)
		if (query->measure[i].column == attribute && dp_measure_needs_range(query->measure[i].kind))
			return true;
	return false;
}

static bool
is_set(const DpOptions *options, const char *name)
{
	for (uint32 i = 0; i < options->n; i++)
		if (strcmp(options->option[i].name, name) == 0)
			return options->option[i].kind == DP_VALUE_BOOLEAN && options->option[i].flag;
	return false;
}

/* Noise that hides values of so wide a range would leave nothing of a sum. */
static void
check_assumed(const DpAttribute *attribute, const DpColumn *column)
{
	if (column->source != NULL && strcmp(column->source, "assumed") == 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("column \"%s\" has an assumed range alone", attribute->name),
				 errdetail("Nothing says which values it can have, and noise for all that its "
						   "type has would be far larger than the answer."),
				 errhint("Ask with narrow => true, or its custodian can declare a range with "
						 "dp_define_column.")));
}

/* Bins of a range that groups, or is to be narrowed, are found by the release, at its
 * range_share. */
static void
merge_ranges(DpRelation *relation, const DpQuery *query, bool narrow)
{
	for (uint32 a = 0; a < relation->domain.attributes; a++)
	{
		DpAttribute *attribute = &relation->domain.attribute[a];

		if (!narrow && measures_values_of(query, a))
			check_assumed(attribute, &relation->column[a]);
		if (attribute->range == NULL || groups_by(query, a) ||
			(narrow && measures_values_of(query, a)))
			continue;
		if (!dp_query_has_range(query, a))
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("column \"%s\" has a range that a query cannot use", attribute->name),
					 errhint("Its custodian can declare bins with dp_define_column.")));
		merge_bins(attribute, &relation->column[a]);
	}
}

DpQuery *
dp_query_read(DpRelation *relation, const DpOptions *options, Jsonb *json)
{
	const DpDomain *domain = &relation->domain;
	const DpNameList *by = names_of(options, "by");
	DpQuery *query = palloc0(sizeof(DpQuery));
	DpGrid *grid = palloc0(sizeof(DpGrid) * Max(domain->attributes, 1));
	bool *nullable = palloc0(sizeof(bool) * Max(domain->attributes, 1));
	int level = dp_values_begin();

	for (uint32 a = 0; a < domain->attributes; a++)
	{
		(void) dp_column_grid(&domain->attribute[a], &relation->column[a], &grid[a]);
		nullable[a] = domain->attribute[a].has_other;
	}
	query->grid = grid;
	query->nullable = nullable;
	query->by_attribute = palloc0(sizeof(uint32) * (by->n + 1));
	for (uint32 i = 0; i < by->n; i++)
		query->by_attribute[query->by++] = dp_relation_attribute(relation, by->name[i]);
	measures_read(relation, names_of(options, "measures"), query);
	dp_query_filter_read(relation, json, query);
	query->selects = query->filters > 0;
	dp_values_end(level);
	merge_ranges(relation, query, is_set(options, "narrow"));
	return query;
}
