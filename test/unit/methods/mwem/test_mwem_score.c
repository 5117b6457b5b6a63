/*
 * test_mwem_score.c -- the sensitivity of the score, by enumeration.
 */
#include "core/methods/mwem/mwem_score.h"

#include "unit_data.h"

static const DpUnit one_added = {DP_ADD_REMOVE, 1}, one_replaced = {DP_REPLACE_ONE, 1};
static const DpUnit three_added = {DP_ADD_REMOVE, 3}, three_replaced = {DP_REPLACE_ONE, 3};

#define CELLS 3
#define COUNT_MAX 4

/* Moves up to rows rows, one at a time, in every way, and keeps the farthest score. */
static int64_t
farthest(int64_t *count, const double *share, double n, int64_t start, DpNeighbours neighbours,
		 uint32_t rows)
{
	int64_t far = 0;

	for (int to = 0; to < CELLS && rows > 0; to++)
		for (int from = 0; from < (neighbours == DP_REPLACE_ONE ? CELLS : 1); from++)
		{
			int64_t moved, deeper;

			if (neighbours == DP_REPLACE_ONE && count[from] == 0)
				continue;
			count[to]++;
			count[from] -= neighbours == DP_REPLACE_ONE;
			moved = llabs(dp_mwem_score(count, share, CELLS, n, 77) - start);
			deeper = farthest(count, share, n, start, neighbours, rows - 1);
			far = moved > far ? moved : far;
			far = deeper > far ? deeper : far;
			count[to]--;
			count[from] += neighbours == DP_REPLACE_ONE;
		}
	return far;
}

static void
check_sensitivity(DpUnit unit, const char *name)
{
	DpPrng prng;
	int64_t far = 0;

	dp_prng_seed(&prng, (DpStream){1, 2, 3});
	for (int trial = 0; trial < 20; trial++)
	{
		double share[CELLS], n = 6 * dp_prng_unit(&prng);

		for (int i = 0; i < CELLS; i++)
			share[i] = dp_prng_unit(&prng) * (trial % 3);
		for (int c = 0; c < COUNT_MAX * COUNT_MAX * COUNT_MAX; c++)
		{
			int64_t count[CELLS] = {c % COUNT_MAX, c / COUNT_MAX % COUNT_MAX,
									c / COUNT_MAX / COUNT_MAX};
			int64_t moved = farthest(count, share, n, dp_mwem_score(count, share, CELLS, n, 77),
									 unit.neighbours, unit.rows_max);

			far = moved > far ? moved : far;
		}
	}
	CHECK(far <= dp_mwem_sensitivity(&unit), "%s: no neighbour's score is farther than that", name);
	CHECK_I64(far, dp_mwem_sensitivity(&unit), "%s: and one is as far", name);
}

static void
test_score(void)
{
	const int64_t count[] = {5, 0, 2}, huge[] = {INT64_MAX, INT64_MAX, 0};
	const double share[] = {0.5, 0.25, 0.25}, odd[] = {NAN, -1, 1e300};

	CHECK_I64(dp_mwem_score(count, share, 3, 8, 100), 1024 * (1 + 2 + 0) - 100, "the L1 distance");
	CHECK(dp_mwem_score(huge, share, 3, 8, 1) == (INT64_C(1) << 61) - 1,
		  "is cut off, not wrapped round");
	CHECK(dp_mwem_score(count, odd, 3, 8, 0) > 0, "and takes any prediction");
	CHECK_I64(dp_mwem_penalty(10, (DpLaplace){DP_EPSILON_ONE, 1}),
			  llround(1024 * 10 * 2 * exp(-1) / (1 - exp(-2))), "the penalty is what noise makes");
	CHECK(dp_mwem_penalty(UINT64_C(1) << 60, (DpLaplace){1, 4000000}) == INT64_C(1) << 61,
		  "and is cut off too");
	check_sensitivity(one_added, "a row more or less");
	check_sensitivity(one_replaced, "a row replaced");
	check_sensitivity(three_added, "three rows more");
	check_sensitivity(three_replaced, "three rows replaced");
}

int
main(void)
{
	DpArena arena = dp_arena_malloc();

	test_score();
	dp_arena_malloc_free(&arena);
	return unit_finish();
}
