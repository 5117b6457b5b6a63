/*
 * marginal_hash.h -- the hash table inside a sparse DpMarginal.
 */
#ifndef DP_MARGINAL_HASH_H
#define DP_MARGINAL_HASH_H

#include "core/exact/contingency_table.h"

/* Bytes of a table with that many slots. */
extern uint64_t dp_marginal_hash_bytes(uint64_t capacity, uint32_t key_words);
/* Slots that a table with that many non-empty cells grows to. */
extern uint64_t dp_marginal_hash_capacity(uint64_t cells_used);
/* Makes an empty hash table. n, levels and arena must be set. */
extern DpStatus dp_marginal_hash_init(DpMarginal *marginal) DP_MUST_USE;
extern DpStatus dp_marginal_hash_add(DpMarginal *marginal, const uint32_t *const *codes,
									 uint32_t rows) DP_MUST_USE;
/* Adds `by` to the cell of one key, which is inserted if need be. */
extern DpStatus dp_marginal_hash_bump(DpMarginal *marginal, const uint64_t *key,
									  int64_t by) DP_MUST_USE;
/* Lists the occupied slots (marginal->used of them) in ascending order of keys. */
extern DpStatus dp_marginal_hash_order(const DpMarginal *marginal, uint64_t **slots_out,
									   DpArena *arena) DP_MUST_USE;
extern void dp_marginal_hash_free(DpMarginal *marginal);

#endif
