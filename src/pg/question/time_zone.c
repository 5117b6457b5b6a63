/*
 * time_zone.c -- time zones in which a question reads instants.
 */
#include "pg/question/time_zone.h"

#include <math.h>

#include "miscadmin.h"
#include "pgtime.h"
#include "utils/timestamp.h"

#include "pg/question/outward.h"

#define UTC "UTC"
#define EPOCH ((double) (POSTGRES_EPOCH_JDATE - UNIX_EPOCH_JDATE) * SECS_PER_DAY)

const char *
dp_zone_name(const char *name)
{
	static const char *const same[] = {UTC, "GMT", "Etc/UTC", "Etc/GMT", "Universal", "Zulu"};
	pg_tz *zone;

	for (size_t i = 0; i < lengthof(same); i++)
		if (pg_strcasecmp(name, same[i]) == 0)
			return UTC;
	zone = strchr(name, '/') != NULL ? pg_tzset(name) : NULL;
	return zone != NULL && pg_tz_acceptable(zone) ? name : NULL; /* one with leap seconds is not */
}

/* Each change of the clocks between the ends: what they show is largest just before they are set back,
 * and least just after. */
void
dp_zone_local_range(const char *zone, double *low, double *high)
{
	pg_tz *tz = pg_tzset(zone);
	pg_time_t at = (pg_time_t) floor(*low / USECS_PER_SEC + EPOCH), boundary;
	double last = ceil(*high / USECS_PER_SEC + EPOCH), least = INFINITY, most = -INFINITY;
	long before, after;
	int before_dst, after_dst, found;

	if (tz == NULL)
		elog(ERROR, "dpsyn: there is no time zone %s", zone);
	while ((found = pg_next_dst_boundary(&at, &before, &before_dst, &boundary, &after, &after_dst,
										 tz)) == 1 &&
		   (double) boundary <= last)
	{
		CHECK_FOR_INTERRUPTS();
		least = Min(least, (double) (at + before));
		most = Max(most, (double) (boundary + before));
		at = boundary;
	}
	if (found < 0)
		ereport(ERROR, (errcode(ERRCODE_DATETIME_VALUE_OUT_OF_RANGE),
						errmsg("timestamp out of range in time zone \"%s\"", zone)));
	least = Min(least, (double) at + (double) before);
	most = Max(most, last + (double) before);
	*low = dp_outward_unless_whole((least - EPOCH) * USECS_PER_SEC, true);
	*high = dp_outward_unless_whole((most - EPOCH) * USECS_PER_SEC, false);
}
