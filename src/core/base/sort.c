/*
 * sort.c -- bottom-up merge sort of indexes.
 */
#include "core/base/sort.h"

#include <string.h>

#define RUN 8 /* short runs are cheaper by insertion */

static void
sort_run(uint64_t *index, uint64_t n, DpBefore before, const void *context)
{
	for (uint64_t i = 1; i < n; i++)
	{
		uint64_t moving = index[i];
		uint64_t j = i;

		for (; j > 0 && before(context, moving, index[j - 1]); j--)
			index[j] = index[j - 1];
		index[j] = moving;
	}
}

/* Merges from[0..left-1] and from[left..n-1], each sorted, into to. Ties keep the left one
 * first. */
static void
merge_runs(const uint64_t *from, uint64_t left, uint64_t n, uint64_t *to, DpBefore before,
		   const void *context)
{
	uint64_t a = 0;
	uint64_t b = left;

	for (uint64_t i = 0; i < n; i++)
	{
		if (b == n || (a < left && !before(context, from[b], from[a])))
			to[i] = from[a++];
		else
			to[i] = from[b++];
	}
}

DpStatus
dp_sort_indexes(uint64_t *index, uint64_t n, DpBefore before, const void *context, DpArena *arena)
{
	uint64_t *from = index;
	uint64_t *to = dp_alloc(arena, n, sizeof(*to));
	uint64_t *scratch = to;

	DP_TRY_ALLOC(scratch);
	for (uint64_t start = 0; start < n; start += RUN)
		sort_run(index + start, n - start < RUN ? n - start : RUN, before, context);
	for (uint64_t width = RUN; width < n; width *= 2)
	{
		uint64_t *swap = from;

		for (uint64_t start = 0; start < n; start += 2 * width)
		{
			uint64_t left = n - start;
			uint64_t both = left < 2 * width ? left : 2 * width;

			merge_runs(from + start, left < width ? left : width, both, to + start, before,
					   context);
		}
		from = to;
		to = swap;
	}
	if (from != index)
		memcpy(index, from, n * sizeof(*index));
	dp_free(arena, scratch, n, sizeof(*scratch));
	return DP_OK;
}

static bool
number_before(const void *context, uint64_t a, uint64_t b)
{
	const uint64_t *number = context;

	return number[a] < number[b];
}

DpStatus
dp_sort_numbers(const uint64_t *number, uint64_t n, uint64_t *order, DpArena *arena)
{
	for (uint64_t i = 0; i < n; i++)
		order[i] = i;
	return dp_sort_indexes(order, n, number_before, number, arena);
}

uint64_t
dp_first_at_least(const uint64_t *sorted, uint64_t n, uint64_t number)
{
	uint64_t low = 0, high = n;

	while (low < high)
	{
		uint64_t middle = low + (high - low) / 2;

		if (sorted[middle] < number)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}
