/*
 * query.c -- measures, groups and filters of method query, against the columns of a relation.
 *
 * Nothing of it becomes SQL: names are looked up among the columns, and constants are read by the
 * input functions of built-in types.
 */
#include "pg/domain/query.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/date.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"
#include "utils/numeric.h"
#include "utils/timestamp.h"

#include "core/domain/measure_text.h"
#include "pg/domain/columns_above.h"
#include "pg/domain/grid.h"
#include "pg/domain/levels.h"
#include "pg/server/bridge.h"
#include "pg/server/catalog.h"
#include "pg/server/json.h"
#include "pg/server/values.h"

#define STEPS_MAX 3e10 /* of a range whose type does not say what it can tell apart */

/* ---- ranges ---- */

static Datum
numeric_of(const char *text)
{
	return DirectFunctionCall3(numeric_in, CStringGetDatum(text), ObjectIdGetDatum(InvalidOid),
							   Int32GetDatum(-1));
}

/* A number in steps of 10^-digits, rounded down. False: it does not fit. */
static bool
steps_of(const char *text, int digits, int64 *steps)
{
	Datum power = numeric_of(psprintf("1e%d", digits));
	Datum scaled = DirectFunctionCall1(numeric_floor,
									   DirectFunctionCall2(numeric_mul, numeric_of(text), power));
	double size = DatumGetFloat8(DirectFunctionCall1(numeric_float8_no_overflow, scaled));

	if (!(fabs(size) < 4e18))
		return false;
	*steps = DatumGetInt64(DirectFunctionCall1(numeric_int8, scaled));
	return true;
}

/* Bins are in order of their values, categories in any. Adds a value's coordinate to those of others. */
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

	*grid = (DpGrid){.kind = DP_GRID_NUMBER,
					 .first = PG_INT64_MAX,
					 .last = PG_INT64_MIN,
					 .step = 1,
					 .digits = digits};
	for (uint32 i = 0; i < attribute->labels_n; i++)
	{
		if (!steps_of(attribute->labels[i], digits, &coordinate))
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
	if (attribute->open || attribute->labels_n < 2)
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

/* The members of the filter's object. */
static List *
filter_columns(Jsonb *json)
{
	JsonbValue *filter = dp_json_member(&json->root, "filter");
	JsonbIterator *iterator;
	JsonbIteratorToken token;
	JsonbValue value;
	List *names = NIL;

	if (filter == NULL || filter->type == jbvNull)
		return NIL;
	if (!dp_json_is_object(filter))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("a filter must be an object of columns"),
						errhint("Write {\"sex\": \"f\", \"age\": [18, 40]}.")));
	iterator = JsonbIteratorInit(filter->val.binary.data);
	while ((token = JsonbIteratorNext(&iterator, &value, true)) != WJB_DONE)
		if (token == WJB_KEY)
			names = lappend(names, pnstrdup(value.val.string.val, value.val.string.len));
	return names;
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

/* The columns that measures, groups and filter name. There is room for one more. */
static DpNameList
names_needed(const DpOptions *options, Jsonb *json)
{
	const DpNameList *measures = names_of(options, "measures");
	const DpNameList *by = names_of(options, "by");
	DpNameList needed = {0};
	List *filtered = filter_columns(json);
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
		needed.name[needed.n++] = lfirst(cell);
	return needed;
}

void
dp_query_restrict(DpRelation *relation, const DpDataset *dataset, const DpOptions *options,
				  Jsonb *json)
{
	DpNameList needed = names_needed(options, json);
	DpOption option = {.name = "attributes", .kind = DP_VALUE_LIST, .lists = 1, .list = &needed};

	for (uint32 i = 0; i < needed.n; i++)
		dp_column_above_add(relation, dataset, needed.name[i]);
	if (needed.n == 0)
		take_any_column(relation);
	if (needed.n == 0 && first_with_levels(relation) != NULL)
		needed.name[needed.n++] = first_with_levels(relation);
	dp_relation_restrict(relation, &(DpOptions){.n = 1, .option = &option});
}

/* ---- the filter ---- */

static DP_NORETURN void
refuse_filter(const DpAttribute *attribute)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("column \"%s\" cannot be filtered in this way", attribute->name),
			 attribute->kind == DP_BINS
				 ? errhint("Write [from, to]: from is included and to is not, but for the end of "
						   "the range; null is no bound.")
				 : errhint("Write one of its levels, or a list of them. NULL is none.")));
}

