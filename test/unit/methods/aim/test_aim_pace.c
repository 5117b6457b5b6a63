/*
 * test_aim_pace.c -- batches grow and the model does not, where rounds would take longer than what is
 * left of the expected time.
 */
#include "core/methods/aim/aim_pace.h"

#include <math.h>

#include "unit.h"

static void
check_batches(void)
{
	DpAimPace pace = {.seconds_left = 10, .seconds_last = 0.1, .tables_left = 60, .batch_most = 12};

	CHECK(dp_aim_pace_batch(&pace, 3) == 3, "a hundred such rounds go in: batches as usual");
	pace.seconds_last = 1;
	CHECK(dp_aim_pace_batch(&pace, 3) == 6, "ten rounds go in, for sixty tables");
	CHECK(dp_aim_pace_batch(&pace, 8) == 8, "no fewer than usual");
	pace.seconds_last = 9;
	CHECK(dp_aim_pace_batch(&pace, 3) == 12, "no more than there may be");
	pace.seconds_left = -1;
	CHECK(dp_aim_pace_batch(&pace, 3) == 12, "late: as many as there may be");
	pace.tables_left = 2;
	CHECK(dp_aim_pace_batch(&pace, 1) == 2 && dp_aim_pace_batch(&pace, 3) == 3,
		  "no more than are left, but for the usual number");
	pace.seconds_last = 0;
	CHECK(dp_aim_pace_batch(&pace, 1) == 1, "the first round tells nothing yet");
	CHECK(dp_aim_pace_batch(&pace, 20) == 12, "nor is the usual number more than there may be");
	pace.tables_left = INFINITY;
	pace.seconds_last = 1;
	CHECK(dp_aim_pace_batch(&pace, 1) == 12, "where tables cost nothing they are no end of them");
}

static void
check_cells(void)
{
	DpAimPace pace = {
		.seconds_left = 1, .seconds_a_cell = 4e-9, .tables_left = 60, .batch_most = 12};
	double fitted = 1 / pace.seconds_a_cell; /* cells, in one run of belief propagation */
	uint64_t cells = dp_aim_pace_cells(&pace, 100);

	CHECK((double) cells > fitted / 200 && (double) cells < fitted / 20,
		  "some tens of runs are to come: %llu cells", (unsigned long long) cells);
	CHECK(dp_aim_pace_cells(&pace, UINT64_C(1) << 40) == UINT64_C(1) << 40,
		  "the present cliques stay");
	pace.seconds_left = 2;
	CHECK(dp_aim_pace_cells(&pace, 100) > 2 * cells - 2, "twice the time is for twice the cells");
	pace.seconds_left = -3;
	CHECK(dp_aim_pace_cells(&pace, 100) == 100, "late: nothing grows");
}

int
main(void)
{
	CHECK(dp_aim_pace_seconds(10) > 10 && dp_aim_pace_seconds(10) < 20,
		  "a release may take more than expected, and less than twice as much");
	CHECK(dp_aim_pace_seconds(0) > 0.1, "short ones may take what nobody notices");
	check_batches();
	check_cells();
	return unit_finish();
}
