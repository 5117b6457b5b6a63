/*
 * range_part.c -- a column of a range type as columns of its own.
 */
#include "pg/domain/range_part.h"

#include <ctype.h>

#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/multirangetypes.h"
#include "utils/rangetypes.h"
#include "utils/typcache.h"
#include "utils/varlena.h"

#include "pg/domain/distance.h"

#define BOTH "[a,b)"
#define FROM "[a,)"
#define UPTO "(,b)"
#define ALL "(,)"
#define EMPTY "empty"

const char *const dp_range_bounds[DP_RANGE_BOUNDS_N] = {BOTH, FROM, UPTO, ALL, EMPTY};

/* PostgreSQL's own range types. Those of users can run code of theirs. A multirange is modelled as the
 * range from its first end to its last. */
static const struct Kind
{
	Oid range;
	Oid multirange;
	Oid subtype;
	const char *first; /* ends that nobody declared */
	const char *last;
	const char *resolution;
	const char *widest; /* distance */
	const char *step;   /* its resolution */
} kinds[] = {
	{INT4RANGEOID, INT4MULTIRANGEOID, INT4OID, "-2147483648", "2147483647", NULL, "4294967295",
	 NULL},
	{INT8RANGEOID, INT8MULTIRANGEOID, INT8OID, "-9223372036854775808", "9223372036854775807", NULL,
	 "9000000000000000000", "1"},
	{NUMRANGEOID, NUMMULTIRANGEOID, NUMERICOID, "-1000000000000", "1000000000000", "0.01",
	 "1000000000000", "0.01"},
	{DATERANGEOID, DATEMULTIRANGEOID, DATEOID, "0001-01-01", "9999-12-31", NULL, "3652058", NULL},
	{TSRANGEOID, TSMULTIRANGEOID, TIMESTAMPOID, "0001-01-01 00:00:00", "9999-12-31 00:00:00",
	 "1 second", "3652058 days", "1 second"},
	{TSTZRANGEOID, TSTZMULTIRANGEOID, TIMESTAMPTZOID, "0001-01-01 00:00:00+00",
	 "9999-12-31 00:00:00+00", "1 second", "3652058 days", "1 second"},
};

static const struct Kind *
kind_of(Oid type)
{
	for (size_t i = 0; i < lengthof(kinds); i++)
		if (kinds[i].range == getBaseType(type) || kinds[i].multirange == getBaseType(type))
			return &kinds[i];
	return NULL;
}

static const struct Kind *
kind_known(Oid type)
{
	const struct Kind *kind = kind_of(type);

	if (kind == NULL)
		elog(ERROR, "dpsyn: type %u is no range", type);
	return kind;
}

bool
dp_type_has_range_parts(Oid type)
{
	return kind_of(type) != NULL;
}

/* ---- names ---- */

static const char *const words_of[] = {
	[DP_RANGE_BOUNDS] = "bounds", [DP_RANGE_LOWER] = "lower", [DP_RANGE_UPPER] = "upper"};

/* Whether words of this length can be the name of a column, in quotes or plain. */
static bool
is_identifier(const char *words, size_t length)
{
	for (size_t i = 0; i < length && words[0] != '"'; i++)
		if (!isalnum((unsigned char) words[i]) && !IS_HIGHBIT_SET(words[i]) &&
			strchr("_$", words[i]) == NULL)
			return false;
	return length > 0;
}

/* The part that a name is, and its column; 0: none. */
static DpRangePart
part_of(const char *name, char **column)
{
	size_t length = strlen(name);

	for (int part = DP_RANGE_BOUNDS; part <= DP_RANGE_UPPER; part++)
	{
		size_t word = strlen(words_of[part]);
		List *names;

		if (length < word + 3 || pg_strncasecmp(name, words_of[part], word) != 0 ||
			name[word] != '(' || name[length - 1] != ')' ||
			!is_identifier(name + word + 1, length - word - 2))
			continue;
		if (!SplitIdentifierString(pnstrdup(name + word + 1, length - word - 2), '.', &names) ||
			list_length(names) != 1)
			return DP_NO_RANGE_PART;
		*column = linitial(names);
		return (DpRangePart) part;
	}
	return DP_NO_RANGE_PART;
}

