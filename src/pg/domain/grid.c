/*
 * grid.c -- values of a column to coordinates of its grid, and back.
 *
 * dp_grid_coordinate runs once for each row and column. So it reads the bits of a value and calls
 * no function of the type; a numeric is read digit by digit.
 */
#include "pg/domain/grid.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/date.h"
#include "utils/datetime.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"
#include "utils/numeric.h"
#include "utils/timestamp.h"

#include "pg/server/values.h"

#define INVERTIBLE ((int64) 1 << 12) /* quotients by this or more are below 2^51 */
#define MONEY_DIGITS 2 /* money is an integer number of cents, as lc_monetary C reads it */

struct DpGridCoder
{
	DpGrid grid;
	Oid type; /* base type */
	int32 typmod;
	bool reads;     /* the type's values are of the grid's kind */
	int64 divisor;  /* integer-like types: what one coordinate is worth in the type's own unit */
	double inverse; /* of the divisor; 0: quotients can be too large for a double */
	double tens;    /* floating point: 10^digits, or 10^-digits if digits are negative */
	double low;     /* floating point: the value of the first coordinate */
	double high;    /* of the last one */
	Datum negative; /* numeric with negative digits: 10^-digits */
};

/* ---- types ---- */

/* Whether an interval(...) holds nothing finer than a month, which has no fixed length. */
static bool
holds_months_alone(int32 typmod)
{
	int fields = typmod < 0 ? INTERVAL_FULL_RANGE : INTERVAL_RANGE(typmod);

	return fields != INTERVAL_FULL_RANGE &&
		   (fields & ~(INTERVAL_MASK(YEAR) | INTERVAL_MASK(MONTH))) == 0;
}

bool
dp_type_has_range(Oid type, int32 typmod)
{
	switch (getBaseTypeAndTypmod(type, &typmod))
	{
		case INT2OID:
		case INT4OID:
		case INT8OID:
		case FLOAT4OID:
		case FLOAT8OID:
		case NUMERICOID:
		case CASHOID:
		case DATEOID:
		case TIMESTAMPOID:
		case TIMESTAMPTZOID:
		case TIMEOID:
		case TIMETZOID:
			return true;
		case INTERVALOID:
			return !holds_months_alone(typmod);
		default:
			return false;
	}
}

DpGridKind
dp_grid_kind_of(Oid type)
{
	switch (getBaseType(type))
	{
		case INT2OID:
		case INT4OID:
		case INT8OID:
		case FLOAT4OID:
		case FLOAT8OID:
		case NUMERICOID:
		case CASHOID:
			return DP_GRID_NUMBER;
		case DATEOID:
			return DP_GRID_DATE;
		case TIMESTAMPOID:
			return DP_GRID_TIMESTAMP;
		case TIMESTAMPTZOID:
			return DP_GRID_TIMESTAMPTZ;
		case TIMEOID:
			return DP_GRID_TIME;
		case TIMETZOID:
			return DP_GRID_TIMETZ;
		case INTERVALOID:
			return DP_GRID_INTERVAL;
		default:
			ereport(ERROR, (errcode(ERRCODE_DATATYPE_MISMATCH),
							errmsg("type %s has no ranges", format_type_be(type))));
	}
}

/* ---- coders ---- */

static bool
type_reads(Oid type, DpGridKind kind)
{
	return dp_type_has_range(type, -1) && dp_grid_kind_of(type) == kind;
}

/* What one coordinate is worth, in units of an integer-like type; 0: it is no whole number. */
static int64
divisor_of(const DpGrid *grid, Oid type)
{
	int more =
		grid->kind == DP_GRID_NUMBER ? (type == CASHOID ? MONEY_DIGITS : 0) - grid->digits : 0;
	int64 divisor = grid->step;

	for (; more > 0; more--)
		if (__builtin_mul_overflow(divisor, 10, &divisor))
			return 0;
	for (; more < 0; more++)
	{
		if (divisor % 10 != 0)
			return 0;
		divisor /= 10;
	}
	return divisor;
}

static double
real_value(const DpGridCoder *coder, int64 coordinate)
{
	double raw = (double) (coordinate * coder->grid.step);
	double value = coder->grid.digits < 0 ? raw * coder->tens : raw / coder->tens;

	return coder->type == FLOAT4OID ? (double) (float) value : value;
}

