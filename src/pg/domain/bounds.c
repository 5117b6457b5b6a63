/*
 * bounds.c -- public ranges of columns: from what a custodian writes, a CHECK says or a type holds
 * to the grid of a column's values.
 *
 * This runs a few times for each column. So all of it is done with numeric, which is exact and of
 * any size, and only the grid that comes out is made of 64-bit integers.
 */
#include "pg/domain/bounds.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "common/shortest_dec.h"
#include "utils/builtins.h"
#include "utils/cash.h"
#include "utils/date.h"
#include "utils/datetime.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"
#include "utils/timestamp.h"

#include "pg/domain/grid.h"
#include "pg/server/arguments.h"
#include "pg/server/bridge.h"
#include "pg/server/values.h"

#define MONEY_DIGITS 2
#define NUMERIC_DIGITS_MAX 18        /* of a numeric(p,s) whose values all have a coordinate */
#define REAL_STEPS ((int64) 1 << 53) /* a double tells all integers up to this one apart */
#define STEPS_OF_RANGE 1000000       /* where the type has no steps of its own */

/* ---- arithmetic ---- */

static Numeric
number(const char *words)
{
	return DatumGetNumeric(DirectFunctionCall3(numeric_in, CStringGetDatum(words),
											   ObjectIdGetDatum(InvalidOid), Int32GetDatum(-1)));
}

static Numeric
whole(int64 value)
{
	return int64_to_numeric(value);
}

static Numeric
combine(PGFunction function, Numeric a, Numeric b)
{
	return DatumGetNumeric(DirectFunctionCall2(function, NumericGetDatum(a), NumericGetDatum(b)));
}

static int
compare(Numeric a, Numeric b)
{
	return DatumGetInt32(DirectFunctionCall2(numeric_cmp, NumericGetDatum(a), NumericGetDatum(b)));
}

static char *
words_of(Numeric value)
{
	return DatumGetCString(DirectFunctionCall1(
		numeric_out, DirectFunctionCall1(numeric_trim_scale, NumericGetDatum(value))));
}

static Numeric
power_of_ten(int exponent)
{
	return number(psprintf("1e%d", exponent));
}

/* Digits after the point that the value needs. */
static int
digits_of(Numeric value)
{
	return DatumGetInt32(DirectFunctionCall1(numeric_min_scale, NumericGetDatum(value)));
}

/* False if it does not fit 64 bits. */
static bool
to_int64(Numeric value, int64 *out)
{
	if (compare(value, whole(PG_INT64_MIN)) < 0 || compare(value, whole(PG_INT64_MAX)) > 0)
		return false;
	*out = DatumGetInt64(DirectFunctionCall1(numeric_int8, NumericGetDatum(value)));
	return true;
}

/* ---- types ---- */

DpBaseType
dp_base_type(Oid type, int32 typmod)
{
	DpBaseType base = {.typmod = typmod};

	base.type = getBaseTypeAndTypmod(type, &base.typmod);
	return base;
}

static bool
is_number(const DpBaseType *type)
{
	return dp_grid_kind_of(type->type) == DP_GRID_NUMBER;
}

/* As numeric.c packs them: 16 bits of precision, 11 of a signed scale. */
static int
numeric_precision(int32 typmod)
{
	return ((typmod - VARHDRSZ) >> 16) & 0xffff;
}

static int
numeric_scale_of_typmod(int32 typmod)
{
	return (((typmod - VARHDRSZ) & 0x7ff) ^ 1024) - 1024;
}

static int64
microseconds_of_digits(int digits)
{
	int64 step = 1;

	for (; digits < 6; digits++)
		step *= 10;
	return step;
}

/* The smallest span that an interval(...) keeps apart, in microseconds. */
static int64
interval_step(int32 typmod)
{
	int fields = typmod < 0 ? INTERVAL_FULL_RANGE : INTERVAL_RANGE(typmod);

	if (fields == INTERVAL_FULL_RANGE || (fields & INTERVAL_MASK(SECOND)))
		return typmod < 0 || INTERVAL_PRECISION(typmod) == INTERVAL_FULL_PRECISION
				   ? 1
				   : microseconds_of_digits(INTERVAL_PRECISION(typmod));
	if (fields & INTERVAL_MASK(MINUTE))
		return USECS_PER_MINUTE;
	return fields & INTERVAL_MASK(HOUR) ? USECS_PER_HOUR : USECS_PER_DAY;
}

