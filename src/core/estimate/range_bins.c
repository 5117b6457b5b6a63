/*
 * range_bins.c -- two scales: few coarse bins for tables of several columns, and many fine leaves
 * for the values of one.
 *
 * 1. Counts become weights of segments (range_weights.c), which are what is stored for drawing.
 * 2. A piece of one value that stands out from its neighbours is a hitter: it stays a bin of its
 * own, unless there is nothing else.
 * 3. Between hitters, neighbouring segments are put together until a bin has about an equal part of
 *    the weight, and enough to be clear of the noise. How many bins are good grows with the root of
 *    the rows: in a table of several columns the noise of k bins grows with k, and what they hide
 *    falls with it. The lightest bins are put together until there are not many more than that.
 * 4. Towards the end of a tail bins become lighter, each half of what is left, so that the method
 * measures how long the tail is. It does so at less noise than the leaves have. A leaf that stands
 *    out of a tail is a bin of its own.
 *
 * 5. Inside a bin rows are drawn by the weights of its leaves, but evenly where these are few, or
 *    keys of a hierarchy, and within the noise of an even spread.
 *
 * Categories with a hierarchy have no ends and no tails, and 3. goes by levels: neighbours that are
 * both lighter than the wanted weight are put together, those within a node of the finest level
 * first, and so on upwards. So what is rare stays with what is nearest to it.
 */
#include "core/estimate/range_bins.h"

#include <math.h>

#include "core/base/sort.h"
#include "core/domain/range.h"

#define BIN_STDDEVS 4.0      /* a bin has at least so many standard deviations of noise */
#define CLEAR_LEAST 1e-9     /* and without noise this weight */
#define BINS_PART 0.4        /* bins, in parts of the root of all rows in standard deviations */
#define BINS_LEAST 4.0       /* but so many */
#define BINS_FEW 14          /* so many are never too many */
#define TAILS_PART 6         /* one more for so many may come from hitters and tails */
#define HITTER_RATIO 4.0     /* how much denser than its neighbours a hitter is */
#define HEAVY_HITTER_SHARE 3 /* at most one bin in so many is a hitter */
#define PIECES_FEW 4096      /* so many are stored as they are */
#define WEIGHT_SCALE 16.0    /* of stored weights, in parts of a row */

#define TAIL_STDDEVS 2.0 /* a bin of a tail has at least so many */
#define TAIL_PART 8.0    /* and at least one in so many parts of another bin, if those were many */

/* Marks are few, and leaves are many: of Laplace noise one mark in 4,000 passes for rows, of Gaussian
 * noise the standard deviations decide. */
#define MARK_RARE 0.71

#define EVEN_LEAVES 8  /* a bin of so many leaves may be as good as even */
#define EVEN_VALUES 64 /* and of so many values, where nobody says that all of them occur */
#define EVEN_MOST 2.5  /* none of them is further off, in standard deviations */

typedef struct Bins
{
	DpRangeSegments segments;
	double stddev_rows;      /* of the noise of a leaf */
	bool *hitter;            /* [segments.n] */
	bool *begins;            /* [segments.n] a bin */
	const uint8_t *boundary; /* of the range: its hierarchy, or NULL */
	double wanted;           /* what a bin should have */
	double clear;            /* what it has to have */
	double least;            /* what it has to have in a tail */
	bool has_others;         /* leaves seem to have rows besides those of hitters */
} Bins;

static uint64_t
values_of(const Bins *bins, uint32_t i)
{
	const DpRangeSegments *segments = &bins->segments;

	return dp_range_values(segments->first, segments->n, segments->grid, i);
}

static double
density(const Bins *bins, uint32_t i)
{
	return bins->segments.weight[i] / (double) values_of(bins, i);
}

/* ---- hitters ---- */

static bool
is_heavy_hitter(const Bins *bins, uint32_t i)
{
	double own = bins->segments.weight[i];
	uint32_t n = bins->segments.n;

	return dp_range_values(bins->segments.first, n, bins->segments.grid, i) == 1 &&
		   own >= bins->clear && (i == 0 || own >= HITTER_RATIO * density(bins, i - 1)) &&
		   (i + 1 == n || own >= HITTER_RATIO * density(bins, i + 1));
}

static bool
is_heavier(const void *context, uint64_t a, uint64_t b)
{
	const double *weight = context;

	return weight[a] == weight[b] ? a > b : weight[a] > weight[b];
}

