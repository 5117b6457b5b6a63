/*
 * test_grid_cells.c -- public cells of a grid: each coordinate is in one, marks are cells of their
 * own.
 */
#include "core/base/code_key.h"
#include "core/base/prng.h"
#include "core/domain/grid.h"

#include "unit.h"

static void
cells_of(int64_t first, int64_t last, DpGridCells *cells)
{
	dp_grid_cells(&(DpGrid){DP_GRID_NUMBER, first, last, 1, 0}, cells);
}

static bool
has_mark(const DpGridCells *cells, int64_t mark)
{
	uint32_t cell = dp_grid_cell(cells, mark);
	bool found = false;

	for (uint32_t i = 0; i < cells->marks; i++)
		found = found || cells->mark[i] == mark;
	return found && dp_grid_cell_first(cells, cell) == mark &&
		   dp_grid_cell_last(cells, cell) == mark;
}

/* Values that stand for others are cells of their own, and the ends of the grid are. */
static void
test_marks(void)
{
	DpGridCells cells;

	cells_of(INT64_MIN, INT64_MAX, &cells);
	CHECK(has_mark(&cells, INT64_MIN) && has_mark(&cells, INT64_MAX), "the ends");
	CHECK(has_mark(&cells, INT64_C(9999999999)) && has_mark(&cells, -9999), "nines of both signs");
	CHECK(!has_mark(&cells, 999), "few nines are an ordinary number");
	cells_of(-17, 5000000, &cells);
	CHECK(has_mark(&cells, -17) && has_mark(&cells, 5000000) && has_mark(&cells, 999999),
		  "of any range");
	cells_of(0, 100000, &cells);
	CHECK(has_mark(&cells, 99999) && cells.single, "where each value is a cell, too");
	cells_of(0, DP_GRID_FEW - 1, &cells);
	CHECK_I64(cells.marks, 0, "few values need none");
	dp_grid_cells(&(DpGrid){DP_GRID_NUMBER, 0, INT64_MAX, 1, 2}, &cells);
	CHECK(has_mark(&cells, INT64_C(99999999999999)) && has_mark(&cells, INT64_C(9999999900)),
		  "with nines behind the point, and without");
	dp_grid_cells(&(DpGrid){DP_GRID_NUMBER, 0, 1000000, 5, 0}, &cells);
	CHECK(!has_mark(&cells, 9999 / 5), "not what is no value of the grid");
	dp_grid_cells(&(DpGrid){DP_GRID_DATE, -730119, 2921939, 1, 0}, &cells);
	CHECK(has_mark(&cells, 2921939) && has_mark(&cells, 2921575) && has_mark(&cells, -36524),
		  "9999-12-31, 9999-01-01 and 1900-01-01");
	dp_grid_cells(&(DpGrid){DP_GRID_TIMESTAMP, 0, INT64_MAX / 4, 1, 0}, &cells);
	CHECK(has_mark(&cells, INT64_C(2921939) * 86400000000 + INT64_C(86399000000)),
		  "9999-12-31 23:59:59");
}

static void
expect_cells(int64_t first, int64_t last)
{
	DpGridCells cells;
	DpPrng prng;
	uint64_t failures = 0;

	cells_of(first, last, &cells);
	CHECK(cells.n >= 1 && cells.n <= DP_GRID_CELLS_MAX, "%" PRId64 "..%" PRId64 " has %u cells",
		  first, last, cells.n);
	CHECK(cells.single == ((uint64_t) last - (uint64_t) first < DP_GRID_CELLS_MAX),
		  "few values are cells of their own");
	for (uint32_t i = 0; i < cells.n; i++)
	{
		int64_t from = dp_grid_cell_first(&cells, i), to = dp_grid_cell_last(&cells, i);

		failures += from > to || dp_grid_cell(&cells, from) != i || dp_grid_cell(&cells, to) != i;
		failures += i > 0 && from != dp_grid_cell_last(&cells, i - 1) + 1;
		/* no cell holds values of both signs, or 0 and another */
		failures += !cells.single && from != to && (from == 0 || to == 0 || (from < 0) != (to < 0));
		failures += cells.single && from != to;
	}
	CHECK_I64(failures, 0, "cells follow each other and hold their coordinates");
	CHECK(dp_grid_cell_first(&cells, 0) == first && dp_grid_cell_last(&cells, cells.n - 1) == last,
		  "they cover the range");
	CHECK(dp_grid_cell(&cells, INT64_MIN) == 0 && dp_grid_cell(&cells, INT64_MAX) == cells.n - 1,
		  "what is outside belongs to the ends");
	dp_prng_seed(&prng, (DpStream){.seed = first});
	failures = 0;
	for (int i = 0; i < 100000; i++)
	{
		uint64_t span = (uint64_t) last - (uint64_t) first;
		uint64_t place = span == UINT64_MAX ? dp_prng_u64(&prng) : dp_prng_below(&prng, span + 1);
		int64_t c = (int64_t) ((uint64_t) first + place);
		uint32_t cell = dp_grid_cell(&cells, c);

		failures += cell >= cells.n || c < dp_grid_cell_first(&cells, cell) ||
					c > dp_grid_cell_last(&cells, cell);
	}
	CHECK_I64(failures, 0, "any coordinate is in its cell");
}

