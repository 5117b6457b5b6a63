/*
 * grid.c -- coordinates of a grid as text, and its finest public cells.
 *
 * A text is read by finding the only coordinate that it can stand for and printing that again. So
 * what is read has exactly one form, and printing and reading are exact inverses.
 */
#include "core/domain/grid.h"

#include <string.h>

#include "core/base/calendar.h"

#define SECOND INT64_C(1000000) /* microseconds */
#define DAY (INT64_C(86400) * SECOND)
#define EPOCH_DAYS 10957 /* 2000-01-01, in days since 1970-01-01 */
/* What PostgreSQL's types hold: 4714-11-24 BC to 5874897-12-31, and to 294276-12-31. */
#define DATE_FIRST INT64_C(-2451545)
#define DATE_LAST INT64_C(2145031948)
#define TIMESTAMP_FIRST INT64_C(-211813488000000000)
#define TIMESTAMP_LAST INT64_C(9223371331199999999)

/* ---- grids ---- */

typedef struct RawLimits
{
	int64_t first;
	int64_t last;
} RawLimits;

static RawLimits
raw_limits(DpGridKind kind)
{
	switch (kind)
	{
		case DP_GRID_DATE:
			return (RawLimits){DATE_FIRST, DATE_LAST};
		case DP_GRID_TIMESTAMP:
		case DP_GRID_TIMESTAMPTZ:
			return (RawLimits){TIMESTAMP_FIRST, TIMESTAMP_LAST};
		case DP_GRID_TIME:
		case DP_GRID_TIMETZ:
			return (RawLimits){0, DAY};
		default:
			return (RawLimits){INT64_MIN, INT64_MAX};
	}
}

static bool
raw_fits(const DpGrid *grid, int64_t coordinate)
{
	RawLimits limits = raw_limits(grid->kind);
	int64_t raw;

	return !__builtin_mul_overflow(coordinate, grid->step, &raw) && raw >= limits.first &&
		   raw <= limits.last;
}

DpStatus
dp_grid_check(const DpGrid *grid, DpError *error)
{
	int digits_max = grid->kind == DP_GRID_NUMBER ? DP_GRID_DIGITS_MAX : 0;

	if ((int) grid->kind < DP_GRID_NUMBER || grid->kind > DP_GRID_INTERVAL)
		return dp_fail(error, DP_ERR_ARGUMENT, "a range is of an unknown kind");
	if (grid->step < 1)
		return dp_fail(error, DP_ERR_ARGUMENT, "the resolution of a range must be above 0");
	if (grid->digits < -digits_max || grid->digits > digits_max)
		return dp_fail(error, DP_ERR_ARGUMENT, "the resolution of a range has too many digits");
	if (grid->first > grid->last)
		return dp_fail(error, DP_ERR_ARGUMENT, "a range ends before it begins");
	if (raw_fits(grid, grid->first) && raw_fits(grid, grid->last))
		return DP_OK;
	(void) dp_fail(error, DP_ERR_LIMIT, "a range is too wide for its resolution");
	dp_fail_hint(error, "Choose a coarser resolution or a narrower range.");
	return DP_ERR_LIMIT;
}

uint64_t
dp_grid_size(const DpGrid *grid)
{
	uint64_t span = (uint64_t) grid->last - (uint64_t) grid->first;

	return span == UINT64_MAX ? span : span + 1;
}

bool
dp_grid_same(const DpGrid *a, const DpGrid *b)
{
	return a->kind == b->kind && a->first == b->first && a->last == b->last && a->step == b->step &&
		   a->digits == b->digits;
}

/* ---- printing ---- */

static uint64_t
magnitude(int64_t value)
{
	return value < 0 ? -(uint64_t) value : (uint64_t) value;
}

static char *
put_text(char *at, const char *text)
{
	size_t length = strlen(text);

	memcpy(at, text, length);
	return at + length;
}

