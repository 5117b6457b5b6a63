/*
 * marginal.h -- exact contingency tables. SECRET: a DpMarginal never leaves
 * the release worker. (Noisy tables are another type, DpTable in model.h.)
 *
 * dense:  one counter a cell, row-major, the last attribute fastest.
 * sparse: a hash table of the non-empty cells. A cell's key packs the codes
 *         bit by bit into 64-bit words, the first attribute most significant,
 *         no code across two words: so the order of keys is the lexicographic
 *         order of codes, for any number of attributes.
 */
#ifndef DP_MARGINAL_H
#define DP_MARGINAL_H

#include "account.h"
#include "domain.h"

#define DP_DENSE_CELLS_MAX (UINT64_C(1) << 31) /* cells of one dense table */

typedef enum DpStorage
{
	DP_DENSE = 0,
	DP_SPARSE = 1
} DpStorage;

/* Where a code sits in a key. */
typedef struct DpKeyField
{
	uint32_t word;
	uint8_t shift;
	uint8_t bits;
} DpKeyField;

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

/* An empty table over n >= 1 distinct attributes (levels known). DP_ERR_LIMIT if dense and too large. */
extern DpStatus dp_marginal_init(DpMarginal *marginal, DpArena *arena, const DpDomain *domain,
								 const uint32_t *attributes, uint32_t n, DpStorage storage,
								 DpError *error) DP_MUST_USE;
/* Counts rows given as columns: codes[a][i] is the code of attribute a (domain index) in row i,
 * < levels (the encoder guarantees it; DP_ERR_INTERNAL where it does not hold). */
extern DpStatus dp_marginal_add(DpMarginal *marginal, const uint32_t *const *codes,
								uint32_t rows) DP_MUST_USE;
/* into += from; both over the same attributes, levels and storage, else DP_ERR_ARGUMENT. */
extern DpStatus dp_marginal_merge(DpMarginal *into, const DpMarginal *from) DP_MUST_USE;
/* The margin over the attributes at the given positions (0..n-1 of marginal), dense. */
extern DpStatus dp_marginal_project(const DpMarginal *marginal, const uint32_t *positions,
									uint32_t n, DpArena *arena, DpMarginal *out) DP_MUST_USE;
/*
 * The non-empty cells in ascending order of codes: codes_out[i x n + k] and
 * counts_out[i], *used_out of them. (Sorted, since the order in which rows came
 * must not show.)
 */
extern DpStatus dp_marginal_cells(const DpMarginal *marginal, DpArena *arena, uint32_t **codes_out,
								  int64_t **counts_out, uint64_t *used_out) DP_MUST_USE;
extern void dp_marginal_free(DpMarginal *marginal);
/* Bytes that a table needs: dense exactly; sparse, for the given number of non-empty cells. */
extern uint64_t dp_marginal_bytes(const DpDomain *domain, const uint32_t *attributes, uint32_t n,
								  DpStorage storage, uint64_t cells_used);

/*
 * floor(1024 x n R) of a two-way table: R = 1/2 || t/n - row x col / n^2 ||_1, the
 * dependence score of PrivBayes. Exact integer arithmetic, so the
 * sensitivity is exactly 1024 x 2 (add/remove) or 1024 x 3 (replace) a row.
 * 0 for an empty table. DP_ERR_RANGE where 128 bits would not hold it.
 */
#define DP_DEPENDENCE_UNIT 1024
extern DpStatus dp_marginal_dependence(const DpMarginal *pair, DpArena *arena,
									   int64_t *score) DP_MUST_USE;
/* Sensitivity of that score, in its unit, for a privacy unit. */
extern int64_t dp_dependence_sensitivity(const DpUnit *unit);

#endif
