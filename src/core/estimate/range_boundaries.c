/*
 * range_boundaries.c -- where the bins of a range could have one more edge, and to give them one.
 */
#include "core/estimate/range_bins.h"

/* The first coordinate of the cell that lies so far into a leaf, as a part of its width. */
static int64_t
cell_inside(const DpRange *range, const DpGridCells *cells, uint32_t leaf, double part)
{
	uint64_t first = (uint64_t) range->leaf[leaf];
	uint64_t width = (uint64_t) dp_range_leaf_last(range, leaf) - first;
	double offset = part * ((double) width + 1);
	uint64_t inside = offset < (double) width ? (uint64_t) offset : width;

	return dp_grid_cell_first(cells, dp_grid_cell(cells, (int64_t) (first + inside)));
}

static void
add_part(DpRangeParts *parts, int64_t first)
{
	if (parts->n == 0 || first > parts->first[parts->n - 1])
		parts->first[parts->n++] = first;
}

DpStatus
dp_range_parts(const DpRange *range, uint32_t wanted, DpRangeParts *parts, DpArena *arena)
{
	double all = 0, before = 0;
	uint32_t next = 1, bin = 0;
	DpGridCells cells;

	*parts = (DpRangeParts){
		.first = dp_alloc(arena, (size_t) range->bins + wanted, sizeof(*parts->first))};
	DP_TRY_ALLOC(parts->first);
	dp_grid_cells(&range->grid, &cells);
	for (uint32_t i = 0; i < range->leaves; i++)
		all += (double) range->weight[i];
	for (uint32_t i = 0; i < range->leaves; i++)
	{
		double own = (double) range->weight[i];

		if (bin < range->bins && range->leaf[i] == range->bin[bin])
			add_part(parts, range->bin[bin++]);
		for (; next < wanted && all * next < (before + own) * wanted; next++)
			add_part(parts, cell_inside(range, &cells, i, (all * next / wanted - before) / own));
		before += own;
	}
	return DP_OK;
}

/* Copies a list of n with a gap for one more at a place. NULL: no memory. */
static void *
with_capacity(const void *list, uint32_t n, uint32_t place, size_t size, DpArena *arena)
{
	char *longer = dp_alloc(arena, (size_t) n + 1, size);

	if (longer == NULL)
		return NULL;
	for (size_t i = 0; i < n * size; i++)
		longer[i + (i >= place * size ? size : 0)] = ((const char *) list)[i];
	return longer;
}

/* Lets a leaf begin at a coordinate that is inside of the one before place. */
static DpStatus
cut_leaf(DpRange *range, uint32_t place, int64_t at, DpArena *arena)
{
	uint64_t first = (uint64_t) range->leaf[place - 1];
	double width = (double) ((uint64_t) dp_range_leaf_last(range, place - 1) - first) + 1;
	uint64_t weight = range->weight[place - 1];
	uint64_t below = (uint64_t) ((double) weight * (double) ((uint64_t) at - first) / width);

	range->leaf = with_capacity(range->leaf, range->leaves, place, sizeof(*range->leaf), arena);
	range->weight =
		with_capacity(range->weight, range->leaves, place, sizeof(*range->weight), arena);
	DP_TRY_ALLOC(range->leaf && range->weight);
	range->leaves++;
	range->leaf[place] = at;
	range->weight[place - 1] = below;
	range->weight[place] = weight - below;
	return DP_OK;
}

DpStatus
dp_range_add_edge(DpRange *range, int64_t at, DpArena *arena)
{
	uint32_t bin = dp_range_bin(range, at), leaf = 0;

	if (range->bin[bin] == at)
		return DP_OK;
	while (leaf < range->leaves && range->leaf[leaf] < at)
		leaf++;
	if (leaf == range->leaves || range->leaf[leaf] != at)
		DP_TRY(cut_leaf(range, leaf, at, arena));
	range->bin = with_capacity(range->bin, range->bins, bin + 1, sizeof(*range->bin), arena);
	DP_TRY_ALLOC(range->bin);
	range->bin[bin + 1] = at;
	range->bins++;
	return DP_OK;
}