/* Decimal digits with leading zeros up to that width. */
static char *
put_digits(char *at, uint64_t value, int width)
{
	char reversed[20];
	int n = 0;

	for (; value > 0 || n < width; value /= 10)
		reversed[n++] = (char) ('0' + value % 10);
	while (n > 0)
		*at++ = reversed[--n];
	return at;
}

static char *
put_number(char *at, int64_t raw, int digits)
{
	char reversed[DP_GRID_DIGITS_MAX + 24];
	uint64_t size = magnitude(raw);
	int n = 0;

	for (; digits > 0 && size % 10 == 0; digits--)
		size /= 10;
	for (int zeros = size == 0 ? 0 : -digits; zeros > 0; zeros--)
		reversed[n++] = '0';
	for (int k = 0; size > 0 || k <= digits || n == 0; k++, size /= 10)
	{
		if (k == digits && digits > 0)
			reversed[n++] = '.';
		reversed[n++] = (char) ('0' + size % 10);
	}
	if (raw < 0)
		*at++ = '-';
	while (n > 0)
		*at++ = reversed[--n];
	return at;
}

/* Hours, minutes, seconds and what is left of a second. */
static char *
put_clock(char *at, uint64_t microseconds)
{
	uint64_t seconds = microseconds / (uint64_t) SECOND;
	uint64_t rest = microseconds % (uint64_t) SECOND;
	int width = 6;

	at = put_digits(at, seconds / 3600, 2);
	*at++ = ':';
	at = put_digits(at, seconds / 60 % 60, 2);
	*at++ = ':';
	at = put_digits(at, seconds % 60, 2);
	if (rest == 0)
		return at;
	for (; rest % 10 == 0; width--)
		rest /= 10;
	*at++ = '.';
	return put_digits(at, rest, width);
}

static bool
is_before_christ(int64_t days)
{
	return dp_day_of(days + EPOCH_DAYS).year < 1;
}

static char *
put_date(char *at, int64_t days)
{
	DpDay date = dp_day_of(days + EPOCH_DAYS);

	at = put_digits(at, (uint64_t) (date.year < 1 ? 1 - date.year : date.year), 4);
	*at++ = '-';
	at = put_digits(at, (uint64_t) date.month, 2);
	*at++ = '-';
	return put_digits(at, (uint64_t) date.day, 2);
}

static char *
put_timestamp(char *at, int64_t raw, const char *zone)
{
	int64_t days = raw / DAY - (raw % DAY < 0);

	at = put_date(at, days);
	*at++ = ' ';
	at = put_clock(at, (uint64_t) (raw - days * DAY));
	at = put_text(at, zone);
	return is_before_christ(days) ? put_text(at, " BC") : at;
}

size_t
dp_grid_print(const DpGrid *grid, int64_t coordinate, char *buffer)
{
	int64_t raw = (int64_t) ((uint64_t) coordinate * (uint64_t) grid->step);
	char *at = buffer;

	switch (grid->kind)
	{
		case DP_GRID_NUMBER:
			at = put_number(at, raw, grid->digits);
			break;
		case DP_GRID_DATE:
			at = put_date(at, raw);
			at = is_before_christ(raw) ? put_text(at, " BC") : at;
			break;
		case DP_GRID_TIMESTAMP:
			at = put_timestamp(at, raw, "");
			break;
		case DP_GRID_TIMESTAMPTZ:
			at = put_timestamp(at, raw, "+00");
			break;
		case DP_GRID_TIME:
			at = put_clock(at, (uint64_t) raw);
			break;
		case DP_GRID_TIMETZ:
			at = put_text(put_clock(at, (uint64_t) raw), "+00");
			break;
		case DP_GRID_INTERVAL:
			if (raw < 0)
				*at++ = '-';
			at = put_clock(at, magnitude(raw));
			break;
	}
	*at = '\0';
	return (size_t) (at - buffer);
}
