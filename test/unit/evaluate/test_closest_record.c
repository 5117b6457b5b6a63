/*
 * test_closest_record.c -- Gower's distance to the closest row, beside the same by two loops.
 */
#include "core/evaluate/intruder.h"

#include "core/base/prng.h"
#include "unit.h"

#define ROWS 700

static uint32_t code[2][2][ROWS];
static double number[2][ROWS];

static double
between(uint32_t i, uint32_t j)
{
	double sum = (code[0][0][i] != code[1][0][j]), difference;

	if (isnan(number[0][i]) || isnan(number[1][j]))
		return (sum + (code[0][1][i] != code[1][1][j])) / 2;
	difference = fabs(number[0][i] - number[1][j]);
	return (sum + (difference < 1 ? difference : 1)) / 2;
}

int
main(void)
{
	DpPrng prng;
	DpRecordColumn column[2][2];
	DpRecords records[2];
	double distance[ROWS], worst = 0;

	dp_prng_seed(&prng, (DpStream){.seed = 5});
	for (int side = 0; side < 2; side++)
	{
		for (uint32_t i = 0; i < ROWS; i++)
		{
			code[side][0][i] = (uint32_t) dp_prng_below(&prng, 200);
			code[side][1][i] = (uint32_t) dp_prng_below(&prng, 50);
			number[side][i] = code[side][1][i] == 0 ? NAN : code[side][1][i] / 40.0;
		}
		column[side][0] = (DpRecordColumn){code[side][0], NULL};
		column[side][1] = (DpRecordColumn){code[side][1], number[side]};
		records[side] = (DpRecords){2, column[side], ROWS};
	}
	dp_closest_records(&records[0], &records[1], distance, NULL);
	for (uint32_t i = 0; i < ROWS; i++)
	{
		double closest = INFINITY;

		for (uint32_t j = 0; j < ROWS; j++)
			closest = fmin(closest, between(i, j));
		worst = fmax(worst, fabs(distance[i] - closest));
	}
	CHECK_NEAR(worst, 0, 1e-6, "each distance is that of the closest row");
	dp_closest_records(&records[0], &records[0], distance, NULL);
	worst = 0;
	for (uint32_t i = 0; i < ROWS; i++)
		worst = fmax(worst, distance[i]);
	CHECK_NEAR(worst, 0, 1e-12, "rows are at no distance from themselves");
	return unit_finish();
}
