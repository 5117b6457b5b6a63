/*
 * test_distinct_cells.c -- distinct rows of two tables: each once, with its rows of both, however
 * many there are and however many words a key has.
 */
#include "core/evaluate/table_pair.h"

#include "core/exact/count_kernel.h"
#include "unit.h"

#define ATTRIBUTES 5
#define CELLS 200000

/* A cell's codes; the first three tell cells apart. */
static uint32_t
code_of(uint32_t cell, uint32_t k)
{
	static const uint32_t divisor[] = {1, 100, 10000, 7, 3};

	return cell / divisor[k] % (k < 3 ? 100 : 5);
}

/* Adds each cell `times` times to a side; false: it could not. */
static bool
add_all(DpDistinctCells *distinct, uint32_t times, uint64_t one)
{
	static uint32_t code[ATTRIBUTES][DP_BATCH_ROWS];
	const uint32_t *column[ATTRIBUTES];
	uint64_t rows[DP_BATCH_ROWS];
	bool added = true;

	for (uint32_t k = 0; k < ATTRIBUTES; k++)
		column[k] = code[k];
	for (uint32_t cell = 0; cell < CELLS; cell += DP_BATCH_ROWS)
	{
		uint32_t n = CELLS - cell < DP_BATCH_ROWS ? CELLS - cell : DP_BATCH_ROWS;

		for (uint32_t i = 0; i < n; i++)
		{
			for (uint32_t k = 0; k < ATTRIBUTES; k++)
				code[k][i] = code_of(cell + i, k);
			rows[i] = one;
		}
		for (uint32_t i = 0; i < times; i++)
			added = added && dp_distinct_cells_add(distinct, column, rows, n) == DP_OK;
	}
	return added;
}

static void
check(uint32_t levels)
{
	static const uint32_t of_all[ATTRIBUTES] = {0, 1, 2, 3, 4};
	DpAttribute attribute[ATTRIBUTES] = {0};
	DpDomain domain = {.attributes = ATTRIBUTES, .attribute = attribute};
	DpAttributeSet set = {ATTRIBUTES, of_all};
	DpArena arena = dp_arena_malloc();
	DpDistinctCells distinct;
	uint32_t wrong = 0;

	for (uint32_t k = 0; k < ATTRIBUTES; k++)
		attribute[k] = (DpAttribute){.name = "a", .kind = DP_CATEGORIES, .levels = levels};
	arena.bytes_max = dp_distinct_cells_bytes(&domain, &set, CELLS) + 100000;
	CHECK_STATUS(dp_distinct_cells_init(&distinct, &domain, &set, CELLS, &arena), DP_OK,
				 "it begins");
	CHECK(add_all(&distinct, 2, DP_ONE_ORIGINAL) && add_all(&distinct, 1, DP_ONE_SYNTHETIC),
		  "rows are added within the memory that was said");
	CHECK_I64((int64_t) distinct.cells, CELLS, "each cell is there once, in %u words",
			  distinct.words);
	for (uint32_t cell = 0; cell < CELLS; cell++)
	{
		uint32_t code[ATTRIBUTES];
		uint32_t *const column[ATTRIBUTES] = {&code[0], &code[1], &code[2], &code[3], &code[4]};

		dp_distinct_cells_codes(&distinct, cell, 1, column);
		for (uint32_t k = 0; k < ATTRIBUTES; k++)
			wrong += code[k] != code_of(cell, k);
		wrong += dp_rows_of_side(distinct.rows[cell], 0) != 2 ||
				 dp_rows_of_side(distinct.rows[cell], 1) != 1;
	}
	CHECK_I64(wrong, 0, "with its codes and its rows of both tables");
	dp_distinct_cells_free(&distinct);
	CHECK_I64((int64_t) arena.bytes_used, 0, "all of it is given back");
	dp_arena_malloc_free(&arena);
}

int
main(void)
{
	check(100);
	check(1 << 30);
	return unit_finish();
}
