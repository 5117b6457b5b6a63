/*
 * test_subsets.c -- scores of sets of parents, and the numbers of sets.
 */
#include "core/base/index_list.h"
#include "core/select/subsets.h"

#include "unit_plain_score.h"

static void
test_numbers(void)
{
	static uint64_t pascal[70][70];
	unsigned wrong = 0, ranks = 0;

	for (uint32_t n = 0; n < 65; n++)
		for (uint32_t k = 0; k <= n; k++)
		{
			pascal[n][k] = k == 0 || k == n ? 1 : pascal[n - 1][k - 1] + pascal[n - 1][k];
			if (k <= 8)
				wrong += dp_combinations(n, k) != pascal[n][k];
		}
	CHECK_I64(wrong, 0, "n over k is Pascal's");
	CHECK(dp_combinations(3, 4) == 0 && dp_combinations(0, 0) == 1, "0 where there is none");
	CHECK(dp_combinations(1600, 300) == UINT64_MAX, "it saturates");
	for (uint32_t size = 1; size <= DP_SUBSET_MAX; size++)
	{
		bool taken[1 << 11] = {false};

		for (uint32_t mask = 0; mask < 1 << 11; mask++)
		{
			uint32_t member[11], n = 0;
			uint64_t rank;

			for (uint32_t a = 0; a < 11; a++)
				if (mask >> a & 1)
					member[n++] = a;
			if (n != size)
				continue;
			rank = dp_subset_rank(member, n);
			wrong += rank >= pascal[11][size] || taken[rank];
			taken[rank] = true;
			ranks++;
		}
	}
	CHECK_I64(wrong, 0, "every set of a size has a number of its own, below their count");
	CHECK_I64(ranks, 11 + 55 + 165 + 330 + 462 + 462 + 330, "all sets of up to seven of eleven");
	CHECK(dp_subsets_total(11, 7) == ranks - 11, "as many as it says, from two members on");
}

static void
test_subsets(void)
{
	DpArena arena = dp_arena_malloc();
	DpDomain domain = unit_domain(&arena, levels, ATTRIBUTES);
	UnitTable table = random_table(&arena, &domain, 3);
	DpCounter counter = unit_counter(&table);
	DpMeasurement m = measurement(&domain, &counter, &arena);
	uint64_t before = arena.bytes_used, cells_max = 30, members = 0;
	unsigned wrong = 0, left_out = 0;
	DpSubsetsCostEstimate forecast = dp_subsets_cost_estimate(&domain, 4, cells_max);
	DpSubsets subsets;

	MUST(dp_subsets_score(&m, 4, cells_max, &subsets, NULL));
	for (uint32_t mask = 0; mask < 1 << ATTRIBUTES; mask++)
	{
		uint32_t member[ATTRIBUTES], n = 0;
		uint64_t cells = 1;

		for (uint32_t a = 0; a < ATTRIBUTES; a++)
			if (mask >> a & 1)
			{
				member[n++] = a;
				cells *= levels[a];
			}
		if (n < 2 || n > 4)
			continue;
		left_out += cells > cells_max;
		members += cells > cells_max ? 0 : n;
		for (uint32_t k = 0; k < n; k++)
		{
			int64_t want = cells > cells_max ? -1 : plain_score(&table, member, n, k);

			wrong += subsets.score[n][dp_subset_rank(member, n) * n + k] != want;
		}
	}
	CHECK_I64(wrong, 0, "the score of each member of each set, -1 where the set is too large");
	CHECK(left_out > 3, "some are");
	CHECK(forecast.scans == 1 && table.scans == 1, "one scan, as forecast");
	CHECK_I64(forecast.members, members, "and as many attributes of tables");
	dp_subsets_free(&m, &subsets);
	CHECK(arena.bytes_used == before, "all memory comes back");
	domain.attribute[0].levels = domain.attribute[1].levels = domain.attribute[2].levels = 5000;
	forecast = dp_subsets_cost_estimate(&domain, 2, UINT64_C(25000000));
	CHECK_I64(forecast.scans, 3, "sets that do not fit one scan take several");
	CHECK(forecast.bytes > UINT64_C(25000000) * 8 && forecast.bytes < UINT64_C(33000000) * 8,
		  "no more than fits is counted at once");
	dp_arena_malloc_free(&arena);
}

int
main(void)
{
	test_numbers();
	test_subsets();
	return unit_finish();
}