/* The tree reaches every cell; returns its depth. */
static int
depth_of(const DpGridCells *cells, uint32_t low, uint32_t high, uint64_t *failures)
{
	uint32_t middle;
	int left, right;

	if (high - low < 2)
		return 0;
	middle = dp_grid_split(cells, low, high);
	if (middle <= low || middle >= high)
	{
		(*failures)++;
		return 0;
	}
	left = depth_of(cells, low, middle, failures);
	right = depth_of(cells, middle, high, failures);
	return 1 + (left > right ? left : right);
}

static void
expect_tree(int64_t first, int64_t last, int depth_max)
{
	DpGridCells cells;
	uint64_t failures = 0;
	int depth;

	cells_of(first, last, &cells);
	depth = depth_of(&cells, 0, cells.n, &failures);
	CHECK(failures == 0 && depth <= depth_max, "the tree over %" PRId64 "..%" PRId64 " is %d deep",
		  first, last, depth);
}

static void
test_cells(void)
{
	const int64_t range[][2] = {
		{0, 0},
		{0, 120},
		{-5, 1048570},
		{-5, 1048571},
		{0, 1048576},
		{-1048576, 0},
		{INT32_MIN, INT32_MAX},
		{INT64_MIN, INT64_MAX},
		{INT64_MIN, INT64_MIN + 5},
		{INT64_MIN, -1},
		{1, INT64_MAX},
		{0, INT64_MAX},
		{INT64_MAX - 3000000, INT64_MAX},
		{INT64_C(700000000000000), INT64_C(800000000000000)},
		{-3, INT64_C(4000000000)},
	};

	for (size_t i = 0; i < sizeof(range) / sizeof(*range); i++)
	{
		expect_cells(range[i][0], range[i][1]);
		expect_tree(range[i][0], range[i][1], 30);
	}
	expect_tree(0, 120, 7);
	expect_tree(INT32_MIN, INT32_MAX, 22);
}

/* The scales from a cell on, up to the end of the range: each begins where the one before ends. */
static uint32_t
scales_from(const DpGridCells *cells, uint32_t cell)
{
	uint32_t n = 0;

	for (; cell < cells->n && n < DP_GRID_OCTAVES; n++)
	{
		uint32_t end = dp_grid_scale_end(cells, cell);

		if (end <= cell || end > cells->n || dp_grid_scale_end(cells, end - 1) != end)
			return 0;
		cell = end;
	}
	return n;
}

static void
test_scales(void)
{
	DpGridCells cells;
	uint32_t cell;

	cells_of(INT64_MIN, INT64_MAX, &cells);
	CHECK_I64(scales_from(&cells, 0), 65, "32 scales of each sign, and 0");
	CHECK_I64(scales_from(&cells, dp_grid_cell(&cells, 0)), 33, "0 is a scale of its own");
	cell = dp_grid_scale_end(&cells, dp_grid_cell(&cells, 1));
	CHECK_I64(dp_grid_cell_first(&cells, cell), 4, "from 1 to 3");
	cell = dp_grid_scale_end(&cells, cell);
	CHECK_I64(dp_grid_cell_first(&cells, cell), 16, "from 4 to 15");
	cell = dp_grid_scale_end(&cells, dp_grid_cell(&cells, -15));
	CHECK_I64(dp_grid_cell_first(&cells, cell), -3, "and the opposites");
	cells_of(1000, INT64_C(4000000000), &cells);
	cell = dp_grid_scale_end(&cells, 0);
	CHECK_I64(dp_grid_cell_first(&cells, cell), 1024,
			  "a part of a scale ends where the scale does");
	CHECK_I64(scales_from(&cells, 0), 12, "up to the end of the range");
	cells_of(0, 120, &cells);
	CHECK_I64(dp_grid_scale_end(&cells, 5), 121, "single values are of one scale");
}

static bool
rounds(const DpGridCells *cells, int64_t coordinate, int64_t first, int64_t last, int64_t expected)
{
	return dp_grid_round(cells, coordinate, first, last) == expected &&
		   dp_grid_cell(cells, expected) == dp_grid_cell(cells, coordinate);
}

static void
test_round(void)
{
	const int64_t most = INT64_C(1000000000000000000); /* a million millions in millionths */
	DpGridCells cells;

	cells_of(-most, most, &cells);
	CHECK(rounds(&cells, 250003, -most, most, 250000), "a quarter");
	CHECK(rounds(&cells, -250003, -most, most, -250000), "of either sign");
	CHECK(rounds(&cells, 7, -most, most, 7), "a cell of one number");
	CHECK(rounds(&cells, 0, -most, most, 0), "nothing");
	CHECK(rounds(&cells, 250003, 250001, 250009, 250003), "not what is below the first one");
	CHECK(rounds(&cells, 250009, 250001, 250015, 250010), "but the roundest of what is left");
	CHECK(rounds(&cells, most, -most, most, most), "the end");
	CHECK(rounds(&cells, -most, -most, most, -most), "the other end");
	cells_of(INT64_MIN, INT64_MAX, &cells);
	CHECK(dp_grid_cell(&cells, dp_grid_round(&cells, INT64_MAX, INT64_MIN, INT64_MAX)) ==
				  dp_grid_cell(&cells, INT64_MAX) &&
			  dp_grid_cell(&cells, dp_grid_round(&cells, INT64_MIN, INT64_MIN, INT64_MAX)) ==
				  dp_grid_cell(&cells, INT64_MIN),
		  "where 64 bits end");
	cells_of(-120, 120, &cells);
	for (int64_t i = -120; i <= 120; i++)
		CHECK(rounds(&cells, i, -120, 120, i), "single values stay");
}

int
main(void)
{
	test_cells();
	test_marks();
	test_scales();
	test_round();
	return unit_finish();
}
