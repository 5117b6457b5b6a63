/*
 * range_weights.c -- from the noisy counts of leaves to segments of a range, and how many rows are
 * in each.
 *
 * At both ends of the range a smooth tail is put through the leaves, and each leaf
 * of it is cut into segments in which the tail has equal weights. Where there is no tail, runs of
 * leaves that are not clear of the noise are empty; in a declared range, whose ends say where rows
 * are, only those that are clearly emptier than an even spread. All other leaves are segments as
 * they are, whose counts become nonnegative at the least change (weights.h).
 */
#include "core/estimate/range_bins.h"

#include <math.h>
#include <string.h>

#include "core/base/arena.h"
#include "core/estimate/weights.h"

#define LEAVES_FEW 4096 /* a tail is looked for among so many */

#define HITTER_STDDEVS 4.0 /* a leaf of one value that ends a tail has so many rows at least */
#define HITTER_RATIO 4.0   /* and is so much denser than its neighbours */
#define TAIL_STDDEVS 10.0  /* the leaves of a tail together are so clear of the noise */
#define TAIL_ALLOWANCE 0.5 /* what each takes off, in standard deviations: noise does not add up */
#define TAIL_LEAVES 3      /* a tail has so many leaves with rows at least */
#define TAIL_SHARE 0.5     /* and so much of all rows at most */
#define TAIL_PIECES 16     /* of a leaf */

/* A leaf far out has rows if it has so many times what noise alone reaches in very few leaves (five
 * standard deviations of Gaussian noise, nine of Laplace noise, whose tail is heavier), and so do
 * neighbours that have as many together: noise passes for rows in one column in 4,000. */
#define FAR_RARE 1.163
#define FAR_ALLOWANCE 1.0 /* standard deviations that each neighbour takes off; */
#define FAR_NOTABLE 2.0   /* the first of them has so many */
#define FAR_SCALE                                                                                  \
	0.1 /* where nothing is clear of the noise, each power of four takes off so many, */
#define FAR_BELOW 0.5    /* and a value below 0 so many */
#define LACK_STDDEVS 4.0 /* an end of a declared range lacks so many, or is not empty */
#define YEAR_SECONDS 31556952

/* A smooth tail through the noisy counts of the leaves at an end of a range. Post-processing. */

/* The leaves of one end, from the innermost to the end of the range. */
typedef struct EndLeaves
{
	uint32_t n;
	const double *count;
	const double *edge; /* [n + 1] distances from where leaf 0 begins, ascending from 0 */
	double stddev_rows; /* of the noise */
	double rare_rows;   /* what noise alone reaches in very few leaves */
	double distances;   /* of all rows of the column from leaf 0, summed up */
	const DpTick *tick;
} EndLeaves;

/* A generalized Pareto distribution: rows (1 + shape y / scale)^(-1 / shape) rows are further out
 * than y. Those between reach and the end of the range are at the reach. */
typedef struct RangeTail
{
	double rows, shape, scale, reach, end;
} RangeTail;

#define SHAPE_LEAST (-1.0) /* values end, and are uniform up to there */
#define SHAPE_MOST 0.5
#define SHAPE_STEP 0.1
#define HEAVY_STDDEV 0.4  /* of the penalty of a positive shape */
#define LIGHT_STDDEV 0.8  /* of a negative one */
#define SCALE_STEP 1.15   /* between scales that are tried */
#define SCALE_LEAST 0.125 /* in parts of the narrowest leaf */
#define SCALE_MOST 100.0  /* in parts of all leaves together: as good as uniform */
#define REACH_STDDEVS 0.6 /* so many rows are not put further out, but at the reach */
#define RARE_PARTS 1.4    /* a leaf that does little harm is clear at a smaller count */
#define HARM 0.25         /* how far noise in it moves the mean, in mean distances */
#define ROUNDS 4

/* ---- the distribution ---- */

/* The part of the rows that is further out than y. */
static double
further(double shape, double scale, double y)
{
	double base = 1 + shape * y / scale;

	if (fabs(shape) < SHAPE_STEP / 2)
		return exp(-y / scale);
	return base <= 0 ? 0 : pow(base, -1 / shape);
}