/* Marks hitters, and keeps the heaviest ones where there are too many. */
static DpStatus
find_heavy_hitters(Bins *bins, uint32_t most, uint32_t *found, DpArena *arena)
{
	uint32_t n = bins->segments.n, hitters = 0;
	uint64_t *hitter = dp_alloc(arena, n, sizeof(*hitter));

	DP_TRY_ALLOC(hitter);
	for (uint32_t i = 0; i < n; i++)
	{
		bins->hitter[i] = is_heavy_hitter(bins, i);
		if (bins->hitter[i])
			hitter[hitters++] = i;
	}
	if (hitters > most)
	{
		DP_TRY(dp_sort_indexes(hitter, hitters, is_heavier, bins->segments.weight, arena));
		for (uint32_t k = most; k < hitters; k++)
			bins->hitter[hitter[k]] = false;
	}
	*found = hitters < most ? hitters : most;
	dp_free(arena, hitter, n, sizeof(*hitter));
	return DP_OK;
}

/* ---- bins ---- */

/* The weight from a piece up to the next hitter, or to the end. */
static double
run_weight(const Bins *bins, uint32_t i)
{
	double sum = 0;

	for (; i < bins->segments.n && !bins->hitter[i]; i++)
		sum += bins->segments.weight[i];
	return sum;
}

/*
 * Whether a bin ends before piece i. Of one run of pieces: below is the weight of the bins before,
 * own that of this bin so far, and left that of the pieces from i on.
 */
static bool
is_full(const Bins *bins, uint32_t i, double below, double own, double left)
{
	const DpRangeEnd *end = bins->segments.end;
	double wanted = bins->wanted;

	if (end[i] == DP_RANGE_ALONE || end[i - 1] == DP_RANGE_ALONE)
		return true;
	if (end[i] == DP_RANGE_BODY)
		return own >= wanted && left >= wanted / 2;
	wanted = fmin(wanted, end[i] == DP_RANGE_UPPER_TAIL ? (own + left) / 2 : below);
	return own >= fmax(wanted, bins->least) && left >= bins->least;
}

/* Marks where bins begin, so that each but the last of a run has the wanted weight. */
static void
begin_bins(Bins *bins)
{
	const DpRangeSegments *segments = &bins->segments;
	double below = 0, own = 0, left = run_weight(bins, 0);

	for (uint32_t i = 0; i < segments->n; i++)
	{
		bool begins_run = i == 0 || bins->hitter[i - 1] || bins->hitter[i];

		if (i > 0 && bins->hitter[i - 1])
			left = run_weight(bins, i);
		bins->begins[i] = begins_run || is_full(bins, i, below, own, left);
		if (bins->begins[i])
		{
			below = begins_run ? 0 : below + own;
			own = 0;
		}
		own += segments->weight[i];
		left -= bins->hitter[i] ? 0 : segments->weight[i];
	}
}

/* Where the bin of a piece begins, and where the next bin does. */
static uint32_t
bin_begin(const Bins *bins, uint32_t i)
{
	while (!bins->begins[i])
		i--;
	return i;
}

static uint32_t
bin_end(const Bins *bins, uint32_t i)
{
	do
		i++;
	while (i < bins->segments.n && !bins->begins[i]);
	return i;
}

static double
weight_of(const Bins *bins, uint32_t from, uint32_t to)
{
	double sum = 0;

	for (uint32_t i = from; i < to; i++)
		sum += bins->segments.weight[i];
	return sum;
}

static uint32_t
count_bins(const Bins *bins)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < bins->segments.n; i++)
		n += bins->begins[i];
	return n;
}

/* The weight of a bin, in parts of the least that it has to have. */
static double
weight_in_least(const Bins *bins, uint32_t from, uint32_t to)
{
	const DpRangeEnd *end = bins->segments.end;
	bool in_tail = end[from] == DP_RANGE_UPPER_TAIL || end[from] == DP_RANGE_ALONE ||
				   end[to - 1] == DP_RANGE_LOWER_TAIL || end[to - 1] == DP_RANGE_ALONE;

	return weight_of(bins, from, to) / (in_tail ? bins->least : bins->clear);
}

/* Whether the bin that begins at a piece may be put together with the one before it. A hitter stays by
 * itself where there are others: their rows would all be drawn as its value. */
static bool
may_join(const Bins *bins, uint32_t begin)
{
	return begin > 0 && begin < bins->segments.n &&
		   (!bins->has_others || (!bins->hitter[begin - 1] && !bins->hitter[begin]));
}

