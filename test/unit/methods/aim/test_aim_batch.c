/*
 * test_aim_batch.c -- batches of aim begin with one table, and grow with what was chosen; what is
 * not chosen together.
 */
#include "core/methods/aim/aim_batch.h"

#include "unit.h"

/* The number of fits until so many tables were chosen. */
static uint32_t
fits(uint32_t tables)
{
	uint32_t n = 0;

	for (uint32_t chosen = 0; chosen < tables; n++)
		chosen += dp_aim_batch(chosen);
	return n;
}

/* Sets of the first n of these columns. */
#define SET(n, ...) (&(DpAttributeSet){n, (const uint32_t[]){__VA_ARGS__}})

static void
check_alike(void)
{
	uint32_t to[8];
	DpAimComponents ties = {.columns = 8, .to = to};
	const DpAttributeSet *table = SET(3, 0, 2, 4);

	dp_aim_untie(&ties);
	dp_aim_tie(&ties, table);
	CHECK(dp_aim_is_alike(&ties, table, SET(2, 2, 4), false), "two columns are shared");
	CHECK(!dp_aim_is_alike(&ties, table, SET(2, 2, 3), false), "one is not enough");
	CHECK(!dp_aim_is_alike(&ties, table, SET(1, 2), false) &&
			  dp_aim_is_alike(&ties, table, SET(1, 2), true),
		  "in a forest a column of the table says the same");
	dp_aim_tie(&ties, SET(2, 4, 6));
	dp_aim_tie(&ties, SET(2, 1, 3));
	CHECK(dp_aim_is_alike(&ties, SET(2, 1, 3), SET(2, 0, 6), true) &&
			  !dp_aim_is_alike(&ties, SET(2, 1, 3), SET(2, 0, 6), false),
		  "in a forest columns that a path ties are not tied again");
	CHECK(!dp_aim_is_alike(&ties, SET(2, 1, 3), SET(2, 0, 5), true) &&
			  !dp_aim_is_alike(&ties, SET(2, 1, 3), SET(2, 3, 6), true) &&
			  !dp_aim_is_alike(&ties, SET(2, 1, 3), SET(1, 7), true),
		  "columns of two trees may be tied, and a column alone is none");
	dp_aim_untie(&ties);
	CHECK(!dp_aim_is_alike(&ties, SET(2, 1, 3), SET(2, 0, 6), true), "the next batch begins anew");
}

int
main(void)
{
	bool never_shrinks = true;

	CHECK(dp_aim_batch(0) == 1 && dp_aim_batch(23) == 1, "one table at first");
	CHECK(dp_aim_batch(24) == 2 && dp_aim_batch(47) == 2, "two from 24 on");
	CHECK(dp_aim_batch(48) == 3, "three from 48 on");
	for (uint32_t chosen = 0; chosen < 1000; chosen++)
		never_shrinks = never_shrinks && dp_aim_batch(chosen) <= dp_aim_batch(chosen + 1);
	CHECK(never_shrinks, "the batch of the last table is the largest, as the plan takes it to be");
	CHECK(fits(24) == 24, "a fit for each of the first tables");
	CHECK(fits(192) == 24 + 12 + 8 + 6 + 5 + 4 + 4 + 3, "and a third of the fits of 192");
	check_alike();
	return unit_finish();
}
