/*
 * bin_finder.h -- which of many ascending edges is the last one at or below a number, found for
 * each value of a column in a step or two.
 */
#ifndef DP_BIN_FINDER_H
#define DP_BIN_FINDER_H

#include <stdint.h>

#define DP_BIN_FINDER_SLOTS 1024

typedef struct DpBinFinder
{
	const int64_t *edge; /* [n] ascending, n >= 1 */
	uint32_t n;
	int shift;    /* 2^shift numbers are a slot, the first of which begins at edge[1] */
	uint64_t end; /* the last slot that is filled */
	/* the last edge at or below the begin of each slot, and n - 1 behind them */
	uint32_t first[DP_BIN_FINDER_SLOTS + 1];
} DpBinFinder;

/* Prepares for the edges, which must stay. */
extern void dp_bin_finder_init(DpBinFinder *finder, const int64_t *edge, uint32_t n);

/* The index of the last edge at or below the number; 0 if there is none. */
static inline uint32_t
dp_bin_find(const DpBinFinder *finder, int64_t number)
{
	const int64_t *edge = finder->edge;
	uint64_t slot;
	uint32_t low, high;

	if (finder->n < 2 || number < edge[1])
		return 0;
	slot = ((uint64_t) number - (uint64_t) edge[1]) >> finder->shift;
	if (slot > finder->end)
		return finder->n - 1;
	low = finder->first[slot];
	high = finder->first[slot + 1];
	while (low < high)
	{
		uint32_t middle = low + (high - low + 1) / 2;

		if (edge[middle] <= number)
			low = middle;
		else
			high = middle - 1;
	}
	return low;
}

#endif