/* The bin with the smallest weight relative to the least that it must have; *part is that ratio,
 * infinite where all bins stay. */
static uint32_t
lightest(const Bins *bins, double *part)
{
	uint32_t best = 0, end;

	*part = INFINITY;
	for (uint32_t i = 0; i < bins->segments.n; i = end)
	{
		double own;

		end = bin_end(bins, i);
		own = weight_in_least(bins, i, end);
		if (own < *part && (may_join(bins, i) || may_join(bins, end)))
		{
			*part = own;
			best = i;
		}
	}
	return best;
}

/* How far apart the hierarchy has a piece and the one before it. */
static int
boundary_at(const Bins *bins, uint32_t i)
{
	return bins->boundary == NULL ? 0 : bins->boundary[bins->segments.first[i]];
}

/* Gives a bin to the nearer one of its neighbours, of two that are as near to the lighter one. */
static void
dissolve(Bins *bins, uint32_t begin)
{
	uint32_t end = bin_end(bins, begin);
	double below = INFINITY, above = INFINITY;

	if (may_join(bins, begin))
		below = weight_of(bins, bin_begin(bins, begin - 1), begin);
	if (may_join(bins, end))
		above = weight_of(bins, end, bin_end(bins, end));
	if (may_join(bins, begin) && may_join(bins, end) &&
		boundary_at(bins, begin) != boundary_at(bins, end))
		below = boundary_at(bins, begin) < boundary_at(bins, end) ? -INFINITY : INFINITY;
	bins->begins[below <= above ? begin : end] = false;
}

/* Puts neighbours together that are both light and not further apart than this. */
static void
join_light(Bins *bins, int apart)
{
	uint32_t n = bins->segments.n, end = bin_end(bins, 0);
	double own = weight_of(bins, 0, end);

	for (uint32_t next = end; next < n; next = end)
	{
		double other;

		end = bin_end(bins, next);
		other = weight_of(bins, next, end);
		if (boundary_at(bins, next) <= apart && own < bins->wanted && other < bins->wanted &&
			!bins->hitter[next - 1] && !bins->hitter[next])
		{
			bins->begins[next] = false;
			own += other;
		}
		else
			own = other;
	}
}

/* Marks where bins begin: level by level of the hierarchy, from single segments on. */
static void
begin_nodes(Bins *bins)
{
	for (uint32_t i = 0; i < bins->segments.n; i++)
		bins->begins[i] = true;
	for (int apart = 0; apart <= DP_HIERARCHY_LEVELS_MAX; apart++)
		join_light(bins, apart);
}

/* The number of bins that suits the rows and their noise, up to a limit. */
static uint32_t
good_number(const Bins *bins, uint32_t bins_max)
{
	double rows = weight_of(bins, 0, bins->segments.n);
	double worth = fmax(BINS_PART * sqrt(rows / bins->stddev_rows), BINS_LEAST);

	return worth < bins_max ? (uint32_t) (worth + 0.5) : bins_max;
}

/* The most bins with hitters and those of tails, which a hierarchy has not. */
static uint32_t
bins_most(const Bins *bins, uint32_t bins_max, uint32_t bins_good)
{
	uint32_t most = bins_good + bins_good / TAILS_PART;

	if (bins->boundary != NULL)
		return bins_max;
	most = most > BINS_FEW ? most : BINS_FEW;
	return most < bins_max ? most : bins_max;
}

/* Whether the leaves together have more rows than noise makes of none, without the leaves that are
 * hitters. */
static bool
has_others(const Bins *bins, const DpNoisyLeaves *noisy)
{
	double rows = 0;

	for (uint32_t i = 0; i < noisy->n; i++)
		rows += (double) noisy->count[i];
	for (uint32_t i = 0; i < bins->segments.n; i++)
	{
		bool is_mark = false;

		for (uint32_t k = 0; k < noisy->marks; k++)
			is_mark |= noisy->mark[k] == bins->segments.first[i];
		if (bins->hitter[i] && !is_mark)
			rows -= bins->segments.weight[i];
	}
	return rows > bins->stddev_rows * sqrt(noisy->n);
}

