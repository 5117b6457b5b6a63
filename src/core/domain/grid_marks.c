/*
 * grid_marks.c -- values that many rows may have though they lie far from all others.
 *
 * Tables write "no end" as 9999-12-31, and "not known" as 99999999. In a range that reaches so far
 * such a value is in a wide cell, and nothing tells it from what is beside it. So these are cells
 * of their own, and so are terms that are usual, such as 30 days. Which they are follows from the
 * grid alone.
 */
#include "core/domain/grid.h"

#define DIGITS_FEW 4 /* nines that a mark has at least: 999 may be an ordinary value */
#define DIGITS_MOST 18
#define DAY_MICROSECONDS INT64_C(86400000000)
#define SECOND_MICROSECONDS INT64_C(1000000)

/* 0001-01-01, 1753-01-01, 1900-01-01, 1970-01-01, 2099-12-31, 2999-12-31, 9999-01-01 and
 * 9999-12-31, in days from 2000-01-01. */
static const int64_t days[] = {-730119, -90214, -36524, -10957, 36524, 365242, 2921575, 2921939};

/* Terms in minutes: parts of hours, hours, days, months of 30 days, and years of 12 such months, 365
 * and 366 days. */
static const int64_t minutes[] = {
	1,      5,      10,      15,      30,      45,      60,      90,      120,     180,    240,
	360,    480,    720,     1440,    2880,    4320,    5760,    7200,    8640,    10080,  14400,
	20160,  28800,  30240,   40320,   43200,   44640,   86400,   129600,  172800,  259200, 518400,
	525600, 527040, 1036800, 1051200, 1555200, 1576800, 2592000, 2628000, 5184000, 5256000};

typedef struct Marks
{
	const DpGrid *grid;
	uint32_t n;
	int64_t *mark;
} Marks;

/* Keeps the marks ascending, each once. */
static void
add_coordinate(Marks *marks, int64_t coordinate)
{
	uint32_t place = marks->n;

	if (coordinate < marks->grid->first || coordinate > marks->grid->last ||
		marks->n == DP_GRID_MARKS_MAX)
		return;
	while (place > 0 && marks->mark[place - 1] > coordinate)
		place--;
	if (place > 0 && marks->mark[place - 1] == coordinate)
		return;
	for (uint32_t i = marks->n++; i > place; i--)
		marks->mark[i] = marks->mark[i - 1];
	marks->mark[place] = coordinate;
}

/* A value in raw units, if it is one of the grid. */
static void
add_raw(Marks *marks, int64_t raw)
{
	if (raw % marks->grid->step == 0)
		add_coordinate(marks, raw / marks->grid->step);
}

/* number x 10^digits less a part, and the opposite; nothing where that has no 64 bits. */
static void
add_nines(Marks *marks, int64_t power, int64_t less)
{
	int64_t raw = power;

	for (int i = 0; i < marks->grid->digits; i++)
		if (__builtin_mul_overflow(raw, 10, &raw))
			return;
	add_raw(marks, raw - less);
	add_raw(marks, less - raw);
}

/* 9999, 9999.99, and 9999 with as many nines behind the point as the column has. */
static void
add_numbers(Marks *marks)
{
	int digits = marks->grid->digits;
	int64_t power = 1, unit = 1, cent;

	if (digits < 0 || digits > DIGITS_MOST)
		return;
	for (int i = 0; i < digits; i++)
		unit *= 10;
	cent = unit / 100;
	for (int k = 1; k <= DIGITS_MOST; k++)
	{
		power *= 10;
		if (k < DIGITS_FEW)
			continue;
		add_nines(marks, power, unit);
		if (digits > 2)
			add_nines(marks, power, cent);
		if (digits == 1 || digits == 2)
			add_nines(marks, power, 1);
	}
}

static void
add_days(Marks *marks)
{
	for (size_t i = 0; i < sizeof(days) / sizeof(*days); i++)
	{
		int64_t raw = days[i] * DAY_MICROSECONDS;

		if (marks->grid->kind == DP_GRID_DATE)
		{
			add_raw(marks, days[i]);
			continue;
		}
		add_raw(marks, raw);
		add_raw(marks, raw + DAY_MICROSECONDS - SECOND_MICROSECONDS);
		add_raw(marks, raw + DAY_MICROSECONDS - 1000);
		add_raw(marks, raw + DAY_MICROSECONDS - 1);
	}
}

static void
add_terms(Marks *marks)
{
	for (size_t i = 0; i < sizeof(minutes) / sizeof(*minutes); i++)
		add_raw(marks, minutes[i] * 60 * SECOND_MICROSECONDS);
	add_raw(marks, 0);
}

uint32_t
dp_grid_marks(const DpGrid *grid, int64_t mark[DP_GRID_MARKS_MAX])
{
	Marks marks = {grid, 0, mark};

	if (dp_grid_size(grid) <= DP_GRID_FEW)
		return 0;
	add_coordinate(&marks, grid->first);
	add_coordinate(&marks, grid->last);
	if (grid->kind == DP_GRID_NUMBER)
		add_numbers(&marks);
	else if (grid->kind == DP_GRID_DATE || grid->kind == DP_GRID_TIMESTAMP ||
			 grid->kind == DP_GRID_TIMESTAMPTZ)
		add_days(&marks);
	else if (grid->kind == DP_GRID_INTERVAL)
		add_terms(&marks);
	return marks.n;
}