/* The rows between two distances. */
static double
range_tail_rows(const RangeTail *tail, double from, double to)
{
	if (from >= tail->reach)
		return 0;
	return tail->rows * (further(tail->shape, tail->scale, from) -
						 further(tail->shape, tail->scale, to >= tail->reach ? tail->end : to));
}

/* The distance before which a part of the rows between two distances is, 0 < part < 1. */
static double
range_tail_cut(const RangeTail *tail, double from, double to, double part)
{
	double low = from, high = fmin(to, tail->reach);
	double wanted = part * range_tail_rows(tail, from, to);

	for (int i = 0; i < 64; i++)
	{
		double middle = low + (high - low) / 2;

		if (range_tail_rows(tail, from, middle) < wanted)
			low = middle;
		else
			high = middle;
	}
	return low;
}

/* Where the distribution has so few rows left that they are none. */
static double
reach_of(const RangeTail *tail, double end, double stddev_rows)
{
	double part = fmin(fmax(REACH_STDDEVS * stddev_rows, 1) / tail->rows, 1);
	double reach = fabs(tail->shape) < SHAPE_STEP / 2
					   ? -tail->scale * log(part)
					   : tail->scale / tail->shape * (pow(part, -tail->shape) - 1);

	return fmin(reach, end);
}

/* ---- fit ---- */

/* The least sum of squares for a scale and a shape, in variances, and the rows it has. */
static double
misfit(const EndLeaves *leaves, const bool *alone, RangeTail *tail)
{
	double all = 0, with = 0, own = 0, before = 1;
	double penalty = tail->shape / (tail->shape < 0 ? LIGHT_STDDEV : HEAVY_STDDEV);

	for (uint32_t i = 0; i < leaves->n; i++)
	{
		double after = before > 0 ? further(tail->shape, tail->scale, leaves->edge[i + 1]) : before;
		double part = before - after;

		before = after;
		if (alone[i])
			continue;
		all += leaves->count[i] * leaves->count[i];
		with += leaves->count[i] * part;
		own += part * part;
	}
	tail->rows = own > 0 ? fmax(with / own, 0) : 0;
	return (all - tail->rows * with) / (leaves->stddev_rows * leaves->stddev_rows) +
		   penalty * penalty;
}

static RangeTail
best_tail(const EndLeaves *leaves, const bool *alone)
{
	double narrowest = INFINITY, least = INFINITY, end = leaves->edge[leaves->n];
	RangeTail best = {0}, tail;

	for (uint32_t i = 0; i < leaves->n; i++)
	{
		double width = leaves->edge[i + 1] - leaves->edge[i];

		if (width > 0) /* far out, a double does not tell neighbours apart */
			narrowest = fmin(narrowest, width);
	}
	for (tail.shape = SHAPE_LEAST; tail.shape < SHAPE_MOST + SHAPE_STEP / 2;
		 tail.shape += SHAPE_STEP)
		for (tail.scale = narrowest * SCALE_LEAST; tail.scale < end * SCALE_MOST;
			 tail.scale *= SCALE_STEP)
		{
			double own = misfit(leaves, alone, &tail);

			dp_tick(leaves->tick, -1);
			if (own < least && tail.rows > 0)
			{
				least = own;
				best = tail;
			}
		}
	best.end = end;
	if (best.rows > 0)
		best.reach = reach_of(&best, end, leaves->stddev_rows);
	return best;
}

/*
 * By how much a count must exceed the tail to stand out. Noise that passes for rows does the more
 * harm the further out it is.
 */
static double
clear_rows(const EndLeaves *leaves, uint32_t i)
{
	double distance = leaves->edge[i] + (leaves->edge[i + 1] - leaves->edge[i]) / 2;
	bool harmless = leaves->rare_rows * distance <= HARM * leaves->distances;

	return harmless ? leaves->rare_rows / RARE_PARTS : leaves->rare_rows;
}

