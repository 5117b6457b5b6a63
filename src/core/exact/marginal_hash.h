/*
 * marginal_sparse.h -- the hash table inside a sparse DpMarginal. For
 * marginal.c only.
 */
#ifndef DP_MARGINAL_SPARSE_H
#define DP_MARGINAL_SPARSE_H

#include "marginal.h"

/* Bytes of a table of that many slots. */
extern uint64_t dp_sparse_bytes(uint64_t capacity, uint32_t key_words);
/* Slots that a table with that many non-empty cells grows to. */
extern uint64_t dp_sparse_capacity(uint64_t cells_used);
/* An empty hash table; n, levels and arena are set. */
extern DpStatus dp_sparse_init(DpMarginal *marginal) DP_MUST_USE;
extern DpStatus dp_sparse_add(DpMarginal *marginal, const uint32_t *const *codes,
							  uint32_t rows) DP_MUST_USE;
/* Adds by to the cell of one key, which is inserted if need be. */
extern DpStatus dp_sparse_bump(DpMarginal *marginal, const uint64_t *key, int64_t by) DP_MUST_USE;
/* The occupied slots in ascending order of keys, used of them. */
extern DpStatus dp_sparse_order(const DpMarginal *marginal, DpArena *arena,
								uint64_t **slots_out) DP_MUST_USE;
extern void dp_sparse_free(DpMarginal *marginal);

#endif
