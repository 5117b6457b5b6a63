/*
 * distance.h -- columns that are modelled as the distance from another column: a stay of 0 to 90
 * days in place of two dates.
 *
 * The distance between dates is a number of days, between timestamps an interval, between numbers a
 * number. Runs in any process.
 */
#ifndef DPSYN_DISTANCE_H
#define DPSYN_DISTANCE_H

#include "pg/server/compat.h"

/* The type of distances between values of a type; InvalidOid: it has none. */
extern Oid dp_distance_type(Oid type);
/* Whether a column of a type can be a distance from a base of another: of the same, or of times. */
extern bool dp_distance_fits(Oid type, Oid base);
/* What a distance is from. */
typedef struct DpDistanceBase
{
	Oid relation;       /* that rows belong to; InvalidOid: the column's own */
	const char *column; /* or an end of one, lower(during) */
} DpDistanceBase;

/* The same in a release: by the name of its table, to whose rows rows belong. */
typedef struct DpBaseColumn
{
	const char *table; /* NULL: an end of a range of the row itself */
	const char *column;
	Oid type; /* not a domain */
} DpBaseColumn;

/*
 * The distance of two expressions of the type. It calls functions of PostgreSQL itself alone, and
 * fails for no value: where a value is infinite, or too large for the difference to have a value,
 * the distance is NULL, and so it is where the column has the value far, a text; NULL: none.
 */
extern char *dp_distance_expression(const char *column, const char *base, const char *far,
									Oid type);
/* An expression of the type, or NULL where no distance of its value has one. */
extern char *dp_distance_limited(const char *expression, Oid type);
/* A base as a value of the column's type: days begin, and timestamps have no zone, in UTC. The
 * expression is NULL where that has no value, and fails for none. */
extern char *dp_distance_base_as(const char *base, Oid from, Oid type);
extern Datum dp_distance_base_value(Datum base, Oid from, Oid type);
/* The distance from base to value, both of a type that is no domain, as one of dp_distance_type. */
extern Datum dp_distance_between(Datum value, Datum base, Oid type);
/*
 * base + distance, as a value of the column's type, whose ends it does not pass. type: of column
 * and base, not a domain.
 */
extern Datum dp_distance_add(Datum base, Datum distance, Oid type, int32 typmod);

#endif