/*
 * Fits a tail by least squares. Leaves whose counts stand out of it are no part of it: alone[i] is
 * set for them. False where the counts are not those of a tail.
 */
static bool
range_tail_fit(const EndLeaves *leaves, RangeTail *tail, bool *alone)
{
	bool found = true;

	for (uint32_t i = 0; i < leaves->n; i++)
		alone[i] = false;
	for (int round = 0; found && round < ROUNDS; round++)
	{
		found = false;
		*tail = best_tail(leaves, alone);
		if (tail->rows <= 0)
			return false;
		for (uint32_t i = 0; i < leaves->n; i++)
		{
			double more =
				leaves->count[i] - range_tail_rows(tail, leaves->edge[i], leaves->edge[i + 1]);

			if (!alone[i] && more < -leaves->rare_rows)
				return false;
			if (!alone[i] && more > clear_rows(leaves, i))
				found = alone[i] = true;
		}
	}
	return !found;
}

/* The tail at one end: leaves from..to-1, none where from = to. */
typedef struct End
{
	bool upper;
	uint32_t from;
	uint32_t to;
	RangeTail tail;
} End;

typedef struct Leaves
{
	const DpNoisyLeaves *noisy;
	const DpGrid *grid;
	double *weight; /* [n] rows, >= 0 */
	bool *alone;    /* [n] no part of a tail */
	/* a range of values, whose ends may be empty or have tails; not a list of categories */
	bool has_ends;
	bool is_declared; /* where nothing is clear of the noise, rows are anywhere in it */
	End end[2];       /* the lower one, and the upper one */
	const DpTick *tick;
} Leaves;

uint64_t
dp_range_values(const int64_t *first, uint32_t n, const DpGrid *grid, uint32_t i)
{
	int64_t next = i + 1 < n ? first[i + 1] : grid->last;
	uint64_t values = (uint64_t) next - (uint64_t) first[i];

	return i + 1 < n || values == UINT64_MAX ? values : values + 1;
}

static uint64_t
leaf_values(const Leaves *leaves, uint32_t i)
{
	return dp_range_values(leaves->noisy->first, leaves->noisy->n, leaves->grid, i);
}

/* ---- how far rows reach ---- */

/* The count of the i-th leaf from an end of the range, in standard deviations of its noise. */
static double
stddevs_from_end(const DpNoisyLeaves *noisy, bool upper, uint32_t i)
{
	return (double) noisy->count[upper ? noisy->n - 1 - i : i] / noisy->stddev_rows;
}

/*
 * How many leaves at an end of the range are empty; n: all are. A range may be a billion times as
 * wide as what its rows take of it, so noise far out that passes for rows would ruin every mean.
 * Rows begin where counts are clear of the noise, in one leaf or in neighbours together, and one
 * leaf further out, where a tail may end. (A range of few values does not need this.)
 */
static uint32_t
unclear_leaves(const DpNoisyLeaves *noisy, bool upper)
{
	/* without noise any row is clear */
	double clear = noisy->stddev_rows > 0 ? FAR_RARE * noisy->rare_rows / noisy->stddev_rows : 1,
		   sum = 0;
	uint32_t begin = 0;

	for (uint32_t i = 0; i < noisy->n; i++)
	{
		double own = stddevs_from_end(noisy, upper, i);

		if (sum <= 0 || stddevs_from_end(noisy, upper, begin) < FAR_NOTABLE)
			begin = i;
		sum = fmax(sum + own - FAR_ALLOWANCE, 0);
		if (sum >= clear || own >= clear)
			return begin > 0 ? begin - 1 : 0;
	}
	return noisy->n;
}

/*
 * How many leaves at an end of a declared range are empty: the most whose counts are clearly lower
 * than those of rows spread evenly over the range. With little budget no single leaf is clear of
 * the noise, and the sum of all leaves does not show where rows end.
 */
