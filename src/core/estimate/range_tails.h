/*
 * range_tails.h -- a smooth tail through the noisy counts of the leaves at an end of a range.
 * Post-processing.
 */
#ifndef DP_RANGE_TAILS_H
#define DP_RANGE_TAILS_H

#include "core/base/arena.h"

/* The leaves of one end, from the innermost to the end of the range. */
typedef struct DpEndLeaves
{
	uint32_t n;
	const double *count;
	const double *edge; /* [n + 1] distances from where leaf 0 begins, ascending from 0 */
	double stddev_rows; /* of the noise */
	double rare_rows;   /* what noise alone reaches in very few leaves */
	double distances;   /* of all rows of the column from leaf 0, summed up */
} DpEndLeaves;

/* A generalized Pareto distribution: rows (1 + shape y / scale)^(-1 / shape) rows are further out
 * than y. Those between reach and the end of the range are at the reach. */
typedef struct DpRangeTail
{
	double rows, shape, scale, reach, end;
} DpRangeTail;

/*
 * Fits a tail by least squares. Leaves whose counts stand out of it are no part of it: alone[i] is
 * set for them. False where the counts are not those of a tail.
 */
extern bool dp_range_tail_fit(const DpEndLeaves *leaves, DpRangeTail *tail, bool *alone);
/* The rows between two distances. */
extern double dp_range_tail_rows(const DpRangeTail *tail, double from, double to);
/* The distance before which a part of the rows between two distances is, 0 < part < 1. */
extern double dp_range_tail_cut(const DpRangeTail *tail, double from, double to, double part);

#endif
