/*
 * index_list.h -- short lists of numbers: attributes, positions, steps.
 */
#ifndef DP_INDEX_LIST_H
#define DP_INDEX_LIST_H

#include "core/base/status.h"

/* The first position of a number in a list; n: it is not in the list. */
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

/* How many sets of a size there are, and the number of each. */

/* n over k; saturates. */
extern uint64_t dp_combinations(uint32_t n, uint32_t k);

/* The number of a set among all sets of its size. Its members are ascending. */
extern uint64_t dp_subset_rank(const uint32_t *member, uint32_t n);

/* Goes on to the next set of n numbers below `of`, in lexicographic order. Not for the last one. */
extern void dp_combination_next(uint32_t *member, uint32_t n, uint32_t of);

#endif