static DpStatus
find_bins(Bins *bins, const DpNoisyLeaves *noisy, uint32_t bins_max, uint32_t bins_good,
		  const DpTick *tick, DpArena *arena)
{
	double rest = 0, part;
	uint32_t most = bins_most(bins, bins_max, bins_good), hitters;

	DP_TRY(find_heavy_hitters(bins, bins_good / HEAVY_HITTER_SHARE, &hitters, arena));
	bins->has_others = bins->boundary == NULL && has_others(bins, noisy);
	for (uint32_t i = 0; i < bins->segments.n; i++)
		rest += bins->hitter[i] ? 0 : bins->segments.weight[i];
	bins->wanted = fmax(bins->clear, rest / (bins_good - hitters));
	bins->least =
		fmax(bins->clear * TAIL_STDDEVS / BIN_STDDEVS, rest / (bins_max - hitters) / TAIL_PART);
	if (bins->boundary != NULL)
		begin_nodes(bins);
	else
		begin_bins(bins);
	for (uint32_t n = count_bins(bins); n > 1; n--)
	{
		uint32_t begin = lightest(bins, &part);

		dp_tick(tick, -1.0);
		if (isinf(part) || (part >= 1 && n <= most))
			break;
		dissolve(bins, begin);
	}
	return DP_OK;
}

/* ---- inside a bin ---- */

/* Whether the weights of from..to-1 are those of an even spread, as far as the noise lets see. */
static bool
is_even(const Bins *bins, uint32_t from, uint32_t to, double each)
{
	double n = to - from, sum = 0, most = 0;

	for (uint32_t i = from; i < to; i++)
	{
		double off = fabs(bins->segments.weight[i] - each * (double) values_of(bins, i));

		sum += off * off;
		most = fmax(most, off);
	}
	return most <= EVEN_MOST * bins->stddev_rows &&
		   sum <= (n - 1 + 2 * sqrt(2 * (n - 1))) * bins->stddev_rows * bins->stddev_rows;
}

/*
 * Spreads what the keys of a bin have evenly over those that do not stand out, if it is within the
 * noise of that. Otherwise the rows of a thousand keys came from the five that the noise favours.
 */
static void
even_bin_of_keys(Bins *bins, uint32_t from, uint32_t to)
{
	double most = weight_of(bins, from, to) / (to - from) + EVEN_MOST * bins->stddev_rows;
	double rest = 0, squares = 0, n = 0, each;

	for (uint32_t i = from; i < to; i++)
		if (bins->segments.weight[i] <= most)
		{
			rest += bins->segments.weight[i];
			squares += bins->segments.weight[i] * bins->segments.weight[i];
			n++;
		}
	each = rest / n;
	if (squares - n * each * each > n * bins->stddev_rows * bins->stddev_rows)
		return;
	for (uint32_t i = from; i < to; i++)
		if (bins->segments.weight[i] <= most)
			bins->segments.weight[i] = each;
}

static void
even_keys(Bins *bins)
{
	uint32_t to;

	for (uint32_t from = 0; from < bins->segments.n; from = to)
	{
		to = bin_end(bins, from);
		even_bin_of_keys(bins, from, to);
	}
}

/*
 * Spreads the weight of a bin evenly over its values, if it has few leaves and these are within the
 * noise of an even spread. Otherwise all rows of a bin of three years came from the year that the
 * noise favours.
 */
static void
even_bins(Bins *bins, bool is_declared)
{
	uint32_t to;

	for (uint32_t from = 0; from < bins->segments.n; from = to)
	{
		double values = 0, each;
		bool is_body = true;

		to = bin_end(bins, from);
		for (uint32_t i = from; i < to; i++)
		{
			values += (double) values_of(bins, i);
			is_body &= bins->segments.end[i] == DP_RANGE_BODY;
		}
		each = weight_of(bins, from, to) / values;
		if (!is_body || to - from > EVEN_LEAVES || (!is_declared && values > EVEN_VALUES) ||
			!is_even(bins, from, to, each))
			continue;
		for (uint32_t i = from; i < to; i++)
			bins->segments.weight[i] = each * (double) values_of(bins, i);
	}
}

/* ---- what is stored ---- */

/* If there are many segments, neighbours without weight in one bin are one leaf. */
static bool
is_stored(const Bins *bins, uint32_t i)
{
	return bins->segments.n <= PIECES_FEW || bins->begins[i] || bins->segments.weight[i] > 0 ||
		   bins->segments.weight[i - 1] > 0;
}

static void
store_leaf(DpRange *range, int64_t first, double weight)
{
	range->leaf[range->leaves] = first;
	range->weight[range->leaves++] =
		(uint64_t) fmin(weight * WEIGHT_SCALE, (double) DP_RANGE_WEIGHT_MAX);
}

