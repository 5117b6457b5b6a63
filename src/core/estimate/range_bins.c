/*
 * range_bins.c -- two scales: few coarse bins for tables of several columns, and many fine leaves
 * for the values of one.
 *
 * 1. Counts become weights. Runs of leaves at both ends of the range that are not clear of the
 *    noise are empty; the others become nonnegative at the least change (simplex.h).
 * 2. A leaf of one value that stands out from its neighbours is a spike: it stays a bin of its own.
 * 3. Between spikes, neighbouring leaves are put together until a bin has about an equal part of
 *    the weight, and enough to be clear of the noise.
 */
#include "core/estimate/range_bins.h"

#include <math.h>
#include <string.h>

#include "core/estimate/simplex.h"

#define CLEAR_STDDEVS 3.0 /* a count beyond so many standard deviations is no noise */
#define BIN_STDDEVS 4.0   /* a bin has at least so many */
#define SPIKE_RATIO 4.0   /* how much denser than its neighbours a spike is */
#define SPIKE_SHARE 3     /* at most one bin in so many is a spike */
#define WEIGHT_SCALE 16.0 /* of stored weights, in parts of a row */

typedef struct Leaves
{
	const DpNoisyLeaves *noisy;
	const DpGrid *grid;
	double *weight; /* [n] rows, >= 0 */
	bool *spike;    /* [n] */
	bool *begins;   /* [n] a bin */
} Leaves;

static uint64_t
leaf_values(const Leaves *leaves, uint32_t i)
{
	int64_t next = i + 1 < leaves->noisy->n ? leaves->noisy->first[i + 1] : leaves->grid->last;
	uint64_t values = (uint64_t) next - (uint64_t) leaves->noisy->first[i];

	return i + 1 < leaves->noisy->n || values == UINT64_MAX ? values : values + 1;
}

static double
density(const Leaves *leaves, uint32_t i)
{
	return leaves->weight[i] / (double) leaf_values(leaves, i);
}

/* ---- weights ---- */

/* How many leaves from one end, taken together one after the other, are not clear of the noise. */
static uint32_t
empty_from(const DpNoisyLeaves *noisy, bool upper)
{
	double sum = 0;
	uint32_t i = 0;

	for (; i < noisy->n; i++)
	{
		double count = (double) noisy->count[upper ? noisy->n - 1 - i : i];

		sum += count;
		if (count >= CLEAR_STDDEVS * noisy->stddev_rows ||
			sum >= CLEAR_STDDEVS * noisy->stddev_rows * sqrt(i + 1.0))
			break;
	}
	return i;
}

static DpStatus
find_weights(Leaves *leaves, DpArena *arena)
{
	const DpNoisyLeaves *noisy = leaves->noisy;
	uint32_t low = empty_from(noisy, false);
	uint32_t high = low == noisy->n ? low : noisy->n - empty_from(noisy, true);
	double *work = dp_alloc(arena, noisy->n, sizeof(*work));
	double total = 0;

	if (work == NULL)
		return DP_ERR_MEMORY;
	for (uint32_t i = low; i < high; i++)
		total += leaves->weight[i] = (double) noisy->count[i];
	if (high > low && total > 0)
		dp_simplex_project(leaves->weight + low, high - low, work, total);
	else
		memset(leaves->weight, 0, noisy->n * sizeof(*leaves->weight));
	dp_free(arena, work, noisy->n, sizeof(*work));
	return DP_OK;
}

/* ---- spikes ---- */

static bool
is_spike(const Leaves *leaves, uint32_t i)
{
	double own = leaves->weight[i];
	uint32_t n = leaves->noisy->n;

	return leaf_values(leaves, i) == 1 && own >= BIN_STDDEVS * leaves->noisy->stddev_rows &&
		   (i == 0 || own >= SPIKE_RATIO * density(leaves, i - 1)) &&
		   (i + 1 == n || own >= SPIKE_RATIO * density(leaves, i + 1));
}

/* Marks spikes, and keeps the heaviest ones where there are too many. Returns their number. */
static uint32_t
find_spikes(Leaves *leaves, uint32_t most)
{
	uint32_t found = 0;

	for (uint32_t i = 0; i < leaves->noisy->n; i++)
		found += leaves->spike[i] = is_spike(leaves, i);
	for (; found > most; found--)
	{
		uint32_t least = UINT32_MAX;

		for (uint32_t i = 0; i < leaves->noisy->n; i++)
			if (leaves->spike[i] &&
				(least == UINT32_MAX || leaves->weight[i] < leaves->weight[least]))
				least = i;
		leaves->spike[least] = false;
	}
	return found;
}

/* ---- bins ---- */

/* The weight from a leaf up to the next spike, or to the end. */
static double
run_weight(const Leaves *leaves, uint32_t i)
{
	double sum = 0;

	for (; i < leaves->noisy->n && !leaves->spike[i]; i++)
		sum += leaves->weight[i];
	return sum;
}

