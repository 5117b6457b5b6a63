/*
 * test_set_index.c -- sets of attributes get numbers as they come.
 */
#include "core/domain/attribute_set.h"

#include "unit.h"

int
main(void)
{
	const uint32_t a[3] = {1, 4, 9};
	DpArena arena = dp_arena_malloc();
	DpSetIndex index;
	uint32_t number, first[8], again[8];
	bool same = true;

	CHECK_OK(dp_set_index_init(&index, 8, &arena), "an index of eight sets is made");
	for (int round = 0; round < 2; round++)
		for (uint32_t mask = 0; mask < 8; mask++)
		{
			uint32_t member[3], n = 0;

			for (uint32_t k = 0; k < 3; k++)
				if (mask >> k & 1)
					member[n++] = a[k];
			same &= dp_set_index_add(&index, &(DpAttributeSet){n, member}, &number) == DP_OK;
			(round == 0 ? first : again)[mask] = number;
		}
	for (uint32_t mask = 0; mask < 8; mask++)
		same &= first[mask] == mask && again[mask] == mask;
	CHECK(same && index.n == 8, "a set has one number, however often it comes");
	CHECK(dp_set_equal(&index.set[7], &(DpAttributeSet){3, a}) && index.set[7].attribute != a,
		  "the index has copies");
	CHECK_STATUS(dp_set_index_add(&index, &(DpAttributeSet){1, (uint32_t[]){2}}, &number),
				 DP_ERR_LIMIT, "a ninth set is one too many");
	CHECK_OK(dp_set_index_add(&index, &(DpAttributeSet){3, a}, &number), "a known one is not");
	dp_set_index_free(&index, true);
	CHECK_I64(arena.bytes_used, 0, "all memory is given back");
	dp_arena_malloc_free(&arena);
	return unit_finish();
}
