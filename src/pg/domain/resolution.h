/*
 * resolution.h -- from the ends of a range and a resolution to the grid of a column's values.
 *
 * Runs in any process; it sees no data.
 */
#ifndef DPSYN_RESOLUTION_H
#define DPSYN_RESOLUTION_H

#include "pg/server/compat.h"

#include "core/domain/grid.h"
#include "pg/domain/bounds.h"

/* The resolution where none is given: the type's own, a second, or of a type without steps a
 * millionth of the range, rounded down to 1, 2 or 5 times a power of ten. Both ends are there. */
extern Numeric dp_resolution_default(const DpBaseType *type, const DpBounds *bounds);
/* The resolution that goes with ends that are assumed (dp_bounds_assume): a millionth, or the step
 * of a numeric(p,s) that is larger. */
extern Numeric dp_resolution_assumed(const DpBaseType *type);
/* A resolution in words, which mean it under every setting. */
extern char *dp_resolution_words(Numeric resolution, const DpBaseType *type);

/* The grid of the multiples of the resolution within the bounds, both of which are there.
 * DP_ERR_ARGUMENT: there is none. DP_ERR_LIMIT: the range is too wide for the resolution. */
extern DpStatus dp_bounds_grid(const DpBounds *bounds, Numeric resolution, const DpBaseType *type,
							   DpGrid *grid, DpError *error) DP_MUST_USE;

/* Takes what is not within the bounds off the ends of a grid. False: there is nothing to take off,
 * or nothing would be left. */
extern bool dp_grid_narrow(DpGrid *grid, const DpBounds *bounds);

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
