/*
 * test_table_pair.c -- distances and supports of tables by hand, and cells in order.
 */
#include "core/evaluate/table_pair.h"

#include "unit_data.h"

static const uint32_t levels[] = {2, 3};

static void
test_measures(void)
{
	static const int64_t original[] = {4, 0, 4, 2, 0, 0}, synthetic[] = {2, 1, 2, 0, 0, 0};
	const DpTablePair pair = {
		.n = 2, .levels = levels, .cells = 6, .count = {original, synthetic}, .total = {10, 5}};
	DpTableDistance distance = dp_table_distance(&pair);
	DpSupport support = dp_table_support(&pair);

	CHECK_NEAR(distance.total_variation, 0.2, 1e-12, "total variation");
	CHECK_NEAR(distance.largest, 0.2, 1e-12, "the largest difference");
	CHECK(support.cells[0] == 3 && support.cells[1] == 3, "three cells of each are not empty");
	CHECK(support.shared[0] == 8 && support.shared[1] == 4, "rows in common cells");
	CHECK_NEAR(support.chi_square, 2, 1e-12,
			   "synthetic counts are scaled: only 2 rows are missing");
	CHECK_I64(dp_table_pair_code(&pair, 5, 0), 1, "the first code of the last cell");
	CHECK_I64(dp_table_pair_code(&pair, 5, 1), 2, "and its second");
}

/* Rows in, cells in order out. */
static void
test_cells(DpArena *arena)
{
	DpDomain domain = unit_domain(arena, levels, 2);
	const DpAttributeSet set = {2, (const uint32_t[]){0, 1}};
	const uint32_t first[] = {1, 0, 1, 1}, second[] = {2, 1, 0, 2};
	const uint32_t *const code[] = {first, second};
	const uint64_t rows[] = {DP_ONE_ORIGINAL, DP_ONE_SYNTHETIC, DP_ONE_ORIGINAL + DP_ONE_SYNTHETIC,
							 3 * DP_ONE_SYNTHETIC};
	DpDistinctCells distinct;
	DpTablePair pair, ordered;
	uint32_t wrong = 0;

	MUST(dp_distinct_cells_init(&distinct, &domain, &set, 6, arena));
	MUST(dp_distinct_cells_add(&distinct, code, rows, 4));
	CHECK_I64(distinct.cells, 3, "three combinations are distinct");
	CHECK(dp_distinct_cells_bytes(&domain, &set, 6) > 0, "they take memory");
	MUST(dp_table_pair_make(&distinct, levels, &pair, arena));
	MUST(dp_table_pair_order(&pair, &ordered, arena));
	CHECK(pair.total[0] == 2 && pair.total[1] == 5, "totals are those of both tables");
	for (uint64_t i = 1; i < ordered.cells; i++)
		wrong +=
			dp_table_pair_code(&ordered, i - 1, 0) * 3 + dp_table_pair_code(&ordered, i - 1, 1) >=
			dp_table_pair_code(&ordered, i, 0) * 3 + dp_table_pair_code(&ordered, i, 1);
	CHECK_I64(wrong, 0, "ordered cells ascend");
	CHECK(ordered.count[0][ordered.cells - 1] == 1 && ordered.count[1][ordered.cells - 1] == 3,
		  "and keep their counts");
	CHECK_NEAR(dp_table_distance(&pair).total_variation,
			   dp_table_distance(&ordered).total_variation, 1e-15, "the order changes no distance");
	dp_distinct_cells_free(&distinct);
}

int
main(void)
{
	DpArena arena = dp_arena_malloc();

	test_measures();
	test_cells(&arena);
	dp_arena_malloc_free(&arena);
	return unit_finish();
}
