/*
 * distance.c -- the distance between two columns.
 */
#include "pg/domain/distance.h"

#include "catalog/pg_type.h"
#include "common/int.h"
#include "utils/builtins.h"
#include "utils/date.h"
#include "utils/fmgrprotos.h"
#include "utils/float.h"
#include "utils/lsyscache.h"
#include "utils/numeric.h"
#include "utils/timestamp.h"

#include "pg/server/catalog.h"

Oid
dp_distance_type(Oid type)
{
	switch (getBaseType(type))
	{
		case DATEOID:
			return INT4OID;
		case TIMESTAMPOID:
		case TIMESTAMPTZOID:
			return INTERVALOID;
		case INT2OID:
		case INT4OID:
			return INT8OID;
		case INT8OID:
		case NUMERICOID:
			return NUMERICOID;
		case FLOAT4OID:
		case FLOAT8OID:
			return FLOAT8OID;
		default:
			return InvalidOid;
	}
}

/*
 * Limits within which a difference has a value. Below them are the infinities and NaN, and what
 * would overflow.
 */
static const struct Kind
{
	Oid type;
	const char *as;    /* the type in which values are subtracted */
	const char *first; /* limits, in that type; NULL: every value serves */
	const char *last;
} kinds[] = {
	{DATEOID, "date", "4713-01-01 BC", "5874897-12-31"},
	{TIMESTAMPOID, "timestamp", "0001-01-01", "9999-12-31"},
	{TIMESTAMPTZOID, "timestamptz", "0001-01-01 00:00:00+00", "9999-12-31 00:00:00+00"},
	{INT2OID, "int8", NULL, NULL},
	{INT4OID, "int8", NULL, NULL},
	{INT8OID, "numeric", NULL, NULL},
	{NUMERICOID, "numeric", "-1e100", "1e100"},
	{FLOAT4OID, "float8", "-1e100", "1e100"},
	{FLOAT8OID, "float8", "-1e100", "1e100"},
};

static const struct Kind *
kind_of(Oid type)
{
	for (size_t i = 0; i < lengthof(kinds); i++)
		if (kinds[i].type == getBaseType(type))
			return &kinds[i];
	elog(ERROR, "dpsyn: type %u has no distances", type);
}

/* (first <= value AND value <= last) */
static char *
within(const char *value, const struct Kind *kind)
{
	return psprintf("(%s OPERATOR(pg_catalog.>=) '%s'::pg_catalog.%s AND"
					" %s OPERATOR(pg_catalog.<=) '%s'::pg_catalog.%s)",
					value, kind->first, kind->as, value, kind->last, kind->as);
}

char *
dp_distance_limited(const char *expression, Oid type)
{
	const struct Kind *kind = kind_of(type);
	char *value = psprintf("%s::pg_catalog.%s", expression, kind->as);

	if (kind->first == NULL)
		return pstrdup(expression);
	return psprintf("(CASE WHEN %s THEN %s END)", within(value, kind), expression);
}

char *
dp_distance_expression(const char *column, const char *base, const char *far, Oid type)
{
	const struct Kind *kind = kind_of(type);
	char *to = psprintf("%s::pg_catalog.%s", column, kind->as);
	char *from = psprintf("%s::pg_catalog.%s", base, kind->as);
	char *distance = psprintf("%s OPERATOR(pg_catalog.-) %s", to, from);

	if (far != NULL)
		distance = psprintf("CASE WHEN %s OPERATOR(pg_catalog.<>) %s::pg_catalog.%s THEN %s END",
							to, quote_literal_cstr(far), kind->as, distance);
	if (kind->first == NULL)
		return psprintf("(%s)", distance);
	return psprintf("(CASE WHEN %s AND %s THEN %s END)", within(to, kind), within(from, kind),
					distance);
}

/* ---- bases of another type ---- */

static bool
is_time(Oid type)
{
	return type == DATEOID || type == TIMESTAMPOID || type == TIMESTAMPTZOID;
}

bool
dp_distance_fits(Oid type, Oid base)
{
	if (!OidIsValid(base))
		return false;
	type = getBaseType(type);
	base = getBaseType(base);
	return OidIsValid(dp_distance_type(type)) && (type == base || (is_time(type) && is_time(base)));
}

char *
dp_distance_base_as(const char *base, Oid from, Oid type)
{
	/* dates of which a timestamp has the year */
	static const struct Kind dates = {DATEOID, "date", "0001-01-01", "9999-12-31"};

	from = getBaseType(from);
	type = getBaseType(type);
	if (from == type)
		return pstrdup(base);
	if (from == DATEOID)
		base = psprintf("(CASE WHEN %s THEN %s::pg_catalog.timestamp END)", within(base, &dates),
						base);
	if (from == TIMESTAMPTZOID || type == TIMESTAMPTZOID)
		base = psprintf("pg_catalog.timezone('UTC', %s)", base);
	return type == DATEOID ? psprintf("(%s)::pg_catalog.date", base) : pstrdup(base);
}

/* Microseconds, as timestamps of either kind are; beyond their ends: an end. */
static Timestamp
timestamp_of_date(DateADT date)
{
	int64 microseconds;

	if (DATE_IS_NOBEGIN(date))
		return DT_NOBEGIN;
	if (DATE_IS_NOEND(date))
		return DT_NOEND;
	if (pg_mul_s64_overflow(date, USECS_PER_DAY, &microseconds))
		return date < 0 ? MIN_TIMESTAMP : END_TIMESTAMP - 1;
	return Min(Max(microseconds, MIN_TIMESTAMP), END_TIMESTAMP - 1);
}

