/*
 * numbers.h -- values of number and time types as numbers, and numbers as values.
 *
 * Dates and times are seconds since 1970, times of a day and intervals seconds.
 */
#ifndef DPSYN_NUMBERS_H
#define DPSYN_NUMBERS_H

#include "pg/server/compat.h"

/* Of base types. */
extern bool dp_is_integer(Oid type);
extern bool dp_is_number(Oid type);
extern bool dp_is_time(Oid type);
/* A value of one of these types; infinite: a time that is not finite. */
extern double dp_number_of_value(Datum value, Oid type);
/*
 * The value as PostgreSQL stores it: dates in days and timestamps in microseconds, since 2000.
 */
extern double dp_number_as_stored(Datum value, Oid type);

/* Whether dp_number_value knows the type: a number, date, timestamp, time or interval. */
extern bool dp_number_has_type(Oid type);
/*
 * A number as a value of the type, rounded to what the type can hold, and to its ends. number: no NAN.
 */
extern Datum dp_number_value(double number, Oid type);

#endif
