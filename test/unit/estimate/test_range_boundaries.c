/*
 * test_range_boundaries.c -- bins in parts of equal weight, and one more edge for a bin.
 */
#include "core/estimate/range_bins.h"

#include "unit.h"
#include "unit_arena.h"

static DpRange
a_range(void)
{
	static int64_t bin[] = {0, 40}, leaf[] = {0, 10, 40, 90};
	static uint64_t weight[] = {100, 300, 400, 0};

	return (DpRange){.grid = {DP_GRID_NUMBER, 0, 99, 1, 0},
					 .state = DP_RANGE_FOUND,
					 .bins_max = 32,
					 .bins = 2,
					 .bin = bin,
					 .leaves = 4,
					 .leaf = leaf,
					 .weight = weight};
}

static void
test_parts(DpArena *arena)
{
	DpRange range = a_range();
	int64_t expected[] = {0, 10, 20, 30, 40, 52, 65, 77};
	DpRangeParts parts;

	MUST(dp_range_parts(&range, 8, &parts, arena));
	CHECK_I64(parts.n, 8, "as many parts as were wanted");
	for (uint32_t i = 0; i < parts.n && i < 8; i++)
		CHECK_I64(parts.first[i], expected[i], "part %u has an eighth of the weight", i);
	MUST(dp_range_parts(&range, 1000, &parts, arena));
	CHECK_I64(parts.n, 90, "a part has one value at least, and what has no weight is not divided");
	range.weight = (uint64_t[]){0, 0, 0, 0};
	MUST(dp_range_parts(&range, 8, &parts, arena));
	CHECK_I64(parts.n, 2, "without any weight bins are the parts");
}

/* A wide range, where a cell has many values: parts begin cells. */
static void
test_cells(DpArena *arena)
{
	int64_t first[] = {0};
	uint64_t weight[] = {1};
	DpRange range = {.grid = {DP_GRID_NUMBER, 0, INT64_C(1) << 40, 1, 0},
					 .state = DP_RANGE_FOUND,
					 .bins = 1,
					 .bin = first,
					 .leaves = 1,
					 .leaf = first,
					 .weight = weight};
	DpRangeParts parts;
	DpGridCells cells;
	bool begin = true;

	dp_grid_cells(&range.grid, &cells);
	MUST(dp_range_parts(&range, 100, &parts, arena));
	for (uint32_t i = 0; i < parts.n; i++)
		begin &= dp_grid_cell_first(&cells, dp_grid_cell(&cells, parts.first[i])) == parts.first[i];
	CHECK(begin && parts.n == 100, "parts begin where cells do");
}

static void
test_edge(DpArena *arena)
{
	DpRange range = a_range();

	MUST(dp_range_add_edge(&range, 10, arena));
	CHECK(range.bins == 3 && range.leaves == 4 && range.bin[1] == 10 && range.bin[2] == 40,
		  "an edge between leaves cuts none");
	MUST(dp_range_add_edge(&range, 65, arena));
	CHECK(range.bins == 4 && range.bin[3] == 65 && range.leaves == 5 && range.leaf[3] == 65,
		  "an edge inside of a leaf cuts it");
	CHECK(range.weight[2] == 200 && range.weight[3] == 200, "by its values");
	MUST(dp_range_add_edge(&range, 65, arena));
	CHECK_I64(range.bins, 4, "an edge that is there is not added again");
	MUST(dp_range_add_edge(&range, 99, arena));
	MUST(dp_range_check(&range, NULL));
	CHECK_I64(range.bins, 5, "the last value can be a bin");
	CHECK_I64(dp_range_levels(&range), 5, "and counts as one");
}

int
main(void)
{
	DpArena arena = dp_arena_malloc();

	test_parts(&arena);
	test_cells(&arena);
	test_edge(&arena);
	dp_arena_malloc_free(&arena);
	return unit_finish();
}