/* The smallest step between values of the type; NULL: it has none. */
static Numeric
type_step(const DpBaseType *type)
{
	switch (type->type)
	{
		case INT2OID:
		case INT4OID:
		case INT8OID:
		case DATEOID:
			return whole(1);
		case CASHOID:
			return power_of_ten(-MONEY_DIGITS);
		case NUMERICOID:
			return type->typmod < (int32) VARHDRSZ
					   ? NULL
					   : power_of_ten(-numeric_scale_of_typmod(type->typmod));
		case TIMESTAMPOID:
		case TIMESTAMPTZOID:
		case TIMEOID:
		case TIMETZOID:
			return whole(type->typmod < 0 ? 1 : microseconds_of_digits(type->typmod));
		case INTERVALOID:
			return whole(interval_step(type->typmod));
		default:
			return NULL;
	}
}

static DpBounds
between(Numeric low, Numeric high)
{
	return (DpBounds){.low = low, .high = high};
}

static DpBounds
between_words(int64 low, int64 high)
{
	return between(whole(low), whole(high));
}

static bool
numeric_bounds(const DpBaseType *type, DpBounds *bounds)
{
	Numeric high;

	if (type->typmod < (int32) VARHDRSZ || numeric_precision(type->typmod) > NUMERIC_DIGITS_MAX)
		return false;
	high = combine(numeric_sub, power_of_ten(numeric_precision(type->typmod)), whole(1));
	high = combine(numeric_mul, high, power_of_ten(-numeric_scale_of_typmod(type->typmod)));
	*bounds = between(combine(numeric_sub, whole(0), high), high);
	return true;
}

bool
dp_bounds_of_type(const DpBaseType *type, DpBounds *bounds)
{
	switch (type->type)
	{
		case INT2OID:
			*bounds = between_words(PG_INT16_MIN, PG_INT16_MAX);
			return true;
		case INT4OID:
			*bounds = between_words(PG_INT32_MIN, PG_INT32_MAX);
			return true;
		case INT8OID:
			*bounds = between_words(PG_INT64_MIN, PG_INT64_MAX);
			return true;
		case CASHOID:
			*bounds =
				between(combine(numeric_mul, whole(PG_INT64_MIN), power_of_ten(-MONEY_DIGITS)),
						combine(numeric_mul, whole(PG_INT64_MAX), power_of_ten(-MONEY_DIGITS)));
			return true;
		case NUMERICOID:
			return numeric_bounds(type, bounds);
		case DATEOID:
			*bounds = between_words(DATETIME_MIN_JULIAN - POSTGRES_EPOCH_JDATE,
									DATE_END_JULIAN - POSTGRES_EPOCH_JDATE - 1);
			return true;
		case TIMESTAMPOID:
		case TIMESTAMPTZOID:
			*bounds = between_words(MIN_TIMESTAMP, END_TIMESTAMP - 1);
			return true;
		case TIMEOID:
		case TIMETZOID:
			*bounds = between_words(0, USECS_PER_DAY);
			return true;
		case INTERVALOID: /* those whose microseconds fit: 292 thousand years */
			*bounds = between_words(PG_INT64_MIN + 1, PG_INT64_MAX);
			return true;
		default:
			return false;
	}
}

/* ---- positions ---- */

static Numeric
interval_position(const Interval *span)
{
	Numeric days =
		combine(numeric_add, combine(numeric_mul, whole(span->month), whole(DAYS_PER_MONTH)),
				whole(span->day));

	return combine(numeric_add, combine(numeric_mul, days, whole(USECS_PER_DAY)),
				   whole(span->time));
}

/* The shortest number that stands for it, and so the one that somebody wrote. */
static Numeric
real_position(Datum value, Oid type)
{
	char words[DOUBLE_SHORTEST_DECIMAL_LEN];

	if (type == FLOAT4OID)
		(void) float_to_shortest_decimal_buf(DatumGetFloat4(value), words);
	else
		(void) double_to_shortest_decimal_buf(DatumGetFloat8(value), words);
	return number(words);
}

static Numeric
finite_number(Numeric value)
{
	return numeric_is_nan(value) || numeric_is_inf(value) ? NULL : value;
}

