/*
 * numbers.h -- values of number and time types as numbers, and numbers as values.
 *
 * Dates and times are seconds since 1970, times of a day and intervals seconds.
 */
#ifndef DPSYN_NUMBERS_H
#define DPSYN_NUMBERS_H

#include "postgres.h"

#include "utils/numeric.h"

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

/*
 * Exact arithmetic with numeric, for what is computed a few times and may be large.
 *
 * Runs in any process.
 */

/* The number that a text says; ERROR if it says none. */
extern Numeric dp_numeric(const char *words);
extern Numeric dp_numeric_whole(int64 value);
extern Numeric dp_numeric_power_of_ten(int exponent);
/* Calls an SQL function of two numbers: numeric_add and its like. */
extern Numeric dp_numeric_call(PGFunction function, Numeric a, Numeric b);
/* Below, at or above 0, as a is below, at or above b. */
extern int dp_numeric_compare(Numeric a, Numeric b);
/* Without trailing zeros. */
extern char *dp_numeric_words(Numeric value);
/* Digits after the point that the value needs. */
extern int dp_numeric_digits(Numeric value);
/* Rounded to 64 bits; false if it does not fit. */
extern bool dp_numeric_to_int64(Numeric value, int64 *out);

#endif
