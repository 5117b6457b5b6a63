/*
 * grid.h -- values of a column to coordinates of its grid, and back. core/domain/grid.h says what a
 * grid is.
 *
 * The map from values is for rows that are counted, so what goes through it is SECRET. The map to
 * values is for rows that are drawn. Both see values alone: no setting (DateStyle, TimeZone,
 * lc_monetary, IntervalStyle) matters to them.
 */
#ifndef DPSYN_GRID_H
#define DPSYN_GRID_H

#include "pg/server/compat.h"

#include "core/domain/grid.h"

typedef struct DpGridCoder DpGridCoder;

/* Whether values of the type lie on a line, so that a range of them can be given. */
extern bool dp_type_has_range(Oid type, int32 typmod);
/* The kind of grid that values of a type have. ERROR unless the type has ranges. */
extern DpGridKind dp_grid_kind_of(Oid type);

/*
 * A coder between a grid and values of a type, in the current memory context. Where the type is
 * another one than the grid was made for, only dp_grid_value serves: it goes through texts where it
 * must.
 */
extern DpGridCoder *dp_grid_coder(const DpGrid *grid, Oid type, int32 typmod);
/* Whether dp_grid_coordinate can read values of the type. */
extern bool dp_grid_coder_reads(const DpGridCoder *coder);
/*
 * The coordinate of a value that is not NULL: of the grid's value that is at it or next below it,
 * or of the end that is nearer where it is outside. False: it has none, as it is NaN or infinite;
 * *coordinate is then that of an end, the nearer one, for a column that has no level for NULL.
 */
extern bool dp_grid_coordinate(const DpGridCoder *coder, Datum value, int64 *coordinate);
/*
 * The coordinate by which a query measures a value. False: it is missing. NaN and infinities are
 * missing where the column has a level for that, else the nearer end, so that every row of a column
 * without NULL counts: the sensitivity of a query rests on that. A value can be missing there all the
 * same, as the distance between two columns, or where a domain says NOT NULL: then it counts as the
 * lowest, as it does in contingency tables.
 */
extern bool dp_grid_measured(const DpGridCoder *coder, const NullableDatum *value, bool nullable,
							 int64 *coordinate);
/* A number, as text, in steps of 10^-digits, rounded down; *exact: nothing was rounded. False: it
 * does not fit. */
extern bool dp_grid_steps(const char *text, int digits, int64 *steps, bool *exact);
/* The value of a coordinate in first..last, in the current memory context. */
extern Datum dp_grid_value(const DpGridCoder *coder, int64 coordinate);

#endif