Numeric
dp_position_of(Datum value, Oid type)
{
	switch (type)
	{
		case INT2OID:
			return whole(DatumGetInt16(value));
		case INT4OID:
			return whole(DatumGetInt32(value));
		case FLOAT4OID:
		case FLOAT8OID:
			return finite_number(real_position(value, type));
		case NUMERICOID:
			return finite_number(DatumGetNumeric(value));
		case CASHOID:
			return combine(numeric_mul, whole(DatumGetCash(value)), power_of_ten(-MONEY_DIGITS));
		case DATEOID:
			return DATE_NOT_FINITE(DatumGetDateADT(value)) ? NULL : whole(DatumGetDateADT(value));
		case TIMESTAMPOID:
		case TIMESTAMPTZOID:
			return TIMESTAMP_NOT_FINITE(DatumGetTimestamp(value)) ? NULL
																  : whole(DatumGetTimestamp(value));
		case TIMETZOID:
			return combine(numeric_add, whole(DatumGetTimeTzADTP(value)->time),
						   whole(DatumGetTimeTzADTP(value)->zone * USECS_PER_SEC));
		case INTERVALOID:
			return DP_INTERVAL_NOT_FINITE(DatumGetIntervalP(value))
					   ? NULL
					   : interval_position(DatumGetIntervalP(value));
		default: /* bigint, time */
			return whole(DatumGetInt64(value));
	}
}

double
dp_position_real(Numeric position)
{
	return DatumGetFloat8(
		DirectFunctionCall1(numeric_float8_no_overflow, NumericGetDatum(position)));
}

/* ---- bounds ---- */

void
dp_bounds_narrow(DpBounds *bounds, const DpBounds *more)
{
	int order;

	if (more->low != NULL)
	{
		order = bounds->low == NULL ? -1 : compare(bounds->low, more->low);
		if (order <= 0)
		{
			bounds->above = more->above || (order == 0 && bounds->above);
			bounds->low = more->low;
		}
	}
	if (more->high != NULL)
	{
		order = bounds->high == NULL ? 1 : compare(bounds->high, more->high);
		if (order >= 0)
		{
			bounds->below = more->below || (order == 0 && bounds->below);
			bounds->high = more->high;
		}
	}
}

void
dp_bounds_widen(DpBounds *bounds, const DpBounds *more)
{
	int order;

	if (bounds->low != NULL)
	{
		order = more->low == NULL ? 1 : compare(bounds->low, more->low);
		if (order >= 0)
		{
			bounds->above = more->above && (order > 0 || bounds->above);
			bounds->low = more->low;
		}
	}
	if (bounds->high != NULL)
	{
		order = more->high == NULL ? -1 : compare(bounds->high, more->high);
		if (order <= 0)
		{
			bounds->below = more->below && (order < 0 || bounds->below);
			bounds->high = more->high;
		}
	}
}

/* ---- resolutions ---- */

static DP_NORETURN void
refuse_resolution(const char *column, const DpBaseType *type, const char *words, const char *detail)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("the range of column \"%s\" cannot have the resolution \"%s\"", column, words),
			 errdetail("%s", detail),
			 is_number(type)
				 ? errhint("For instance 1, 0.01 or 1000.")
				 : errhint("For instance %s.", type->type == DATEOID ? "'1 day' or '7 days'"
																	 : "'1 second' or '15 min'")));
}

/* Whether the words are a whole number, which is one of days. */
static bool
is_whole_number(const char *words)
{
	return words[0] != '\0' && strspn(words, "0123456789") == strlen(words);
}

/* In the positions of the type. */
static Numeric
span_of_words(const char *words, const DpBaseType *type, const char *column)
{
	const char *unit = type->type == DATEOID && is_whole_number(words) ? " days" : "";
	Interval *span = DatumGetIntervalP(
		DirectFunctionCall3(interval_in, CStringGetDatum(psprintf("%s%s", words, unit)),
							ObjectIdGetDatum(InvalidOid), Int32GetDatum(-1)));
	Numeric length;

	if (DP_INTERVAL_NOT_FINITE(span) || span->month != 0)
		refuse_resolution(column, type, words, "A month has no fixed length.");
	length = interval_position(span);
	if (type->type != DATEOID)
		return length;
	if (compare(combine(numeric_mod, length, whole(USECS_PER_DAY)), whole(0)) != 0)
		refuse_resolution(column, type, words, "Dates are whole days.");
	return combine(numeric_div_trunc, length, whole(USECS_PER_DAY));
}

