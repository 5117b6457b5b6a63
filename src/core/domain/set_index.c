/*
 * set_index.c -- distinct sets of attributes, numbered as they come.
 */
#include "core/domain/attribute_set.h"

DpStatus
dp_set_index_init(DpSetIndex *index, uint32_t capacity, DpArena *arena)
{
	*index = (DpSetIndex){.arena = arena, .capacity = capacity};
	index->set = dp_alloc(arena, capacity, sizeof(*index->set));
	DP_TRY_ALLOC(index->set);
	return dp_slots_init(&index->table, capacity, 2, arena);
}

static uint64_t
hash_set(const DpAttributeSet *set)
{
	uint64_t hash = set->n;

	for (uint32_t k = 0; k < set->n; k++)
	{
		hash = (hash ^ set->attribute[k]) * UINT64_C(0x9e3779b97f4a7c15);
		hash ^= hash >> 32;
	}
	return hash;
}

static bool
is_set(const void *list, uint32_t entry, const void *sought)
{
	return dp_set_equal((const DpAttributeSet *) list + entry, sought);
}

DpStatus
dp_set_index_add(DpSetIndex *index, const DpAttributeSet *set, uint32_t *number)
{
	uint32_t *slot = dp_slot_find(&index->table, hash_set(set), is_set, index->set, set);
	uint32_t *attribute;

	*number = *slot == 0 ? index->n : *slot - 1;
	if (*slot != 0)
		return DP_OK;
	if (index->n == index->capacity)
		return DP_ERR_LIMIT;
	attribute = dp_memdup(index->arena, set->attribute, set->n * sizeof(*attribute));
	DP_TRY_ALLOC(attribute);
	index->set[index->n] = (DpAttributeSet){set->n, attribute};
	*slot = ++index->n;
	return DP_OK;
}

void
dp_set_index_free(DpSetIndex *index, bool with_sets)
{
	for (uint32_t i = 0; i < index->n && with_sets; i++)
		dp_free(index->arena, (void *) (uintptr_t) index->set[i].attribute, index->set[i].n,
				sizeof(*index->set[i].attribute));
	dp_free(index->arena, index->set, index->capacity, sizeof(*index->set));
	dp_slots_free(&index->table, index->arena);
}
