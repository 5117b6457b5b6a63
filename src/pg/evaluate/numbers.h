/*
 * numbers.h -- values of columns as numbers. Runs in the caller's backend.
 */
#ifndef DPSYN_NUMBERS_H
#define DPSYN_NUMBERS_H

#include "pg/server/compat.h"

/* Of base types. */
extern bool dp_is_number(Oid type);
extern bool dp_is_time(Oid type);
/* A value of one of these types. Dates and timestamps are seconds since 1970. */
extern double dp_number_of_value(Datum value, Oid type);

#endif