/* The text of a level as the column's type prints it. */
static const char *
canonical(const DpColumn *column, char *text)
{
	Oid type = getBaseType(column->type);

	if (type == BOOLOID)
		return dp_value_out(dp_value_in(text, type, -1), type);
	return text;
}

static void
allow_level(const DpAttribute *attribute, const DpColumn *column, DpLevels *levels,
			const JsonbValue *value, bool *allowed)
{
	char *text = dp_json_text(value);
	int64 code = text == NULL ? -1 : dp_level_find(attribute, levels, canonical(column, text));

	if (text == NULL)
		refuse_filter(attribute);
	if (code < 0)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("column \"%s\" has no level \"%s\"", attribute->name, text),
						errhint("The view dp_columns lists its levels.")));
	allowed[code] = true;
}

static void
filter_levels(const DpAttribute *attribute, const DpColumn *column, JsonbValue *value,
			  DpRowFilter *filter)
{
	bool *allowed = palloc0(sizeof(bool) * attribute->levels);
	DpLevels levels = {0};

	filter->level = allowed;
	if (!dp_json_is_array(value))
	{
		allow_level(attribute, column, &levels, value, allowed);
		return;
	}
	for (uint32 i = 0; i < JsonContainerSize(value->val.binary.data); i++)
		allow_level(attribute, column, &levels,
					getIthJsonbValueFromContainer(value->val.binary.data, i), allowed);
}

/* The coordinate of a constant; fallback for null. */
static int64
bound_of(const DpAttribute *attribute, const DpColumn *column, const DpGrid *grid,
		 const JsonbValue *value, int64 fallback)
{
	Oid type = getBaseType(column->type);
	char *text = dp_json_text(value);
	int64 coordinate;

	if (value == NULL || value->type == jbvNull)
		return fallback;
	if (text == NULL)
		refuse_filter(attribute);
	/* a bound may be no value of an integer type */
	if (grid->kind == DP_GRID_NUMBER)
	{
		if (!steps_of(text, grid->digits, &coordinate))
			refuse_filter(attribute);
		return coordinate;
	}
	if (!dp_grid_coordinate(dp_grid_coder(grid, type, -1), dp_value_in(text, type, -1),
							&coordinate))
		refuse_filter(attribute);
	return coordinate;
}

static void
filter_range(const DpAttribute *attribute, const DpColumn *column, const DpGrid *grid,
			 JsonbValue *value, DpRowFilter *filter)
{
	if (!dp_json_is_array(value))
	{
		if (value->type == jbvNull)
			refuse_filter(attribute);
		filter->first = filter->last = bound_of(attribute, column, grid, value, 0);
		return;
	}
	if (JsonContainerSize(value->val.binary.data) != 2)
		refuse_filter(attribute);
	filter->first = bound_of(attribute, column, grid,
							 getIthJsonbValueFromContainer(value->val.binary.data, 0), grid->first);
	filter->last = bound_of(attribute, column, grid,
							getIthJsonbValueFromContainer(value->val.binary.data, 1), grid->last);
	if (filter->last < grid->last)
		filter->last--;
}

static void
filter_read(const DpRelation *relation, Jsonb *json, DpQuery *query)
{
	List *names = filter_columns(json);
	JsonbValue *object = dp_json_member(&json->root, "filter");
	ListCell *cell;

	query->filter = palloc0(sizeof(DpRowFilter) * (list_length(names) + 1));
	foreach (cell, names)
	{
		uint32 a = dp_relation_attribute(relation, lfirst(cell));
		const DpAttribute *attribute = &relation->domain.attribute[a];
		JsonbValue *value = dp_json_member(object->val.binary.data, lfirst(cell));
		DpRowFilter *filter = &query->filter[query->filters++];

		filter->attribute = a;
		if (attribute->open || (attribute->range != NULL && !dp_query_has_range(query, a)))
			refuse_filter(attribute);
		if (attribute->kind == DP_BINS && dp_query_has_range(query, a))
			filter_range(attribute, &relation->column[a], &query->grid[a], value, filter);
		else
			filter_levels(attribute, &relation->column[a], value, filter);
	}
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

/* Bins of a range that groups, or is to be narrowed, are found by the release, at its range_share. */
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
	filter_read(relation, json, query);
	dp_values_end(level);
	merge_ranges(relation, query, is_set(options, "narrow"));
	return query;
}
