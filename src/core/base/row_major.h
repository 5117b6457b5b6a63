/*
 * row_major.h -- the cells of a table of several axes, the last axis fastest.
 *
 * Axis k has size[k] >= 1 levels. A second table can be followed along: step[k] is how far it moves
 * with axis k, 0 where it lacks that axis.
 */
#ifndef DP_ROW_MAJOR_H
#define DP_ROW_MAJOR_H

#include "core/base/status.h"

/* Sets step[k] to the cells between neighbours along axis k. Returns the number of cells. */
static inline uint64_t
dp_row_major_steps(const uint32_t *size, uint32_t n, uint64_t *step)
{
	uint64_t cells = 1;

	for (uint32_t k = n; k-- > 0; cells *= size[k])
		step[k] = cells;
	return cells;
}

static inline uint64_t
dp_row_major_cell(const uint32_t *size, uint32_t n, const uint32_t *code)
{
	uint64_t cell = 0;

	for (uint32_t k = 0; k < n; k++)
		cell = cell * size[k] + code[k];
	return cell;
}

static inline void
dp_row_major_codes(const uint32_t *size, uint32_t n, uint64_t cell, uint32_t *code)
{
	for (uint32_t k = n; k-- > 0; cell /= size[k])
		code[k] = (uint32_t) (cell % size[k]);
}

/* The cell of the second table in which a cell lies. */
static inline uint64_t
dp_row_major_place(const uint32_t *size, const uint64_t *step, uint32_t n, uint64_t cell)
{
	uint64_t place = 0;

	for (uint32_t k = n; k-- > 0; cell /= size[k])
		place += cell % size[k] * step[k];
	return place;
}

/* Goes to the next cell; false, and back at the first cell, after the last. */
static inline bool
dp_row_major_next(const uint32_t *size, uint32_t n, uint32_t *code)
{
	for (uint32_t k = n; k-- > 0; code[k] = 0)
		if (++code[k] < size[k])
			return true;
	return false;
}

/* The same, where *place is the cell of the second table. */
static inline bool
dp_row_major_follow(const uint32_t *size, const uint64_t *step, uint32_t n, uint32_t *code,
					uint64_t *place)
{
	for (uint32_t k = n; k-- > 0; code[k] = 0)
	{
		*place += step[k];
		if (++code[k] < size[k])
			return true;
		*place -= step[k] * size[k];
	}
	return false;
}

/* Appends an axis to n others, for long runs: one of a single level is left out, and one that
 * continues where the last one ended is joined with it. Returns the number of axes. */
static inline uint32_t
dp_row_major_append(uint32_t *size, uint64_t *step, uint32_t n, uint32_t new_size,
					uint64_t new_step)
{
	if (new_size == 1)
		return n;
	if (n > 0 && step[n - 1] == new_step * new_size &&
		(uint64_t) size[n - 1] * new_size <= UINT32_MAX)
	{
		size[n - 1] *= new_size;
		step[n - 1] = new_step;
		return n;
	}
	size[n] = new_size;
	step[n] = new_step;
	return n + 1;
}

#endif