DpGridCoder *
dp_grid_coder(const DpGrid *grid, Oid type, int32 typmod)
{
	DpGridCoder *coder = palloc0(sizeof(DpGridCoder));

	coder->grid = *grid;
	coder->type = getBaseTypeAndTypmod(type, &typmod);
	coder->typmod = typmod;
	coder->reads = type_reads(coder->type, grid->kind);
	coder->tens = pow(10, abs(grid->digits));
	if (!coder->reads)
		return coder;
	if (coder->type == FLOAT4OID || coder->type == FLOAT8OID)
	{
		coder->low = real_value(coder, grid->first);
		coder->high = real_value(coder, grid->last);
	}
	else if (coder->type == NUMERICOID)
		coder->negative = DirectFunctionCall3(
			numeric_in, CStringGetDatum(psprintf("1e%d", Max(-grid->digits, 0))),
			ObjectIdGetDatum(InvalidOid), Int32GetDatum(-1));
	else
	{
		coder->divisor = divisor_of(grid, coder->type);
		coder->inverse = coder->divisor >= INVERTIBLE ? 1 / (double) coder->divisor : 0;
		coder->reads = coder->divisor > 0;
	}
	return coder;
}

bool
dp_grid_coder_reads(const DpGridCoder *coder)
{
	return coder->reads;
}

/* ---- values to coordinates ---- */

static inline int64
clamp(const DpGrid *grid, __int128 coordinate)
{
	if (coordinate < grid->first)
		return grid->first;
	return coordinate > grid->last ? grid->last : (int64) coordinate;
}

/*
 * word / divisor, rounded down. Division of integers takes as long as ten multiplications. A
 * product of doubles is off by 3/4 at most where it is below 2^51: so when it is rounded down, it
 * is the quotient or the next integer to either side.
 */
static inline int64
quotient_of_word(const DpGridCoder *coder, int64 word)
{
	double product = (double) word * coder->inverse;
	int64 quotient, rest;

	if (coder->inverse == 0)
		return word / coder->divisor - (word % coder->divisor < 0);
	quotient = (int64) product - (product < 0);
	rest = (int64) ((uint64) word - (uint64) quotient * (uint64) coder->divisor);
	return rest < 0 ? quotient - 1 : quotient + (rest >= coder->divisor);
}

static inline int64
coordinate_of_word(const DpGridCoder *coder, int64 word)
{
	int64 coordinate = coder->divisor == 1 ? word : quotient_of_word(coder, word);

	if (coordinate < coder->grid.first)
		return coder->grid.first;
	return coordinate > coder->grid.last ? coder->grid.last : coordinate;
}

/*
 * The largest coordinate whose value, as a floating point number, is not above the given one. That
 * the quotient is rounded does no harm: it is off by less than a half, so its nearest integer is
 * the right one or the next.
 */
static bool
coordinate_of_real(const DpGridCoder *coder, double value, int64 *coordinate)
{
	double quotient;

	if (isnan(value) || isinf(value))
	{
		*coordinate = value > 0 ? coder->grid.last : coder->grid.first;
		return false;
	}
	if (value <= coder->low || value >= coder->high)
	{
		*coordinate = value <= coder->low ? coder->grid.first : coder->grid.last;
		return true;
	}
	quotient = coder->grid.digits < 0 ? value / coder->tens : value * coder->tens;
	*coordinate = clamp(&coder->grid, (__int128) rint(quotient / (double) coder->grid.step));
	if (real_value(coder, *coordinate) > value)
		*coordinate = Max(*coordinate - 1, coder->grid.first);
	return true;
}

/* As numeric.c keeps a value on disk, which stays as it is for the sake of pg_upgrade. */
#define NUMERIC_FORM 0xC000
#define NUMERIC_FORM_SHORT 0x8000
#define NUMERIC_FORM_SPECIAL 0xC000 /* NaN and infinities */
#define NUMERIC_POSITIVE_INFINITY 0xD000
#define NUMERIC_NEGATIVE 0x4000
#define NUMERIC_SHORT_NEGATIVE 0x2000
#define NUMERIC_SHORT_WEIGHT 0x003F
#define NUMERIC_SHORT_WEIGHT_SIGN 0x0040
#define NUMERIC_BASE 10000
#define NUMERIC_BASE_DIGITS 4
#define LARGE                                                                                      \
	((__int128) 1 << 100) /* beyond any coordinate; times NUMERIC_BASE still in 128 bits */

typedef struct NumericParts
{
	bool negative;
	int weight; /* the first digit counts NUMERIC_BASE^weight */
	int n;
	const char *digits; /* [n] of uint16, not aligned */
} NumericParts;

static inline uint16
load_uint16(const char *at)
{
	uint16 word;

	memcpy(&word, at, sizeof(word));
	return word;
}

