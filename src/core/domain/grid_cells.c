/*
 * grid_cells.c -- the finest public cells of a grid, and the public tree over them.
 *
 * Octaves are numbered in the order of their coordinates: 63 - k holds the opposites of
 * [2^k, 2^(k+1)), 64 holds 0, and 65 + k holds [2^k, 2^(k+1)). The cells of an octave are numbered
 * from its end that is further down. A mark cuts its cell: one begins at the mark, and one behind
 * it. The few coordinates at which a cell begins only for that reason are listed octave by octave,
 * so the number of a cell is that of the even division plus how many of them are not above it.
 */
#include "core/domain/grid.h"

#define ZERO 64

static int
octave_of(int64_t coordinate)
{
	uint64_t size = coordinate < 0 ? -(uint64_t) coordinate : (uint64_t) coordinate;
	int k;

	if (size == 0)
		return ZERO;
	k = 63 - __builtin_clzll(size);
	return coordinate < 0 ? ZERO - 1 - k : ZERO + 1 + k;
}

/* The k of an octave. */
static int
exponent_of(int octave)
{
	if (octave == ZERO)
		return 0;
	return octave < ZERO ? ZERO - 1 - octave : octave - ZERO - 1;
}

/* The lowest coordinate of an octave, in 64 bits that wrap around: the octave of -2^63 reaches
 * further than the coordinates do. */
static uint64_t
octave_low(int octave)
{
	if (octave == ZERO)
		return 0;
	if (octave > ZERO)
		return UINT64_C(1) << exponent_of(octave);
	return -(((UINT64_C(1) << exponent_of(octave)) - 1) * 2 + 1);
}

static int
width_bits(int octave, int shift)
{
	int k = exponent_of(octave);

	return k > shift ? k - shift : 0;
}

/* The number of a coordinate's cell within the whole octave. */
static uint64_t
position(int64_t coordinate, int octave, int shift)
{
	return ((uint64_t) coordinate - octave_low(octave)) >> width_bits(octave, shift);
}

static int64_t
clamp(const DpGridCells *cells, int64_t coordinate)
{
	if (coordinate < cells->first)
		return cells->first;
	return coordinate > cells->last ? cells->last : coordinate;
}

/* The cells of an octave that first..last reaches, with this shift. */
static uint64_t
cells_in(const DpGridCells *cells, int octave, int shift)
{
	int low = octave_of(cells->first), high = octave_of(cells->last);
	uint64_t from = octave == low ? position(cells->first, octave, shift) : 0;
	uint64_t all =
		octave == ZERO ? 1 : UINT64_C(1) << (exponent_of(octave) - width_bits(octave, shift));
	uint64_t to = octave == high ? position(cells->last, octave, shift) + 1 : all;

	return octave < low || octave > high ? 0 : to - from;
}

static uint64_t
cells_with(const DpGridCells *cells, int shift)
{
	uint64_t sum = 0;

	for (int octave = 0; octave < DP_GRID_OCTAVES; octave++)
	{
		uint64_t more = cells_in(cells, octave, shift);

		sum = more > DP_GRID_CELLS_MAX ? UINT64_MAX / 256 : sum + more;
		if (sum > DP_GRID_CELLS_MAX)
			return sum;
	}
	return sum;
}

/* Whether a cell of the even division begins at a coordinate that is not the first one. */
static bool
begins_evenly(const DpGridCells *cells, int64_t coordinate)
{
	int octave = octave_of(coordinate);

	return octave != octave_of(coordinate - 1) ||
		   position(coordinate, octave, cells->shift) !=
			   position(coordinate - 1, octave, cells->shift);
}

/* Lists where a cell begins that the even division has not, and returns how many. */
static uint32_t
find_more(DpGridCells *cells)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < cells->marks; i++)
	{
		int64_t mark = cells->mark[i];

		if (mark > cells->first && !begins_evenly(cells, mark) &&
			(n == 0 || cells->more[n - 1] != mark))
			cells->more[n++] = mark;
		if (mark < cells->last && !begins_evenly(cells, mark + 1))
			cells->more[n++] = mark + 1;
	}
	return n;
}

void
dp_grid_cells(const DpGrid *grid, DpGridCells *cells)
{
	int64_t first = grid->first, last = grid->last;
	uint64_t span = (uint64_t) last - (uint64_t) first;
	int low = octave_of(first);
	uint32_t sum = 0, more, next = 0;

	*cells = (DpGridCells){.first = first, .last = last, .single = span < DP_GRID_CELLS_MAX};
	cells->marks = dp_grid_marks(grid, cells->mark);
	if (cells->single)
	{
		cells->n = (uint32_t) span + 1;
		return;
	}
	while (cells->shift < 62 &&
		   cells_with(cells, cells->shift + 1) <= DP_GRID_CELLS_MAX - 2 * DP_GRID_MARKS_MAX)
		cells->shift++;
	more = find_more(cells);
	for (int octave = 0; octave < DP_GRID_OCTAVES; octave++)
	{
		cells->begin[octave] = sum;
		cells->more_begin[octave] = next;
		cells->cut[octave] = octave == low ? position(first, octave, cells->shift) : 0;
		sum += (uint32_t) cells_in(cells, octave, cells->shift);
		for (; next < more && octave_of(cells->more[next]) == octave; next++)
			sum++;
	}
	cells->begin[DP_GRID_OCTAVES] = sum;
	cells->more_begin[DP_GRID_OCTAVES] = next;
	cells->n = sum;
}

