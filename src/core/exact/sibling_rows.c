/*
 * sibling_rows.c -- rows of a tree, by the row of the parent that they belong to.
 *
 * Which rows of a parent are read, in which order, and how often each counts depends on these rows
 * and their hashes alone.
 */
#include "core/exact/sibling_rows.h"

#include "core/base/sort.h"

#define NO_ROW UINT64_MAX

DpStatus
dp_sibling_rows_root(DpSiblingRows *rows, DpArena *arena)
{
	uint64_t n = rows->rows = rows->cache.rows;

	rows->row = dp_alloc_uncleared(arena, n, sizeof(*rows->row));
	rows->siblings = dp_alloc_uncleared(arena, n, sizeof(*rows->siblings));
	rows->copies = dp_alloc_uncleared(arena, n, sizeof(*rows->copies));
	if (rows->row == NULL || rows->siblings == NULL || rows->copies == NULL)
		return DP_ERR_MEMORY;
	for (uint64_t i = 0; i < n; i++)
	{
		rows->row[i] = i;
		rows->siblings[i] = rows->copies[i] = 1;
	}
	return DP_OK;
}

/* ---- rows by key ---- */

static uint64_t
hash_of_key(const DpRowIndex *index, const unsigned char *key)
{
	DpSiphash hash;

	dp_siphash_start(&hash, index->hash_key);
	dp_siphash_add(&hash, key, index->key.n);
	return dp_siphash_finish(&hash);
}

static size_t
slot_bytes(const DpRowIndex *index)
{
	return sizeof(uint64_t) + index->key.n;
}

static uint64_t
row_of_slot(const unsigned char *slot)
{
	uint64_t row;

	memcpy(&row, slot, sizeof(row));
	return row;
}

/* The slot of a key, or the free one where it belongs. */
static unsigned char *
slot_of(const DpRowIndex *index, const unsigned char *key)
{
	for (uint64_t at = hash_of_key(index, key) & index->mask;; at = (at + 1) & index->mask)
	{
		unsigned char *slot = index->slot + at * slot_bytes(index);

		if (row_of_slot(slot) == 0 || memcmp(slot + sizeof(uint64_t), key, index->key.n) == 0)
			return slot;
	}
}

DpStatus
dp_row_index_create(DpRowIndex *index, const DpSiblingRows *rows, DpRowBytes key,
					const unsigned char *hash_key, DpArena *arena)
{
	*index = (DpRowIndex){.rows = rows, .key = key, .hash_key = hash_key, .mask = 1};
	while (index->mask < 2 * rows->rows)
		index->mask = 2 * index->mask + 1;
	index->slot = dp_alloc(arena, index->mask + 1, slot_bytes(index));
	if (index->slot == NULL)
		return DP_ERR_MEMORY;
	for (uint64_t i = 0; i < rows->rows; i++)
	{
		const unsigned char *own = dp_sibling_row(rows, i) + key.at;
		unsigned char *slot = slot_of(index, own);
		uint64_t row = i + 1;

		memcpy(slot, &row, sizeof(row));
		memcpy(slot + sizeof(row), own, key.n);
	}
	return DP_OK;
}

/* The parent's row that a row refers to, or NO_ROW. before: that of the row before, which is often
 * the same. */
static uint64_t
parent_of(const DpRowIndex *parent, const DpRowCache *cache, uint64_t row, DpRowBytes reference,
		  uint64_t before)
{
	const unsigned char *key = cache->row + row * cache->bytes + reference.at;
	uint64_t found;

	if (row > 0 && memcmp(key, key - cache->bytes, parent->key.n) == 0)
		return before;
	found = row_of_slot(slot_of(parent, key));
	return found > 0 ? found - 1 : NO_ROW;
}

void
dp_sibling_rows_count(const DpRowCache *cache, DpRowBytes reference, const DpRowIndex *parent,
					  uint64_t *count)
{
	uint64_t found = NO_ROW;

	memset(count, 0, sizeof(*count) * parent->rows->rows);
	for (uint64_t i = 0; i < cache->rows; i++)
	{
		found = parent_of(parent, cache, i, reference, found);
		if (found != NO_ROW)
			count[found]++;
	}
}

/* ---- siblings ---- */

/* The rows of one parent, and memory for their order. */
typedef struct Siblings
{
	const DpRowCache *cache;
	const DpTreeLink *link;
	const uint64_t *row; /* [n] in cache */
	uint64_t n;
	uint64_t *hash;  /* [rows of the largest parent] */
	uint64_t *place; /* [rows of the largest parent] place[0] is the place of the first one */
	DpArena *arena;
} Siblings;

/* Ordered as the signed numbers of dp_row_order. */
static uint64_t
hash_of_row(const DpRowCache *cache, uint64_t row)
{
	return dp_row_field_read(cache->row + row * cache->bytes + DP_UNIT_BYTES, sizeof(uint64_t)) ^
		   UINT64_C(1) << 63;
}

static bool
comes_before(const Siblings *siblings, uint64_t a, uint64_t b)
{
	const DpRowBytes *order = &siblings->link->order;
	const DpRowCache *cache = siblings->cache;
	int compared = order->n == 0
					   ? 0
					   : memcmp(cache->row + siblings->row[a] * cache->bytes + order->at,
								cache->row + siblings->row[b] * cache->bytes + order->at, order->n);

	return compared != 0 ? compared < 0 : siblings->hash[a] < siblings->hash[b];
}

