/*
 * bounds.h -- public ranges of columns: from what a custodian writes, a CHECK says or a type holds
 * to the grid of a column's values.
 *
 * Runs in any process; it sees no data.
 */
#ifndef DPSYN_BOUNDS_H
#define DPSYN_BOUNDS_H

#include "pg/server/compat.h"

#include "utils/numeric.h"

#include "core/domain/grid.h"

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
/* The bounds of what the type can hold on a grid; false if there are none, as of double
 * precision. */
extern bool dp_bounds_of_type(const DpBaseType *type, DpBounds *bounds);

/*
 * The resolution that words mean: a number, or a span of time of fixed length, "1 day". ERROR
 * unless it is above 0 and a whole number of the smallest steps of the type. column: for messages.
 */
extern Numeric dp_resolution_read(const char *words, const DpBaseType *type, const char *column);
/* The resolution where none is given: the type's own, a second, or of a type without steps a
 * millionth of the range, rounded down to 1, 2 or 5 times a power of ten. Both ends are there. */
extern Numeric dp_resolution_default(const DpBaseType *type, const DpBounds *bounds);
/* A resolution in words, which mean it under every setting. */
extern char *dp_resolution_words(Numeric resolution, const DpBaseType *type);

/* The grid of the multiples of the resolution within the bounds, both of which are there.
 * DP_ERR_ARGUMENT: there is none. DP_ERR_LIMIT: the range is too wide for the resolution. */
extern DpStatus dp_bounds_grid(const DpBounds *bounds, Numeric resolution, const DpBaseType *type,
							   DpGrid *grid, DpError *error) DP_MUST_USE;

/*
 * The grid of a declared range: two texts, which pinned settings or those of the session say how to
 * read, and the words of a resolution or NULL. ERROR where it has none.
 */
typedef struct DpRangeWords
{
	const char *low;
	const char *high;
	const char *resolution;
} DpRangeWords;

/* ERROR unless the type has ranges. */
extern void dp_check_has_range(const char *column, Oid type, int32 typmod);
/* The two ends in a text[]; ERROR unless there are two. */
extern void dp_range_ends(Datum array, const char *column, DpRangeWords *words);
/* Returns the resolution in words. */
extern char *dp_grid_declared(const DpRangeWords *words, const DpBaseType *type, const char *column,
							  DpGrid *grid);

#endif
