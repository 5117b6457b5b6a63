/*
 * sort.h -- a stable sort of indexes. (The C library's qsort takes no context
 * and may call malloc, which the core never does.)
 */
#ifndef DP_SORT_H
#define DP_SORT_H

#include "core/base/arena.h"

/* True if the thing at index a must come before the thing at index b. */
typedef bool (*DpBefore)(const void *context, uint64_t a, uint64_t b);

/* Sorts index[0..n-1] stably in O(n log n) steps. DP_ERR_MEMORY: the scratch memory does not
 * fit. */
extern DpStatus dp_sort_indexes(uint64_t *index, uint64_t n, DpBefore before, const void *context,
								DpArena *arena) DP_MUST_USE;
/* Sets order[0..n-1] to the places of numbers in ascending order, equal ones as they stand. */
extern DpStatus dp_sort_numbers(const uint64_t *number, uint64_t n, uint64_t *order,
								DpArena *arena) DP_MUST_USE;
/* The first place of ascending numbers with one of at least that; n: there is none. */
extern uint64_t dp_first_at_least(const uint64_t *sorted, uint64_t n, uint64_t number);

#endif
