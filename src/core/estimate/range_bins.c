/*
 * range_bins.c -- two scales: few coarse bins for tables of several columns, and many fine leaves
 * for the values of one.
 *
 * 1. Counts become weights. At both ends of the range a smooth tail is put through the leaves
 *    (range_tails.h). Where there is none, runs of leaves that are not clear of the noise are
 *    empty. All other counts become nonnegative at the least change (simplex.h).
 * 2. A leaf of one value that stands out from its neighbours is a spike: it stays a bin of its own.
 * 3. Between spikes, neighbouring leaves are put together until a bin has about an equal part of
 *    the weight, and enough to be clear of the noise.
 * 4. A leaf of a tail is stored as pieces, in which the tail has equal weights.
 */
#include "core/estimate/range_bins.h"

#include <math.h>
#include <string.h>

#include "core/base/sort.h"
#include "core/estimate/range_tails.h"
#include "core/estimate/simplex.h"

#define CLEAR_STDDEVS 3.0 /* a sum beyond so many standard deviations is no noise */
#define BIN_STDDEVS 4.0   /* a bin has at least so many */
#define SPIKE_RATIO 4.0   /* how much denser than its neighbours a spike is */
#define SPIKE_SHARE 3     /* at most one bin in so many is a spike */
#define LEAVES_FEW 4096   /* so many are stored as they are */
#define WEIGHT_SCALE 16.0 /* of stored weights, in parts of a row */

#define TAIL_STDDEVS 10.0 /* the leaves of a tail together are so clear of the noise */
#define TAIL_DRIFT 0.5    /* what each takes off, in standard deviations: noise does not add up */
#define TAIL_LEAVES 3     /* a tail has so many leaves with rows at least */
#define TAIL_SHARE 0.5    /* and so much of all rows at most */
#define TAIL_PIECES 16    /* of a leaf */

/* The tail at one end: leaves from..to-1, none where from = to. */
typedef struct End
{
	bool upper;
	uint32_t from;
	uint32_t to;
	DpRangeTail tail;
} End;

