/*
 * index_list.h -- short lists of numbers: attributes, positions, steps.
 */
#ifndef DP_INDEX_LIST_H
#define DP_INDEX_LIST_H

#include "core/base/status.h"

/* Where a number first stands in a list; n: it does not. */
static inline uint32_t
dp_index_place(const uint32_t *list, uint32_t n, uint32_t wanted)
{
	uint32_t k = 0;

	while (k < n && list[k] != wanted)
		k++;
	return k;
}

static inline bool
dp_index_among(const uint32_t *list, uint32_t n, uint32_t wanted)
{
	return dp_index_place(list, n, wanted) < n;
}

/* Into ascending order. */
static inline void
dp_index_sort(uint32_t *list, uint32_t n)
{
	for (uint32_t i = 1; i < n; i++)
	{
		uint32_t moved = list[i], k = i;

		for (; k > 0 && list[k - 1] > moved; k--)
			list[k] = list[k - 1];
		list[k] = moved;
	}
}

#endif