/* The times that the row with this place by the hash counts, of m that are read. */
static uint32_t
copies_of(const DpTreeLink *link, uint32_t m, uint32_t place)
{
	uint32_t all = (m < link->full ? m : link->full) * link->full_row;

	return all / m + (place <= all % m ? 1 : 0);
}

/* Adds the rows of one parent to those that are read: those that come first by the hash. */
static DpStatus
siblings_add(DpSiblingRows *rows, const Siblings *of, uint64_t parent, uint32_t parent_copies)
{
	uint32_t m = of->n < of->link->rows_max ? (uint32_t) of->n : of->link->rows_max;
	uint64_t first = rows->rows;

	for (uint64_t i = 0; i < of->n; i++)
		of->hash[i] = hash_of_row(of->cache, of->row[i]);
	DP_TRY(dp_sort_numbers(of->hash, of->n, of->place, of->arena));
	for (uint32_t place = 0; place < m; place++)
	{
		uint64_t sibling = of->place[place], at = rows->rows++;

		rows->copies[at] = parent_copies * copies_of(of->link, m, place + 1);
		rows->siblings[at] = m;
		rows->parent[at] = parent;
		/* row has the number among siblings until they are in order */
		rows->row[at] = sibling;
		for (; at > first && comes_before(of, sibling, rows->row[at - 1]); at--)
		{
			uint32_t copies = rows->copies[at];

			rows->row[at] = rows->row[at - 1];
			rows->row[at - 1] = sibling;
			rows->copies[at] = rows->copies[at - 1];
			rows->copies[at - 1] = copies;
		}
	}
	for (uint64_t i = first; i < rows->rows; i++)
		rows->row[i] = of->row[rows->row[i]];
	return DP_OK;
}

/* Puts the rows of the cache in the order of their parents: by[], those of parent p before end[p]. */
static void
by_parent(const uint64_t *parent, uint64_t rows, uint64_t parents, uint64_t *end, uint64_t *by)
{
	uint64_t n = 0;

	memset(end, 0, sizeof(*end) * parents);
	for (uint64_t i = 0; i < rows; i++)
		if (parent[i] != NO_ROW)
			end[parent[i]]++;
	for (uint64_t p = 0; p < parents; p++)
	{
		uint64_t count = end[p];

		end[p] = n;
		n += count;
	}
	for (uint64_t i = 0; i < rows; i++)
		if (parent[i] != NO_ROW)
			by[end[parent[i]]++] = i;
}

static uint64_t
largest_of(const uint64_t *end, uint64_t parents)
{
	uint64_t largest = 0;

	for (uint64_t p = 0; p < parents; p++)
	{
		uint64_t n = end[p] - (p > 0 ? end[p - 1] : 0);

		largest = n > largest ? n : largest;
	}
	return largest;
}

DpStatus
dp_sibling_rows_below(DpSiblingRows *rows, const DpRowIndex *parent, const DpTreeLink *link,
					  DpArena *arena)
{
	const DpSiblingRows *above = parent->rows;
	uint64_t n = rows->cache.rows, largest;
	uint64_t *of = dp_alloc_uncleared(arena, n, sizeof(*of));
	uint64_t *by = dp_alloc_uncleared(arena, n, sizeof(*by));
	uint64_t *end = dp_alloc_uncleared(arena, above->rows, sizeof(*end));
	Siblings siblings = {.cache = &rows->cache, .link = link, .arena = arena};

	rows->row = dp_alloc_uncleared(arena, n, sizeof(*rows->row));
	rows->parent = dp_alloc_uncleared(arena, n, sizeof(*rows->parent));
	rows->siblings = dp_alloc_uncleared(arena, n, sizeof(*rows->siblings));
	rows->copies = dp_alloc_uncleared(arena, n, sizeof(*rows->copies));
	if (of == NULL || by == NULL || end == NULL || rows->row == NULL || rows->parent == NULL ||
		rows->siblings == NULL || rows->copies == NULL)
		return DP_ERR_MEMORY;
	for (uint64_t i = 0; i < n; i++)
		of[i] = parent_of(parent, &rows->cache, i, link->reference, i > 0 ? of[i - 1] : NO_ROW);
	by_parent(of, n, above->rows, end, by);
	largest = largest_of(end, above->rows);
	siblings.hash = dp_alloc_uncleared(arena, largest, sizeof(*siblings.hash));
	siblings.place = dp_alloc_uncleared(arena, largest, sizeof(*siblings.place));
	if (siblings.hash == NULL || siblings.place == NULL)
		return DP_ERR_MEMORY;
	rows->rows = 0;
	for (uint64_t p = 0; p < above->rows; p++)
	{
		uint64_t begin = p > 0 ? end[p - 1] : 0;

		siblings.row = by + begin;
		siblings.n = end[p] - begin;
		if (siblings.n > 0)
			DP_TRY(siblings_add(rows, &siblings, p, above->copies[p]));
	}
	dp_free(arena, siblings.place, largest, sizeof(*siblings.place));
	dp_free(arena, siblings.hash, largest, sizeof(*siblings.hash));
	dp_free(arena, end, above->rows, sizeof(*end));
	dp_free(arena, by, n, sizeof(*by));
	dp_free(arena, of, n, sizeof(*of));
	return DP_OK;
}
