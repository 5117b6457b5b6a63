/*
 * numerics.h -- exact arithmetic with numeric, for what is computed a few times and may be large.
 *
 * Runs in any process.
 */
#ifndef DPSYN_NUMERICS_H
#define DPSYN_NUMERICS_H

#include "pg/server/compat.h"

#include "utils/numeric.h"

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
