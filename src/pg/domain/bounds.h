/*
 * bounds.h -- ends of ranges, as positions of values on the line that their type is.
 *
 * Runs in any process; it sees no data.
 */
#ifndef DPSYN_BOUNDS_H
#define DPSYN_BOUNDS_H

#include "pg/server/compat.h"

#include "utils/numeric.h"

/*
 * Two ends, as positions of values. The position of a value is a number that is exact in every
 * type: the number itself, of money too; days for a date; microseconds for the other types of time.
 */
typedef struct DpBounds
{
	Numeric low; /* NULL: none */
	Numeric high;
	bool above; /* low itself is not in the range */
	bool below; /* high itself is not */
} DpBounds;

/* A column's type, without the domain types around it. */
typedef struct DpBaseType
{
	Oid type;
	int32 typmod;
} DpBaseType;

extern DpBaseType dp_base_type(Oid type, int32 typmod);
/* The position of a value of a base type that has ranges; NULL: it is NaN, or infinite. */
extern Numeric dp_position_of(Datum value, Oid type);
/* A position as the nearest floating point number. */
extern double dp_position_real(Numeric position);
/* Narrows bounds to those of more. */
extern void dp_bounds_narrow(DpBounds *bounds, const DpBounds *more);
/* Widens bounds until more is within them. */
extern void dp_bounds_widen(DpBounds *bounds, const DpBounds *more);
/*
 * The bounds of the values of a type on a grid; false if there are none, as for double precision.
 */
extern bool dp_bounds_of_type(const DpBaseType *type, DpBounds *bounds);
/* Of dates and timestamps: years are 1 to 9999 where CHECKs give no end, unless the end that they
 * give lies beyond. */
extern void dp_bounds_in_years(const DpBaseType *type, const DpBounds *checked, DpBounds *bounds);
/*
 * For a type whose limits make no grid, as those of double precision: puts -10^12 or 10^12, of
 * floating point -10^9 or 10^9, where an end is missing. False for other types, and where the end
 * that is there lies further out.
 */
extern bool dp_bounds_assume(const DpBaseType *type, DpBounds *bounds);
/* The smallest step between values of the type; NULL: it has none. */
extern Numeric dp_type_step(const DpBaseType *type);

#endif