static DateADT
date_of_timestamp(Timestamp timestamp)
{
	int64 days = timestamp / USECS_PER_DAY;

	if (TIMESTAMP_NOT_FINITE(timestamp))
		return TIMESTAMP_IS_NOBEGIN(timestamp) ? DATEVAL_NOBEGIN : DATEVAL_NOEND;
	return (DateADT) (days - (days * USECS_PER_DAY > timestamp ? 1 : 0));
}

Datum
dp_distance_base_value(Datum base, Oid from, Oid type)
{
	if (from == DATEOID && type != DATEOID)
		return TimestampGetDatum(timestamp_of_date(DatumGetDateADT(base)));
	if (type == DATEOID && from != DATEOID)
		return DateADTGetDatum(date_of_timestamp(DatumGetTimestamp(base)));
	return base;
}

/* ---- of two values ---- */

Datum
dp_distance_between(Datum value, Datum base, Oid type)
{
	switch (type)
	{
		case DATEOID:
			return DirectFunctionCall2(date_mi, value, base);
		case TIMESTAMPOID:
		case TIMESTAMPTZOID:
			return DirectFunctionCall2(timestamp_mi, value, base);
		case INT2OID:
			return Int64GetDatum((int64) DatumGetInt16(value) - DatumGetInt16(base));
		case INT4OID:
			return Int64GetDatum((int64) DatumGetInt32(value) - DatumGetInt32(base));
		case INT8OID:
			return DirectFunctionCall2(numeric_sub,
									   NumericGetDatum(int64_to_numeric(DatumGetInt64(value))),
									   NumericGetDatum(int64_to_numeric(DatumGetInt64(base))));
		case NUMERICOID:
			return DirectFunctionCall2(numeric_sub, value, base);
		case FLOAT4OID:
			return Float8GetDatum((double) DatumGetFloat4(value) - (double) DatumGetFloat4(base));
		case FLOAT8OID:
			return Float8GetDatum(DatumGetFloat8(value) - DatumGetFloat8(base));
		default:
			elog(ERROR, "dpsyn: type %u has no distances", type);
	}
}

/* ---- adding ---- */

static int64
add_clamped(int64 a, int64 b, int64 low, int64 high)
{
	int64 sum;

	if (pg_add_s64_overflow(a, b, &sum))
		return b < 0 ? low : high;
	return Min(Max(sum, low), high);
}

static int64
interval_microseconds(const Interval *interval)
{
	return interval->time +
		   ((int64) interval->day + (int64) interval->month * DAYS_PER_MONTH) * USECS_PER_DAY;
}

/* The sum rounded to numeric(p,s), and clamped to its range. */
static Datum
numeric_fit(Datum sum, int32 typmod)
{
	int precision = ((typmod - VARHDRSZ) >> 16) & 0xffff;
	int scale = (((typmod - VARHDRSZ) & 0x7ff) ^ 1024) - 1024;
	Datum largest;

	if (typmod < (int32) VARHDRSZ)
		return sum;
	sum = DirectFunctionCall2(numeric_round, sum, Int32GetDatum(scale));
	largest = DirectFunctionCall3(
		numeric_in,
		CStringGetDatum(psprintf("%se%d",
								 text_to_cstring(DatumGetTextPP(DirectFunctionCall2(
									 repeat, CStringGetTextDatum("9"), Int32GetDatum(precision)))),
								 -scale)),
		ObjectIdGetDatum(InvalidOid), Int32GetDatum(-1));
	sum = DirectFunctionCall2(numeric_smaller, sum, largest);
	return DirectFunctionCall2(numeric_larger, sum, DirectFunctionCall1(numeric_uminus, largest));
}

Datum
dp_distance_add(Datum base, Datum distance, Oid type, int32 typmod)
{
	switch (type)
	{
		case DATEOID:
			return DateADTGetDatum(
				(DateADT) add_clamped(DatumGetDateADT(base), DatumGetInt32(distance),
									  DATETIME_MIN_JULIAN - POSTGRES_EPOCH_JDATE,
									  DATE_END_JULIAN - POSTGRES_EPOCH_JDATE - 1));
		case TIMESTAMPOID:
		case TIMESTAMPTZOID:
			return TimestampGetDatum(add_clamped(DatumGetTimestamp(base),
												 interval_microseconds(DatumGetIntervalP(distance)),
												 MIN_TIMESTAMP, END_TIMESTAMP - 1));
		case INT2OID:
			return Int16GetDatum((int16) add_clamped(DatumGetInt16(base), DatumGetInt64(distance),
													 PG_INT16_MIN, PG_INT16_MAX));
		case INT4OID:
			return Int32GetDatum((int32) add_clamped(DatumGetInt32(base), DatumGetInt64(distance),
													 PG_INT32_MIN, PG_INT32_MAX));
		case INT8OID:
			return Int64GetDatum(add_clamped(
				DatumGetInt64(base), DatumGetInt64(DirectFunctionCall1(numeric_int8, distance)),
				PG_INT64_MIN, PG_INT64_MAX));
		case NUMERICOID:
			return numeric_fit(DirectFunctionCall2(numeric_add, base, distance), typmod);
		case FLOAT4OID:
			return Float4GetDatum((float) (DatumGetFloat4(base) + DatumGetFloat8(distance)));
		case FLOAT8OID:
			return Float8GetDatum(DatumGetFloat8(base) + DatumGetFloat8(distance));
		default:
			elog(ERROR, "dpsyn: type %u has no distances", type);
	}
}
