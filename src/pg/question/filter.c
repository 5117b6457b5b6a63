/*
 * filter.c -- which rows a query counts: a predicate as a condition of the question.
 *
 * Nothing of it becomes SQL: names are looked up among the columns, constants are read by the input
 * functions of built-in types, and what a condition holds are codes.
 *
 * What is written arrives whole or is refused, before anything is paid. A filter that leaves no row
 * whatever the data are is refused, too. null means the rows of the cell that null stands for among
 * groups: those with NULL and, where categories are not declared complete, with a value that is
 * not listed.
 */
#include "pg/question/asked.h"

#include "utils/lsyscache.h"
#include "utils/typcache.h"

#include "pg/domain/bins.h"
#include "pg/domain/grid.h"
#include "pg/domain/levels.h"
#include "pg/domain/predicate.h"
#include "pg/server/json.h"
#include "pg/server/values.h"

List *
dp_filter_members(Jsonb *json)
{
	JsonbValue *filter = dp_json_member(&json->root, "filter");

	if (filter == NULL)
		return NIL;
	if (filter->type != jbvBinary)
		dp_refuse_predicate();
	return dp_predicate_members(filter->val.binary.data);
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

/* ERROR unless some rows can be NULL: those of the cell that stands for NULL. */
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

static void
allow_level(const DpAttribute *attribute, const DpColumn *column, DpLevels *levels,
			const DpTerm *term, bool *allowed)
{
	const char *text = term->kind == DP_TERM_NULL ? NULL : term->text;
	int64 code;

	if (text == NULL)
		check_null(attribute, column);
	else if (attribute->has_other && attribute->other != NULL &&
			 strcmp(text, attribute->other) == 0)
		text = NULL; /* as cells show the level for NULL and the rest */
	code = dp_level_meant(attribute, getBaseType(column->type), column->collation, levels, text);
	if (code < 0)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("column \"%s\" has no level \"%s\"", attribute->name, text),
						errhint("The view dp_columns lists its levels.")));
	allowed[code] = true;
}

static void
filter_levels(const DpAttribute *attribute, const DpColumn *column, const List *terms,
			  DpCodes *codes)
{
	bool *allowed = palloc0(sizeof(bool) * attribute->levels);
	DpLevels levels = {0};
	ListCell *cell;

	codes->level = allowed;
	foreach (cell, terms)
		allow_level(attribute, column, &levels, lfirst(cell), allowed);
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

/* The coordinates of one range; none if first > last. */
static void
coordinates_of(const DpAttribute *attribute, const DpColumn *column, const DpGrid *grid,
			   const DpTerm *term, int64 *first, int64 *last)
{
	Place place;

	*first = grid->first;
	*last = grid->last;
	if (term->low != NULL)
	{
		place = place_of(attribute, column, grid, term->low);
		*first = place.at + (place.order < 0);
	}
	if (term->high != NULL)
	{
		bool excluded;

		place = place_of(attribute, column, grid, term->high);
		excluded = place.order > 0 || (place.order == 0 && !term->closed && place.at < grid->last);
		*last = place.at - excluded;
	}
}

static int
compare_ranges(const ListCell *a, const ListCell *b)
{
	const int64 *left = lfirst(a), *right = lfirst(b);

	return left[0] < right[0] ? -1 : left[0] > right[0];
}

/* Several ranges count as one where they meet. */
static void
filter_range(const DpAttribute *attribute, const DpColumn *column, const DpGrid *grid,
			 const List *terms, DpCodes *codes)
{
	List *ranges = NIL;
	ListCell *cell;

	foreach (cell, terms)
	{
		const DpTerm *term = lfirst(cell);
		int64 *range = palloc(sizeof(int64) * 2);

		if (term->kind == DP_TERM_NULL)
		{
			check_null(attribute, column);
			codes->missing = true;
			continue;
		}
		coordinates_of(attribute, column, grid, term, &range[0], &range[1]);
		if (range[0] > range[1])
			ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
							errmsg("the filter of column \"%s\" holds none of its values",
								   attribute->name),
							errdetail("Values outside of its range count as the nearer end.")));
		ranges = lappend(ranges, range);
	}
	list_sort(ranges, compare_ranges);
	foreach (cell, ranges)
	{
		const int64 *range = lfirst(cell);

		if (codes->missing ||
			(cell != list_head(ranges) && range[0] > codes->last && range[0] - 1 > codes->last))
			ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
							errmsg("the filter of column \"%s\" is not one range", attribute->name),
							errhint("Ask for each part by itself.")));
		if (cell == list_head(ranges))
			codes->first = range[0];
		codes->last = cell == list_head(ranges) ? range[1] : Max(codes->last, range[1]);
	}
}

/* ---- bins of which single values are not counted ---- */

