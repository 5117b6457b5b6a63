/*
 * condition.c -- reading conditions on columns.
 *
 * Levels are compared as texts in one fixed form, whatever the session's settings are. Ranges are
 * compared as numbers: a date is its day, a timestamp its microsecond.
 */
#include "pg/sample/condition.h"

#include <float.h>
#include <math.h>

#include "catalog/pg_type.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/date.h"
#include "utils/lsyscache.h"
#include "utils/timestamp.h"
#include "utils/typcache.h"

#include "pg/domain/grid.h"
#include "pg/domain/levels.h"
#include "pg/domain/predicate.h"
#include "pg/server/json.h"
#include "pg/server/numbers.h"
#include "pg/server/values.h"

#define NAMES_IN_HINT 20

/* ---- values ---- */

static DP_NORETURN void
no_such_level(const DpAttribute *attribute)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("the condition on column \"%s\" names no level of it", attribute->name),
			 errhint("The view dp_columns shows the levels; a column with bins takes a range, "
					 "[lower, upper], and null stands for the level of other values.")));
}

/* InvalidOid if the type cannot be read here without running code of others. */
static Oid
plain_type(const DpAttribute *attribute)
{
	Oid type = attribute->type == NULL ? InvalidOid : dp_type_of_label(attribute->type);

	return OidIsValid(type) && dp_type_is_plain(type) ? type : InvalidOid;
}

/* A value on the scale on which bins are cut, which holds all integers of 64 bits. */
static long double
position_of(const char *text, Oid type)
{
	Datum value = dp_value_in(text, dp_is_number(type) ? FLOAT8OID : type, -1);

	/* float8 reads what is a number, and its C function the digits that a double cannot hold */
	return dp_is_number(type) ? strtold(text, NULL) : (long double) dp_value_word(value, type);
}

static Oid
bins_type(const DpAttribute *attribute)
{
	Oid type = plain_type(attribute);

	if (!OidIsValid(type) || !dp_type_has_bins(type))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("the type of column \"%s\" does not exist any more", attribute->name),
				 errdetail("The release has bins of it, which cannot be read without it."),
				 errhint("Leave the column out of the query.")));
	return type;
}

static int
compare_values(Datum a, Datum b, Oid type)
{
	TypeCacheEntry *cache = lookup_type_cache(type, TYPECACHE_CMP_PROC_FINFO);

	return DatumGetInt32(FunctionCall2Coll(&cache->cmp_proc_finfo, InvalidOid, a, b));
}

/* A type that reads the values of a grid. */
static Oid
grid_type(const DpGrid *grid)
{
	static const Oid types[] = {
		[DP_GRID_NUMBER] = NUMERICOID,      [DP_GRID_DATE] = DATEOID,
		[DP_GRID_TIMESTAMP] = TIMESTAMPOID, [DP_GRID_TIMESTAMPTZ] = TIMESTAMPTZOID,
		[DP_GRID_TIME] = TIMEOID,           [DP_GRID_TIMETZ] = TIMETZOID,
		[DP_GRID_INTERVAL] = INTERVALOID,
	};

	return types[grid->kind];
}

/* The coordinate of the grid's value at a text, or next below it, or of the end that is nearer.
 * *order: whether that value is less than the text's (-1), the same (0) or more (1). False: the
 * text's is NaN or infinite. */
static bool
coordinate_of(const DpAttribute *attribute, const char *text, int64 *coordinate, int *order)
{
	Oid type = grid_type(&attribute->range->grid);
	DpGridCoder *coder = dp_grid_coder(&attribute->range->grid, type, -1);
	Datum value = dp_value_in(text, type, -1);
	bool is_finite = dp_grid_coordinate(coder, value, coordinate);

	*order = compare_values(dp_grid_value(coder, *coordinate), value, type);
	return is_finite;
}

