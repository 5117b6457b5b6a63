/*
 * range.c -- sizes, checks and copies of ranges.
 */
#include "core/domain/range.h"

bool
dp_range_is_unknown(const DpRange *range)
{
	return range->state == DP_RANGE_REQUESTED || range->state == DP_RANGE_TAKEN;
}

uint32_t
dp_range_levels(const DpRange *range)
{
	uint64_t size = dp_grid_size(&range->grid);
	DpGridCells cells;

	switch (range->state)
	{
		case DP_RANGE_REQUESTED:
		case DP_RANGE_TAKEN:
			return size < range->bins_max ? (uint32_t) size : range->bins_max;
		case DP_RANGE_CELLS:
			dp_grid_cells(&range->grid, &cells);
			return cells.n;
		case DP_RANGE_FOUND:
			return range->bins;
	}
	return 0;
}

/* Whether the values ascend strictly from the first of the grid and stay in it. */
static bool
ascends(const DpGrid *grid, const int64_t *value, uint32_t n)
{
	if (n == 0 || value == NULL || value[0] != grid->first || value[n - 1] > grid->last)
		return false;
	for (uint32_t i = 1; i < n; i++)
		if (value[i] <= value[i - 1])
			return false;
	return true;
}

static bool
weights_fit(const DpRange *range)
{
	for (uint32_t i = 0; i < range->leaves; i++)
		if (range->weight[i] > DP_RANGE_WEIGHT_MAX)
			return false;
	return true;
}

/* Whether each of the n first ones is one of the others, both ascending. */
static bool
all_among(const int64_t *value, uint32_t n, const int64_t *other, uint32_t others)
{
	uint32_t k = 0;

	for (uint32_t i = 0; i < n; i++)
	{
		while (k < others && other[k] < value[i])
			k++;
		if (k == others || other[k] != value[i])
			return false;
	}
	return true;
}

DpStatus
dp_range_check(const DpRange *range, DpError *error)
{
	DP_TRY(dp_grid_check(&range->grid, error));
	if (range->listed != NULL &&
		(range->grid.kind != DP_GRID_NUMBER || range->grid.first != 0 || range->grid.step != 1 ||
		 range->grid.digits != 0 || range->grid.last >= DP_GRID_CELLS_MAX))
		return dp_fail(error, DP_ERR_ARGUMENT, "a range of categories is not of their places");
	switch (range->state)
	{
		case DP_RANGE_REQUESTED:
		case DP_RANGE_TAKEN:
			if (range->bins_max < 1 || range->bins_max > DP_GRID_BINS_MAX)
				break;
			return DP_OK;
		case DP_RANGE_CELLS:
			return DP_OK;
		case DP_RANGE_FOUND:
			if (range->weight == NULL || range->bins > range->leaves ||
				range->leaves > DP_GRID_CELLS_MAX ||
				!ascends(&range->grid, range->bin, range->bins) ||
				!ascends(&range->grid, range->leaf, range->leaves) ||
				!all_among(range->bin, range->bins, range->leaf, range->leaves) ||
				!weights_fit(range))
				break;
			return DP_OK;
	}
	return dp_fail(error, DP_ERR_ARGUMENT, "a range has bins that do not fit its grid");
}

/* The index of the last of n ascending values that is not above a coordinate; value[0] is not. */
static uint32_t
find_last(const int64_t *value, uint32_t n, int64_t coordinate)
{
	uint32_t low = 0;

	while (n > 1)
	{
		uint32_t half = n / 2;

		low = value[low + half] <= coordinate ? low + half : low;
		n -= half;
	}
	return low;
}

uint32_t
dp_range_bin(const DpRange *range, int64_t coordinate)
{
	return find_last(range->bin, range->bins, coordinate);
}

int64_t
dp_range_bin_last(const DpRange *range, uint32_t bin)
{
	return bin + 1 < range->bins ? range->bin[bin + 1] - 1 : range->grid.last;
}

int64_t
dp_range_leaf_last(const DpRange *range, uint32_t leaf)
{
	return leaf + 1 < range->leaves ? range->leaf[leaf + 1] - 1 : range->grid.last;
}

const char *
dp_range_text(const DpRange *range, int64_t coordinate, char text[DP_GRID_TEXT_BYTES])
{
	if (range->listed != NULL)
		return range->listed[coordinate];
	(void) dp_grid_print(&range->grid, coordinate, text);
	return text;
}

/* The weight of the part of a leaf that lies in first..last. */
static double
weight_between(const DpRange *range, uint32_t leaf, int64_t first, int64_t last)
{
	int64_t begin = range->leaf[leaf], end = dp_range_leaf_last(range, leaf);
	double width = (double) ((uint64_t) end - (uint64_t) begin) + 1;

	first = first > begin ? first : begin;
	last = last < end ? last : end;
	if (first > last)
		return 0;
	/* half a row more, so that what has no weight has a part */
	return ((double) range->weight[leaf] + 8) *
		   ((double) ((uint64_t) last - (uint64_t) first) + 1) / width;
}

double
dp_range_share(const DpRange *range, uint32_t bin, int64_t first, int64_t last)
{
	int64_t begin = range->bin[bin], end = dp_range_bin_last(range, bin);
	double part = 0, all = 0;

	for (uint32_t i = find_last(range->leaf, range->leaves, begin);
		 i < range->leaves && range->leaf[i] <= end; i++)
	{
		part += weight_between(range, i, first, last);
		all += weight_between(range, i, begin, end);
	}
	return part / all;
}

const char **
dp_range_labels(const DpRange *range, DpArena *arena)
{
	const char **labels = dp_alloc(arena, (size_t) range->bins + 1, sizeof(*labels));
	char text[DP_GRID_TEXT_BYTES];

	for (uint32_t i = 0; labels != NULL && i <= range->bins; i++)
	{
		labels[i] = dp_strdup(
			arena, dp_range_text(range, i < range->bins ? range->bin[i] : range->grid.last, text));
		if (labels[i] == NULL)
			return NULL;
	}
	return labels;
}

static const char **
copy_texts(const char *const *text, uint32_t n, DpArena *arena)
{
	const char **copy = dp_alloc(arena, n, sizeof(*copy));

	for (uint32_t i = 0; copy != NULL && i < n; i++)
	{
		copy[i] = dp_strdup(arena, text[i]);
		if (copy[i] == NULL)
			return NULL;
	}
	return copy;
}

DpRange *
dp_range_copy(const DpRange *range, DpArena *arena)
{
	DpRange *copy = dp_memdup(arena, range, sizeof(*range));

	if (copy == NULL)
		return NULL;
	if (range->listed != NULL)
	{
		copy->listed = copy_texts(range->listed, (uint32_t) range->grid.last + 1, arena);
		if (copy->listed == NULL)
			return NULL;
	}
	if (range->boundary != NULL)
	{
		copy->boundary = dp_memdup(arena, range->boundary, (size_t) range->grid.last + 1);
		if (copy->boundary == NULL)
			return NULL;
	}
	if (range->state != DP_RANGE_FOUND)
		return copy;
	copy->bin = dp_memdup(arena, range->bin, range->bins * sizeof(*range->bin));
	copy->leaf = dp_memdup(arena, range->leaf, range->leaves * sizeof(*range->leaf));
	copy->weight = dp_memdup(arena, range->weight, range->leaves * sizeof(*range->weight));
	return copy->bin == NULL || copy->leaf == NULL || copy->weight == NULL ? NULL : copy;
}
