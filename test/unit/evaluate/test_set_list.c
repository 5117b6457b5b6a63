/*
 * test_set_list.c -- all sets of a size in order, or a sample in which each set is as likely as any
 * other.
 */
#include "core/evaluate/set_counts.h"

#include "core/base/index_list.h"
#include "unit.h"

static bool
ascend(const DpAttributeSet *set, uint32_t sets, uint32_t attributes)
{
	for (uint32_t i = 0; i < sets; i++)
	{
		for (uint32_t k = 0; k < set[i].n; k++)
			if (set[i].attribute[k] >= attributes ||
				(k > 0 && set[i].attribute[k] <= set[i].attribute[k - 1]))
				return false;
		if (i > 0 &&
			dp_attributes_compare(set[i - 1].attribute, set[i].n, set[i].attribute, set[i].n) >= 0)
			return false;
	}
	return true;
}

static void
check_list(DpSetRequest request, uint64_t want_all)
{
	DpArena arena = dp_arena_malloc();
	DpAttributeSet *set;
	uint32_t sets;
	uint64_t all;
	uint32_t want = want_all < request.sets_max ? (uint32_t) want_all : request.sets_max;

	CHECK_STATUS(dp_set_list(&request, &set, &sets, &all, &arena), DP_OK, "sets of %u of %u",
				 request.size, request.attributes);
	CHECK_I64((int64_t) all, (int64_t) want_all, "all of them are known");
	CHECK_I64(sets, want, "so many are listed");
	CHECK(ascend(set, sets, request.attributes), "each once and in order");
	dp_arena_malloc_free(&arena);
}

/* Of the 10 pairs of 5, 4 are drawn 4,000 times, so that each is expected 1,600 times with a
 * standard deviation of 31; with 3 of the 10 they are drawn the other way. Seeds are fixed. */
static void
check_uniform(uint32_t sets_max, uint32_t rounds)
{
	uint32_t drawn[10] = {0};
	double expected = (double) rounds * sets_max / 10;
	double worst = 0;

	for (uint32_t seed = 0; seed < rounds; seed++)
	{
		DpArena arena = dp_arena_malloc();
		DpSetRequest request = {5, 2, sets_max, seed};
		DpAttributeSet *set;
		uint32_t sets = 0;
		uint64_t all;

		if (dp_set_list(&request, &set, &sets, &all, &arena) != DP_OK)
			abort();
		for (uint32_t i = 0; i < sets; i++)
			drawn[dp_subset_rank(set[i].attribute, 2)]++;
		dp_arena_malloc_free(&arena);
	}
	for (int i = 0; i < 10; i++)
		worst = fmax(worst, fabs(drawn[i] - expected));
	CHECK(worst < 6 * sqrt(expected), "%u of 10 pairs: each is drawn as often as the others",
		  sets_max);
}

int
main(void)
{
	check_list((DpSetRequest){13, 3, 1000, 1}, 286);
	check_list((DpSetRequest){13, 3, 285, 1}, 286);
	check_list((DpSetRequest){13, 3, 100, 1}, 286);
	check_list((DpSetRequest){5, 5, 100, 1}, 1);
	check_list((DpSetRequest){5, 1, 100, 1}, 5);
	check_list((DpSetRequest){1000, 4, 2000, 7}, 41417124750);
	check_uniform(4, 4000);
	check_uniform(7, 4000);
	return unit_finish();
}
