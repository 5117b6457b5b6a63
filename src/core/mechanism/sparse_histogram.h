/*
 * mechanism_sparse.h -- pure DP for a histogram that is too large to visit:
 * the non-empty cells get noise, and a few of all the others are drawn as if
 * they had got it.
 */
#ifndef DP_MECHANISM_SPARSE_H
#define DP_MECHANISM_SPARSE_H

#include "arena.h"
#include "mechanism.h"

/* Cells of the domain of one such histogram. Above it a gap between two random cells could leave
 * 64 bits. */
#define DP_SPARSE_HISTOGRAM_CELLS_MAX (UINT64_C(1) << 60)

/* What follows from public numbers: see dp_sparse_histogram_plan. */
typedef struct DpSparseRule
{
	int64_t threshold_rows; /* T >= 1; a cell is released at >= T */
	uint64_t gap_numerator; /* an empty cell is hit with 1 - exp(-gap_numerator / 2^62), ... */
	uint32_t thinning_bits; /* ... and a hit stays with 2^-thinning_bits */
	double random_cells;    /* empty cells that are released, expected; an upper bound */
} DpSparseRule;

/* Released cells, in ascending order. */
typedef struct DpSparseCells
{
	uint64_t n;
	uint64_t capacity; /* of both arrays */
	uint64_t *index;
	int64_t *value; /* >= T */
} DpSparseCells;

/*
 * The smallest T for which no empty cell of cells in all is released with a
 * probability of at least tolerance_nano x 1e-9 (to the rounding of an empty
 * cell's probability, which goes up by less than e^e0). tolerance_nano in
 * 1..999999999, cells in 1..DP_SPARSE_HISTOGRAM_CELLS_MAX. DP_ERR_ARGUMENT;
 * DP_ERR_RANGE where epsilon is too small for so many cells.
 */
extern DpStatus dp_sparse_histogram_plan(int64_t epsilon_nano, DpUnit unit, uint64_t cells,
										 int64_t tolerance_nano, DpSparseRule *rule) DP_MUST_USE;
/* The rule of a given T >= 1. */
extern DpStatus dp_sparse_histogram_rule(int64_t epsilon_nano, DpUnit unit, uint64_t cells,
										 int64_t threshold_rows, DpSparseRule *rule) DP_MUST_USE;
/*
 * (epsilon, 0)-DP; charges exactly that. index[n], strictly ascending, < cells, are the non-empty
 * cells, counts[n] their rows (>= 1). The released cells come from arena.
 */
extern DpStatus dp_sparse_histogram_release(DpMeter *meter, DpRng *rng, const uint64_t *index,
											const int64_t *counts, uint64_t n, uint64_t cells,
											int64_t epsilon_nano, DpUnit unit,
											const DpSparseRule *rule, DpArena *arena,
											DpSparseCells *out, const DpTick *tick) DP_MUST_USE;

#endif
