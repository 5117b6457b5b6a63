/*
 * test_aim_change.c -- what pairs moved since a set was scored, and of which sets it is not known.
 */
#include "core/methods/aim/aim_choice.h"
#include "core/plan/plan.h"

#include "unit_data.h"

#define FIRST 3 /* the pairs of columns 0 and 1, 0 and 2, 1 and 2, behind the columns */
#define TRIPLE 6
#define MARGINALS 7

static void
open_change(DpAimChange *change, DpGraphicalMeasure *measure, DpMeasurement *m, uint64_t cells_max)
{
	static const uint32_t member[][3] = {{0}, {1}, {2}, {0, 1}, {0, 2}, {1, 2}, {0, 1, 2}};
	static const uint32_t n[MARGINALS] = {1, 1, 1, 2, 2, 2, 3};
	static DpExactMarginal exact[MARGINALS];

	for (uint32_t i = 0; i < MARGINALS; i++)
		exact[i] = (DpExactMarginal){.set = {n[i], member[i]}, .cells = UINT64_C(1) << n[i]};
	*measure = (DpGraphicalMeasure){.m = m, .marginals = MARGINALS, .exact = exact};
	MUST(dp_aim_change_open(change, measure, cells_max));
}

int
main(void)
{
	DpArena arena = dp_arena_malloc();
	DpDomain domain = unit_domain(&arena, (const uint32_t[]){2, 2, 2}, 3);
	DpMeasurement m = {.domain = &domain, .arena = &arena};
	const double first[] = {1, 2, 3, 4, 5, 6, 7, 8}, other[] = {1, 1, 3, 6, 5, 6, 7, 8};
	DpGraphicalMeasure measure;
	DpAimChange change;

	open_change(&change, &measure, &m, 12);
	CHECK(isinf(dp_aim_change_since(&change, TRIPLE)), "a set that was never scored");
	for (uint32_t i = 0; i < MARGINALS; i++)
		dp_aim_change_scored(&change, i, first);
	CHECK_NEAR(dp_aim_change_since(&change, TRIPLE), 0, 0, "nothing moved since it was scored");
	dp_aim_change_scored(&change, FIRST, other);
	CHECK_NEAR(dp_aim_change_since(&change, TRIPLE), 3, 0, "one of its pairs moved by three rows");
	dp_aim_change_scored(&change, FIRST, first);
	dp_aim_change_scored(&change, FIRST + 2, other);
	CHECK_NEAR(dp_aim_change_since(&change, TRIPLE), 9, 0,
			   "the way there and back counts, and that of another pair");
	dp_aim_change_scored(&change, TRIPLE, first);
	CHECK_NEAR(dp_aim_change_since(&change, TRIPLE), 0, 0, "scored again");
	CHECK(isinf(dp_aim_change_since(&change, FIRST)) && isinf(dp_aim_change_since(&change, 0)),
		  "pairs and columns are scored for each list");
	dp_aim_change_close(&change);

	open_change(&change, &measure, &m, 11);
	for (uint32_t i = 0; i < MARGINALS; i++)
		dp_aim_change_scored(&change, i, first);
	CHECK(isinf(dp_aim_change_since(&change, TRIPLE)), "one of its pairs has no room");
	dp_aim_change_close(&change);

	open_change(&change, &measure, &m, 0);
	for (uint32_t i = 0; i < MARGINALS; i++)
		dp_aim_change_scored(&change, i, first);
	CHECK(isinf(dp_aim_change_since(&change, TRIPLE)), "no pair is followed");
	dp_aim_change_close(&change);
	dp_arena_malloc_free(&arena);
	return unit_finish();
}
