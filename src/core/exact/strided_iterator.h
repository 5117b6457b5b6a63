/*
 * strided_iterator.h -- walking the non-empty cells of an exact table, whatever
 * its storage. The order of a sparse walk depends on the order of rows, so nothing
 * that is released may follow it.
 */
#ifndef DP_STRIDED_ITERATOR_H
#define DP_STRIDED_ITERATOR_H

#include "core/base/row_major.h"
#include "core/exact/contingency_table.h"

/* The number of cells or slots that a walk passes. */
static inline uint64_t
dp_cell_end(const DpMarginal *marginal)
{
	return marginal->storage == DP_DENSE ? marginal->cells : marginal->capacity;
}

static inline int64_t
dp_cell_count(const DpMarginal *marginal, uint64_t position)
{
	return marginal->storage == DP_DENSE ? marginal->dense[position] : marginal->counts[position];
}

static inline void
dp_cell_codes(const DpMarginal *marginal, uint64_t position, uint32_t *codes)
{
	if (marginal->storage == DP_SPARSE)
	{
		const uint64_t *key = marginal->keys + position * marginal->key_words;

		for (uint32_t k = 0; k < marginal->n; k++)
			codes[k] = dp_key_get(&marginal->field[k], key);
		return;
	}
	dp_row_major_codes(marginal->levels, marginal->n, position, codes);
}

#endif
