/*
 * number.c -- noisy numbers as values of the types that PostgreSQL's aggregates have.
 */
#include "pg/sql/number.h"

#include <float.h>
#include <math.h>

#include "datatype/timestamp.h"
#include "utils/builtins.h"
#include "utils/date.h"
#include "utils/timestamp.h"

#define DAY_SECONDS 86400.0
#define EPOCH_DAYS (POSTGRES_EPOCH_JDATE - UNIX_EPOCH_JDATE)
#define EPOCH_SECONDS (EPOCH_DAYS * DAY_SECONDS)

bool
dp_number_has_type(Oid type)
{
	switch (type)
	{
		case INT2OID:
		case INT4OID:
		case INT8OID:
		case FLOAT4OID:
		case FLOAT8OID:
		case NUMERICOID:
		case INTERVALOID:
		case DATEOID:
		case TIMESTAMPOID:
		case TIMESTAMPTZOID:
		case TIMEOID:
			return true;
		default:
			return false;
	}
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
	double instant = number - EPOCH_SECONDS; /* seconds since 2000 */

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
		case DATEOID:
			return DateADTGetDatum((DateADT) whole(floor(instant / DAY_SECONDS),
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
