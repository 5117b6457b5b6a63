/*
 * bin_finder.c -- which of many ascending edges is the last one at or below a number.
 *
 * The processor cannot foresee the steps of a binary search, and each misprediction costs as much
 * as all else that encoding a value does. So the line from the second edge to the last one is cut
 * into slots of equal width, of a power of two: most slots hold one edge or none, and the search is
 * over the edges of one slot. The first bin and the last one are often far wider than all others,
 * so they have no slots.
 */
#include "core/exact/bin_finder.h"

void
dp_bin_finder_init(DpBinFinder *finder, const int64_t *edge, uint32_t n)
{
	uint64_t span;
	uint32_t i = 1;

	*finder = (DpBinFinder){.edge = edge, .n = n};
	if (n < 2)
		return;
	span = (uint64_t) edge[n - 1] - (uint64_t) edge[1];
	while (span >> finder->shift >= DP_BIN_FINDER_SLOTS)
		finder->shift++;
	finder->end = span >> finder->shift;
	for (uint64_t slot = 0; slot <= finder->end; slot++)
	{
		uint64_t begin = slot << finder->shift; /* from edge[1] */

		while (i + 1 < n && (uint64_t) edge[i + 1] - (uint64_t) edge[1] <= begin)
			i++;
		finder->first[slot] = i;
	}
	finder->first[finder->end + 1] = n - 1;
}
