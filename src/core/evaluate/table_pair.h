/*
 * table_pair.h -- the contingency tables of one set of attributes in two tables of rows, cell
 * beside cell, and how far they are apart.
 *
 * SECRET: the counts are exact, of rows that the caller may read.
 */
#ifndef DP_TABLE_PAIR_H
#define DP_TABLE_PAIR_H

#include "core/evaluate/distinct_cells.h"

/* The first is the original, the second the synthetic table. Each total is the sum of its counts
 * and at least 1; both together are below 2^32. */
typedef struct DpTablePair
{
	uint32_t n;             /* attributes */
	const uint32_t *levels; /* [n] */
	uint64_t cells;
	const int64_t *count[2]; /* [cells] */
	int64_t total[2];
	/* [cells x words] of the cells that are listed, in no order; NULL: all cells are there, the
	 * last attribute fastest */
	const uint64_t *key;
	uint32_t words;
	const DpKeyField *field; /* [n] where the codes are in a key */
} DpTablePair;

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
