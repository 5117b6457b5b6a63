/*
 * quantile_score.c -- how far a part of a range is from holding a quantile.
 */
#include "core/methods/query/quantile_score.h"

#define NANO INT64_C(1000000000)
#define DISTANCE_MAX ((__int128) 1 << 62)

static __int128
larger(__int128 a, __int128 b)
{
	return a > b ? a : b;
}

void
dp_quantile_scores(const int64_t *leaf, uint64_t leaves, const DpQuantileRank *rank, int64_t *score)
{
	__int128 n = 0, before = 0, wanted;
	int64_t most = 2 * rank->margin_rows;

	for (uint64_t v = 0; v < leaves; v++)
		n += leaf[v];
	wanted = 2 * n * rank->quantile_nano;
	for (uint64_t v = 0; v < leaves; v++)
	{
		int64_t inward = leaf[v] < most ? leaf[v] : most;
		__int128 begin = (2 * before + inward) * NANO;
		__int128 end = (2 * (before + leaf[v]) - inward) * NANO;
		__int128 distance = larger(larger(begin - wanted, wanted - end), 0);

		/* what is cut at one place comes no further apart */
		score[v] = -(int64_t) (distance < DISTANCE_MAX ? distance : DISTANCE_MAX);
		before += leaf[v];
	}
}
