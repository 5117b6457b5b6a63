/*
 * test_sort.c -- the stable sort of indexes, and numbers in order.
 */
#include "core/base/sort.h"

#include "core/base/prng.h"
#include "unit.h"

#define NUMBERS 3000

/* Sorts n numbers of which many are equal, and looks at the order and at each first place. */
static void
sorted(uint64_t n, uint64_t distinct, DpArena *arena)
{
	static uint64_t number[NUMBERS], order[NUMBERS], ascending[NUMBERS];
	bool right = true;
	DpPrng prng;

	dp_prng_seed(&prng, (DpStream){n, distinct, 0});
	for (uint64_t i = 0; i < n; i++)
		number[i] = dp_prng_below(&prng, distinct);
	CHECK_OK(dp_sort_numbers(number, n, order, arena), "%" PRIu64 " numbers are sorted", n);
	for (uint64_t i = 0; i < n; i++)
	{
		ascending[i] = number[order[i]];
		right &= i == 0 || ascending[i - 1] < ascending[i] ||
				 (ascending[i - 1] == ascending[i] && order[i - 1] < order[i]);
	}
	CHECK(right, "they ascend, and equal ones stand as they stood");
	right = true;
	for (uint64_t wanted = 0; wanted <= distinct; wanted++)
	{
		uint64_t place = dp_first_at_least(ascending, n, wanted);

		right &= (place == n || ascending[place] >= wanted) &&
				 (place == 0 || ascending[place - 1] < wanted);
	}
	CHECK(right, "each number has its first place");
}

int
main(void)
{
	DpArena arena = dp_arena_malloc();

	sorted(0, 1, &arena);
	sorted(1, 1, &arena);
	sorted(17, 5, &arena);
	sorted(NUMBERS, 700, &arena);
	CHECK_I64(arena.bytes_used, 0, "all memory is given back");
	dp_arena_malloc_free(&arena);
	return unit_finish();
}
