/*
 * combinations.h -- how many sets of a size there are, and the number of each.
 */
#ifndef DP_COMBINATIONS_H
#define DP_COMBINATIONS_H

#include "core/base/status.h"

/* n over k; saturates. */
extern uint64_t dp_combinations(uint32_t n, uint32_t k);

/* The number of a set among all sets of its size. Its members are ascending. */
extern uint64_t dp_subset_rank(const uint32_t *member, uint32_t n);

/* Goes on to the next set of n numbers below `of`, in lexicographic order. Not for the last one. */
extern void dp_combination_next(uint32_t *member, uint32_t n, uint32_t of);

#endif