/* Of a range that was found. What has no coordinate counted as missing, where that has a level. */
static int64
found_bin_of(const DpAttribute *attribute, const char *text)
{
	int64 coordinate;
	int order;

	if (!coordinate_of(attribute, text, &coordinate, &order) && attribute->has_other)
		return (int64) attribute->levels - 1;
	return dp_range_bin(attribute->range, coordinate);
}

static int64
bin_of(const DpAttribute *attribute, const char *text)
{
	Oid type = bins_type(attribute);
	long double position = position_of(text, type);
	uint32 low = 0, high = attribute->labels_n - 2;

	while (low < high) /* the last bin whose lower edge is not above */
	{
		uint32 middle = (low + high + 1) / 2;

		if (position_of(attribute->labels[middle], type) <= position)
			low = middle;
		else
			high = middle - 1;
	}
	return low;
}

/* Where a text stands among the categories that are in groups; -1: nowhere. */
static int64
place_in_groups(const DpAttribute *attribute, Oid collation, const char *text)
{
	const DpRange *range = attribute->range;

	for (int64 i = 0; i <= range->grid.last; i++)
		if (strcmp(range->listed[i], text) == 0)
			return i;
	return dp_text_meant(range->listed, (uint64) range->grid.last + 1,
						 dp_type_of_label(attribute->type), collation, text);
}

/* The group of a category; what is not listed has the level "other". */
static int64
bin_of_category(const DpAttribute *attribute, Oid collation, const char *text)
{
	int64 place = place_in_groups(attribute, collation, text);

	if (place >= 0)
		return dp_range_bin(attribute->range, place);
	return attribute->has_other ? (int64) attribute->levels - 1 : -1;
}

int64
dp_level_of_value(const DpAttribute *attribute, Oid collation, const char *text)
{
	DpLevels levels = {0};
	int64 code;

	if (attribute->range != NULL && attribute->range->listed != NULL)
		return bin_of_category(attribute, collation, text);
	if (attribute->kind == DP_BINS)
		return attribute->range != NULL ? found_bin_of(attribute, text) : bin_of(attribute, text);
	code = dp_level_meant(attribute, dp_type_of_label(attribute->type), collation, &levels, text);
	return code < 0 && attribute->has_other ? (int64) attribute->levels - 1 : code;
}

/* ---- conditions ---- */

void
dp_condition_start(const DpDomain *domain, DpCondition *condition)
{
	uint32 n = Max(domain->attributes, 1);

	*condition = (DpCondition){.domain = domain, .given = {.attributes = domain->attributes}};
	condition->given.weight = palloc0(sizeof(double *) * n);
	condition->prorated = palloc0(sizeof(bool) * n);
	condition->between = palloc0(sizeof(bool *) * n);
	condition->closed = palloc0(sizeof(bool) * n);
	condition->low = palloc0(sizeof(char *) * n);
	condition->high = palloc0(sizeof(char *) * n);
	condition->first = palloc0(sizeof(int64) * n);
	condition->last = palloc0(sizeof(int64) * n);
}

static double *
start_weights(DpCondition *condition, uint32 attribute)
{
	double *weight = palloc0(sizeof(double) * condition->domain->attribute[attribute].levels);

	condition->given.weight[attribute] = weight;
	condition->any = true;
	return weight;
}

void
dp_condition_fix(DpCondition *condition, uint32 attribute, uint32 level)
{
	start_weights(condition, attribute)[level] = 1;
}

const DpGiven *
dp_condition_given(const DpCondition *condition)
{
	return condition->any ? &condition->given : NULL;
}

/* ---- ranges ---- */

/* NaN lies in no range, and what is infinite is no end of one: dp_query refuses both, too. */
static DP_NORETURN void
refuse_infinite(const DpAttribute *attribute)
{
	ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					errmsg("the condition on column \"%s\" names NaN or an infinite value",
						   attribute->name),
					errhint("Write null for an end that is left out.")));
}

static bool
is_infinite(long double position, Oid type)
{
	switch (type)
	{
		case DATEOID:
			return DATE_NOT_FINITE((DateADT) position);
		case TIMESTAMPOID:
		case TIMESTAMPTZOID:
			return position <= (long double) DT_NOBEGIN || position >= (long double) DT_NOEND;
		default:
			return !isfinite(position);
	}
}

