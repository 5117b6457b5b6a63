/*
 * numbers.c -- values of columns as numbers.
 */
#include "pg/evaluate/numbers.h"

#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/date.h"
#include "utils/float.h"
#include "utils/timestamp.h"

#define DAYS_TO_1970 ((double) (POSTGRES_EPOCH_JDATE - UNIX_EPOCH_JDATE))

bool
dp_is_number(Oid type)
{
	return type == INT2OID || type == INT4OID || type == INT8OID || type == FLOAT4OID ||
		   type == FLOAT8OID || type == NUMERICOID;
}

bool
dp_is_time(Oid type)
{
	return type == DATEOID || type == TIMESTAMPOID || type == TIMESTAMPTZOID;
}

static double
number_of_date(DateADT date)
{
	if (DATE_NOT_FINITE(date))
		return DATE_IS_NOBEGIN(date) ? -get_float8_infinity() : get_float8_infinity();
	return ((double) date + DAYS_TO_1970) * SECS_PER_DAY;
}

static double
number_of_timestamp(Timestamp timestamp)
{
	if (TIMESTAMP_NOT_FINITE(timestamp))
		return TIMESTAMP_IS_NOBEGIN(timestamp) ? -get_float8_infinity() : get_float8_infinity();
	return (double) timestamp / USECS_PER_SEC + DAYS_TO_1970 * SECS_PER_DAY;
}

double
dp_number_of_value(Datum value, Oid type)
{
	switch (type)
	{
		case INT2OID:
			return DatumGetInt16(value);
		case INT4OID:
			return DatumGetInt32(value);
		case INT8OID:
			return (double) DatumGetInt64(value);
		case FLOAT4OID:
			return DatumGetFloat4(value);
		case FLOAT8OID:
			return DatumGetFloat8(value);
		case NUMERICOID:
			return DatumGetFloat8(DirectFunctionCall1(numeric_float8_no_overflow, value));
		case DATEOID:
			return number_of_date(DatumGetDateADT(value));
		default:
			return number_of_timestamp(DatumGetTimestamp(value));
	}
}