static uint32_t
lacking_leaves(const DpNoisyLeaves *noisy, const DpGrid *grid, bool upper, uint32_t most)
{
	double width = (double) ((uint64_t) grid->last - (uint64_t) grid->first) + 1;
	double total = 0, lack = 0;
	uint32_t lacking = 0;

	for (uint32_t i = 0; i < noisy->n; i++)
		total += (double) noisy->count[i];
	for (uint32_t k = 0; k < most; k++)
	{
		uint32_t i = upper ? noisy->n - 1 - k : k;

		lack += total * (double) dp_range_values(noisy->first, noisy->n, grid, i) / width -
				(double) noisy->count[i];
		if (lack >= LACK_STDDEVS * noisy->stddev_rows * sqrt(k + 1.0))
			lacking = k + 1;
	}
	return lacking;
}

static uint32_t
empty_leaves(const DpNoisyLeaves *noisy, const DpRange *range, bool upper)
{
	uint32_t unclear = unclear_leaves(noisy, upper);

	return range->is_declared ? lacking_leaves(noisy, &range->grid, upper, unclear) : unclear;
}

/* A value of an ordinary size, as a coordinate, >= 1: one, half a day, a day, ten years from
 * 2000. */
static double
ordinary_size(const DpGrid *grid)
{
	double raw = 1e6; /* microseconds */

	if (grid->kind == DP_GRID_NUMBER)
		raw = pow(10, grid->digits);
	else if (grid->kind == DP_GRID_DATE)
		raw = 10 * 365.2425;
	else if (grid->kind == DP_GRID_TIMESTAMP || grid->kind == DP_GRID_TIMESTAMPTZ)
		raw *= 10.0 * YEAR_SECONDS;
	else
		raw *= grid->kind == DP_GRID_INTERVAL ? 86400 : 43200;
	return fmax(raw / (double) grid->step, 1);
}

/* How much less likely rows are in a leaf before anything is known, in standard deviations. */
static double
unlikely(const DpNoisyLeaves *noisy, const DpGrid *grid, uint32_t i)
{
	double first = (double) noisy->first[i];
	double middle = first + (double) (dp_range_values(noisy->first, noisy->n, grid, i) - 1) / 2;

	if (middle == 0)
		return 0;
	return FAR_SCALE * fabs(log2(fabs(middle) / ordinary_size(grid))) / 2 +
		   (middle < 0 ? FAR_BELOW : 0);
}

/*
 * Neighbours low..high-1 that rows are likeliest in, where no count is clear of the noise: those
 * that exceed what noise adds up to by most. There are few rows then, or many columns for a small
 * budget, and to take all leaves for full would spread the rows over the whole range of the type.
 */
static void
likeliest_leaves(const DpNoisyLeaves *noisy, const DpGrid *grid, uint32_t *low, uint32_t *high)
{
	double sum = 0, most = -INFINITY;
	uint32_t begin = 0;

	for (uint32_t i = 0; i < noisy->n; i++)
	{
		if (sum <= 0)
		{
			begin = i;
			sum = 0;
		}
		sum += stddevs_from_end(noisy, false, i) - FAR_ALLOWANCE - unlikely(noisy, grid, i);
		if (sum > most)
		{
			most = sum;
			*low = begin;
			*high = i + 1;
		}
	}
}

/* ---- tails ---- */

/* A count that stands out from both neighbours, in a leaf of one value. */
static bool
stands_out(const Leaves *leaves, uint32_t i)
{
	const DpNoisyLeaves *noisy = leaves->noisy;
	double own = (double) noisy->count[i];

	if (leaf_values(leaves, i) > 1 || own < HITTER_STDDEVS * noisy->stddev_rows)
		return false;
	for (int side = -1; side <= 1; side += 2)
	{
		uint32_t other = i + (uint32_t) side;

		if (other < noisy->n &&
			own * (double) leaf_values(leaves, other) < HITTER_RATIO * (double) noisy->count[other])
			return false;
	}
	return true;
}

