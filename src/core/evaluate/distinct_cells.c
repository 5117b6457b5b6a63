/*
 * distinct_cells.c -- the distinct combinations of codes in two tables.
 *
 * Keys of a batch are made column by column, so that this arithmetic runs in vector registers.
 */
#include "core/evaluate/table_pair.h"

#include <string.h>

#include "core/base/saturate.h"
#include "core/exact/count_kernel.h"

/* Memory for so many cells is allocated at the start, or for fewer if there cannot be so many. */
#define CAPACITY_FIRST 131072

static uint64_t
capacity_for(uint64_t cells)
{
	uint64_t capacity = 64;

	while (capacity < cells && capacity < UINT64_MAX / 4)
		capacity *= 2;
	return capacity;
}

static DpStatus
allocate(DpDistinctCells *distinct, uint64_t capacity)
{
	distinct->capacity = capacity;
	/* mostly fewer cells come, and what is not touched takes no memory */
	distinct->key =
		dp_alloc_uncleared(distinct->arena, capacity * distinct->words, sizeof(uint64_t));
	distinct->rows = dp_alloc_uncleared(distinct->arena, capacity, sizeof(uint64_t));
	DP_TRY_ALLOC(distinct->key && distinct->rows);
	return dp_slots_init(&distinct->table, capacity, 2, distinct->arena);
}

static void
give_back(DpDistinctCells *distinct)
{
	dp_free(distinct->arena, distinct->key, distinct->capacity * distinct->words, sizeof(uint64_t));
	dp_free(distinct->arena, distinct->rows, distinct->capacity, sizeof(uint64_t));
	dp_slots_free(&distinct->table, distinct->arena);
}

static uint32_t
key_words(const DpDomain *domain, const DpAttributeSet *set, DpKeyField *field)
{
	uint32_t levels[DP_ATTRIBUTES_MAX];

	dp_domain_levels(domain, set->attribute, set->n, levels);
	return dp_key_layout(levels, set->n, field);
}

DpStatus
dp_distinct_cells_init(DpDistinctCells *distinct, const DpDomain *domain, const DpAttributeSet *set,
					   uint64_t cells, DpArena *arena)
{
	*distinct = (DpDistinctCells){.arena = arena, .set = *set};
	distinct->field = dp_alloc(arena, set->n, sizeof(*distinct->field));
	DP_TRY_ALLOC(distinct->field);
	distinct->words = key_words(domain, set, distinct->field);
	distinct->batch = dp_alloc(arena, (size_t) DP_BATCH_ROWS * distinct->words, sizeof(uint64_t));
	return distinct->batch == NULL
			   ? DP_ERR_MEMORY
			   : allocate(distinct, capacity_for(cells < CAPACITY_FIRST ? cells : CAPACITY_FIRST));
}

void
dp_distinct_cells_free(DpDistinctCells *distinct)
{
	give_back(distinct);
	dp_free(distinct->arena, distinct->batch, (size_t) DP_BATCH_ROWS * distinct->words,
			sizeof(uint64_t));
	dp_free(distinct->arena, distinct->field, distinct->set.n, sizeof(*distinct->field));
}

uint64_t
dp_distinct_cells_bytes(const DpDomain *domain, const DpAttributeSet *set, uint64_t cells)
{
	DpKeyField field[DP_ATTRIBUTES_MAX];
	uint32_t words = key_words(domain, set, field);
	uint64_t capacity = capacity_for(cells);

	/* the half as large table is still there while cells move to the last one */
	return dp_multiply_saturated(capacity > CAPACITY_FIRST ? capacity + capacity / 2 : capacity,
								 (words + 1) * sizeof(uint64_t) + 2 * sizeof(uint32_t));
}

/* ---- cells ---- */

static inline bool
has_key(const void *list, uint32_t entry, const void *sought)
{
	const DpDistinctCells *distinct = list;

	return dp_key_equal(distinct->key + entry * (uint64_t) distinct->words, sought,
						distinct->words);
}

static DpStatus
widen(DpDistinctCells *distinct)
{
	DpDistinctCells old = *distinct;

	DP_TRY(allocate(distinct, 2 * old.capacity));
	memcpy(distinct->key, old.key, old.cells * old.words * sizeof(uint64_t));
	memcpy(distinct->rows, old.rows, old.cells * sizeof(uint64_t));
	for (uint64_t i = 0; i < old.cells; i++)
	{
		const uint64_t *key = distinct->key + i * old.words;

		*dp_slot_new(&distinct->table, dp_key_hash(key, old.words)) = (uint32_t) (i + 1);
	}
	give_back(&old);
	return DP_OK;
}

static void
make_keys(DpDistinctCells *distinct, const uint32_t *const *code, uint32_t n)
{
	const uint32_t words = distinct->words;

	memset(distinct->batch, 0, (size_t) n * words * sizeof(uint64_t));
	for (uint32_t k = 0; k < distinct->set.n; k++)
	{
		const uint32_t *from = code[distinct->set.attribute[k]];
		const uint8_t shift = distinct->field[k].shift;
		uint64_t *key = distinct->batch + distinct->field[k].word;

		for (uint32_t i = 0; i < n; i++)
			key[(size_t) i * words] |= (uint64_t) from[i] << shift;
	}
}

DpStatus
dp_distinct_cells_add(DpDistinctCells *distinct, const uint32_t *const *code, const uint64_t *rows,
					  uint32_t n)
{
	uint64_t hash[DP_BATCH_ROWS];

	make_keys(distinct, code, n);
	for (uint32_t i = 0; i < n; i++)
	{
		hash[i] = dp_key_hash(distinct->batch + (size_t) i * distinct->words, distinct->words);
		__builtin_prefetch(&distinct->table.slot[hash[i] & (distinct->table.slots - 1)]);
	}
	for (uint32_t i = 0; i < n; i++)
	{
		const uint64_t *key = distinct->batch + (size_t) i * distinct->words;
		uint32_t *slot;

		if (distinct->cells == distinct->capacity)
			DP_TRY(widen(distinct));
		slot = dp_slot_find(&distinct->table, hash[i], has_key, distinct, key);
		if (*slot == 0)
		{
			memcpy(distinct->key + distinct->cells * distinct->words, key,
				   distinct->words * sizeof(uint64_t));
			distinct->rows[distinct->cells] = 0;
			*slot = (uint32_t) ++distinct->cells;
		}
		distinct->rows[*slot - 1] += rows[i];
	}
	return DP_OK;
}

void
dp_distinct_cells_codes(const DpDistinctCells *distinct, uint64_t first, uint32_t n,
						uint32_t *const *code)
{
	const uint32_t words = distinct->words;

	for (uint32_t k = 0; k < distinct->set.n; k++)
	{
		const uint64_t *key = distinct->key + first * words + distinct->field[k].word;
		const uint8_t shift = distinct->field[k].shift;
		const uint64_t mask = (UINT64_C(1) << distinct->field[k].bits) - 1;

		for (uint32_t i = 0; i < n; i++)
			code[k][i] = (uint32_t) (key[(size_t) i * words] >> shift & mask);
	}
}