/* The position of an end of a range; `none` for an open end. */
static long double
end_of(const DpAttribute *attribute, const char *text, Oid type, long double none)
{
	long double position = text == NULL ? none : position_of(text, type);

	if (text != NULL && is_infinite(position, type))
		refuse_infinite(attribute);
	return position;
}

/* A part of a bin that is cut: rows of it may meet the condition or not, however large it is. */
static double
part_of_bin(double share)
{
	return fmin(fmax(share, DBL_MIN), 1 - DBL_EPSILON);
}

/* The part of each bin that lies in the range from low to high. Bins of whole numbers and dates
 * consist of steps of 1. */
static void
cut_bins(DpCondition *condition, uint32 number, double *weight)
{
	const DpAttribute *attribute = &condition->domain->attribute[number];
	Oid type = bins_type(attribute);
	bool whole = !(type == NUMERICOID || type == FLOAT4OID || type == FLOAT8OID);
	long double step = whole ? 1 : 0; /* the last bin has its upper edge too */
	long double low = end_of(attribute, condition->low[number], type, -INFINITY);
	long double high = end_of(attribute, condition->high[number], type, INFINITY);
	uint32 bins = attribute->labels_n - 1;
	bool any = false;

	if (low > high)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("the range of column \"%s\" ends before it begins", attribute->name)));
	if (!whole && low == high)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("bins of column \"%s\" do not tell how many rows have one value",
							   attribute->name),
						errhint("Write a range: [lower, upper].")));
	if (whole) /* the first step in the range, and the first behind it */
	{
		low = ceill(low);
		high = condition->closed[number] ? floorl(high) + 1 : ceill(high);
	}
	for (uint32 i = 0; i < bins; i++)
	{
		long double from = position_of(attribute->labels[i], type);
		long double to = position_of(attribute->labels[i + 1], type) + (i + 1 == bins ? step : 0);
		/* an array that ends at the last edge means all of the last bin */
		long double end = i + 1 == bins && high >= to - step ? to : fminl(to, high);
		long double inside = end - fmaxl(from, low);

		weight[i] = inside <= 0                ? 0
					: low <= from && end >= to ? 1
											   : part_of_bin((double) (inside / (to - from)));
		any |= weight[i] > 0;
		condition->prorated[number] |= weight[i] > 0 && weight[i] < 1;
	}
	if (!any)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("the range of column \"%s\" lies outside of its bins", attribute->name),
				 errdetail("They go from %s to %s, and what lies outside is counted in the "
						   "first or the last of them.",
						   attribute->labels[0], attribute->labels[bins])));
}

/* Whether the column can hold what is between two values of its grid, and counts as the lower. */
static bool
is_finer_than_grid(const DpAttribute *attribute)
{
	const DpGrid *grid = &attribute->range->grid;

	if (grid->kind != DP_GRID_NUMBER)
		return grid->step > 1;
	return !dp_is_integer(plain_type(attribute)) || grid->step > 1 || grid->digits < 0;
}

static int64
found_end_of(DpCondition *condition, uint32 number, const char *text, int *order)
{
	const DpAttribute *attribute = &condition->domain->attribute[number];
	int64 coordinate;

	if (!coordinate_of(attribute, text, &coordinate, order))
		refuse_infinite(attribute);
	if (*order < 0 && coordinate < attribute->range->grid.last && is_finer_than_grid(attribute))
	{
		if (condition->between[number] == NULL)
			condition->between[number] = palloc0(sizeof(bool) * attribute->levels);
		condition->between[number][dp_range_bin(attribute->range, coordinate)] = true;
	}
	return coordinate;
}

