/*
 * test_slot_table.c -- entries found by a hash, also where all have the same one.
 */
#include "core/base/slot_table.h"

#include "unit.h"

static bool
is_number(const void *list, uint32_t entry, const void *sought)
{
	return ((const uint32_t *) list)[entry] == *(const uint32_t *) sought;
}

/* Fills a table with 100 numbers, whose hashes are number / crowd, and looks for twice as many. */
static void
find_all(uint32_t crowd)
{
	DpArena arena = dp_arena_malloc();
	DpSlotTable table;
	uint32_t list[100];
	bool right = true;

	CHECK_OK(dp_slots_init(&table, 100, 2, &arena), "a table of 100 is made");
	for (uint32_t i = 0; i < 100; i++)
	{
		list[i] = 7 * i;
		*dp_slot_new(&table, list[i] / crowd) = i + 1;
	}
	for (uint32_t i = 0; i < 700; i++)
	{
		uint32_t slot = *dp_slot_find(&table, i / crowd, is_number, list, &i);

		right &= slot == (i % 7 == 0 ? i / 7 + 1 : 0);
	}
	CHECK(right, "what is there is found, and nothing else, with %u numbers a hash", crowd);
	dp_slots_free(&table, &arena);
	CHECK_I64(arena.bytes_used, 0, "all memory is given back");
	dp_arena_malloc_free(&arena);
}

int
main(void)
{
	DpArena arena = dp_arena_malloc();
	DpSlotTable table;

	find_all(1);
	find_all(50);
	find_all(1000);
	CHECK_I64(dp_slots_for(0, 2), 2, "an empty table has a free slot");
	CHECK_I64(dp_slots_for(5, 4), 32, "slots are a power of two");
	CHECK_STATUS(dp_slots_init(&table, UINT64_C(1) << 32, 2, &arena), DP_ERR_LIMIT,
				 "more than a slot can name are refused");
	dp_arena_malloc_free(&arena);
	return unit_finish();
}