/*
 * How many leaves from one end make a tail, at most so many: together clear of the noise. A hitter
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
		sum = fmax(sum + count - TAIL_ALLOWANCE * noisy->stddev_rows, 0);
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

	DP_TRY_ALLOC(count && edge && alone);
	edge[0] = 0;
	for (uint32_t k = 0; k < n; k++)
	{
		count[k] = (double) noisy->count[leaf_of(end, k)];
		edge[k + 1] = edge[k] + (double) leaf_values(leaves, leaf_of(end, k));
	}
	if (n == 0 || !range_tail_fit(&(EndLeaves){n, count, edge, noisy->stddev_rows, noisy->rare_rows,
											   sum_distances(leaves, end), leaves->tick},
								  &end->tail, alone))
		end->from = end->to = end->upper ? noisy->n : 0;
	else
		for (uint32_t k = 0; k < n; k++)
		{
			uint32_t i = leaf_of(end, k);

			leaves->alone[i] = alone[k];
			leaves->weight[i] =
				alone[k] ? count[k] : range_tail_rows(&end->tail, edge[k], edge[k + 1]);
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
empty_from(const Leaves *leaves, bool upper)
{
	const DpNoisyLeaves *noisy = leaves->noisy;
	double sum = 0;
	uint32_t i = 0;

	for (; i < noisy->n; i++)
	{
		double count = (double) noisy->count[upper ? noisy->n - 1 - i : i];

		sum = fmax(sum + count - TAIL_ALLOWANCE * noisy->stddev_rows, 0);
		if (count >= noisy->rare_rows || sum >= noisy->rare_rows)
			break;
	}
	return leaves->is_declared ? lacking_leaves(noisy, leaves->grid, upper, i) : i;
}

/* Gives the leaves of both ends their weights: those of a tail, or none. The others are
 * low..high-1.
 */
static DpStatus
find_ends(Leaves *leaves, uint32_t *low, uint32_t *high, DpArena *arena)
{
	const DpNoisyLeaves *noisy = leaves->noisy;

	*low = 0;
	*high = noisy->n;
	if (!leaves->has_ends)
		return DP_OK;
	DP_TRY(find_tails(leaves, arena));
	*low = leaves->end[0].to > 0 ? leaves->end[0].to : empty_from(leaves, false);
	*high = leaves->end[1].from < noisy->n
				? leaves->end[1].from
				: noisy->n - (*low == noisy->n ? 0 : empty_from(leaves, true));
	return DP_OK;
}

static DpStatus
find_weights(Leaves *leaves, DpArena *arena)
{
	const DpNoisyLeaves *noisy = leaves->noisy;
	uint32_t low, high;
	double *work = dp_alloc(arena, noisy->n, sizeof(*work));
	double total = 0;

	DP_TRY_ALLOC(work);
	memset(leaves->weight, 0, noisy->n * sizeof(*leaves->weight));
	memset(leaves->alone, 0, noisy->n * sizeof(*leaves->alone));
	DP_TRY(find_ends(leaves, &low, &high, arena));
	if (low >= high && leaves->is_declared)
	{
		low = 0;
		high = noisy->n;
	}
	for (uint32_t i = low; i < high; i++)
		total += leaves->weight[i] = (double) noisy->count[i];
	if (high > low && total > 0)
		dp_simplex_project(leaves->weight + low, high - low, work, total);
	else if (high > low)
		memset(leaves->weight + low, 0, (high - low) * sizeof(*leaves->weight));
	dp_free(arena, work, noisy->n, sizeof(*work));
	return DP_OK;
}

/* Where no leaf has got a weight, the likeliest ones have, and are alike. */
static void
lock_rows(const Leaves *leaves)
{
	uint32_t low = 0, high = 0;

	for (uint32_t i = 0; i < leaves->noisy->n; i++)
		if (leaves->weight[i] > 0)
			return;
	likeliest_leaves(leaves->noisy, leaves->grid, &low, &high);
	for (uint32_t i = low; i < high; i++)
		leaves->weight[i] = 1;
}

/* ---- segments ---- */

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
add_piece(DpRangeSegments *segments, int64_t first, double weight, DpRangeEnd end)
{
	segments->first[segments->n] = first;
	segments->weight[segments->n] = weight;
	segments->end[segments->n++] = end;
}

/* Adds the segments of a leaf of a tail, from the lowest one. What the tail does not reach is a
 * piece without weight. */
