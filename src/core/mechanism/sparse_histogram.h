/*
 * sparse_histogram.h -- pure DP for a histogram that is too large to visit:
 * the non-empty cells get noise, and a few of all the others are drawn as if
 * they had got it.
 */
#ifndef DP_SPARSE_HISTOGRAM_H
#define DP_SPARSE_HISTOGRAM_H

#include "core/base/arena.h"
#include "core/accounting/privacy_unit.h"
#include "core/mechanism/noise_source.h"

/* The most cells of the domain of one such histogram. With more, a gap between two released empty
 * cells could leave 64 bits. */
#define DP_SPARSE_HISTOGRAM_CELLS_MAX (UINT64_C(1) << 60)

/* One such histogram: its guarantee, the unit that it protects, and the size of its domain. All
 * are public. */
typedef struct DpSparseHistogram
{
	int64_t epsilon_nano;
	DpUnit unit;
	uint64_t cells; /* 1..DP_SPARSE_HISTOGRAM_CELLS_MAX */
} DpSparseHistogram;

/* What follows from public numbers. See dp_sparse_histogram_plan. */
typedef struct DpSparseRule
{
	DpSparseHistogram histogram;
	int64_t threshold_rows; /* T >= 1; a cell is released at >= T */
	uint64_t
		gap_numerator; /* an empty cell is hit with probability 1 - exp(-gap_numerator / 2^62) */
	uint32_t thinning_bits; /* a hit stays with probability 2^-thinning_bits */
	double
		false_positives; /* upper bound of the expected number of empty cells that are released */
} DpSparseRule;

/* The non-empty cells, strictly ascending, and their rows. SECRET. */
typedef struct DpOccupiedCells
{
	uint64_t n;
	const uint64_t *index; /* [n] < cells of the domain */
	const int64_t *count;  /* [n] >= 1 */
} DpOccupiedCells;

/* Released cells, in ascending order. */
typedef struct DpSparseCells
{
	uint64_t n;
	uint64_t capacity; /* of both arrays */
	uint64_t *index;
	int64_t *value; /* >= T */
} DpSparseCells;

/*
 * Makes the rule with the smallest T for which, with a probability of at least
 * no_false_positives_nano x 1e-9, no empty cell of the domain is released. (Rounding raises an
 * empty cell's probability afterwards, by a factor below e^e0.) no_false_positives_nano is in
 * 1..999999999. DP_ERR_ARGUMENT. DP_ERR_RANGE: epsilon is too small for so many cells.
 */
extern DpStatus dp_sparse_histogram_plan(const DpSparseHistogram *histogram,
										 int64_t no_false_positives_nano,
										 DpSparseRule *rule) DP_MUST_USE;
/* The rule for a given T >= 1. */
extern DpStatus dp_sparse_histogram_rule(const DpSparseHistogram *histogram, int64_t threshold_rows,
										 DpSparseRule *rule) DP_MUST_USE;
/* (epsilon, 0)-DP with the epsilon of the rule's histogram, which is exactly what is charged.
 * The released cells come from arena. */
extern DpStatus dp_sparse_histogram_release(const DpNoiseSource *noise, const DpSparseRule *rule,
											const DpOccupiedCells *occupied, DpSparseCells *out,
											DpArena *arena) DP_MUST_USE;

#endif
