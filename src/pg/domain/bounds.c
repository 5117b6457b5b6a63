/*
 * bounds.c -- ends of ranges, as positions of values on the line that their type is.
 */
#include "pg/domain/bounds.h"

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
#include "pg/server/numbers.h"

#define MONEY_DIGITS 2
/* The ends that stand in for those of a type without any. In steps of a millionth the values
 * between them are numbers of 64 bits, and of floating point of 53 bits. */
#define NUMERIC_MOST INT64CONST(1000000000000)
#define REAL_MOST INT64CONST(1000000000)
#define NUMERIC_DIGITS_MAX 18 /* of a numeric(p,s) whose values all have a coordinate */

/* ---- types ---- */

DpBaseType
dp_base_type(Oid type, int32 typmod)
{
	DpBaseType base = {.typmod = typmod};

	base.type = getBaseTypeAndTypmod(type, &base.typmod);
	return base;
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

Numeric
dp_type_step(const DpBaseType *type)
{
	switch (type->type)
	{
		case INT2OID:
		case INT4OID:
		case INT8OID:
		case DATEOID:
			return dp_numeric_whole(1);
		case CASHOID:
			return dp_numeric_power_of_ten(-MONEY_DIGITS);
		case NUMERICOID:
			return type->typmod < (int32) VARHDRSZ
					   ? NULL
					   : dp_numeric_power_of_ten(-numeric_scale_of_typmod(type->typmod));
		case TIMESTAMPOID:
		case TIMESTAMPTZOID:
		case TIMEOID:
		case TIMETZOID:
			return dp_numeric_whole(type->typmod < 0 ? 1 : microseconds_of_digits(type->typmod));
		case INTERVALOID:
			return dp_numeric_whole(interval_step(type->typmod));
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
	return between(dp_numeric_whole(low), dp_numeric_whole(high));
}

static bool
numeric_bounds(const DpBaseType *type, DpBounds *bounds)
{
	Numeric high;

	if (type->typmod < (int32) VARHDRSZ || numeric_precision(type->typmod) > NUMERIC_DIGITS_MAX)
		return false;
	high = dp_numeric_call(numeric_sub, dp_numeric_power_of_ten(numeric_precision(type->typmod)),
						   dp_numeric_whole(1));
	high = dp_numeric_call(numeric_mul, high,
						   dp_numeric_power_of_ten(-numeric_scale_of_typmod(type->typmod)));
	*bounds = between(dp_numeric_call(numeric_sub, dp_numeric_whole(0), high), high);
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
			*bounds = between(dp_numeric_call(numeric_mul, dp_numeric_whole(PG_INT64_MIN),
											  dp_numeric_power_of_ten(-MONEY_DIGITS)),
							  dp_numeric_call(numeric_mul, dp_numeric_whole(PG_INT64_MAX),
											  dp_numeric_power_of_ten(-MONEY_DIGITS)));
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

/* The position of a day of the Gregorian calendar. */
static Numeric
day_position(const DpBaseType *type, int year, int month, int day, int64 more)
{
	int64 day_number = date2j(year, month, day) - POSTGRES_EPOCH_JDATE;

	return dp_numeric_whole(type->type == DATEOID ? day_number : day_number * USECS_PER_DAY + more);
}

void
dp_bounds_in_years(const DpBaseType *type, const DpBounds *checked, DpBounds *bounds)
{
	Numeric first, last;

	if (type->type != DATEOID && type->type != TIMESTAMPOID && type->type != TIMESTAMPTZOID)
		return;
	first = day_position(type, 1, 1, 1, 0);
	last = day_position(type, 9999, 12, 31, USECS_PER_DAY - 1);
	if (checked->low == NULL && dp_numeric_compare(bounds->high, first) >= 0)
		bounds->low = first;
	if (checked->high == NULL && dp_numeric_compare(bounds->low, last) <= 0)
		bounds->high = last;
}

bool
dp_bounds_assume(const DpBaseType *type, DpBounds *bounds)
{
	bool real = type->type == FLOAT4OID || type->type == FLOAT8OID;
	int64 most = real ? REAL_MOST : NUMERIC_MOST;

	if (!real && type->type != NUMERICOID)
		return false;
	if (bounds->low == NULL)
		bounds->low = dp_numeric_whole(-most);
	if (bounds->high == NULL)
		bounds->high = dp_numeric_whole(most);
	return dp_numeric_compare(bounds->low, dp_numeric_whole(-most)) >= 0 &&
		   dp_numeric_compare(bounds->high, dp_numeric_whole(most)) <= 0;
}

/* ---- positions ---- */

static Numeric
interval_position(const Interval *span)
{
	Numeric whole_days = dp_numeric_call(numeric_add,
										 dp_numeric_call(numeric_mul, dp_numeric_whole(span->month),
														 dp_numeric_whole(DAYS_PER_MONTH)),
										 dp_numeric_whole(span->day));

	return dp_numeric_call(
		numeric_add, dp_numeric_call(numeric_mul, whole_days, dp_numeric_whole(USECS_PER_DAY)),
		dp_numeric_whole(span->time));
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
	return dp_numeric(words);
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
			return dp_numeric_whole(DatumGetInt16(value));
		case INT4OID:
			return dp_numeric_whole(DatumGetInt32(value));
		case FLOAT4OID:
		case FLOAT8OID:
			return finite_number(real_position(value, type));
		case NUMERICOID:
			return finite_number(DatumGetNumeric(value));
		case CASHOID:
			return dp_numeric_call(numeric_mul, dp_numeric_whole(DatumGetCash(value)),
								   dp_numeric_power_of_ten(-MONEY_DIGITS));
		case DATEOID:
			return DATE_NOT_FINITE(DatumGetDateADT(value))
					   ? NULL
					   : dp_numeric_whole(DatumGetDateADT(value));
		case TIMESTAMPOID:
		case TIMESTAMPTZOID:
			return TIMESTAMP_NOT_FINITE(DatumGetTimestamp(value))
					   ? NULL
					   : dp_numeric_whole(DatumGetTimestamp(value));
		case TIMETZOID:
			return dp_numeric_call(
				numeric_add, dp_numeric_whole(DatumGetTimeTzADTP(value)->time),
				dp_numeric_whole(DatumGetTimeTzADTP(value)->zone * USECS_PER_SEC));
		case INTERVALOID:
			return DP_INTERVAL_NOT_FINITE(DatumGetIntervalP(value))
					   ? NULL
					   : interval_position(DatumGetIntervalP(value));
		default: /* bigint, time */
			return dp_numeric_whole(DatumGetInt64(value));
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
		order = bounds->low == NULL ? -1 : dp_numeric_compare(bounds->low, more->low);
		if (order <= 0)
		{
			bounds->above = more->above || (order == 0 && bounds->above);
			bounds->low = more->low;
		}
	}
	if (more->high != NULL)
	{
		order = bounds->high == NULL ? 1 : dp_numeric_compare(bounds->high, more->high);
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
		order = more->low == NULL ? 1 : dp_numeric_compare(bounds->low, more->low);
		if (order >= 0)
		{
			bounds->above = more->above && (order > 0 || bounds->above);
			bounds->low = more->low;
		}
	}
	if (bounds->high != NULL)
	{
		order = more->high == NULL ? -1 : dp_numeric_compare(bounds->high, more->high);
		if (order <= 0)
		{
			bounds->below = more->below && (order < 0 || bounds->below);
			bounds->high = more->high;
		}
	}
}
