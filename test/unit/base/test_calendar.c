/*
 * test_calendar.c -- days of the proleptic Gregorian calendar: known dates, leap years, and the
 * inverse over four centuries.
 */
#include "core/base/calendar.h"

#include "unit.h"

static void
test_day(DpDay day, int64_t days)
{
	DpDay back = dp_day_of(days);

	CHECK_I64(dp_days_of(day), days, "%" PRId64 "-%02d-%02d", day.year, day.month, day.day);
	CHECK(back.year == day.year && back.month == day.month && back.day == day.day,
		  "and the day of that number");
}

static void
test_every_day(void)
{
	int64_t first = dp_days_of((DpDay){-1, 1, 1}), last = dp_days_of((DpDay){400, 1, 1}), wrong = 0;
	DpDay before = dp_day_of(first - 1);

	for (int64_t days = first; days <= last; days++)
	{
		DpDay day = dp_day_of(days);
		bool next_day =
			day.year == before.year && day.month == before.month && day.day == before.day + 1;
		bool next_month = day.day == 1 &&
						  (day.month == before.month + 1 || (day.month == 1 && before.month == 12));

		wrong += dp_days_of(day) != days || !(next_day || next_month);
		before = day;
	}
	CHECK_I64(wrong, 0, "from year -1 to 400 each day follows the one before");
}

int
main(void)
{
	test_day((DpDay){1970, 1, 1}, 0);
	test_day((DpDay){1969, 12, 31}, -1);
	test_day((DpDay){2000, 2, 29}, 11016);
	test_day((DpDay){2000, 3, 1}, 11017);
	test_day((DpDay){1, 1, 1}, -719162);
	test_day((DpDay){0, 12, 31}, -719163);
	test_day((DpDay){-4713, 11, 24}, -2440588); /* Julian day 0 */
	CHECK_I64(dp_days_of((DpDay){1900, 3, 1}) - dp_days_of((DpDay){1900, 2, 28}), 1,
			  "1900 is no leap year");
	CHECK_I64(dp_days_of((DpDay){0, 3, 1}) - dp_days_of((DpDay){0, 2, 28}), 2, "year 0 is one");
	test_every_day();
	return unit_finish();
}