static DP_NORETURN void
refuse_cut(const DpAttribute *attribute)
{
	ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("the filter of column \"%s\" does not end where its bins do", attribute->name),
			 errdetail("Its bins go too far, or are too narrow, for values to be counted one by "
					   "one."),
			 errhint("Write [from, to] with edges of bins; the view dp_columns shows them.")));
}

static int
compare_values(Datum a, Datum b, Oid type)
{
	TypeCacheEntry *cache = lookup_type_cache(type, TYPECACHE_CMP_PROC_FINFO);

	return DatumGetInt32(FunctionCall2Coll(&cache->cmp_proc_finfo, InvalidOid, a, b));
}

/* The edge that a text is, of the first bin for what lies below, of the last one for what lies
 * above. */
static uint32
edge_of(const DpAttribute *attribute, Oid type, const char *text)
{
	Datum value = dp_value_in(text, type, -1);
	uint32 last = attribute->labels_n - 1;

	if (!dp_edge_is_drawable(value, type, -1)) /* NaN, infinite, or nearly so */
		refuse_filter(attribute);
	for (uint32 i = 0; i <= last; i++)
	{
		int order = compare_values(dp_value_in(attribute->labels[i], type, -1), value, type);

		if (order == 0 || (order > 0 && i == 0))
			return i;
		if (order > 0)
			refuse_cut(attribute);
	}
	return last;
}

/* The bins of a range; a bin is in it or is not. */
static void
allow_bins(const DpAttribute *attribute, Oid type, const DpTerm *term, bool *allowed)
{
	uint32 last = attribute->labels_n - 1;
	uint32 from = term->low == NULL ? 0 : edge_of(attribute, type, term->low);
	uint32 to = term->high == NULL ? last : edge_of(attribute, type, term->high);

	if (term->closed && term->high != NULL && to < last)
		refuse_cut(attribute);
	if (from >= to)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("the filter of column \"%s\" holds none of its bins", attribute->name)));
	for (uint32 i = from; i < to; i++)
		allowed[i] = true;
}

static void
filter_bins(const DpAttribute *attribute, const DpColumn *column, const List *terms, DpCodes *codes)
{
	bool *allowed = palloc0(sizeof(bool) * attribute->levels);
	ListCell *cell;

	codes->level = allowed;
	foreach (cell, terms)
	{
		const DpTerm *term = lfirst(cell);

		if (term->kind == DP_TERM_NULL)
		{
			check_null(attribute, column);
			allowed[attribute->levels - 1] = true;
		}
		else
			allow_bins(attribute, getBaseType(column->type), term, allowed);
	}
}

/* ---- all columns ---- */

static DpCodes *
member_read(const DpRelation *relation, uint32 a, const JsonbValue *value, const DpGrid *grid)
{
	const DpAttribute *attribute = &relation->domain.attribute[a];
	const DpColumn *column = &relation->column[a];
	bool has_bins = attribute->kind == DP_BINS;
	bool has_range = has_bins && grid->first <= grid->last;
	List *terms = dp_predicate_terms(value, has_bins);
	DpCodes *codes = palloc0(sizeof(DpCodes));

	*codes =
		(DpCodes){.levels = attribute->levels, .grid = *grid, .nullable = attribute->has_other};
	if (dp_json_is_array(value) && JsonContainerSize(value->val.binary.data) == 0)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("the filter of column \"%s\" names no level", attribute->name),
						errdetail("It would leave no row.")));
	if (terms == NIL || attribute->open || (attribute->range != NULL && !has_range))
		refuse_filter(attribute);
	if (has_range)
		filter_range(attribute, column, grid, terms, codes);
	else if (has_bins)
		filter_bins(attribute, column, terms, codes);
	else
		filter_levels(attribute, column, terms, codes);
	if (dp_grid_size(&codes->grid) == PG_UINT64_MAX) /* 64 bits have to hold what is missing, too */
	{
		codes->grid.first += 2;
		codes->first = Max(codes->first, codes->grid.first);
		codes->last = Max(codes->last, codes->grid.first);
	}
	return codes;
}

DpRowExpression *
dp_filter_read(const DpRelation *relation, Jsonb *json, const DpGrid *grid)
{
	List *conditions = NIL;
	ListCell *cell;

	foreach (cell, dp_filter_members(json))
	{
		const DpMember *member = lfirst(cell);
		uint32 a = dp_relation_attribute(relation, member->column);

		conditions =
			lappend(conditions, dp_x_coded(relation->domain.attribute[a].name,
										   member_read(relation, a, member->value, &grid[a])));
	}
	if (list_length(conditions) < 2)
		return conditions == NIL ? NULL : linitial(conditions);
	return dp_x_of(DP_X_AND, conditions);
}