/* False for NaN and infinities, of which only the sign is filled then. */
static bool
numeric_parts(Datum value, NumericParts *parts)
{
	struct varlena *packed = PG_DETOAST_DATUM_PACKED(value);
	const char *at = VARDATA_ANY(packed);
	const char *end = at + VARSIZE_ANY_EXHDR(packed);
	uint16 header = load_uint16(at);

	at += sizeof(uint16);
	if ((header & NUMERIC_FORM) == NUMERIC_FORM_SPECIAL)
	{
		parts->negative = header != NUMERIC_POSITIVE_INFINITY;
		return false;
	}
	if ((header & NUMERIC_FORM) == NUMERIC_FORM_SHORT)
	{
		parts->negative = (header & NUMERIC_SHORT_NEGATIVE) != 0;
		parts->weight = (header & NUMERIC_SHORT_WEIGHT) -
						(header & NUMERIC_SHORT_WEIGHT_SIGN ? NUMERIC_SHORT_WEIGHT + 1 : 0);
	}
	else
	{
		parts->negative = (header & NUMERIC_FORM) == NUMERIC_NEGATIVE;
		parts->weight = (int16) load_uint16(at);
		at += sizeof(uint16);
	}
	parts->digits = at;
	parts->n = (int) ((end - at) / (ptrdiff_t) sizeof(uint16));
	return true;
}

static __int128
times_ten(__int128 value, int times)
{
	while (times-- > 0 && value < LARGE)
		value *= 10;
	return value;
}

/* The absolute value in 10^-digits, rounded down; *rest: something was left over. It saturates. */
static __int128
numeric_magnitude(const NumericParts *parts, int digits, bool *rest)
{
	__int128 sum = 0;
	int place =
		NUMERIC_BASE_DIGITS * parts->weight + digits; /* of the digit at hand, as 10^place */

	*rest = false;
	for (int i = 0; i < parts->n; i++, place -= NUMERIC_BASE_DIGITS)
	{
		int digit = load_uint16(parts->digits + sizeof(uint16) * i);
		int unit = 1;

		if (sum >= LARGE)
			return sum;
		if (place <= -NUMERIC_BASE_DIGITS)
		{
			*rest = *rest || digit != 0;
			continue;
		}
		if (place >= 0)
		{
			sum = sum * NUMERIC_BASE + digit;
			continue;
		}
		for (int k = place; k < 0; k++)
			unit *= 10;
		*rest = *rest || digit % unit != 0;
		sum = sum * (NUMERIC_BASE / unit) + digit / unit;
	}
	/* the last digit counted 10^(place + 4); where that is above 0, zeros follow */
	return times_ten(sum, place + NUMERIC_BASE_DIGITS);
}

static bool
coordinate_of_numeric(const DpGridCoder *coder, Datum value, int64 *coordinate)
{
	NumericParts parts;
	__int128 raw;
	__int128 quotient;
	bool rest;

	if (!numeric_parts(value, &parts))
	{
		*coordinate = parts.negative ? coder->grid.first : coder->grid.last;
		return false;
	}
	raw = numeric_magnitude(&parts, coder->grid.digits, &rest);
	if (parts.negative)
		raw = -raw - rest;
	quotient = raw;
	if (coder->grid.step != 1) /* 128 bits are divided by a function */
		quotient = raw / coder->grid.step - (raw % coder->grid.step < 0);
	*coordinate = clamp(&coder->grid, quotient);
	return true;
}

/* At UTC, in 0 to 24 hours. */
static int64
timetz_word(const TimeTzADT *time)
{
	int64 word = time->time + time->zone * USECS_PER_SEC;

	if (word < 0)
		return word + USECS_PER_DAY;
	return word > USECS_PER_DAY ? word - USECS_PER_DAY : word;
}

/* As PostgreSQL compares intervals: a month has 30 days, a day has 24 hours. */
static int64
coordinate_of_interval(const DpGridCoder *coder, const Interval *span)
{
	__int128 whole_days = (__int128) span->month * DAYS_PER_MONTH + span->day;
	__int128 word = whole_days * USECS_PER_DAY + span->time;

	return clamp(&coder->grid, word / coder->divisor - (word % coder->divisor < 0));
}

