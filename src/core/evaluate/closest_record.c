/*
 * closest_record.c -- how far rows are from the closest of other rows.
 *
 * For each row the distances to all others are summed column by column, so that the inner loop runs
 * over neighbouring values.
 */
#include "core/evaluate/closest_record.h"

#include <math.h>
#include <string.h>

static void
add_codes(uint32_t code, const DpRecordColumn *to, uint32_t rows, double *sum)
{
	for (uint32_t i = 0; i < rows; i++)
		sum[i] += to->code[i] != code;
}

/* A value that is no finite number is 1 from any other than itself. */
static void
add_numbers(double number, uint32_t code, const DpRecordColumn *to, uint32_t rows, double *sum)
{
	for (uint32_t i = 0; i < rows; i++)
	{
		double apart = fabs(to->number[i] - number) / to->width;

		/* comparisons with NaN are false */
		if (!(apart <= 1))
			apart = to->code[i] != code;
		sum[i] += apart;
	}
}

static double
smallest(const double *sum, uint32_t n)
{
	double least = sum[0];

	for (uint32_t i = 1; i < n; i++)
		least = sum[i] < least ? sum[i] : least;
	return least;
}

DpStatus
dp_closest_records(const DpRecords *from, const DpRecords *to, double *distance, const DpTick *tick,
				   DpArena *arena)
{
	double *sum = dp_alloc(arena, to->rows, sizeof(*sum));

	if (sum == NULL)
		return DP_ERR_MEMORY;
	for (uint32_t row = 0; row < from->rows; row++)
	{
		dp_tick(tick, (double) row / from->rows);
		memset(sum, 0, to->rows * sizeof(*sum));
		for (uint32_t c = 0; c < from->columns; c++)
		{
			const DpRecordColumn *own = &from->column[c];

			if (own->width > 0)
				add_numbers(own->number[row], own->code[row], &to->column[c], to->rows, sum);
			else
				add_codes(own->code[row], &to->column[c], to->rows, sum);
		}
		distance[row] = smallest(sum, to->rows) / from->columns;
	}
	dp_free(arena, sum, to->rows, sizeof(*sum));
	return DP_OK;
}
