/*
 * closest_record.c -- how far rows are from the closest of other rows.
 *
 * The rows to compare with are taken in tiles. For each row the distances to all of a tile are
 * summed column by column, so that the inner loops run over neighbouring values, in a memory that is
 * near the processor.
 */
#include "core/evaluate/closest_record.h"

#include <math.h>
#include <string.h>

#define TILE_ROWS 1024

/* Some of the rows to compare with. */
typedef struct Tile
{
	const DpRecords *records;
	uint32_t first;
	uint32_t rows;
	double sum[TILE_ROWS];
} Tile;

static void
add_codes(Tile *tile, uint32_t column, uint32_t code)
{
	const uint32_t *to = tile->records->column[column].code + tile->first;

	for (uint32_t i = 0; i < tile->rows; i++)
		tile->sum[i] += to[i] != code ? 1.0 : 0.0;
}

/* A value that is no finite number is 1 from any other than itself. */
static void
add_numbers(Tile *tile, uint32_t column, uint32_t code, double number)
{
	const DpRecordColumn *to = &tile->records->column[column];
	const double *numbers = to->number + tile->first;
	const uint32_t *codes = to->code + tile->first;

	for (uint32_t i = 0; i < tile->rows; i++)
	{
		double apart = fabs(numbers[i] - number);
		double differs = codes[i] != code ? 1.0 : 0.0;

		tile->sum[i] += apart <= 1 ? apart : differs; /* comparisons with NaN are false */
	}
}

/* The smallest distance of a row to those of a tile. */
static double
closest_in(Tile *tile, const DpRecords *from, uint32_t row)
{
	double least;

	memset(tile->sum, 0, tile->rows * sizeof(*tile->sum));
	for (uint32_t c = 0; c < from->columns; c++)
	{
		const DpRecordColumn *own = &from->column[c];

		if (own->number != NULL)
			add_numbers(tile, c, own->code[row], own->number[row]);
		else
			add_codes(tile, c, own->code[row]);
	}
	least = tile->sum[0];
	for (uint32_t i = 1; i < tile->rows; i++)
		least = tile->sum[i] < least ? tile->sum[i] : least;
	return least / from->columns;
}

void
dp_closest_records(const DpRecords *from, const DpRecords *to, double *distance, const DpTick *tick)
{
	Tile tile = {.records = to};

	for (; tile.first < to->rows; tile.first += TILE_ROWS)
	{
		tile.rows = to->rows - tile.first < TILE_ROWS ? to->rows - tile.first : TILE_ROWS;
		dp_tick(tick, (double) tile.first / to->rows);
		for (uint32_t row = 0; row < from->rows; row++)
		{
			double closest = closest_in(&tile, from, row);

			if (tile.first == 0 || closest < distance[row])
				distance[row] = closest;
		}
	}
}
