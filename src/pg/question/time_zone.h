/*
 * time_zone.h -- time zones in which a question reads instants.
 */
#ifndef DPSYN_TIME_ZONE_H
#define DPSYN_TIME_ZONE_H

#include "pg/server/compat.h"

/*
 * A name by which every process reads the same zone: UTC, or one of a place, as Europe/Berlin. NULL:
 * the name is of neither. An abbreviation, as CET, is read by settings.
 */
extern const char *dp_zone_name(const char *name);
/*
 * Replaces a range of instants, in microseconds since 2000, by the range of their local times in
 * the zone. That is not the range of the local times of its ends, since clocks are set back. zone:
 * of dp_zone_name.
 */
extern void dp_zone_local_range(const char *zone, double *low, double *high);

#endif
