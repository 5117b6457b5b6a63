/*
 * table_pair.h -- the contingency tables of one set of attributes in two tables of rows, cell
 * beside cell, and how far they are apart.
 *
 * SECRET: the counts are exact, of rows that the caller may read.
 */
#ifndef DP_TABLE_PAIR_H
#define DP_TABLE_PAIR_H

#include "core/base/code_key.h"
#include "core/base/slot_table.h"
#include "core/domain/attribute_set.h"

/*
 * The distinct combinations of codes of a set of attributes in two tables of rows, and how many
 * rows of each table have them. SECRET, as DpMarginal is.
 *
 * Both numbers of rows are in one word: those of the original are the lower 32 bits, those of the
 * synthetic rows the upper ones. So one addition counts in both tables.
 */

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
/* The most memory that the cells of a set take, if there are so many. */
extern uint64_t dp_distinct_cells_bytes(const DpDomain *domain, const DpAttributeSet *set,
										uint64_t cells);

/* The first is the original, the second the synthetic table. Each total is the sum of its counts
 * and at least 1; both together are below 2^32. */
typedef struct DpTablePair
{
	uint32_t n;             /* attributes */
	const uint32_t *levels; /* [n] */
	uint64_t cells;
	const int64_t *count[2]; /* [cells] */
	int64_t total[2];
	/* [cells x words] of the cells that are listed, in no order; or NULL. Where there is no place,
	 * either, all cells are there, the last attribute fastest. */
	const uint64_t *key;
	uint32_t words;
	const DpKeyField *field; /* [n] where the codes are in a key */
	/* [cells] where the cells that are listed stand among all of them, ascending; or NULL */
	const uint32_t *place;
} DpTablePair;

/* Whether cells that are empty in both tables are not there. */
static inline bool
dp_table_pair_is_listed(const DpTablePair *pair)
{
	return pair->key != NULL || pair->place != NULL;
}

/* Puts the cells of both tables beside each other, made in the arena. */
extern DpStatus dp_table_pair_make(const DpDistinctCells *distinct, const uint32_t *levels,
								   DpTablePair *pair, DpArena *arena) DP_MUST_USE;
/* The same with its cells in ascending order of codes. */
extern DpStatus dp_table_pair_order(const DpTablePair *pair, DpTablePair *out,
									DpArena *arena) DP_MUST_USE;
/* The code of an attribute in a cell. */
extern uint32_t dp_table_pair_code(const DpTablePair *pair, uint64_t cell, uint32_t attribute);

typedef struct DpTableDistance
{
	double
		total_variation; /* half the sum of the absolute differences of shares: 0 for equal shares,
							   1 for no common cell */
	double largest;      /* absolute difference of shares */
} DpTableDistance;

extern DpTableDistance dp_table_distance(const DpTablePair *pair);

/* What is known of cells that one table has and the other has not. */
typedef struct DpSupport
{
	uint64_t cells[2]; /* that are not empty */
	int64_t shared[2]; /* rows in cells that are empty in neither table */
	double chi_square; /* sum of (x - z)^2 / x over the cells with x > 0; z is scaled to the total
						  * of x */
} DpSupport;

extern DpSupport dp_table_support(const DpTablePair *pair);

#endif
