/*
 * calendar.h -- days of the proleptic Gregorian calendar.
 */
#ifndef DP_CALENDAR_H
#define DP_CALENDAR_H

#include <stdint.h>

typedef struct DpDay
{
	int64_t year; /* astronomical: 0 is 1 BC, -1 is 2 BC */
	int month;    /* 1..12 */
	int day;      /* 1..31 */
} DpDay;

/* Days since 1970-01-01. */
extern int64_t dp_days_of(DpDay day);
/* The inverse. */
extern DpDay dp_day_of(int64_t days);

#endif