static void
add_segments(const Leaves *leaves, const End *end, uint32_t i, DpRangeSegments *segments)
{
	double inner, outer, cut[TAIL_PIECES + 2];
	uint64_t values = leaf_values(leaves, i), before = 0;
	int cuts = 0;

	distances(leaves, end, i, &inner, &outer);
	cut[cuts++] = inner;
	for (int k = 1; k < TAIL_PIECES; k++)
		cut[cuts++] = range_tail_cut(&end->tail, inner, outer, (double) k / (double) TAIL_PIECES);
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

			add_piece(segments, (int64_t) ((uint64_t) leaves->noisy->first[i] + before),
					  range_tail_rows(&end->tail, from, to),
					  end->upper ? DP_RANGE_UPPER_TAIL : DP_RANGE_LOWER_TAIL);
		}
		before = after;
	}
}

/* Adds the segments of all leaves. */
static void
cut_leaves(const Leaves *leaves, DpRangeSegments *segments)
{
	for (uint32_t i = 0; i < leaves->noisy->n; i++)
	{
		const End *end = tail_of(leaves, i);

		if (end != NULL)
			add_segments(leaves, end, i, segments);
		else
			add_piece(segments, leaves->noisy->first[i], leaves->weight[i],
					  leaves->alone[i] ? DP_RANGE_ALONE : DP_RANGE_BODY);
	}
}

static DpStatus
alloc_segments(const DpNoisyLeaves *noisy, const DpGrid *grid, DpRangeSegments *segments,
			   DpArena *arena)
{
	size_t most = (size_t) noisy->n * (TAIL_PIECES + 1);

	*segments = (DpRangeSegments){.grid = grid,
								  .first = dp_alloc(arena, most, sizeof(*segments->first)),
								  .weight = dp_alloc(arena, most, sizeof(*segments->weight)),
								  .end = dp_alloc(arena, most, sizeof(*segments->end))};
	return segments->first == NULL || segments->weight == NULL || segments->end == NULL
			   ? DP_ERR_MEMORY
			   : DP_OK;
}

DpStatus
dp_range_segments(const DpNoisyLeaves *noisy, const DpRange *range, const DpTick *tick,
				  DpRangeSegments *segments, DpArena *arena)
{
	const DpGrid *grid = &range->grid;
	bool is_wide = (uint64_t) grid->last - (uint64_t) grid->first >= DP_GRID_CELLS_MAX;
	uint32_t low = is_wide ? empty_leaves(noisy, range, false) : 0;
	uint32_t high = noisy->n - (is_wide ? empty_leaves(noisy, range, true) : 0);
	DpNoisyLeaves held = *noisy;
	DpGrid part = *grid;
	Leaves leaves = {.noisy = &held,
					 .grid = &part,
					 .has_ends = range->listed == NULL,
					 .is_declared = range->is_declared,
					 .tick = tick};

	if (low >= high && range->is_declared)
	{
		low = 0;
		high = noisy->n;
	}
	else if (low >= high)
		likeliest_leaves(noisy, grid, &low, &high);
	/* the leaves that hold rows are looked at as if they were the whole range */
	held.n = high - low;
	held.first += low;
	held.count += low;
	part.first = noisy->first[low];
	part.last = high < noisy->n ? (int64_t) ((uint64_t) noisy->first[high] - 1) : grid->last;
	leaves.weight = dp_alloc(arena, held.n, sizeof(double));
	leaves.alone = dp_alloc(arena, held.n, sizeof(bool));
	DP_TRY_ALLOC(leaves.weight && leaves.alone);
	DP_TRY(alloc_segments(noisy, grid, segments, arena));
	if (low > 0)
		add_piece(segments, noisy->first[0], 0, DP_RANGE_BODY);
	DP_TRY(find_weights(&leaves, arena));
	if (is_wide && !range->is_declared)
		lock_rows(&leaves);
	cut_leaves(&leaves, segments);
	if (high < noisy->n)
		add_piece(segments, noisy->first[high], 0, DP_RANGE_BODY);
	return DP_OK;
}
