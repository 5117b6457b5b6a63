/*
 * aim_pace.c -- the batches and the model that go with the time that is left.
 */
#include "core/methods/aim/aim_pace.h"

#include <math.h>

#include "core/base/saturate.h"

/* The time that fits and scores may take, as a multiple of their estimate. With the scan, which
 * cannot be made shorter, the release then takes less than twice its whole estimate. */
#define OVER_EXPECTED 1.25
#define SECONDS_FREE 0.4 /* that a release may take in any case */
/* Runs of belief propagation, as most fits take them. */
#define RUNS_A_FIT 10
#define RUNS_OF_LAST_FIT 30

double
dp_aim_pace_seconds(double expected)
{
	return fmax(SECONDS_FREE, OVER_EXPECTED * expected);
}

uint32_t
dp_aim_pace_batch(const DpAimPace *pace, uint32_t usual)
{
	double rounds = pace->seconds_left / pace->seconds_last; /* or infinity */
	double batch = rounds > 1 ? pace->tables_left / rounds : pace->tables_left;

	if (!(pace->seconds_last > 0) || batch < usual)
		batch = usual;
	return batch < pace->batch_most ? (uint32_t) batch : pace->batch_most;
}

uint64_t
dp_aim_pace_cells(const DpAimPace *pace, uint64_t present)
{
	double runs = RUNS_A_FIT * ceil(pace->tables_left / pace->batch_most) + RUNS_OF_LAST_FIT;
	double cells = fmax(pace->seconds_left, 0) / (runs * pace->seconds_a_cell);

	return cells > (double) present ? dp_floor_saturated(cells) : present;
}
