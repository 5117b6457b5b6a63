/*
 * marginal.h -- exact contingency tables. SECRET: a DpMarginal never leaves
 * the release worker. (Noisy tables are another type, DpTable in model.h.)
 *
 * dense:  one counter a cell, row-major, the last attribute fastest.
 * sparse: a hash table of the non-empty cells. A cell's key packs the codes
 *         bit by bit into 64-bit words. The first attribute is most significant, and
 *         no code lies across two words. So the order of keys is the lexicographic
 *         order of codes, for any number of attributes.
 */
#ifndef DP_MARGINAL_H
#define DP_MARGINAL_H

#include "core/base/code_key.h"
#include "core/domain/attribute_set.h"

#define DP_DENSE_CELLS_MAX (UINT64_C(1) << 31) /* cells of one dense table */

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

/* Makes an empty table over n >= 1 distinct attributes, whose levels are known. DP_ERR_LIMIT: it
 * is dense and too large. */
extern DpStatus dp_marginal_init(DpMarginal *marginal, const DpDomain *domain,
								 const DpAttributeSet *set, DpStorage storage, DpArena *arena,
								 DpError *error) DP_MUST_USE;
/* Counts rows that are given as columns. codes[a][i] is the code of attribute a (an index in the
 * domain) in row i. The encoder guarantees that it is < levels; DP_ERR_INTERNAL if it is not. */
extern DpStatus dp_marginal_add(DpMarginal *marginal, const uint32_t *const *codes,
								uint32_t rows) DP_MUST_USE;
/* Adds from to into. Both must have the same attributes, levels and storage; if not,
 * DP_ERR_ARGUMENT. */
extern DpStatus dp_marginal_merge(DpMarginal *into, const DpMarginal *from) DP_MUST_USE;
/* Makes the dense margin over the attributes at the given positions (0..n-1 of marginal). */
extern DpStatus dp_marginal_project(const DpMarginal *marginal, const uint32_t *positions,
									uint32_t n, DpMarginal *out, DpArena *arena) DP_MUST_USE;
/*
 * Lists the non-empty cells in ascending order of codes: codes_out[i x n + k],
 * counts_out[i], and *used_out of them. They are sorted, since the order in which rows came
 * must not show.
 */
extern DpStatus dp_marginal_cells(const DpMarginal *marginal, uint32_t **codes_out,
								  int64_t **counts_out, uint64_t *used_out,
								  DpArena *arena) DP_MUST_USE;
extern void dp_marginal_free(DpMarginal *marginal);
/* The bytes that a table needs. For dense storage the number is exact; for sparse storage it is
 * that of a table with cells_used non-empty cells. */
extern uint64_t dp_marginal_bytes(const DpDomain *domain, const uint32_t *attributes, uint32_t n,
								  DpStorage storage, uint64_t cells_used);

#endif
