/*
 * boundary_scores.c -- how much the share of missing values changes at an edge inside of a bin.
 */
#include "core/exact/boundary_scores.h"

/* Exact: numbers of rows fit 63 bits, so the products here fit 128. */
static __int128
term(int64_t below, int64_t all, int64_t share)
{
	__int128 difference = (__int128) below * DP_EDGE_SHARE_ONE - (__int128) all * share;

	return difference < 0 ? -difference : difference;
}

void
dp_boundary_scores(const DpEdgeCounts *counts, const uint32_t *share, uint32_t low, uint32_t high,
				   int64_t *score)
{
	int64_t missing = 0, there = 0, all_missing = 0, all_there = 0;

	for (uint32_t i = low; i < high; i++)
	{
		all_missing += counts->missing[i];
		all_there += counts->there[i];
	}
	for (uint32_t i = low + 1; i < high; i++)
	{
		__int128 own;

		missing += counts->missing[i - 1];
		there += counts->there[i - 1];
		own = term(missing, all_missing, share[i]) + term(there, all_there, share[i]);
		own = own * DP_EDGE_SCORE_UNIT / DP_EDGE_SHARE_ONE;
		own = own < INT64_MAX ? own : INT64_MAX;
		score[i] = own > score[i] ? (int64_t) own : score[i];
	}
}
