/*
 * closest_record.c -- how far rows are from the closest of other rows.
 *
 * The rows to compare with are taken in batches. For each row the distances to all of a batch are
 * summed column by column, so that the inner loops run over neighbouring values, in a memory that
 * is near the processor.
 */
#include "core/evaluate/intruder.h"

#include <math.h>
#include <string.h>

#define BATCH_ROWS 1024

/* Some of the rows to compare with. */
typedef struct Batch
{
	const DpRecords *records;
	uint32_t first;
	uint32_t rows;
	double sum[BATCH_ROWS];
} Batch;

static void
add_codes(Batch *batch, uint32_t column, uint32_t code)
{
	const uint32_t *to = batch->records->column[column].code + batch->first;

	for (uint32_t i = 0; i < batch->rows; i++)
		batch->sum[i] += to[i] != code ? 1.0 : 0.0;
}

/* A value that is no finite number is 1 from any other than itself. */
static void
add_numbers(Batch *batch, uint32_t column, uint32_t code, double number)
{
	const DpRecordColumn *to = &batch->records->column[column];
	const double *numbers = to->number + batch->first;
	const uint32_t *codes = to->code + batch->first;

	for (uint32_t i = 0; i < batch->rows; i++)
	{
		double apart = fabs(numbers[i] - number);
		double differs = codes[i] != code ? 1.0 : 0.0;

		batch->sum[i] += apart <= 1 ? apart : differs; /* comparisons with NaN are false */
	}
}

/* The smallest distance of a row to those of a batch. */
static double
closest_in(Batch *batch, const DpRecords *from, uint32_t row)
{
	double least;

	memset(batch->sum, 0, batch->rows * sizeof(*batch->sum));
	for (uint32_t c = 0; c < from->columns; c++)
	{
		const DpRecordColumn *own = &from->column[c];

		if (own->number != NULL)
			add_numbers(batch, c, own->code[row], own->number[row]);
		else
			add_codes(batch, c, own->code[row]);
	}
	least = batch->sum[0];
	for (uint32_t i = 1; i < batch->rows; i++)
		least = batch->sum[i] < least ? batch->sum[i] : least;
	return least / from->columns;
}

void
dp_closest_records(const DpRecords *from, const DpRecords *to, double *distance, const DpTick *tick)
{
	Batch batch = {.records = to};

	for (; batch.first < to->rows; batch.first += BATCH_ROWS)
	{
		batch.rows = to->rows - batch.first < BATCH_ROWS ? to->rows - batch.first : BATCH_ROWS;
		dp_tick(tick, (double) batch.first / to->rows);
		for (uint32_t row = 0; row < from->rows; row++)
		{
			double closest = closest_in(&batch, from, row);

			if (batch.first == 0 || closest < distance[row])
				distance[row] = closest;
		}
	}
}
