/*
 * test_index_list.c -- finding and sorting short lists of numbers.
 */
#include "core/base/index_list.h"

#include "unit.h"

int
main(void)
{
	uint32_t list[5] = {7, 3, 7, 0, UINT32_MAX};

	CHECK_I64(dp_index_place(list, 5, 7), 0, "the first of two places is found");
	CHECK_I64(dp_index_place(list, 3, 0), 3, "what stands behind the list is not of it");
	CHECK(dp_index_among(list, 5, UINT32_MAX) && !dp_index_among(list, 5, 1),
		  "a list holds its own");
	CHECK(!dp_index_among(list, 0, 7), "an empty one holds nothing");
	dp_index_sort(list, 5);
	CHECK(list[0] == 0 && list[1] == 3 && list[2] == 7 && list[3] == 7 && list[4] == UINT32_MAX,
		  "and is put into ascending order");
	dp_index_sort(list, 0);
	return unit_finish();
}