/* How many cells of an octave up to a coordinate begin there only because of a mark. */
static uint32_t
more_up_to(const DpGridCells *cells, int octave, int64_t coordinate)
{
	uint32_t n = 0;

	for (uint32_t i = cells->more_begin[octave]; i < cells->more_begin[octave + 1]; i++)
		n += cells->more[i] <= coordinate;
	return n;
}

/* The number of the cell of a coordinate within its octave, where that begins in the grid. */
static uint32_t
number_in(const DpGridCells *cells, int octave, int64_t coordinate)
{
	return (uint32_t) (position(coordinate, octave, cells->shift) - cells->cut[octave]) +
		   more_up_to(cells, octave, coordinate);
}

uint32_t
dp_grid_cell(const DpGridCells *cells, int64_t coordinate)
{
	int octave;

	coordinate = clamp(cells, coordinate);
	if (cells->single)
		return (uint32_t) ((uint64_t) coordinate - (uint64_t) cells->first);
	octave = octave_of(coordinate);
	return cells->begin[octave] + number_in(cells, octave, coordinate);
}

/* The last octave that begins at a cell or before it, and has cells. */
static int
octave_of_cell(const DpGridCells *cells, uint32_t cell)
{
	int low = 0, high = DP_GRID_OCTAVES; /* begin[low] <= cell < begin[high] */

	while (high - low > 1)
	{
		int middle = (low + high) / 2;

		if (cells->begin[middle] <= cell)
			low = middle;
		else
			high = middle;
	}
	return low;
}

int64_t
dp_grid_cell_first(const DpGridCells *cells, uint32_t cell)
{
	uint32_t number, before = 0;
	int octave;

	if (cell >= cells->n)
		return (int64_t) ((uint64_t) cells->last + 1);
	if (cell == 0)
		return cells->first;
	if (cells->single)
		return (int64_t) ((uint64_t) cells->first + cell);
	octave = octave_of_cell(cells, cell);
	number = cell - cells->begin[octave];
	for (uint32_t i = cells->more_begin[octave]; i < cells->more_begin[octave + 1]; i++, before++)
	{
		uint32_t own = number_in(cells, octave, cells->more[i]);

		if (own == number)
			return cells->more[i];
		if (own > number)
			break;
	}
	return (int64_t) (octave_low(octave) + ((cells->cut[octave] + (number - before))
											<< width_bits(octave, cells->shift)));
}

int64_t
dp_grid_cell_last(const DpGridCells *cells, uint32_t cell)
{
	return (int64_t) ((uint64_t) dp_grid_cell_first(cells, cell + 1) - 1);
}

/* The multiple of a power of ten that is next to a number; false: it does not fit. */
static bool
multiple_next_to(int64_t number, int64_t power, int64_t *multiple)
{
	int64_t rest = number % power;

	*multiple = number - rest;
	if (rest >= power - rest)
		return !__builtin_add_overflow(*multiple, power, multiple);
	if (-rest > power + rest)
		return !__builtin_sub_overflow(*multiple, power, multiple);
	return true;
}

int64_t
dp_grid_round(const DpGridCells *cells, int64_t coordinate, int64_t first, int64_t last)
{
	uint32_t cell = dp_grid_cell(cells, coordinate);
	int64_t low = dp_grid_cell_first(cells, cell), high = dp_grid_cell_last(cells, cell);
	int64_t round = coordinate, power = 1;

	low = low < first ? first : low;
	high = high > last ? last : high;
	while (!__builtin_mul_overflow(power, 10, &power))
	{
		int64_t multiple;

		/* one that is next to the last one found may still be in the cell on the other side */
		if (!multiple_next_to(coordinate, power, &multiple))
			break;
		if (multiple < low && __builtin_add_overflow(multiple, power, &multiple))
			break;
		if (multiple > high && __builtin_sub_overflow(multiple, power, &multiple))
			break;
		if (multiple < low || multiple > high)
			break;
		round = multiple;
	}
	return round;
}

uint32_t
dp_grid_split(const DpGridCells *cells, uint32_t low, uint32_t high)
{
	int first, last;

	if (cells->single)
		return low + (high - low) / 2;
	first = octave_of_cell(cells, low);
	last = octave_of_cell(cells, high - 1);
	if (first == last)
		return low + (high - low) / 2;
	if (first < ZERO && last >= ZERO)
		return cells->begin[ZERO];
	if (first == ZERO)
		return cells->begin[ZERO + 1];
	return cells->begin[(first + last + 1) / 2];
}

uint32_t
dp_grid_scale_end(const DpGridCells *cells, uint32_t cell)
{
	int octave, k;

	if (cells->single)
		return cells->n;
	octave = octave_of_cell(cells, cell);
	k = exponent_of(octave);
	if (octave > ZERO && k % 2 == 0)
		octave++;
	if (octave < ZERO && k % 2 == 1)
		octave++;
	return cells->begin[octave < DP_GRID_OCTAVES ? octave + 1 : DP_GRID_OCTAVES];
}