bool
dp_grid_coordinate(const DpGridCoder *coder, Datum value, int64 *coordinate)
{
	bool is_finite = true;
	int64 word;

	switch (coder->type)
	{
		case INT2OID:
			word = DatumGetInt16(value);
			break;
		case INT4OID:
			word = DatumGetInt32(value);
			break;
		case DATEOID:
			word = DatumGetDateADT(value);
			is_finite = !DATE_NOT_FINITE((DateADT) word);
			break;
		case TIMESTAMPOID:
		case TIMESTAMPTZOID:
			word = DatumGetTimestamp(value);
			is_finite = !TIMESTAMP_NOT_FINITE(word);
			break;
		case FLOAT4OID:
			return coordinate_of_real(coder, DatumGetFloat4(value), coordinate);
		case FLOAT8OID:
			return coordinate_of_real(coder, DatumGetFloat8(value), coordinate);
		case NUMERICOID:
			return coordinate_of_numeric(coder, value, coordinate);
		case TIMETZOID:
			word = timetz_word(DatumGetTimeTzADTP(value));
			break;
		case INTERVALOID:
			*coordinate = coordinate_of_interval(coder, DatumGetIntervalP(value));
			return !DP_INTERVAL_NOT_FINITE(DatumGetIntervalP(value));
		default: /* bigint, money, time */
			word = DatumGetInt64(value);
			break;
	}
	*coordinate = coordinate_of_word(coder, word);
	return is_finite;
}

bool
dp_grid_measured(const DpGridCoder *coder, const NullableDatum *value, bool nullable,
				 int64 *coordinate)
{
	*coordinate = coder->grid.first;
	if (value->isnull)
		return !nullable;
	return dp_grid_coordinate(coder, value->value, coordinate) || !nullable;
}

static Datum
numeric_of(const char *text)
{
	return DirectFunctionCall3(numeric_in, CStringGetDatum(text), ObjectIdGetDatum(InvalidOid),
							   Int32GetDatum(-1));
}

bool
dp_grid_steps(const char *text, int digits, int64 *steps, bool *exact)
{
	Datum power = numeric_of(psprintf("1e%d", digits));
	Datum scaled = DirectFunctionCall2(numeric_mul, numeric_of(text), power);
	Datum whole = DirectFunctionCall1(numeric_floor, scaled);
	double size = DatumGetFloat8(DirectFunctionCall1(numeric_float8_no_overflow, whole));

	if (!(fabs(size) < 4e18))
		return false;
	*steps = DatumGetInt64(DirectFunctionCall1(numeric_int8, whole));
	*exact = DatumGetBool(DirectFunctionCall2(numeric_eq, whole, scaled));
	return true;
}

/* ---- coordinates to values ---- */

static Datum
value_by_text(const DpGridCoder *coder, int64 coordinate)
{
	char text[DP_GRID_TEXT_BYTES];

	(void) dp_grid_print(&coder->grid, coordinate, text);
	return dp_value_in(text, coder->type, coder->typmod);
}

static Datum
numeric_value(const DpGridCoder *coder, int64 coordinate)
{
	Datum value = NumericGetDatum(
		int64_div_fast_to_numeric(coordinate * coder->grid.step, Max(coder->grid.digits, 0)));

	if (coder->grid.digits < 0)
		value = DirectFunctionCall2(numeric_mul, value, coder->negative);
	if (coder->typmod < (int32) VARHDRSZ)
		return value;
	return DirectFunctionCall2(numeric, value, Int32GetDatum(coder->typmod)); /* 5 as 5.00 */
}

static Datum
interval_value(int64 word)
{
	Interval *span = palloc0(sizeof(Interval));

	span->day = (int32) (word / USECS_PER_DAY);
	span->time = word % USECS_PER_DAY;
	return IntervalPGetDatum(span);
}

static Datum
timetz_value(int64 word)
{
	TimeTzADT *time = palloc0(sizeof(TimeTzADT));

	time->time = word;
	return TimeTzADTPGetDatum(time);
}

Datum
dp_grid_value(const DpGridCoder *coder, int64 coordinate)
{
	int64 word;

	if (!coder->reads)
		return value_by_text(coder, coordinate);
	word = coordinate * coder->divisor;
	switch (coder->type)
	{
		case INT2OID:
			return Int16GetDatum((int16) word);
		case INT4OID:
		case DATEOID:
			return Int32GetDatum((int32) word);
		case FLOAT4OID:
			return Float4GetDatum((float) real_value(coder, coordinate));
		case FLOAT8OID:
			return Float8GetDatum(real_value(coder, coordinate));
		case NUMERICOID:
			return numeric_value(coder, coordinate);
		case TIMETZOID:
			return timetz_value(word);
		case INTERVALOID:
			return interval_value(word);
		default: /* bigint, money, time, timestamp, timestamptz */
			return Int64GetDatum(word);
	}
}
