/*
 * query_filter.c -- which rows a query counts.
 *
 * Nothing of it becomes SQL: names are looked up among the columns, and constants are read by the
 * input functions of built-in types.
 *
 * What is written arrives whole or is refused, before anything is paid. A filter that leaves no row
 * whatever the data are is refused, too. null means the rows of the cell that null stands for among
 * groups: those with NULL and, where categories are not declared complete, with a value that is
 * not listed.
 */
#include "pg/domain/query_filter.h"

#include "catalog/pg_type.h"
#include "utils/lsyscache.h"

#include "pg/domain/grid.h"
#include "pg/domain/levels.h"
#include "pg/server/json.h"
#include "pg/server/values.h"

List *
dp_query_filter_columns(Jsonb *json)
{
	JsonbValue *filter = dp_json_member(&json->root, "filter");
	JsonbIterator *iterator;
	JsonbIteratorToken token;
	JsonbValue value;
	List *names = NIL;

	if (filter == NULL)
		return NIL;
	if (!dp_json_is_object(filter))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("a filter must be an object of columns"),
						errhint("Write {\"sex\": \"f\", \"age\": [18, 40]}, or leave it out.")));
	iterator = JsonbIteratorInit(filter->val.binary.data);
	while ((token = JsonbIteratorNext(&iterator, &value, true)) != WJB_DONE)
		if (token == WJB_KEY)
			names = lappend(names, pnstrdup(value.val.string.val, value.val.string.len));
	return names;
}

/* ---- levels ---- */

static DP_NORETURN void
refuse_filter(const DpAttribute *attribute)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("column \"%s\" cannot be filtered in this way", attribute->name),
			 attribute->kind == DP_BINS
				 ? errhint("Write [from, to]: from is included and to is not, but for the end of "
						   "the range; null as an end is no bound, and null alone is NULL.")
				 : errhint("Write one of its levels, or a list of them; null is NULL.")));
}

/* ERROR unless null means some rows: those of the cell that null stands for. */
static void
check_null(const DpAttribute *attribute, const DpColumn *column)
{
	if (!column->nullable)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("column \"%s\" cannot be NULL", attribute->name),
						errdetail("A filter for NULL would leave no row.")));
	if (!attribute->has_other)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("column \"%s\" has no level for NULL", attribute->name),
						errdetail("Its categories are declared complete, so NULL counts as the "
								  "first of them.")));
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
	int64 code;

	if (value->type == jbvNull)
		check_null(attribute, column);
	else if (text == NULL)
		refuse_filter(attribute);
	if (text != NULL && attribute->has_other && attribute->other != NULL &&
		strcmp(text, attribute->other) == 0)
		text = NULL; /* as cells show the level for NULL and other values */
	code = dp_level_find(attribute, levels, text == NULL ? NULL : canonical(column, text));
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
	if (JsonContainerSize(value->val.binary.data) == 0)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("the filter of column \"%s\" names no level", attribute->name),
						errdetail("It would leave no row.")));
	for (uint32 i = 0; i < JsonContainerSize(value->val.binary.data); i++)
		allow_level(attribute, column, &levels,
					getIthJsonbValueFromContainer(value->val.binary.data, i), allowed);
}

/* ---- ranges ---- */

/* Where a constant lies on a grid. */
typedef struct Place
{
	int64 at;  /* the coordinate at it or next below it, or the end that is nearer */
	int order; /* whether that coordinate lies below the constant (-1), at it, or above it (1) */
} Place;

/* Numbers are read as such: a bound may be no value of an integer type. */
static Place
place_of(const DpAttribute *attribute, const DpColumn *column, const DpGrid *grid, const char *text)
{
	Oid type = getBaseType(column->type);
	DpGrid endless = *grid;
	bool exact = true, found;
	int64 at;

	endless.first = PG_INT64_MIN;
	endless.last = PG_INT64_MAX;
	if (grid->kind == DP_GRID_NUMBER)
		found = dp_grid_steps(text, grid->digits, &at, &exact);
	else
		found =
			dp_grid_coordinate(dp_grid_coder(&endless, type, -1), dp_value_in(text, type, -1), &at);
	if (!found)
		refuse_filter(attribute);
	if (at < grid->first)
		return (Place){grid->first, 1};
	if (at > grid->last)
		return (Place){grid->last, -1};
	return (Place){at, exact ? 0 : -1};
}

/* The ends of a filter, as they are written; NULL: there is no bound. */
typedef struct Ends
{
	const char *low;
	const char *high;
	bool closed; /* the upper one belongs to it */
} Ends;

static const char *
end_text(const DpAttribute *attribute, const JsonbValue *value)
{
	const char *text = dp_json_text(value);

	if (value->type != jbvNull && text == NULL)
		refuse_filter(attribute);
	return text;
}

static Ends
ends_of(const DpAttribute *attribute, const JsonbValue *value)
{
	Ends ends = {0};

	if (dp_json_is_array(value))
	{
		if (JsonContainerSize(value->val.binary.data) != 2)
			refuse_filter(attribute);
		ends.low = end_text(attribute, getIthJsonbValueFromContainer(value->val.binary.data, 0));
		ends.high = end_text(attribute, getIthJsonbValueFromContainer(value->val.binary.data, 1));
		return ends;
	}
	ends.low = dp_json_text(value);
	if (ends.low == NULL)
		refuse_filter(attribute);
	if (!dp_range_text_read(ends.low, &ends.low, &ends.high, &ends.closed))
		ends = (Ends){.low = ends.low, .high = ends.low, .closed = true};
	return ends;
}

static void
filter_range(const DpAttribute *attribute, const DpColumn *column, const DpGrid *grid,
			 const JsonbValue *value, DpRowFilter *filter)
{
	Ends ends;
	Place place;

	if (value->type == jbvNull)
	{
		check_null(attribute, column);
		filter->missing = true;
		return;
	}
	ends = ends_of(attribute, value);
	filter->first = grid->first;
	filter->last = grid->last;
	if (ends.low != NULL)
	{
		place = place_of(attribute, column, grid, ends.low);
		filter->first = place.at + (place.order < 0);
	}
	if (ends.high != NULL)
	{
		bool excluded;

		place = place_of(attribute, column, grid, ends.high);
		excluded = place.order > 0 || (place.order == 0 && !ends.closed && place.at < grid->last);
		filter->last = place.at - excluded;
	}
	if (filter->first > filter->last)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("the filter of column \"%s\" holds none of its values", attribute->name),
				 errdetail("Values outside of its range count as the nearer end.")));
}

/* ---- all columns ---- */

void
dp_query_filter_read(const DpRelation *relation, Jsonb *json, DpQuery *query)
{
	List *names = dp_query_filter_columns(json);
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
