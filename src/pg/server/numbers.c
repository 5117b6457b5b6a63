/*
 * numbers.c -- values of number and time types as numbers, and numbers as values.
 */
#include "pg/server/numbers.h"

#include <float.h>
#include <math.h>

#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/cash.h"
#include "utils/date.h"
#include "utils/float.h"
#include "utils/timestamp.h"

/* 1970 in seconds, seen from 2000, with its sign turned round. */
#define EPOCH ((double) (POSTGRES_EPOCH_JDATE - UNIX_EPOCH_JDATE) * SECS_PER_DAY)

#define CENTS 100 /* of money, as lc_monetary C reads it */

bool
dp_is_integer(Oid type)
{
	return type == INT2OID || type == INT4OID || type == INT8OID;
}

bool
dp_is_number(Oid type)
{
	return dp_is_integer(type) || type == FLOAT4OID || type == FLOAT8OID || type == NUMERICOID;
}

bool
dp_is_time(Oid type)
{
	return type == DATEOID || type == TIMESTAMPOID || type == TIMESTAMPTZOID;
}

double
dp_number_as_stored(Datum value, Oid type)
{
	switch (type)
	{
		case INT2OID:
			return DatumGetInt16(value);
		case INT4OID:
		case DATEOID:
			return DatumGetInt32(value);
		case INT8OID:
		case TIMESTAMPOID:
		case TIMESTAMPTZOID:
			return (double) DatumGetInt64(value);
		case FLOAT4OID:
			return DatumGetFloat4(value);
		case CASHOID:
			return (double) DatumGetCash(value) / CENTS;
		case FLOAT8OID:
			return DatumGetFloat8(value);
		default:
			return DatumGetFloat8(DirectFunctionCall1(numeric_float8_no_overflow, value));
	}
}

static double
infinite(bool negative)
{
	return negative ? -get_float8_infinity() : get_float8_infinity();
}

double
dp_number_of_value(Datum value, Oid type)
{
	switch (type)
	{
		case DATEOID:
			if (DATE_NOT_FINITE(DatumGetDateADT(value)))
				return infinite(DATE_IS_NOBEGIN(DatumGetDateADT(value)));
			return dp_number_as_stored(value, type) * SECS_PER_DAY + EPOCH;
		case TIMESTAMPOID:
		case TIMESTAMPTZOID:
			if (TIMESTAMP_NOT_FINITE(DatumGetTimestamp(value)))
				return infinite(TIMESTAMP_IS_NOBEGIN(DatumGetTimestamp(value)));
			return dp_number_as_stored(value, type) / USECS_PER_SEC + EPOCH;
		default:
			return dp_number_as_stored(value, type);
	}
}

bool
dp_number_has_type(Oid type)
{
	return dp_is_number(type) || dp_is_time(type) || type == TIMEOID || type == INTERVALOID ||
		   type == CASHOID;
}

/* The nearest integer that is not outside of both ends; the ends are integers below 2^63. */
static int64
whole(double number, double least, double largest)
{
	double rounded = rint(number);

	if (rounded <= least)
		return (int64) least;
	if (rounded >= largest)
		return largest >= 9223372036854775807.0 ? PG_INT64_MAX : (int64) largest;
	return (int64) rounded;
}

static Datum
interval_value(double seconds)
{
	Interval *span = palloc0(sizeof(Interval));

	span->time = whole(seconds * USECS_PER_SEC, -9e18, 9e18);
	return IntervalPGetDatum(span);
}

static Datum
numeric_value(double number)
{
	if (isinf(number))
		number = number > 0 ? DBL_MAX : -DBL_MAX;
	return DirectFunctionCall1(float8_numeric, Float8GetDatum(number));
}

Datum
dp_number_value(double number, Oid type)
{
	double instant = number - EPOCH; /* seconds since 2000 */

	switch (type)
	{
		case INT2OID:
			return Int16GetDatum((int16) whole(number, PG_INT16_MIN, PG_INT16_MAX));
		case INT4OID:
			return Int32GetDatum((int32) whole(number, PG_INT32_MIN, PG_INT32_MAX));
		case INT8OID:
			return Int64GetDatum(whole(number, (double) PG_INT64_MIN, (double) PG_INT64_MAX));
		case FLOAT4OID:
			return Float4GetDatum((float4) number);
		case FLOAT8OID:
			return Float8GetDatum(number);
		case NUMERICOID:
			return numeric_value(number);
		case INTERVALOID:
			return interval_value(number);
		case CASHOID:
			return CashGetDatum(
				whole(number * CENTS, (double) PG_INT64_MIN, (double) PG_INT64_MAX));
		case DATEOID:
			return DateADTGetDatum((DateADT) whole(floor(instant / SECS_PER_DAY),
												   DATETIME_MIN_JULIAN - POSTGRES_EPOCH_JDATE,
												   DATE_END_JULIAN - POSTGRES_EPOCH_JDATE - 1));
		case TIMESTAMPOID:
		case TIMESTAMPTZOID:
			return TimestampTzGetDatum(whole(instant * USECS_PER_SEC, (double) MIN_TIMESTAMP,
											 (double) END_TIMESTAMP - USECS_PER_SEC));
		case TIMEOID:
			return TimeADTGetDatum(whole(number * USECS_PER_SEC, 0, (double) USECS_PER_DAY));
		default:
			elog(ERROR, "dpsyn: there are no numbers of type %u", type);
	}
}
