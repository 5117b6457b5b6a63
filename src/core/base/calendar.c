/*
 * calendar.c -- days of the proleptic Gregorian calendar. Years run from March to February, and 400
 * years are taken at a time.
 */
#include "core/base/calendar.h"

int64_t
dp_days_of(DpDay day)
{
	int64_t y = day.year - (day.month <= 2);
	int64_t era = (y >= 0 ? y : y - 399) / 400;
	int64_t of_era = y - era * 400;
	int64_t of_year = (153 * ((day.month + 9) % 12) + 2) / 5 + day.day - 1;

	return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

DpDay
dp_day_of(int64_t days)
{
	int64_t z = days + 719468;
	int64_t era = (z >= 0 ? z : z - 146096) / 146097;
	int64_t of_era = z - era * 146097;
	int64_t year = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
	int64_t of_year = of_era - (365 * year + year / 4 - year / 100);
	int64_t month = (5 * of_year + 2) / 153;
	DpDay out;

	out.day = (int) (of_year - (153 * month + 2) / 5 + 1);
	out.month = (int) (month < 10 ? month + 3 : month - 9);
	out.year = year + era * 400 + (out.month <= 2);
	return out;
}