/* The same for bins that were found on a grid: their values are known one by one. */
static void
cut_found_bins(DpCondition *condition, uint32 number, double *weight)
{
	const DpAttribute *attribute = &condition->domain->attribute[number];
	const DpRange *range = attribute->range;
	int64 first = range->grid.first, last = range->grid.last;
	bool empty = false;
	int order;

	if (condition->low[number] != NULL)
	{
		first = found_end_of(condition, number, condition->low[number], &order);
		empty = order < 0 && first == last;
		first += order < 0 && !empty;
	}
	if (condition->high[number] != NULL)
	{
		int64 end = found_end_of(condition, number, condition->high[number], &order);
		bool below = order > 0 || (order == 0 && !condition->closed[number] && end < last);

		empty |= below && end == range->grid.first;
		last = below && !empty ? end - 1 : end;
	}
	if (empty || first > last)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("the range of column \"%s\" holds none of its values", attribute->name),
				 errdetail("They go from %s to %s, and what lies outside is counted as the nearer "
						   "end.",
						   attribute->labels[0], attribute->labels[range->bins])));
	condition->first[number] = first;
	condition->last[number] = last;
	for (uint32 i = 0; i < range->bins; i++)
	{
		int64 begin = range->bin[i], end = dp_range_bin_last(range, i);
		int64 from = Max(begin, first), to = Min(end, last);

		weight[i] = to < from                    ? 0
					: from == begin && to == end ? 1
												 : part_of_bin(dp_range_share(range, i, from, to));
		condition->prorated[number] |= weight[i] > 0 && weight[i] < 1;
	}
}

static void
cut_range(DpCondition *condition, uint32 number, double *weight)
{
	const DpAttribute *attribute = &condition->domain->attribute[number];

	if (attribute->range != NULL)
		cut_found_bins(condition, number, weight);
	else
		cut_bins(condition, number, weight);
}

/* Where several ranges are named, none may cut a bin: of a bin that is cut it is known how much of it
 * passes, and not which of its values of two ranges. */
static void
add_ranges(DpCondition *condition, uint32 number, const List *terms)
{
	const DpAttribute *attribute = &condition->domain->attribute[number];
	double *all = start_weights(condition, number);
	double *weight = palloc(sizeof(double) * attribute->levels);
	ListCell *cell;

	foreach (cell, terms)
	{
		const DpTerm *term = lfirst(cell);

		memset(weight, 0, sizeof(double) * attribute->levels);
		if (term->kind == DP_TERM_NULL)
		{
			if (!attribute->has_other)
				no_such_level(attribute);
			weight[attribute->levels - 1] = 1;
		}
		else
		{
			condition->low[number] = term->low;
			condition->high[number] = term->high;
			condition->closed[number] = term->closed;
			cut_range(condition, number, weight);
		}
		for (uint32 i = 0; i < attribute->levels; i++)
			all[i] = Max(all[i], weight[i]);
	}
	if (list_length(terms) == 1)
		return;
	if (condition->prorated[number])
		ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
						errmsg("the condition on column \"%s\" cuts bins in several ranges",
							   attribute->name),
						errhint("Write one range, or ranges that end where bins do.")));
	condition->low[number] = condition->high[number] = NULL;
}

/* ---- members ---- */

/*
 * The collation by which values of a column are equal. A release knows it by the column that it was
 * made of, as long as that has the type that it had; InvalidOid: that of bytes.
 */
static Oid
collation_of(const DpCondition *condition, const DpAttribute *attribute)
{
	AttrNumber number = OidIsValid(condition->relation)
							? get_attnum(condition->relation, attribute->name)
							: InvalidAttrNumber;
	Oid type, collation;
	int32 typmod;

	if (number == InvalidAttrNumber)
		return InvalidOid;
	get_atttypetypmodcoll(condition->relation, number, &type, &typmod, &collation);
	return getBaseType(type) == dp_type_of_label(attribute->type) ? collation : InvalidOid;
}

