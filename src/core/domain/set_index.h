/*
 * set_index.h -- distinct sets of attributes, numbered as they come.
 */
#ifndef DP_SET_INDEX_H
#define DP_SET_INDEX_H

#include "core/base/slot_table.h"
#include "core/domain/attribute_set.h"

typedef struct DpSetIndex
{
	DpArena *arena;
	uint32_t n, capacity;
	DpAttributeSet *set; /* [n] copies, in the order in which they came */
	DpSlotTable table;
} DpSetIndex;

extern DpStatus dp_set_index_init(DpSetIndex *index, uint32_t capacity, DpArena *arena) DP_MUST_USE;
/* The number of a set, index->n so far where it is new. DP_ERR_LIMIT: it would be one too many. */
extern DpStatus dp_set_index_add(DpSetIndex *index, const DpAttributeSet *set,
								 uint32_t *number) DP_MUST_USE;
/* Frees the index, and the sets too if with_sets. */
extern void dp_set_index_free(DpSetIndex *index, bool with_sets);

#endif
