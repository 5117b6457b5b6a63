/*
 * test_number_shuffle.c -- row numbers in another order: each once, whatever the size.
 */
#include "core/domain/number_shuffle.h"

#include "unit.h"

static void
test_capacity(uint64_t capacity, DpStream stream)
{
	static bool seen[5000];
	uint64_t twice = 0, outside = 0, fixed = 0;

	memset(seen, 0, sizeof(seen));
	for (uint64_t i = 0; i < capacity; i++)
	{
		uint64_t to = dp_shuffle_number(i, capacity, stream);

		outside += to >= capacity;
		if (to >= capacity)
			continue;
		twice += seen[to];
		fixed += to == i;
		seen[to] = true;
	}
	CHECK(twice == 0 && outside == 0, "%" PRIu64 " numbers: each once", capacity);
	CHECK(capacity < 100 || fixed < capacity / 10, "%" PRIu64 " numbers: few stay", capacity);
}

int
main(void)
{
	static const uint64_t sizes[] = {1, 2, 3, 4, 5, 16, 17, 1000, 4096, 4097};
	const DpStream stream = {.seed = 7}, other = {.seed = 8};
	uint64_t same = 0;

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		test_capacity(sizes[i], stream);
	for (uint64_t i = 0; i < 1000; i++)
		same += dp_shuffle_number(i, 1000, stream) == dp_shuffle_number(i, 1000, other);
	CHECK(same < 20, "another seed is another order");
	CHECK_I64(dp_shuffle_number(1003, 1000, stream), dp_shuffle_number(3, 1000, stream),
			  "numbers beyond the size begin again");
	CHECK(dp_shuffle_number(0, UINT64_MAX, stream) != dp_shuffle_number(1, UINT64_MAX, stream),
		  "all 64 bits");
	return unit_finish();
}