bool
dp_is_range_part_name(const char *name)
{
	char *column;

	return part_of(name, &column) != DP_NO_RANGE_PART;
}

char *
dp_range_part_name(DpRangePart part, const char *column)
{
	return psprintf("%s(%s)", words_of[part], quote_identifier(column));
}

DpJsonField *
dp_range_part_of_name(const char *name, Oid type)
{
	DpJsonField *field = palloc0(sizeof(DpJsonField));
	char *column = NULL;

	field->part = part_of(name, &column);
	field->column = column;
	field->name = dp_range_part_name(field->part, column);
	field->type = type;
	return field;
}

/* ---- ends ---- */

DpRangePart
dp_range_end_named(const char *name, char **column)
{
	DpRangePart part = part_of(name, column);

	return part == DP_RANGE_BOUNDS ? DP_NO_RANGE_PART : part;
}

Oid
dp_range_end_type(Oid range)
{
	const struct Kind *kind = kind_of(range);

	return kind == NULL ? InvalidOid : kind->subtype;
}

char *
dp_range_end_expression(DpRangePart end, const char *column)
{
	return psprintf("pg_catalog.%s(%s)", words_of[end], column);
}

NullableDatum
dp_range_end(Datum range, Oid type, DpRangePart end)
{
	const struct Kind *kind = kind_known(type);
	TypeCacheEntry *cached = lookup_type_cache(kind->range, TYPECACHE_RANGE_INFO);
	RangeBound lower, upper, ignored;
	bool is_empty;

	if (getBaseType(type) == kind->range)
		range_deserialize(cached, DatumGetRangeTypeP(range), &lower, &upper, &is_empty);
	else
	{
		MultirangeType *ranges = DatumGetMultirangeTypeP(range);

		is_empty = MultirangeIsEmpty(ranges);
		if (!is_empty)
		{
			multirange_get_bounds(cached, ranges, 0, &lower, &ignored);
			multirange_get_bounds(cached, ranges, ranges->rangeCount - 1, &ignored, &upper);
		}
	}
	if (is_empty || (end == DP_RANGE_LOWER ? &lower : &upper)->infinite)
		return (NullableDatum){0, true};
	return (NullableDatum){(end == DP_RANGE_LOWER ? &lower : &upper)->val, false};
}

/* ---- types and limits ---- */

Oid
dp_range_part_type(DpRangePart part, Oid range)
{
	const struct Kind *kind = kind_known(range);

	if (part == DP_RANGE_BOUNDS)
		return TEXTOID;
	return part == DP_RANGE_LOWER ? kind->subtype : dp_distance_type(kind->subtype);
}

const char *
dp_range_part_low(DpRangePart part, Oid range)
{
	const struct Kind *kind = kind_known(range);

	if (part == DP_RANGE_LOWER)
		return kind->first;
	return dp_distance_type(kind->subtype) == INTERVALOID ? "0 days" : "0";
}

const char *
dp_range_part_high(DpRangePart part, Oid range)
{
	const struct Kind *kind = kind_known(range);

	return part == DP_RANGE_LOWER ? kind->last : kind->widest;
}

const char *
dp_range_part_resolution(DpRangePart part, Oid range)
{
	const struct Kind *kind = kind_known(range);

	return part == DP_RANGE_LOWER ? kind->resolution : kind->step;
}

bool
dp_range_part_is_there(DpRangePart part, const char *label)
{
	if (label == NULL)
		return false;
	return strcmp(label, BOTH) == 0 ||
		   (part == DP_RANGE_LOWER && (strcmp(label, FROM) == 0 || strcmp(label, UPTO) == 0));
}

