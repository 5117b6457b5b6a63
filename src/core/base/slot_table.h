/*
 * slot_table.h -- finds entries of a list by a hash: open addressing, linear probing.
 *
 * A slot holds the number of an entry and 1; 0 is free. The list is the caller's, and so are the
 * hash of an entry and what makes two alike. There is always a free slot, since the caller makes a
 * larger table before more than half of the slots are taken.
 */
#ifndef DP_SLOT_TABLE_H
#define DP_SLOT_TABLE_H

#include "core/base/arena.h"

#define DP_SLOT_ENTRIES_MAX (UINT32_C(1) << 31)

typedef struct DpSlotTable
{
	uint64_t slots; /* a power of two */
	uint32_t *slot; /* [slots] */
} DpSlotTable;

/* Whether an entry of the list is what is sought. */
typedef bool (*DpSlotMatch)(const void *list, uint32_t entry, const void *sought);

/* Slots for so many entries, at least `each` an entry (2 or more). */
static inline uint64_t
dp_slots_for(uint64_t entries, uint64_t each)
{
	uint64_t slots = each;

	while (slots / each < entries && slots <= UINT64_MAX / 2)
		slots *= 2;
	return slots;
}

/* DP_ERR_LIMIT: there are more than DP_SLOT_ENTRIES_MAX. */
static inline DP_MUST_USE DpStatus
dp_slots_init(DpSlotTable *table, uint64_t entries, uint64_t each, DpArena *arena)
{
	*table = (DpSlotTable){.slots = dp_slots_for(entries, each)};
	if (entries > DP_SLOT_ENTRIES_MAX)
		return DP_ERR_LIMIT;
	table->slot = dp_alloc(arena, table->slots, sizeof(*table->slot));
	return table->slot == NULL ? DP_ERR_MEMORY : DP_OK;
}

static inline void
dp_slots_free(DpSlotTable *table, DpArena *arena)
{
	dp_free(arena, table->slot, table->slots, sizeof(*table->slot));
	*table = (DpSlotTable){.slots = 0};
}

/* The slot of the entry that is sought, or the free one where it belongs. */
static inline uint32_t *
dp_slot_find(const DpSlotTable *table, uint64_t hash, DpSlotMatch match, const void *list,
			 const void *sought)
{
	uint64_t i = hash & (table->slots - 1);

	while (table->slot[i] != 0 && !match(list, table->slot[i] - 1, sought))
		i = (i + 1) & (table->slots - 1);
	return &table->slot[i];
}

/* The free slot for an entry that the table does not have. */
static inline uint32_t *
dp_slot_new(const DpSlotTable *table, uint64_t hash)
{
	uint64_t i = hash & (table->slots - 1);

	while (table->slot[i] != 0)
		i = (i + 1) & (table->slots - 1);
	return &table->slot[i];
}

#endif