typedef struct Leaves
{
	const DpNoisyLeaves *noisy;
	const DpGrid *grid;
	double *weight; /* [n] rows, >= 0 */
	bool *spike;    /* [n] */
	bool *begins;   /* [n] a bin */
	bool *alone;    /* [n] no part of a tail */
	End end[2];     /* the lower one, and the upper one */
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

/* ---- tails ---- */

/* A count that stands out from both neighbours, in a leaf of one value. */
static bool
stands_out(const Leaves *leaves, uint32_t i)
{
	const DpNoisyLeaves *noisy = leaves->noisy;
	double own = (double) noisy->count[i];

	if (leaf_values(leaves, i) > 1 || own < BIN_STDDEVS * noisy->stddev_rows)
		return false;
	for (int side = -1; side <= 1; side += 2)
	{
		uint32_t other = i + (uint32_t) side;

		if (other < noisy->n &&
			own * (double) leaf_values(leaves, other) < SPIKE_RATIO * (double) noisy->count[other])
			return false;
	}
	return true;
}

/*
 * How many leaves from one end make a tail, at most so many: together clear of the noise. A spike
 * is not in it, nor the body of the column. 0: there is no tail.
 */
static uint32_t
tail_leaves(const Leaves *leaves, bool upper, uint32_t most, double total)
{
	const DpNoisyLeaves *noisy = leaves->noisy;
	double sum = 0, rows = 0;
	uint32_t with_rows = 0;

	for (uint32_t k = 0; k < most; k++)
	{
		uint32_t i = upper ? noisy->n - 1 - k : k;
		double count = (double) noisy->count[i];

		rows = fmax(rows + count, 0);
		if (rows > TAIL_SHARE * total || stands_out(leaves, i))
			return sum >= TAIL_STDDEVS * noisy->stddev_rows ? k : 0;
		sum = fmax(sum + count - TAIL_DRIFT * noisy->stddev_rows, 0);
		with_rows = sum > 0 ? with_rows + 1 : 0;
		if (with_rows >= TAIL_LEAVES && sum >= TAIL_STDDEVS * noisy->stddev_rows)
			return k + 1;
	}
	return 0;
}

/* The leaf that is k-th in a tail, from its inner side. */
static uint32_t
leaf_of(const End *end, uint32_t k)
{
	return end->upper ? end->from + k : end->to - 1 - k;
}

/* How far out a leaf of a tail begins, and the next one does. */
static void
distances(const Leaves *leaves, const End *end, uint32_t leaf, double *inner, double *outer)
{
	*inner = 0;
	for (uint32_t k = 0; leaf_of(end, k) != leaf; k++)
		*inner += (double) leaf_values(leaves, leaf_of(end, k));
	*outer = *inner + (double) leaf_values(leaves, leaf);
}

/* The sum of the distances of all rows from where a tail begins. */
static double
sum_distances(const Leaves *leaves, const End *end)
{
	const DpNoisyLeaves *noisy = leaves->noisy;
	double begin = (double) noisy->first[leaf_of(end, 0)], sum = 0;

	for (uint32_t i = 0; i < noisy->n; i++)
		if ((double) noisy->count[i] >= noisy->rare_rows)
			sum += (double) noisy->count[i] *
				   fabs((double) noisy->first[i] + (double) leaf_values(leaves, i) / 2 - begin);
	return sum;
}

/* Puts a tail through the leaves of an end, if they are like one. */
static DpStatus
find_tail(Leaves *leaves, End *end, DpArena *arena)
{
	const DpNoisyLeaves *noisy = leaves->noisy;
	uint32_t n = end->to - end->from;
	double *count = dp_alloc(arena, noisy->n, sizeof(*count));
	double *edge = dp_alloc(arena, noisy->n + (size_t) 1, sizeof(*edge));
	bool *alone = dp_alloc(arena, noisy->n, sizeof(*alone));

	if (count == NULL || edge == NULL || alone == NULL)
		return DP_ERR_MEMORY;
	edge[0] = 0;
	for (uint32_t k = 0; k < n; k++)
	{
		count[k] = (double) noisy->count[leaf_of(end, k)];
		edge[k + 1] = edge[k] + (double) leaf_values(leaves, leaf_of(end, k));
	}
	if (n == 0 || !dp_range_tail_fit(&(DpEndLeaves){n, count, edge, noisy->stddev_rows,
													noisy->rare_rows, sum_distances(leaves, end)},
									 &end->tail, alone))
		end->from = end->to = end->upper ? noisy->n : 0;
	else
		for (uint32_t k = 0; k < n; k++)
		{
			uint32_t i = leaf_of(end, k);

			leaves->alone[i] = alone[k];
			leaves->weight[i] =
				alone[k] ? count[k] : dp_range_tail_rows(&end->tail, edge[k], edge[k + 1]);
		}
	return DP_OK;
}

static DpStatus
find_tails(Leaves *leaves, DpArena *arena)
{
	uint32_t n = leaves->noisy->n, low, high;
	double total = 0;

	for (uint32_t i = 0; i < n; i++)
		total += (double) leaves->noisy->count[i];
	high = n <= LEAVES_FEW ? tail_leaves(leaves, true, n, total) : 0;
	low = n <= LEAVES_FEW ? tail_leaves(leaves, false, n - high, total) : 0;
	leaves->end[0] = (End){.upper = false, .from = 0, .to = low};
	leaves->end[1] = (End){.upper = true, .from = n - high, .to = n};
	DP_TRY(find_tail(leaves, &leaves->end[0], arena));
	return find_tail(leaves, &leaves->end[1], arena);
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

		sum = fmax(sum + count - TAIL_DRIFT * noisy->stddev_rows, 0);
		if (count >= noisy->rare_rows || sum >= noisy->rare_rows)
			break;
	}
	return i;
}

