/*
 * distinct_cells.h -- the distinct combinations of codes of a set of attributes in two tables of
 * rows, and how many rows of each table have them. SECRET, as DpMarginal is.
 *
 * Both numbers of rows are in one word: those of the original are the lower 32 bits, those of the
 * synthetic rows the upper ones. So one addition counts in both tables.
 */
#ifndef DP_DISTINCT_CELLS_H
#define DP_DISTINCT_CELLS_H

#include "core/base/code_key.h"
#include "core/base/slot_table.h"
#include "core/domain/attribute_set.h"

#define DP_ONE_ORIGINAL UINT64_C(1)
#define DP_ONE_SYNTHETIC (UINT64_C(1) << 32)

static inline int64_t
dp_rows_of_side(uint64_t rows, int side)
{
	return side == 0 ? (int64_t) (uint32_t) rows : (int64_t) (rows >> 32);
}

typedef struct DpDistinctCells
{
	DpArena *arena;
	DpAttributeSet set;
	DpKeyField *field; /* [set.n] where a code is in a key */
	uint32_t words;    /* of a key */
	uint64_t cells;
	uint64_t capacity; /* a power of two */
	uint64_t *key;     /* [capacity x words] in the order of first sight */
	uint64_t *rows;    /* [capacity] of both tables */
	DpSlotTable table; /* of cells */
	uint64_t *batch;   /* keys of a batch */
} DpDistinctCells;

/* Begins without cells; so many will come at most. The set must stay. */
extern DpStatus dp_distinct_cells_init(DpDistinctCells *distinct, const DpDomain *domain,
									   const DpAttributeSet *set, uint64_t cells,
									   DpArena *arena) DP_MUST_USE;
/* Adds at most DP_BATCH_ROWS rows, whose codes code[a][i] of attribute a are levels, each as often
 * as rows[i] says. */
extern DpStatus dp_distinct_cells_add(DpDistinctCells *distinct, const uint32_t *const *code,
									  const uint64_t *rows, uint32_t n) DP_MUST_USE;
/* Writes the codes of n cells from `first` on: code[k][i] of the set's attribute k. */
extern void dp_distinct_cells_codes(const DpDistinctCells *distinct, uint64_t first, uint32_t n,
									uint32_t *const *code);
extern void dp_distinct_cells_free(DpDistinctCells *distinct);
/* What the cells take at most while so many come, in bytes. */
extern uint64_t dp_distinct_cells_bytes(const DpDomain *domain, const DpAttributeSet *set,
										uint64_t cells);

#endif