/* Marks where bins begin, so that each but the last of a run has the wanted weight. */
static void
begin_bins(Leaves *leaves, double wanted)
{
	double own = 0, left = run_weight(leaves, 0);

	for (uint32_t i = 0; i < leaves->noisy->n; i++)
	{
		bool after_spike = i > 0 && leaves->spike[i - 1];

		if (after_spike)
			left = run_weight(leaves, i);
		leaves->begins[i] =
			i == 0 || after_spike || leaves->spike[i] || (own >= wanted && left >= wanted / 2);
		if (leaves->begins[i])
			own = 0;
		own += leaves->weight[i];
		left -= leaves->spike[i] ? 0 : leaves->weight[i];
	}
}

/* Where the bin of a leaf begins, and where the next bin does. */
static uint32_t
bin_begin(const Leaves *leaves, uint32_t i)
{
	while (!leaves->begins[i])
		i--;
	return i;
}

static uint32_t
bin_end(const Leaves *leaves, uint32_t i)
{
	do
		i++;
	while (i < leaves->noisy->n && !leaves->begins[i]);
	return i;
}

static double
weight_of(const Leaves *leaves, uint32_t from, uint32_t to)
{
	double sum = 0;

	for (uint32_t i = from; i < to; i++)
		sum += leaves->weight[i];
	return sum;
}

static uint32_t
count_bins(const Leaves *leaves)
{
	uint32_t bins = 0;

	for (uint32_t i = 0; i < leaves->noisy->n; i++)
		bins += leaves->begins[i];
	return bins;
}

/* The lightest bin, and its weight. */
static uint32_t
lightest(const Leaves *leaves, double *weight)
{
	uint32_t best = 0;

	*weight = INFINITY;
	for (uint32_t i = 0; i < leaves->noisy->n; i = bin_end(leaves, i))
	{
		double own = weight_of(leaves, i, bin_end(leaves, i));

		if (own < *weight)
		{
			*weight = own;
			best = i;
		}
	}
	return best;
}

/* Gives a bin to the lighter one of its neighbours. */
static void
dissolve(Leaves *leaves, uint32_t begin)
{
	uint32_t end = bin_end(leaves, begin);
	uint32_t n = leaves->noisy->n;
	double below = INFINITY, above = INFINITY;

	if (begin > 0)
		below = weight_of(leaves, bin_begin(leaves, begin - 1), begin);
	if (end < n)
		above = weight_of(leaves, end, bin_end(leaves, end));
	leaves->begins[below <= above ? begin : end] = false;
}

static void
find_bins(Leaves *leaves, uint32_t bins_max)
{
	uint32_t spikes = find_spikes(leaves, bins_max / SPIKE_SHARE);
	double clear = BIN_STDDEVS * leaves->noisy->stddev_rows, rest = 0, least;

	for (uint32_t i = 0; i < leaves->noisy->n; i++)
		rest += leaves->spike[i] ? 0 : leaves->weight[i];
	begin_bins(leaves, fmax(clear, rest / (bins_max - spikes)));
	for (uint32_t bins = count_bins(leaves); bins > 1; bins--)
	{
		uint32_t begin = lightest(leaves, &least);

		if (least >= clear && bins <= bins_max)
			break;
		dissolve(leaves, begin);
	}
}

/* ---- what is stored ---- */

/* Neighbours without weight in one bin are one leaf. */
static bool
is_stored(const Leaves *leaves, uint32_t i)
{
	return leaves->begins[i] || leaves->weight[i] > 0 || leaves->weight[i - 1] > 0;
}

static DpStatus
store(const Leaves *leaves, DpRange *range, DpArena *arena)
{
	uint32_t n = leaves->noisy->n, bins = count_bins(leaves), stored = 0;

	for (uint32_t i = 0; i < n; i++)
		stored += is_stored(leaves, i);
	range->state = DP_RANGE_FOUND;
	range->bins = range->leaves = 0;
	range->bin = dp_alloc(arena, bins, sizeof(*range->bin));
	range->leaf = dp_alloc(arena, stored, sizeof(*range->leaf));
	range->weight = dp_alloc(arena, stored, sizeof(*range->weight));
	if (range->bin == NULL || range->leaf == NULL || range->weight == NULL)
		return DP_ERR_MEMORY;
	for (uint32_t i = 0; i < n; i++)
	{
		double weight = fmin(leaves->weight[i] * WEIGHT_SCALE, (double) DP_RANGE_WEIGHT_MAX);

		if (leaves->begins[i])
			range->bin[range->bins++] = leaves->noisy->first[i];
		if (!is_stored(leaves, i))
			continue;
		range->leaf[range->leaves] = leaves->noisy->first[i];
		range->weight[range->leaves++] = (uint64_t) weight;
	}
	return DP_OK;
}

DpStatus
dp_range_find(const DpNoisyLeaves *noisy, DpRange *range, DpArena *arena)
{
	Leaves leaves = {.noisy = noisy,
					 .grid = &range->grid,
					 .weight = dp_alloc(arena, noisy->n, sizeof(double)),
					 .spike = dp_alloc(arena, noisy->n, sizeof(bool)),
					 .begins = dp_alloc(arena, noisy->n, sizeof(bool))};

	if (leaves.weight == NULL || leaves.spike == NULL || leaves.begins == NULL)
		return DP_ERR_MEMORY;
	DP_TRY(find_weights(&leaves, arena));
	find_bins(&leaves, range->bins_max);
	return store(&leaves, range, arena);
}