static DpStatus
find_weights(Leaves *leaves, DpArena *arena)
{
	const DpNoisyLeaves *noisy = leaves->noisy;
	uint32_t low, high;
	double *work = dp_alloc(arena, noisy->n, sizeof(*work));
	double total = 0;

	if (work == NULL)
		return DP_ERR_MEMORY;
	memset(leaves->weight, 0, noisy->n * sizeof(*leaves->weight));
	memset(leaves->alone, 0, noisy->n * sizeof(*leaves->alone));
	DP_TRY(find_tails(leaves, arena));
	low = leaves->end[0].to > 0 ? leaves->end[0].to : empty_from(noisy, false);
	high = leaves->end[1].from < noisy->n
			   ? leaves->end[1].from
			   : noisy->n - (low == noisy->n ? 0 : empty_from(noisy, true));
	for (uint32_t i = low; i < high; i++)
		total += leaves->weight[i] = (double) noisy->count[i];
	if (high > low && total > 0)
		dp_simplex_project(leaves->weight + low, high - low, work, total);
	else if (high > low)
		memset(leaves->weight + low, 0, (high - low) * sizeof(*leaves->weight));
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

static bool
is_heavier(const void *context, uint64_t a, uint64_t b)
{
	const double *weight = context;

	return weight[a] == weight[b] ? a > b : weight[a] > weight[b];
}

/* Marks spikes, and keeps the heaviest ones where there are too many. */
static DpStatus
find_spikes(Leaves *leaves, uint32_t most, uint32_t *found, DpArena *arena)
{
	uint32_t n = leaves->noisy->n, spikes = 0;
	uint64_t *spike = dp_alloc(arena, n, sizeof(*spike));

	if (spike == NULL)
		return DP_ERR_MEMORY;
	for (uint32_t i = 0; i < n; i++)
	{
		leaves->spike[i] = is_spike(leaves, i);
		if (leaves->spike[i])
			spike[spikes++] = i;
	}
	if (spikes > most)
	{
		DP_TRY(dp_sort_indexes(spike, spikes, is_heavier, leaves->weight, arena));
		for (uint32_t k = most; k < spikes; k++)
			leaves->spike[spike[k]] = false;
	}
	*found = spikes < most ? spikes : most;
	dp_free(arena, spike, n, sizeof(*spike));
	return DP_OK;
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

static DpStatus
find_bins(Leaves *leaves, uint32_t bins_max, const DpTick *tick, DpArena *arena)
{
	double clear = BIN_STDDEVS * leaves->noisy->stddev_rows, rest = 0, least;
	uint32_t spikes;

	DP_TRY(find_spikes(leaves, bins_max / SPIKE_SHARE, &spikes, arena));
	for (uint32_t i = 0; i < leaves->noisy->n; i++)
		rest += leaves->spike[i] ? 0 : leaves->weight[i];
	begin_bins(leaves, fmax(clear, rest / (bins_max - spikes)));
	for (uint32_t bins = count_bins(leaves); bins > 1; bins--)
	{
		uint32_t begin = lightest(leaves, &least);

		dp_tick(tick, -1.0);
		if (least >= clear && bins <= bins_max)
			break;
		dissolve(leaves, begin);
	}
	return DP_OK;
}

/* ---- what is stored ---- */

/* Where leaves are many, neighbours without weight in one bin are one leaf. */
static bool
is_stored(const Leaves *leaves, uint32_t i)
{
	return leaves->noisy->n <= LEAVES_FEW || leaves->begins[i] || leaves->weight[i] > 0 ||
		   leaves->weight[i - 1] > 0;
}

/* The tail that a leaf is part of, or NULL. */
static const End *
tail_of(const Leaves *leaves, uint32_t i)
{
	for (int side = 0; side < 2; side++)
		if (i >= leaves->end[side].from && i < leaves->end[side].to && !leaves->alone[i] &&
			leaves->weight[i] > 0)
			return &leaves->end[side];
	return NULL;
}

static void
store_leaf(DpRange *range, int64_t first, double weight)
{
	range->leaf[range->leaves] = first;
	range->weight[range->leaves++] =
		(uint64_t) fmin(weight * WEIGHT_SCALE, (double) DP_RANGE_WEIGHT_MAX);
}

/* Stores the pieces of a leaf of a tail, from the lowest one. What the tail does not reach is a
 * piece without weight. */
static void
store_pieces(const Leaves *leaves, const End *end, uint32_t i, DpRange *range)
{
	double inner, outer, cut[TAIL_PIECES + 2];
	uint64_t values = leaf_values(leaves, i), before = 0;
	int cuts = 0;

	distances(leaves, end, i, &inner, &outer);
	cut[cuts++] = inner;
	for (int k = 1; k < TAIL_PIECES; k++)
		cut[cuts++] =
			dp_range_tail_cut(&end->tail, inner, outer, (double) k / (double) TAIL_PIECES);
	cut[cuts++] = fmin(outer, end->tail.reach);
	cut[cuts++] = outer;
	for (int k = 0; k + 1 < cuts; k++)
	{
		int next = end->upper ? k + 1 : cuts - 2 - k;
		double share = end->upper ? (cut[next] - inner) / (outer - inner)
								  : (outer - cut[next]) / (outer - inner);
		double place = end->upper ? ceil(share * (double) values) : floor(share * (double) values);
		uint64_t after = place >= (double) values ? values : (uint64_t) place;

		if (k + 2 == cuts)
			after = values;
		if (after <= before)
			continue;
		{
			double from = end->upper ? inner + (double) before : outer - (double) after;
			double to = end->upper ? inner + (double) after : outer - (double) before;

			store_leaf(range, (int64_t) ((uint64_t) leaves->noisy->first[i] + before),
					   dp_range_tail_rows(&end->tail, from, to));
		}
		before = after;
	}
}

static DpStatus
store(const Leaves *leaves, DpRange *range, DpArena *arena)
{
	uint32_t n = leaves->noisy->n, bins = count_bins(leaves), stored = 0;

	for (uint32_t i = 0; i < n; i++)
		stored += tail_of(leaves, i) != NULL ? TAIL_PIECES + 1 : is_stored(leaves, i);
	range->state = DP_RANGE_FOUND;
	range->bins = range->leaves = 0;
	range->bin = dp_alloc(arena, bins, sizeof(*range->bin));
	range->leaf = dp_alloc(arena, stored, sizeof(*range->leaf));
	range->weight = dp_alloc(arena, stored, sizeof(*range->weight));
	if (range->bin == NULL || range->leaf == NULL || range->weight == NULL)
		return DP_ERR_MEMORY;
	for (uint32_t i = 0; i < n; i++)
	{
		const End *end = tail_of(leaves, i);

		if (leaves->begins[i])
			range->bin[range->bins++] = leaves->noisy->first[i];
		if (end != NULL)
			store_pieces(leaves, end, i, range);
		else if (is_stored(leaves, i))
			store_leaf(range, leaves->noisy->first[i], leaves->weight[i]);
	}
	return DP_OK;
}

DpStatus
dp_range_find(const DpNoisyLeaves *noisy, DpRange *range, const DpTick *tick, DpArena *arena)
{
	Leaves leaves = {.noisy = noisy,
					 .grid = &range->grid,
					 .weight = dp_alloc(arena, noisy->n, sizeof(double)),
					 .spike = dp_alloc(arena, noisy->n, sizeof(bool)),
					 .begins = dp_alloc(arena, noisy->n, sizeof(bool)),
					 .alone = dp_alloc(arena, noisy->n, sizeof(bool))};

	if (leaves.weight == NULL || leaves.spike == NULL || leaves.begins == NULL ||
		leaves.alone == NULL)
		return DP_ERR_MEMORY;
	DP_TRY(find_weights(&leaves, arena));
	DP_TRY(find_bins(&leaves, range->bins_max, tick, arena));
	return store(&leaves, range, arena);
}
