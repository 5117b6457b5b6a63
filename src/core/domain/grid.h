/*
 * grid.h -- the public grid of a column with a range: which values it can have, as integers.
 *
 * A grid numbers the values of a column in their order. The number of a value is its coordinate,
 * first..last. The value of coordinate c is c x step raw units, where the raw unit is that of the
 * kind:
 *
 *	DP_GRID_NUMBER       10^-digits (digits may be negative: -3 are thousands)
 *	DP_GRID_DATE         days since 2000-01-01
 *	DP_GRID_TIMESTAMP    microseconds since 2000-01-01 00:00:00, with or without time zone
 *	DP_GRID_TIME         microseconds since midnight, 0 to 24 hours, with or without time zone
 *	DP_GRID_INTERVAL     microseconds; a day has 24 hours, and a month has 30 days
 *
 * So 0, 0.25, ..., 10 are {NUMBER, first 0, last 40, step 25, digits 2}. The grid comes from a
 * declaration, from a CHECK or from the type: never from the data. What a column holds between two
 * values of its grid belongs to the lower one, and what it holds outside belongs to the end that is
 * nearer. NULL, NaN and infinities have no coordinate.
 *
 * Texts are those that the type's input function reads in the same way under every setting: ISO
 * dates and timestamps, hours:minutes:seconds, plain decimal numbers.
 */
#ifndef DP_GRID_H
#define DP_GRID_H

#include "core/base/arena.h"

#define DP_GRID_DIGITS_MAX 30        /* digits of a number are in -30..30 */
#define DP_GRID_TEXT_BYTES 80        /* any coordinate as text, with its NUL */
#define DP_GRID_CELLS_MAX (1u << 20) /* finest public cells of a grid */
#define DP_GRID_FEW 4096             /* values of a grid that needs no marks */
#define DP_GRID_MARKS_MAX 128        /* values that are cells by themselves */
#define DP_GRID_OCTAVES 129          /* of both signs, and 0 */
#define DP_GRID_BINS_DEFAULT 32      /* levels that a discovered column may have in a model */
#define DP_GRID_BINS_MAX 1024        /* largest bins_max that can be declared */

typedef enum DpGridKind
{
	DP_GRID_NUMBER = 0,
	DP_GRID_DATE = 1,
	DP_GRID_TIMESTAMP = 2,
	DP_GRID_TIMESTAMPTZ = 3, /* its texts end in +00 */
	DP_GRID_TIME = 4,
	DP_GRID_TIMETZ = 5, /* its texts end in +00 */
	DP_GRID_INTERVAL = 6
} DpGridKind;

typedef struct DpGrid
{
	DpGridKind kind;
	int64_t first; /* coordinates first..last, first <= last */
	int64_t last;
	int64_t step; /* raw units between neighbours, >= 1 */
	int digits;   /* DP_GRID_NUMBER: the raw unit is 10^-digits; 0 elsewhere */
} DpGrid;

/* Checks every invariant: that all values can be printed, and read by PostgreSQL's type. */
extern DpStatus dp_grid_check(const DpGrid *grid, DpError *error) DP_MUST_USE;
/* The number of values, last - first + 1; it saturates at UINT64_MAX. */
extern uint64_t dp_grid_size(const DpGrid *grid);
/* Whether two grids are of the same kind and have the same values. */
extern bool dp_grid_same(const DpGrid *a, const DpGrid *b);
/* Writes the value of a coordinate in first..last into buffer, which has DP_GRID_TEXT_BYTES.
 * Returns its length. Numbers have no trailing zeros after the point. */
extern size_t dp_grid_print(const DpGrid *grid, int64_t coordinate, char *buffer);

/*
 * Coordinates that many rows may have though they lie far from all others: the ends of the grid, and
 * what stands for "no end" or "not known" by custom, such as 9999-12-31, 99999999 and 99999999.99,
 * and usual terms, such as 30 days (grid_marks.c). A grid of at most DP_GRID_FEW values has none,
 * since bins find them anyway. Ascending. Returns their number.
 */
extern uint32_t dp_grid_marks(const DpGrid *grid, int64_t mark[DP_GRID_MARKS_MAX]);

/*
 * The finest public cells: intervals of coordinates that are counted. They follow from the grid
 * alone. Where there are at most DP_GRID_CELLS_MAX values, each is a cell. Otherwise the
 * values are split by sign, then by powers of two (an octave holds the coordinates of
 * [2^k, 2^(k+1)), or their opposites), and each octave evenly into at most 2^shift cells, where
 * shift is the largest number that gives no more than DP_GRID_CELLS_MAX cells. Each mark is cut out
 * of its cell, and is one of its own.
 */
typedef struct DpGridCells
{
	int64_t first, last;
	uint32_t marks;
	int64_t mark[DP_GRID_MARKS_MAX]; /* [marks] ascending */
	uint32_t n;                      /* number of cells, >= 1 */
	bool single;                     /* each value is a cell */
	int shift;                       /* an octave has at most 2^shift cells; 0 if single */
	/* not single: an octave's first cell, and the number of its cells that lie before first */
	uint32_t begin[DP_GRID_OCTAVES + 1];
	uint64_t cut[DP_GRID_OCTAVES];
	/* coordinates at which a cell begins only because of a mark, by octaves */
	int64_t more[2 * DP_GRID_MARKS_MAX];
	uint32_t more_begin[DP_GRID_OCTAVES + 1];
} DpGridCells;

extern void dp_grid_cells(const DpGrid *grid, DpGridCells *cells);
/* The cell of a coordinate; coordinates outside of first..last are clamped. */
extern uint32_t dp_grid_cell(const DpGridCells *cells, int64_t coordinate);
/* The first coordinate of a cell; of cell n it is last + 1 in 64 bits, which may wrap around. */
extern int64_t dp_grid_cell_first(const DpGridCells *cells, uint32_t cell);
/* The last coordinate of a cell. */
extern int64_t dp_grid_cell_last(const DpGridCells *cells, uint32_t cell);
/*
 * The number in first..last with most zeros at its end that is in the cell of a coordinate, which
 * is in first..last too; of several the one that is nearest. What is counted does not tell the
 * numbers of a cell apart, and a number that somebody wrote has few digits.
 */
extern int64_t dp_grid_round(const DpGridCells *cells, int64_t coordinate, int64_t first,
							 int64_t last);
/* Where the public tree of cells splits [low, high), high - low >= 2: low < result < high. */
extern uint32_t dp_grid_split(const DpGridCells *cells, uint32_t low, uint32_t high);
/* The end of the run of cells of one scale that contains a cell: between neighbouring powers of
 * four, or their opposites. If each value is a cell, all cells are of one scale. */
extern uint32_t dp_grid_scale_end(const DpGridCells *cells, uint32_t cell);

#endif
