/*
 * marginal_hash.c -- non-empty cells in an open-addressing hash table with
 * linear probing, at most two thirds full. Keys and counts lie in the slots, not in a list as those
 * of slot_table.h: it runs for each row that is counted.
 */
#include "core/exact/marginal_hash.h"

#include <string.h>

#include "core/base/saturate.h"
#include "core/base/sort.h"

#define CAPACITY_FIRST 256
#define BATCH_ROWS 256
#define BATCH_WORDS 8192 /* keys on the stack: 64 kB */

static uint64_t
fill_max(uint64_t capacity)
{
	return capacity / 3 * 2;
}

uint64_t
dp_marginal_hash_capacity(uint64_t cells_used)
{
	uint64_t capacity = CAPACITY_FIRST;

	while (fill_max(capacity) < cells_used && capacity < UINT64_C(1) << 62)
		capacity *= 2;
	return capacity;
}

uint64_t
dp_marginal_hash_bytes(uint64_t capacity, uint32_t key_words)
{
	return dp_multiply_saturated(capacity, key_words * sizeof(uint64_t) + sizeof(int64_t));
}

static DpStatus
allocate_slots(DpMarginal *marginal, uint64_t capacity)
{
	uint64_t *keys = dp_alloc(marginal->arena, capacity, marginal->key_words * sizeof(*keys));
	int64_t *counts = dp_alloc(marginal->arena, capacity, sizeof(*counts));

	if (keys == NULL || counts == NULL)
	{
		dp_free(marginal->arena, keys, capacity, marginal->key_words * sizeof(*keys));
		dp_free(marginal->arena, counts, capacity, sizeof(*counts));
		return DP_ERR_MEMORY;
	}
	marginal->keys = keys;
	marginal->counts = counts;
	marginal->capacity = capacity;
	return DP_OK;
}

DpStatus
dp_marginal_hash_init(DpMarginal *marginal)
{
	marginal->field = dp_alloc(marginal->arena, marginal->n, sizeof(*marginal->field));
	if (marginal->field == NULL)
		return DP_ERR_MEMORY;
	marginal->key_words = dp_key_layout(marginal->levels, marginal->n, marginal->field);
	return allocate_slots(marginal, CAPACITY_FIRST);
}

void
dp_marginal_hash_free(DpMarginal *marginal)
{
	dp_free(marginal->arena, marginal->field, marginal->n, sizeof(*marginal->field));
	dp_free(marginal->arena, marginal->keys, marginal->capacity,
			marginal->key_words * sizeof(*marginal->keys));
	dp_free(marginal->arena, marginal->counts, marginal->capacity, sizeof(*marginal->counts));
}

/* Finds the slot of a key, or the free slot where it belongs. */
static uint64_t
find_slot(const DpMarginal *marginal, const uint64_t *key)
{
	uint32_t words = marginal->key_words;
	uint64_t mask = marginal->capacity - 1;
	uint64_t slot = dp_key_hash(key, words) & mask;

	while (marginal->counts[slot] != 0 && !dp_key_equal(marginal->keys + slot * words, key, words))
		slot = (slot + 1) & mask;
	return slot;
}

static void
fill_slot(DpMarginal *marginal, uint64_t slot, const uint64_t *key, int64_t count)
{
	memcpy(marginal->keys + slot * marginal->key_words, key,
		   marginal->key_words * sizeof(*marginal->keys));
	marginal->counts[slot] = count;
}

static DpStatus
grow(DpMarginal *marginal)
{
	DpMarginal old = *marginal;

	if (old.capacity >= UINT64_C(1) << 62)
		return DP_ERR_RANGE;
	DP_TRY(allocate_slots(marginal, old.capacity * 2));
	for (uint64_t i = 0; i < old.capacity; i++)
	{
		const uint64_t *key = old.keys + i * old.key_words;

		if (old.counts[i] != 0)
			fill_slot(marginal, find_slot(marginal, key), key, old.counts[i]);
	}
	dp_free(old.arena, old.keys, old.capacity, old.key_words * sizeof(*old.keys));
	dp_free(old.arena, old.counts, old.capacity, sizeof(*old.counts));
	return DP_OK;
}

DpStatus
dp_marginal_hash_bump(DpMarginal *marginal, const uint64_t *key, int64_t by)
{
	uint64_t slot = find_slot(marginal, key);

	if (marginal->counts[slot] != 0)
	{
		if (__builtin_add_overflow(marginal->counts[slot], by, &marginal->counts[slot]))
			return DP_ERR_RANGE;
		return DP_OK;
	}
	if (marginal->used >= fill_max(marginal->capacity))
	{
		DP_TRY(grow(marginal));
		slot = find_slot(marginal, key);
	}
	fill_slot(marginal, slot, key, by);
	marginal->used++;
	return DP_OK;
}

/* Packs rows first..first+rows-1, column by column. The result is false if a code is no level. */
static bool
pack_batch(const DpMarginal *marginal, const uint32_t *const *codes, uint32_t first, uint32_t rows,
		   uint64_t *keys)
{
	uint32_t words = marginal->key_words;
	bool valid = true;

	memset(keys, 0, (size_t) rows * words * sizeof(*keys));
	for (uint32_t k = 0; k < marginal->n; k++)
	{
		const uint32_t *column = codes[marginal->attribute[k]] + first;

		for (uint32_t i = 0; i < rows; i++)
		{
			valid &= column[i] < marginal->levels[k];
			dp_key_put(&marginal->field[k], column[i], keys + (size_t) i * words);
		}
	}
	return valid;
}

DpStatus
dp_marginal_hash_add(DpMarginal *marginal, const uint32_t *const *codes, uint32_t rows)
{
	uint64_t keys[BATCH_WORDS];
	uint32_t words = marginal->key_words;
	uint32_t batch = BATCH_WORDS / words < BATCH_ROWS ? BATCH_WORDS / words : BATCH_ROWS;

	/* This cannot happen: 1600 attributes of 24 bits are 800 words. */
	if (batch == 0)
		return DP_ERR_INTERNAL;
	for (uint32_t first = 0; first < rows; first += batch)
	{
		uint32_t n = rows - first < batch ? rows - first : batch;

		if (!pack_batch(marginal, codes, first, n, keys))
			return DP_ERR_INTERNAL;
		for (uint32_t i = 0; i < n; i++)
			DP_TRY(dp_marginal_hash_bump(marginal, keys + (size_t) i * words, 1));
	}
	return DP_OK;
}

static bool
slot_before(const void *context, uint64_t a, uint64_t b)
{
	const DpMarginal *marginal = context;
	uint32_t words = marginal->key_words;

	return dp_key_before(marginal->keys + a * words, marginal->keys + b * words, words);
}

DpStatus
dp_marginal_hash_order(const DpMarginal *marginal, uint64_t **slots_out, DpArena *arena)
{
	uint64_t *slots = dp_alloc(arena, marginal->used, sizeof(*slots));
	uint64_t n = 0;

	if (slots == NULL)
		return DP_ERR_MEMORY;
	for (uint64_t i = 0; i < marginal->capacity; i++)
	{
		if (marginal->counts[i] != 0)
			slots[n++] = i;
	}
	DP_TRY(dp_sort_indexes(slots, n, slot_before, marginal, arena));
	*slots_out = slots;
	return DP_OK;
}