Numeric
dp_resolution_read(const char *words, const DpBaseType *type, const char *column)
{
	Numeric resolution =
		is_number(type) ? finite_number(number(words)) : span_of_words(words, type, column);
	Numeric step = type_step(type);

	if (resolution == NULL || compare(resolution, whole(0)) <= 0)
		refuse_resolution(column, type, words, "It must be above 0.");
	if (digits_of(resolution) > DP_GRID_DIGITS_MAX)
		refuse_resolution(
			column, type, words,
			psprintf("It has more than %d digits after the point.", DP_GRID_DIGITS_MAX));
	if (step != NULL && compare(combine(numeric_mod, resolution, step), whole(0)) != 0)
		refuse_resolution(column, type, words,
						  psprintf("Values of type %s are multiples of %s.",
								   format_type_with_typemod(type->type, type->typmod),
								   dp_resolution_words(step, type)));
	return resolution;
}

/* 1, 2 or 5 times a power of ten, at most a millionth of the width, which is above 0. */
static Numeric
part_of_width(Numeric width)
{
	Numeric part = combine(numeric_mul, width, number("0.000001"));
	const int leading[] = {5, 2, 1};
	/* the power that is at most the part: the digits before the point tell, or the zeros behind */
	int exponent = (int) floor(log10(dp_position_real(part))) + 1;

	for (;; exponent--)
		for (size_t i = 0; i < lengthof(leading); i++)
		{
			Numeric round = combine(numeric_mul, whole(leading[i]), power_of_ten(exponent));

			if (compare(round, part) <= 0)
				return round;
		}
}

Numeric
dp_resolution_default(const DpBaseType *type, const DpBounds *bounds)
{
	Numeric step = type_step(type);
	Numeric width;

	switch (type->type)
	{
		case TIMESTAMPOID:
		case TIMESTAMPTZOID:
		case TIMEOID:
		case TIMETZOID:
			return type->typmod < 0 ? whole(USECS_PER_SEC) : step;
		case INTERVALOID:
			return compare(step, whole(1)) == 0 ? whole(USECS_PER_SEC) : step;
		default:
			if (step != NULL)
				return step;
	}
	width = combine(numeric_sub, bounds->high, bounds->low);
	return compare(width, whole(0)) > 0 ? part_of_width(width) : whole(1);
}

char *
dp_resolution_words(Numeric resolution, const DpBaseType *type)
{
	Interval *span;
	int64 length;
	int level;
	char *words;

	if (is_number(type))
		return words_of(resolution);
	if (type->type == DATEOID)
		resolution = combine(numeric_mul, resolution, whole(USECS_PER_DAY));
	if (!to_int64(resolution, &length))
		length = PG_INT64_MAX; /* no range has so coarse a grid: it is refused elsewhere */
	span = palloc0(sizeof(Interval));
	span->day = (int32) (length / USECS_PER_DAY);
	span->time = length % USECS_PER_DAY;
	level = dp_values_begin();
	words = DatumGetCString(DirectFunctionCall1(interval_out, IntervalPGetDatum(span)));
	dp_values_end(level);
	return words;
}

/* ---- grids ---- */

/* The number of the last multiple of the resolution that is at the position or below it; *exact: at
 * it. */
static Numeric
multiple_below(Numeric position, Numeric resolution, bool *exact)
{
	Numeric quotient = combine(numeric_div_trunc, position, resolution);
	int order = compare(combine(numeric_mul, quotient, resolution), position);

	*exact = order == 0;
	return order > 0 ? combine(numeric_sub, quotient, whole(1)) : quotient;
}

static DpStatus
too_wide(DpError *error)
{
	(void) dp_fail(error, DP_ERR_LIMIT, "a range is too wide for its resolution");
	dp_fail_hint(error, "Choose a coarser resolution or a narrower range.");
	return DP_ERR_LIMIT;
}

/* The resolution as step x 10^-digits. */
static DpStatus
grid_steps(Numeric resolution, const DpBaseType *type, DpGrid *grid, DpError *error)
{
	grid->kind = dp_grid_kind_of(type->type);
	grid->digits = digits_of(resolution);
	if (grid->digits > DP_GRID_DIGITS_MAX ||
		!to_int64(combine(numeric_mul, resolution, power_of_ten(grid->digits)), &grid->step))
		return too_wide(error);
	return DP_OK;
}

/* Whether neighbours on the grid are different floating point numbers. */
static bool
reals_are_apart(const DpGrid *grid)
{
	__int128 first = (__int128) grid->first * grid->step;
	__int128 last = (__int128) grid->last * grid->step;

	return first >= -REAL_STEPS && last <= REAL_STEPS;
}

