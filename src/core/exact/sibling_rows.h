/*
 * sibling_rows.h -- the rows of a table of a tree, by the row of the parent that they belong to, and how
 * often each counts. SECRET.
 *
 * source_tree.c in src/pg/worker says which rows these are, and gives the same ones in SQL.
 */
#ifndef DP_SIBLING_ROWS_H
#define DP_SIBLING_ROWS_H

#include "core/exact/row_cache.h"

/* Some bytes of each row. */
typedef struct DpRowBytes
{
	uint32_t at; /* in the row */
	uint32_t n;  /* 0: there are none */
} DpRowBytes;

typedef struct DpSiblingRows
{
	DpRowCache cache; /* all rows, each with its hash */
	uint64_t rows;    /* those that are read, siblings next to each other, in their order */
	uint64_t *row;    /* [rows] in cache */
	uint64_t *parent; /* [rows] among the rows of the parent; NULL: it is the root */
	uint32_t
		*siblings;    /* [rows] rows of the same parent, of which no more are read, with this one */
	uint32_t *copies; /* [rows] how many times a row is counted */
} DpSiblingRows;

/* The rows of a parent, by the bytes of a key. */
typedef struct DpRowIndex
{
	const DpSiblingRows *rows;
	DpRowBytes key; /* its bytes are unique, and so are those of the rows of its cache */
	const unsigned char *hash_key;
	uint64_t mask;
	/* [mask + 1] 1 + a row, or 0: free; and its key again, so that a search looks at one place */
	unsigned char *slot;
} DpRowIndex;

/* How the rows of a table belong to its parent, and count. */
typedef struct DpTreeLink
{
	DpRowBytes reference; /* to the key of the parent's row */
	DpRowBytes order;     /* in whose order siblings are; among equal ones the hash decides */
	uint32_t rows_max;    /* of one parent */
	uint32_t full;        /* as in DpTreeTable */
	uint32_t full_row;
} DpTreeLink;

/* All rows, once each. */
extern DpStatus dp_sibling_rows_root(DpSiblingRows *rows, DpArena *arena) DP_MUST_USE;
/* hash_key: DP_SIPHASH_KEY_BYTES, so that nobody can choose keys that collide. */
extern DpStatus dp_row_index_create(DpRowIndex *index, const DpSiblingRows *rows, DpRowBytes key,
									const unsigned char *hash_key, DpArena *arena) DP_MUST_USE;
/* The rows of a child relation, given those of its parent. */
extern DpStatus dp_sibling_rows_below(DpSiblingRows *rows, const DpRowIndex *parent,
									  const DpTreeLink *link, DpArena *arena) DP_MUST_USE;
/* How many rows of a cache refer to each row of the parent: count[parent's rows]. */
extern void dp_sibling_rows_count(const DpRowCache *cache, DpRowBytes reference,
								  const DpRowIndex *parent, uint64_t *count);

/* A row of the cache that is read. */
static inline const unsigned char *
dp_sibling_row(const DpSiblingRows *rows, uint64_t i)
{
	return rows->cache.row + rows->row[i] * rows->cache.bytes;
}

#endif
