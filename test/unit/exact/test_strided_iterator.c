/*
 * test_strided_iterator.c -- a walk over an exact table passes each non-empty cell once,
 * with its codes and its count, dense or hashed.
 */
#include "core/exact/strided_iterator.h"

#include "unit_data.h"

#define ROWS 5000

static void
test_walk(DpStorage storage, uint32_t more_levels, const char *what)
{
	static const uint32_t levels[] = {7, 1, 12, 5};
	static const uint32_t order[] = {2, 0, 1, 3};
	DpArena arena = dp_arena_malloc();
	DpDomain domain = unit_domain(&arena, levels, 4);
	static uint32_t code[4][ROWS];
	const uint32_t *column[] = {code[0], code[1], code[2], code[3]};
	static int64_t want[7][1][12][5];
	unsigned wrong = 0, cells = 0, expected = 0;
	int64_t sum = 0;
	DpMarginal marginal;
	DpPrng prng;

	memset(want, 0, sizeof(want));
	dp_prng_seed(&prng, (DpStream){51, 0, 0});
	for (uint32_t i = 0; i < ROWS; i++)
	{
		for (uint32_t a = 0; a < 4; a++)
			code[a][i] = (uint32_t) dp_prng_below(&prng, 1 + dp_prng_below(&prng, levels[a]));
		want[code[0][i]][0][code[2][i]][code[3][i]]++;
	}
	for (uint32_t i = 0; i < 7 * 12 * 5; i++)
		expected += (&want[0][0][0][0])[i] > 0;
	for (uint32_t a = 0; a < 4; a++)
		domain.attribute[a].levels += more_levels; /* that no row has */
	MUST(dp_marginal_init(&marginal, &domain, &(DpAttributeSet){4, order}, storage, &arena, NULL));
	MUST(dp_marginal_add(&marginal, column, ROWS));
	for (uint64_t at = 0; at < dp_cell_end(&marginal); at++)
	{
		uint32_t codes[4];
		int64_t count = dp_cell_count(&marginal, at);

		sum += count;
		if (count == 0)
			continue;
		cells++;
		dp_cell_codes(&marginal, at, codes);
		if (codes[0] >= 12 || codes[1] >= 7 || codes[2] != 0 || codes[3] >= 5 ||
			want[codes[1]][0][codes[0]][codes[3]] != count)
		{
			wrong++;
			continue;
		}
		want[codes[1]][0][codes[0]][codes[3]] = -1; /* none comes twice */
	}
	CHECK_I64(wrong, 0, "%s: each cell has the rows with its codes, and comes once", what);
	CHECK_I64(cells, expected, "%s: all of them do", what);
	CHECK_I64(sum, ROWS, "%s: with all rows", what);
	CHECK(expected > 300 && dp_cell_end(&marginal) >= cells, "%s: most cells have rows", what);
	dp_arena_malloc_free(&arena);
}

int
main(void)
{
	test_walk(DP_DENSE, 0, "dense");
	test_walk(DP_SPARSE, 0, "hashed");
	test_walk(DP_SPARSE, 1 << 20, "hashed, with keys of two words");
	return unit_finish();
}
