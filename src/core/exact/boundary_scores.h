/*
 * boundary_scores.h -- how much the share of missing values changes at an edge inside of a bin.
 * SECRET.
 */
#ifndef DP_BOUNDARY_SCORES_H
#define DP_BOUNDARY_SCORES_H

#include <stdint.h>

#define DP_EDGE_SHARE_ONE 1024 /* shares are in parts of it */
#define DP_EDGE_SCORE_UNIT 16  /* scores are in parts of a row */

/* Exact counts of rows by the part of a range, and by whether another attribute is missing.
 * SECRET. */
typedef struct DpEdgeCounts
{
	int64_t *missing; /* [parts] */
	int64_t *there;   /* [parts] */
} DpEdgeCounts;

/*
 * Raises score[i] to that of an edge before part i, for low < i < high, where the parts low..high-1
 * are a bin: with the rows a below the edge and b above it of which the other attribute is missing,
 * c and d of which it is there, and the share s of the bin that is expected below the edge,
 *
 *	|(1 - s) a - s b| + |(1 - s) c - s d|
 *
 * in parts of DP_EDGE_SCORE_UNIT, rounded down. It is 0 where both have the share s of their rows
 * below. A row is in one of the four, so it moves the score by DP_EDGE_SCORE_UNIT at most. share[i]
 * is s for part i, in 1..DP_EDGE_SHARE_ONE - 1, and follows from released numbers alone.
 */
extern void dp_boundary_scores(const DpEdgeCounts *counts, const uint32_t *share, uint32_t low,
							   uint32_t high, int64_t *score);

#endif
