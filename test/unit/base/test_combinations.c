/*
 * test_combinations.c -- binomial coefficients, and sets of a size by number.
 */
#include "core/base/index_list.h"

#include "unit.h"

/* All sets of 3 of 7, in lexicographic order: the numbers of all are 0..34, each once. */
static void
test_ranks(void)
{
	uint32_t set[] = {0, 1, 2}, wrong = 0;
	uint64_t seen = 0, sets = dp_combinations(7, 3);

	for (uint64_t i = 0; i < sets; i++)
	{
		seen |= UINT64_C(1) << dp_subset_rank(set, 3);
		wrong += !(set[0] < set[1] && set[1] < set[2] && set[2] < 7);
		if (i + 1 < sets)
			dp_combination_next(set, 3, 7);
	}
	CHECK_I64(wrong, 0, "sets ascend");
	CHECK_I64(seen, (INT64_C(1) << 35) - 1, "35 sets have the numbers 0 to 34");
	CHECK(set[0] == 4 && set[1] == 5 && set[2] == 6, "the last set is that of the last three");
	CHECK_I64(dp_subset_rank(set, 0), 0, "there is one empty set");
}

int
main(void)
{
	CHECK_I64(dp_combinations(10, 3), 120, "10 over 3");
	CHECK_I64(dp_combinations(10, 0), 1, "10 over 0");
	CHECK_I64(dp_combinations(3, 4), 0, "3 over 4");
	CHECK_I64(dp_combinations(0, 0), 1, "0 over 0");
	CHECK_I64(dp_combinations(64, 5), 7624512, "64 over 5");
	CHECK(dp_combinations(UINT32_MAX, 8) == UINT64_MAX, "it saturates");
	test_ranks();
	return unit_finish();
}
