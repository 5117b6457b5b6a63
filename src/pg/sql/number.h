/*
 * number.h -- noisy numbers as values of the types that PostgreSQL's aggregates have.
 */
#ifndef DPSYN_NUMBER_H
#define DPSYN_NUMBER_H

#include "pg/server/compat.h"

/* Whether there are numbers of this type. */
extern bool dp_number_has_type(Oid type);
/*
 * A number as a value of the type, rounded to what the type can hold, and to its ends. Dates and
 * times are in seconds since 1970, times of a day and intervals in seconds. number: no NAN.
 */
extern Datum dp_number_value(double number, Oid type);

#endif