static void
add_level(DpCondition *condition, uint32 number, DpLevels *levels, const DpTerm *term,
		  double *weight)
{
	const DpAttribute *attribute = &condition->domain->attribute[number];
	int64 code = -1;

	if (term->kind == DP_TERM_NULL)
		code = attribute->has_other ? (int64) attribute->levels - 1 : -1;
	else if (attribute->has_other && attribute->other != NULL &&
			 strcmp(term->text, attribute->other) == 0)
		code = (int64) attribute->levels - 1;
	else
		code = dp_level_meant(attribute, dp_type_of_label(attribute->type),
							  collation_of(condition, attribute), levels, term->text);
	if (code < 0)
		no_such_level(attribute);
	weight[code] = 1;
}

/* A category of a group of them: the part of the group that it has. Or a group. */
static void
add_listed(DpCondition *condition, uint32 number, const char *text)
{
	const DpAttribute *attribute = &condition->domain->attribute[number];
	const DpRange *range = attribute->range;
	DpLevels levels = {0};
	int64 place, code = dp_level_find(attribute, &levels, text); /* of a group, by its ends */

	place = code >= 0 ? -1 : place_in_groups(attribute, collation_of(condition, attribute), text);
	if (place >= 0)
	{
		uint32 bin = dp_range_bin(range, place);

		start_weights(condition, number)[bin] = dp_range_share(range, bin, place, place);
		condition->low[number] = condition->high[number] = text;
		condition->first[number] = condition->last[number] = place;
		condition->prorated[number] = true;
		return;
	}
	if (code < 0)
		no_such_level(attribute);
	start_weights(condition, number)[code] = 1;
}

static void
read_member(DpCondition *condition, uint32 number, const JsonbValue *value)
{
	const DpAttribute *attribute = &condition->domain->attribute[number];
	bool listed = attribute->range != NULL && attribute->range->listed != NULL;
	bool has_bins = attribute->kind == DP_BINS && !listed;
	List *terms = dp_predicate_terms(value, has_bins);
	DpLevels levels = {0};
	ListCell *cell;
	double *weight;

	if (terms == NIL || (listed && dp_json_is_array(value)))
		no_such_level(attribute);
	if (listed && value->type == jbvString)
		add_listed(condition, number, ((DpTerm *) linitial(terms))->text);
	else if (has_bins)
		add_ranges(condition, number, terms);
	else
	{
		weight = start_weights(condition, number);
		foreach (cell, terms)
			add_level(condition, number, &levels, lfirst(cell), weight);
	}
}

uint32
dp_released_column(const DpDomain *domain, const char *name)
{
	int number = dp_domain_find(domain, name);
	StringInfoData names;

	if (number >= 0)
		return (uint32) number;
	initStringInfo(&names);
	for (uint32 i = 0; i < domain->attributes && i < NAMES_IN_HINT; i++)
		appendStringInfo(&names, "%s%s", i ? ", " : "",
						 quote_identifier(domain->attribute[i].name));
	ereport(ERROR,
			(errcode(ERRCODE_UNDEFINED_COLUMN), errmsg("column \"%s\" is not in the release", name),
			 errhint("The release has columns %s%s.", names.data,
					 domain->attributes > NAMES_IN_HINT ? " and others" : "")));
}

/* DpTypeOfColumn; the context is a DpDomain. */
static Oid
released_type(const void *context, const char *column)
{
	const DpDomain *domain = context;
	int number = dp_domain_find(domain, column);

	return number < 0 ? InvalidOid : dp_type_of_label(domain->attribute[number].type);
}

void
dp_condition_read(const DpStored *stored, Jsonb *json, DpCondition *condition)
{
	const DpDomain *domain = &stored->model.domain;
	ListCell *cell;
	int level;

	if (json != NULL)
		json = dp_predicate_canonical(&json->root, released_type, domain);
	level = dp_values_begin();
	dp_condition_start(domain, condition);
	condition->relation = stored->relation;
	foreach (cell, dp_predicate_members(json == NULL ? NULL : &json->root))
	{
		const DpMember *member = lfirst(cell);

		read_member(condition, dp_released_column(domain, member->column), member->value);
	}
	dp_values_end(level);
}