bool
dp_range_end_is_there(DpRangePart end, const char *label)
{
	return label != NULL &&
		   (strcmp(label, BOTH) == 0 || strcmp(label, end == DP_RANGE_LOWER ? FROM : UPTO) == 0);
}

/* ---- reading ---- */

char *
dp_range_part_expression(const DpJsonField *field, const char *of)
{
	char *column = psprintf("%s%s", of, quote_identifier(field->column));
	Oid subtype = kind_known(field->range)->subtype;
	char *lower = psprintf("pg_catalog.lower(%s)", column);
	char *upper = psprintf("pg_catalog.upper(%s)", column);
	char *from = dp_distance_limited(lower, subtype), *upto = dp_distance_limited(upper, subtype);

	if (field->part == DP_RANGE_UPPER)
		return dp_distance_expression(upper, lower, NULL, subtype);
	if (field->part == DP_RANGE_LOWER)
		return psprintf("COALESCE(%s, %s)", from, upto);
	return psprintf("(CASE WHEN %s IS NULL THEN NULL WHEN pg_catalog.isempty(%s) THEN '" EMPTY "'"
					" WHEN %s IS NOT NULL AND %s IS NOT NULL THEN '" BOTH "'"
					" WHEN %s IS NOT NULL THEN '" FROM "' WHEN %s IS NOT NULL THEN '" UPTO "'"
					" ELSE '" ALL "' END)::pg_catalog.text",
					column, column, from, upto, from, upto);
}

/* ---- making ---- */

/* A range from the values of its parts. Parts of real rows agree; drawn parts may not, and then the
 * range has the ends that exist. */
bool
dp_range_of_parts(DpJsonField *const *field, int n, const Datum *values, const bool *nulls,
				  Datum *range)
{
	const struct Kind *kind = kind_known(field[0]->range);
	TypeCacheEntry *type = lookup_type_cache(kind->range, TYPECACHE_RANGE_INFO);
	RangeBound lower = {.infinite = true, .lower = true, .inclusive = false};
	RangeBound upper = {.infinite = true, .lower = false, .inclusive = false};
	const char *bounds = n == 1 && field[0]->part == DP_RANGE_LOWER ? FROM : BOTH;
	int at[DP_RANGE_UPPER + 1] = {-1, -1, -1, -1};
	bool is_null = true;
	RangeType *made;

	for (int i = 0; i < n; i++)
	{
		at[field[i]->part] = nulls[i] ? -1 : i;
		is_null &= nulls[i];
		if (field[i]->part == DP_RANGE_BOUNDS)
			bounds = nulls[i] ? NULL : TextDatumGetCString(values[i]);
	}
	is_null |= bounds == NULL;
	if (bounds != NULL && dp_range_part_is_there(DP_RANGE_LOWER, bounds) && at[DP_RANGE_LOWER] >= 0)
	{
		RangeBound *end = strcmp(bounds, UPTO) == 0 ? &upper : &lower;

		end->val = values[at[DP_RANGE_LOWER]];
		end->infinite = false;
		end->inclusive = end == &lower;
	}
	if (bounds != NULL && strcmp(bounds, BOTH) == 0 && !lower.infinite && at[DP_RANGE_UPPER] >= 0)
	{
		upper.val = dp_distance_add(lower.val, values[at[DP_RANGE_UPPER]], kind->subtype, -1);
		upper.infinite = false;
		/* [a,a) would be empty */
		upper.inclusive = range_cmp_bound_values(type, &lower, &upper) >= 0;
		if (upper.inclusive)
			upper.val = lower.val;
	}
	made = DP_MAKE_RANGE(type, &lower, &upper, bounds == NULL || strcmp(bounds, EMPTY) == 0);
	*range = getBaseType(field[0]->range) == kind->range
				 ? RangeTypePGetDatum(made)
				 : MultirangeTypePGetDatum(make_multirange(kind->multirange, type, 1, &made));
	return !is_null;
}