DpStatus
dp_bounds_grid(const DpBounds *bounds, Numeric resolution, const DpBaseType *type, DpGrid *grid,
			   DpError *error)
{
	bool exact;
	Numeric first = multiple_below(bounds->low, resolution, &exact);
	Numeric last;

	if (!exact || bounds->above)
		first = combine(numeric_add, first, whole(1));
	last = multiple_below(bounds->high, resolution, &exact);
	if (exact && bounds->below)
		last = combine(numeric_sub, last, whole(1));
	if (compare(first, last) > 0)
	{
		(void) dp_fail(error, DP_ERR_ARGUMENT, "a range holds no multiple of its resolution");
		dp_fail_hint(error, "Choose a finer resolution or a wider range.");
		return DP_ERR_ARGUMENT;
	}
	DP_TRY(grid_steps(resolution, type, grid, error));
	if (!to_int64(first, &grid->first) || !to_int64(last, &grid->last))
		return too_wide(error);
	DP_TRY(dp_grid_check(grid, error));
	if ((type->type == FLOAT4OID || type->type == FLOAT8OID) && !reals_are_apart(grid))
		return too_wide(error);
	return DP_OK;
}

/* ---- what a custodian declares ---- */

void
dp_check_has_range(const char *column, Oid type, int32 typmod)
{
	if (dp_type_has_range(type, typmod))
		return;
	ereport(
		ERROR,
		(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
		 errmsg("column \"%s\" of type %s cannot have a range", column,
				format_type_with_typemod(type, typmod)),
		 errdetail("Ranges are for numbers, money, dates, times, timestamps, and intervals that "
				   "hold more than months."),
		 errhint("Declare categories, or open => true.")));
}

void
dp_range_ends(Datum array, const char *column, DpRangeWords *words)
{
	int n;
	bool *nulls;
	Datum *texts = dp_text_elements(array, &nulls, &n);

	if (n != 2 || nulls[0] || nulls[1])
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("the range of column \"%s\" must have two ends", column),
						errhint("For instance range => '{0,120}'.")));
	words->low = TextDatumGetCString(texts[0]);
	words->high = TextDatumGetCString(texts[1]);
}

static Numeric
declared_end(const char *words, const DpBaseType *type, const char *column)
{
	Numeric end = dp_position_of(dp_value_in(words, type->type, type->typmod), type->type);

	if (end == NULL)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("the range of column \"%s\" is not finite", column),
						errdetail("\"%s\" is no end of a range.", words),
						errhint("Give the public limits of plausible values; values outside are "
								"clamped.")));
	return end;
}

static void
check_ends(const DpBounds *bounds, const DpBaseType *type, const char *column)
{
	DpBounds all;

	if (compare(bounds->low, bounds->high) >= 0)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("the range of column \"%s\" is empty", column),
						errdetail("Its first end must be below its second."),
						errhint("For instance range => '{0,120}'.")));
	if (type->type == TIMETZOID && dp_bounds_of_type(type, &all) &&
		(compare(bounds->low, all.low) < 0 || compare(bounds->high, all.high) > 0))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("the range of column \"%s\" is not within a day", column),
						errdetail("Times with time zone are modelled at UTC."),
						errhint("Give ends at UTC, as 08:00+00.")));
}

/* A number with more digits than anybody reads is cut. */
static char *
words_cut(char *words)
{
	return strlen(words) > 40 ? psprintf("%.37s...", words) : words;
}

char *
dp_grid_declared(const DpRangeWords *words, const DpBaseType *type, const char *column,
				 DpGrid *grid)
{
	DpBounds bounds =
		between(declared_end(words->low, type, column), declared_end(words->high, type, column));
	Numeric resolution;
	DpError error = {0};
	DpStatus status;

	check_ends(&bounds, type, column);
	resolution = words->resolution == NULL ? dp_resolution_default(type, &bounds)
										   : dp_resolution_read(words->resolution, type, column);
	status = dp_bounds_grid(&bounds, resolution, type, grid, &error);
	if (status != DP_OK)
		ereport(ERROR, (errcode(dp_status_sqlstate(status)), errmsg("%s", error.message),
						errdetail("Column \"%s\", resolution %s.", column,
								  words_cut(dp_resolution_words(resolution, type))),
						error.hint[0] ? errhint("%s", error.hint) : 0));
	return dp_resolution_words(resolution, type);
}