static DpStatus
store(const Bins *bins, DpRange *range, DpArena *arena)
{
	const DpRangeSegments *segments = &bins->segments;
	uint32_t n = count_bins(bins), stored = 0;

	for (uint32_t i = 0; i < segments->n; i++)
		stored += is_stored(bins, i);
	range->state = DP_RANGE_FOUND;
	range->bins = range->leaves = 0;
	range->bin = dp_alloc(arena, n, sizeof(*range->bin));
	range->leaf = dp_alloc(arena, stored, sizeof(*range->leaf));
	range->weight = dp_alloc(arena, stored, sizeof(*range->weight));
	DP_TRY_ALLOC(range->bin && range->leaf && range->weight);
	for (uint32_t i = 0; i < segments->n; i++)
	{
		if (bins->begins[i])
			range->bin[range->bins++] = segments->first[i];
		if (is_stored(bins, i))
			store_leaf(range, segments->first[i], segments->weight[i]);
	}
	return DP_OK;
}

/* ---- marks ---- */

/* Cuts a mark out of the last segment, which ends at the coordinate `last`. The rest of the segment
 * keeps its weight. */
static void
cut_mark(DpRangeSegments *made, int64_t last, int64_t mark, double weight)
{
	uint32_t i = made->n - 1;
	uint64_t below = (uint64_t) mark - (uint64_t) made->first[i];
	uint64_t above = (uint64_t) last - (uint64_t) mark;
	double rest = made->weight[i], share = (double) below + (double) above;
	DpRangeEnd end = made->end[i];

	made->n--;
	if (below > 0)
		made->weight[made->n++] = rest * (double) below / share;
	made->first[made->n] = mark;
	made->weight[made->n] = weight;
	made->end[made->n++] = DP_RANGE_BODY;
	if (above == 0)
		return;
	made->first[made->n] = mark + 1;
	made->weight[made->n] = rest * (double) above / share;
	made->end[made->n++] = end;
}

/* Makes a piece of each mark whose count noise alone would not reach. */
static DpStatus
cut_marks(const DpNoisyLeaves *noisy, double clear, DpRangeSegments *segments, DpArena *arena)
{
	size_t n = segments->n + 2 * (size_t) noisy->marks;
	DpRangeSegments made = {.grid = segments->grid,
							.first = dp_alloc(arena, n, sizeof(*made.first)),
							.weight = dp_alloc(arena, n, sizeof(*made.weight)),
							.end = dp_alloc(arena, n, sizeof(*made.end))};
	uint32_t next = 0;

	DP_TRY_ALLOC(made.first && made.weight && made.end);
	for (uint32_t i = 0; i < segments->n; i++)
	{
		bool is_last = i + 1 == segments->n;
		int64_t last = is_last ? segments->grid->last : segments->first[i + 1] - 1;

		made.first[made.n] = segments->first[i];
		made.weight[made.n] = segments->weight[i];
		made.end[made.n++] = segments->end[i];
		for (; next < noisy->marks && noisy->mark[next] <= last; next++)
			if ((double) noisy->mark_count[next] >= fmax(clear, noisy->rare_rows * MARK_RARE))
				cut_mark(&made, last, noisy->mark[next], (double) noisy->mark_count[next]);
	}
	*segments = made;
	return DP_OK;
}

DpStatus
dp_range_find(const DpNoisyLeaves *noisy, DpRange *range, const DpTick *tick, DpArena *arena)
{
	Bins bins = {.boundary = range->boundary,
				 .stddev_rows = noisy->stddev_rows,
				 .clear = fmax(BIN_STDDEVS * noisy->stddev_rows, CLEAR_LEAST)};
	uint32_t bins_good;

	DP_TRY(dp_range_segments(noisy, range, tick, &bins.segments, arena));
	if (noisy->marks > 0)
		DP_TRY(cut_marks(noisy, bins.clear, &bins.segments, arena));
	bins.hitter = dp_alloc(arena, bins.segments.n, sizeof(bool));
	bins.begins = dp_alloc(arena, bins.segments.n, sizeof(bool));
	DP_TRY_ALLOC(bins.hitter && bins.begins);
	/* neighbours in a list have nothing in common, so wide groups of it would hide too much */
	bins_good = range->listed == NULL ? good_number(&bins, range->bins_max) : range->bins_max;
	DP_TRY(find_bins(&bins, noisy, range->bins_max, bins_good, tick, arena));
	if (range->boundary != NULL)
		even_keys(&bins);
	else if (range->listed == NULL)
		even_bins(&bins, range->is_declared);
	return store(&bins, range, arena);
}
