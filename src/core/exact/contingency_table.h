/*
 * contingency_table.h -- an exact contingency table, as it lies in memory. SECRET: it never
 * leaves the release worker.
 *
 * dense:  one counter a cell, row-major, the last attribute fastest.
 * sparse: a hash table of the non-empty cells. A cell's key packs the codes
 *         bit by bit into 64-bit words. The first attribute is most significant, and
 *         no code lies across two words. So the order of keys is the lexicographic
 *         order of codes, for any number of attributes.
 */
#ifndef DP_CONTINGENCY_TABLE_H
#define DP_CONTINGENCY_TABLE_H

#include "core/base/code_key.h"
#include "core/domain/attribute_set.h"

typedef struct DpMarginal
{
	DpArena *arena;
	uint32_t n;          /* attributes */
	uint32_t *attribute; /* [n] index in the domain */
	uint32_t *levels;    /* [n] */
	DpStorage storage;
	int64_t total; /* rows counted */
	/* dense */
	uint64_t cells;
	int64_t *dense; /* [cells] */
	/* sparse */
	uint32_t key_words;
	DpKeyField *field; /* [n] */
	uint64_t capacity; /* slots, a power of two */
	uint64_t used;     /* non-empty cells */
	uint64_t *keys;    /* [capacity x key_words] */
	int64_t *counts;   /* [capacity]; 0 = free slot */
} DpMarginal;

#endif
