/*
 * count_kernel.c -- the innermost loops of counting.
 *
 * Cells are found for a whole batch first, so that this arithmetic runs in vector registers.
 * With 16 bits a code, any x86-64 takes eight rows an instruction. What is left for each row
 * and table is one increment. The Makefile compiles this file with -O3; there is no floating
 * point in it.
 */
#include "core/exact/count_kernel.h"

#include <string.h>

#include "core/base/row_major.h"

#define DIMENSIONS_MAX 32 /* those of two levels or more; 2^31 cells have no more */

bool
dp_kernel_narrow(const uint32_t *code, uint32_t rows, uint32_t levels, uint16_t *narrow)
{
	uint32_t invalid = 0;

	for (uint32_t i = 0; i < rows; i++)
	{
		invalid |= code[i] >= levels;
		narrow[i] = (uint16_t) code[i];
	}
	return !invalid;
}

static void
increment_narrow(const uint16_t *cell, uint32_t rows, uint32_t *count)
{
	for (uint32_t i = 0; i < rows; i++)
		count[cell[i]]++;
}

/* cell = first * levels + second */
static void
join_narrow(const uint16_t *first, const uint16_t *second, uint32_t levels, uint32_t rows,
			uint16_t *cell)
{
	uint16_t factor = (uint16_t) levels;

	for (uint32_t i = 0; i < rows; i++)
		cell[i] = (uint16_t) (first[i] * factor + second[i]);
}

/* The cells of a batch: the codes themselves, or in `cell`. */
static const uint16_t *
cells_narrow(const uint16_t *const *column, const uint32_t *levels, uint32_t n, uint32_t rows,
			 uint16_t *cell)
{
	const uint16_t *joined = column[0];

	for (uint32_t k = 1; k < n; k++)
	{
		join_narrow(joined, column[k], levels[k], rows, cell);
		joined = cell;
	}
	return joined;
}

static void
cells_wide(const uint32_t *const *column, const uint32_t *levels, uint32_t n, uint32_t rows,
		   uint32_t *cell)
{
	memcpy(cell, column[0], rows * sizeof(*cell));
	for (uint32_t k = 1; k < n; k++)
	{
		for (uint32_t i = 0; i < rows; i++)
			cell[i] = cell[i] * levels[k] + column[k][i];
	}
}

void
dp_kernel_count_narrow(const uint16_t *const *column, const uint32_t *levels, uint32_t n,
					   uint32_t rows, uint32_t *count)
{
	uint16_t cell[DP_BATCH_ROWS];

	increment_narrow(cells_narrow(column, levels, n, rows, cell), rows, count);
}

void
dp_kernel_add_narrow(const uint16_t *const *column, const uint32_t *levels, uint32_t n,
					 uint32_t rows, const uint64_t *rows_of, uint64_t *count)
{
	uint16_t narrow[DP_BATCH_ROWS];
	const uint16_t *cell = cells_narrow(column, levels, n, rows, narrow);

	for (uint32_t i = 0; i < rows; i++)
		count[cell[i]] += rows_of[i];
}

void
dp_kernel_count_wide(const uint32_t *const *column, const uint32_t *levels, uint32_t n,
					 uint32_t rows, uint32_t *count)
{
	uint32_t cell[DP_BATCH_ROWS];

	cells_wide(column, levels, n, rows, cell);
	for (uint32_t i = 0; i < rows; i++)
		count[cell[i]]++;
}

void
dp_kernel_add_wide(const uint32_t *const *column, const uint32_t *levels, uint32_t n, uint32_t rows,
				   const uint64_t *rows_of, uint64_t *count)
{
	uint32_t cell[DP_BATCH_ROWS];

	cells_wide(column, levels, n, rows, cell);
	for (uint32_t i = 0; i < rows; i++)
		count[cell[i]] += rows_of[i];
}

void
dp_kernel_add_widened(const uint16_t *const *column, const uint32_t *levels, uint32_t n,
					  uint32_t rows, const uint64_t *rows_of, uint64_t *count)
{
	uint32_t cell[DP_BATCH_ROWS] = {0};

	for (uint32_t k = 0; k < n; k++)
	{
		for (uint32_t i = 0; i < rows; i++)
			cell[i] = cell[i] * levels[k] + column[k][i];
	}
	for (uint32_t i = 0; i < rows; i++)
		count[cell[i]] += rows_of[i];
}

/* Adds one run along the last attribute. */
static void
project_run(const uint32_t *count, uint32_t n, uint64_t stride, int64_t *into)
{
	if (stride == 0)
	{
		uint64_t sum = 0;

		for (uint32_t i = 0; i < n; i++)
			sum += count[i];
		*into += (int64_t) sum;
	}
	else if (stride == 1)
	{
		for (uint32_t i = 0; i < n; i++)
			into[i] += count[i];
	}
	else
	{
		for (uint32_t i = 0; i < n; i++)
			into[i * stride] += count[i];
	}
}

static void
project_run_added(const uint64_t *count, uint32_t n, uint64_t stride, uint64_t *into)
{
	if (stride == 0)
	{
		uint64_t sum = 0;

		for (uint32_t i = 0; i < n; i++)
			sum += count[i];
		*into += sum;
	}
	else if (stride == 1)
	{
		for (uint32_t i = 0; i < n; i++)
			into[i] += count[i];
	}
	else
	{
		for (uint32_t i = 0; i < n; i++)
			into[i * stride] += count[i];
	}
}

/* The runs along the last attribute, as an odometer over the other attributes counts. */
typedef struct Runs
{
	uint32_t levels[DIMENSIONS_MAX];
	uint64_t stride[DIMENSIONS_MAX];
	uint32_t code[DIMENSIONS_MAX];
	uint32_t last;
	uint64_t at; /* where the run goes */
} Runs;

static void
runs_begin(Runs *runs, const uint32_t *levels, uint32_t n, const uint64_t *stride)
{
	uint32_t axes = 0;

	*runs = (Runs){.levels = {1}};
	for (uint32_t k = 0; k < n; k++)
		axes = dp_row_major_append(runs->levels, runs->stride, axes, levels[k], stride[k]);
	runs->last = axes > 0 ? axes - 1 : 0;
}

void
dp_kernel_project(const uint32_t *count, const uint32_t *levels, uint32_t n, const uint64_t *stride,
				  int64_t *into)
{
	Runs runs;

	runs_begin(&runs, levels, n, stride);
	do
	{
		project_run(count, runs.levels[runs.last], runs.stride[runs.last], into + runs.at);
		count += runs.levels[runs.last];
	} while (dp_row_major_follow(runs.levels, runs.stride, runs.last, runs.code, &runs.at));
}

void
dp_kernel_project_added(const uint64_t *count, const uint32_t *levels, uint32_t n,
						const uint64_t *stride, uint64_t *into)
{
	Runs runs;

	runs_begin(&runs, levels, n, stride);
	do
	{
		project_run_added(count, runs.levels[runs.last], runs.stride[runs.last], into + runs.at);
		count += runs.levels[runs.last];
	} while (dp_row_major_follow(runs.levels, runs.stride, runs.last, runs.code, &runs.at));
}
