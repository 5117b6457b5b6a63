/*
 * sort.h -- a stable sort of indexes. (The C library's qsort takes no context
 * and may call malloc, which the core never does.)
 */
#ifndef DP_SORT_H
#define DP_SORT_H

#include "arena.h"

/* True if the thing at index a must come before the thing at index b. */
typedef bool (*DpBefore)(const void *context, uint64_t a, uint64_t b);

/* Sorts index[0..n-1] stably in O(n log n); DP_ERR_MEMORY where the scratch does not fit. */
extern DpStatus dp_sort_indexes(DpArena *arena, uint64_t *index, uint64_t n, DpBefore before,
								const void *context) DP_MUST_USE;

#endif
