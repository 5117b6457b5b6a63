/*
 * range_sampler.c -- values inside the bins of a range.
 *
 * A leaf of the bin is drawn by the weights that were released. Inside a leaf the density leans to
 * the side where the neighbours are denser: a value that is uniform over a wide leaf would put rows
 * far out where next to none are. The least of k uniform draws has the density k (1 - x)^(k-1), so
 * it leans to the left by as much as k says, and needs no logarithm; a k between two integers is
 * one of them or the other. The mean of that distribution is 1/(k+1). k is chosen so that this is
 * the mean of an exponential density through the densities of both neighbours.
 */
#include "core/sample/range_sampler.h"

#include <math.h>

#define LEAN_UNIT 64     /* k is kept in parts of so many */
#define LEAN_MOST 8.0    /* k at most */
#define TRIES_IN_LEAF 16 /* for its own density, before a part of it is uniform */
#define HITTER_RATIO 4.0 /* a leaf of one value that is so much denser says nothing of its side */

struct DpRangeSampler
{
	const DpRange *range;
	uint32_t *first;  /* [bins + 1] first leaf of each bin */
	uint64_t *before; /* [leaves + 1] weight of the leaves before */
	int16_t *lean;    /* [leaves] k - 1 in parts of LEAN_UNIT, negative where it leans up */
};

/* As a real number: 2^64 values are rounded. */
static double
leaf_width(const DpRange *range, uint32_t i)
{
	return (double) ((uint64_t) dp_range_leaf_last(range, i) - (uint64_t) range->leaf[i]) + 1;
}

/* Half a row is added, so that an empty neighbour has a density. */
static double
leaf_density(const DpRange *range, uint32_t i)
{
	return ((double) range->weight[i] + 8) / leaf_width(range, i);
}

static bool
is_heavy_hitter(const DpRange *range, uint32_t i)
{
	double own = leaf_density(range, i);

	return leaf_width(range, i) <= 1 &&
		   (i == 0 || own >= HITTER_RATIO * leaf_density(range, i - 1)) &&
		   (i + 1 == range->leaves || own >= HITTER_RATIO * leaf_density(range, i + 1));
}

/*
 * The slope of the logarithm of the density across leaf i, from its left end to its right one: by
 * the densities at the centres of its neighbours, or of one neighbour and itself.
 */
static double
log_slope(const DpRange *range, uint32_t i)
{
	bool left = i > 0 && !is_heavy_hitter(range, i - 1);
	bool right = i + 1 < range->leaves && !is_heavy_hitter(range, i + 1);
	double own = leaf_width(range, i), distance = 0;
	double from = leaf_density(range, i), to = from;

	if (left)
	{
		from = leaf_density(range, i - 1);
		distance += (leaf_width(range, i - 1) + own) / 2;
	}
	if (right)
	{
		to = leaf_density(range, i + 1);
		distance += (leaf_width(range, i + 1) + own) / 2;
	}
	return left || right ? log(to / from) * own / distance : 0;
}

/* The k whose distribution has the mean that a density exp(-slope x) on [0, 1] has, slope >= 0. */
static double
lean_of(double slope)
{
	double mean = slope < 1e-3 ? 0.5 - slope / 12 : 1 / slope - 1 / expm1(slope);
	double lean = 1 / mean - 1;

	return lean < 1 ? 1 : lean > LEAN_MOST ? LEAN_MOST : lean;
}

static int16_t
find_lean(const DpRange *range, uint32_t i)
{
	double slope = log_slope(range, i);
	int lean = (int) lround((lean_of(fabs(slope)) - 1) * LEAN_UNIT);

	return (int16_t) (slope > 0 ? -lean : lean);
}

DpRangeSampler *
dp_range_sampler_create(const DpRange *range, DpArena *arena)
{
	DpRangeSampler *sampler = dp_alloc(arena, 1, sizeof(*sampler));
	uint32_t bin = 0;

	if (sampler == NULL)
		return NULL;
	sampler->range = range;
	sampler->first = dp_alloc(arena, (size_t) range->bins + 1, sizeof(*sampler->first));
	sampler->before = dp_alloc(arena, (size_t) range->leaves + 1, sizeof(*sampler->before));
	sampler->lean = dp_alloc(arena, range->leaves, sizeof(*sampler->lean));
	if (sampler->first == NULL || sampler->before == NULL || sampler->lean == NULL)
		return NULL;
	for (uint32_t i = 0; i < range->leaves; i++)
	{
		if (bin < range->bins && range->leaf[i] == range->bin[bin])
			sampler->first[bin++] = i;
		sampler->before[i + 1] = sampler->before[i] + range->weight[i];
		sampler->lean[i] = find_lean(range, i);
	}
	sampler->first[range->bins] = range->leaves;
	return sampler;
}

/* The leaf of a bin with that much weight before it. */
static uint32_t
find_leaf(const DpRangeSampler *sampler, uint32_t bin, uint64_t weight)
{
	uint32_t low = sampler->first[bin], high = sampler->first[bin + 1] - 1;

	while (low < high)
	{
		uint32_t middle = low + (high - low) / 2;

		if (sampler->before[middle + 1] > weight)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

/* Uniform in 0..last, for any last. */
static uint64_t
draw_up_to(uint64_t last, DpPrng *prng)
{
	return last == UINT64_MAX ? dp_prng_u64(prng) : dp_prng_below(prng, last + 1);
}

/* The least of as many uniform draws in 0..last as the lean says. */
static uint64_t
draw_leaning(int lean, uint64_t last, DpPrng *prng)
{
	uint64_t least = draw_up_to(last, prng);
	int more = lean / LEAN_UNIT;

	if (lean % LEAN_UNIT > 0)
		more += dp_prng_below(prng, LEAN_UNIT) < (uint64_t) (lean % LEAN_UNIT);
	for (; more > 0; more--)
	{
		uint64_t other = draw_up_to(last, prng);

		least = other < least ? other : least;
	}
	return least;
}

/* A coordinate of a leaf. */
static int64_t
draw_in_leaf(const DpRangeSampler *sampler, uint32_t leaf, DpPrng *prng)
{
	uint64_t low = (uint64_t) sampler->range->leaf[leaf];
	uint64_t last = (uint64_t) dp_range_leaf_last(sampler->range, leaf) - low;
	int lean = sampler->lean[leaf];

	if (last == 0)
		return (int64_t) low;
	if (lean < 0)
		return (int64_t) (low + last - draw_leaning(-lean, last, prng));
	return (int64_t) (low + draw_leaning(lean, last, prng));
}

int64_t
dp_range_draw(const DpRangeSampler *sampler, uint32_t bin, DpPrng *prng)
{
	const DpRange *range = sampler->range;
	uint32_t first = sampler->first[bin], end = sampler->first[bin + 1];
	uint64_t weight = sampler->before[end] - sampler->before[first];
	uint64_t low = (uint64_t) range->bin[bin];
	uint64_t last = (uint64_t) dp_range_bin_last(range, bin) - low;

	if (weight > 0)
		return draw_in_leaf(
			sampler, find_leaf(sampler, bin, sampler->before[first] + dp_prng_below(prng, weight)),
			prng);
	return last == 0 ? (int64_t) low : (int64_t) (low + draw_up_to(last, prng));
}

/* ---- inside of a part of a bin ---- */

/* The weight of the part of a leaf that lies in first..last. */
static double
weight_between(const DpRange *range, uint32_t leaf, int64_t first, int64_t last)
{
	int64_t end = dp_range_leaf_last(range, leaf);

	if (end < first || range->leaf[leaf] > last)
		return 0;
	first = first > range->leaf[leaf] ? first : range->leaf[leaf];
	last = last < end ? last : end;
	return (double) range->weight[leaf] * ((double) ((uint64_t) last - (uint64_t) first) + 1) /
		   leaf_width(range, leaf);
}

/* The leaf of a bin that holds a coordinate of it. */
static uint32_t
leaf_of(const DpRangeSampler *sampler, uint32_t bin, int64_t coordinate)
{
	uint32_t low = sampler->first[bin], high = sampler->first[bin + 1] - 1;

	while (low < high)
	{
		uint32_t middle = low + (high - low) / 2;

		if (dp_range_leaf_last(sampler->range, middle) >= coordinate)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

/* A leaf of the bin by the weights of these parts; UINT32_MAX: they have none. */
static uint32_t
leaf_between(const DpRangeSampler *sampler, uint32_t bin, int64_t first, int64_t last, DpPrng *prng)
{
	uint32_t begin = leaf_of(sampler, bin, first), end = leaf_of(sampler, bin, last);
	double left = weight_between(sampler->range, begin, first, last);
	double right = end > begin ? weight_between(sampler->range, end, first, last) : 0;
	uint64_t before = sampler->before[begin + 1];
	uint64_t middle = end > begin ? sampler->before[end] - before : 0;
	double sum = left + (double) middle + right, at = sum * dp_prng_unit(prng);

	if (sum <= 0)
		return UINT32_MAX;
	if (middle > 0 && at >= left && at < left + (double) middle)
		return find_leaf(sampler, bin, before + dp_prng_below(prng, middle));
	return right > 0 && (at >= left || left <= 0) ? end : left > 0 ? begin : end;
}

/* The first and the last coordinate of the leaves of a bin that have weight; false: none has. */
static bool
held_part(const DpRange *range, uint32_t from, uint32_t to, int64_t *low, int64_t *high)
{
	bool found = false;

	for (uint32_t i = from; i < to; i++)
		if (range->weight[i] > 0)
		{
			*low = found ? *low : range->leaf[i];
			*high = dp_range_leaf_last(range, i);
			found = true;
		}
	return found;
}

/*
 * A coordinate in first..last, where the bin has no weight. A bin at the end of a range may reach a
 * billion times as far as its rows, so a uniform draw would put a date into the year 200,000. So
 * the coordinate lies next to those that have weight, no further out than these are wide. Now and
 * then it lies further out, for rules that hold only there: 4 times as far with a chance of a
 * sixteenth.
 */
static int64_t
draw_beside(const DpRangeSampler *sampler, uint32_t bin, int64_t first, int64_t last, DpPrng *prng)
{
	uint64_t most = (uint64_t) last - (uint64_t) first, width;
	int64_t low, high = 0;

	if (!held_part(sampler->range, sampler->first[bin], sampler->first[bin + 1], &low, &high) ||
		(first <= high && last >= low))
		return (int64_t) ((uint64_t) first + draw_up_to(most, prng));
	width = (uint64_t) high - (uint64_t) low;
	while (width < most && dp_prng_below(prng, 16) == 0)
		width = width > most / 4 ? most : width * 4 + 1;
	width = width < most ? width : most;
	if (first > high)
		return (int64_t) ((uint64_t) first + draw_up_to(width, prng));
	return (int64_t) ((uint64_t) last - draw_up_to(width, prng));
}

bool
dp_range_draw_between(const DpRangeSampler *sampler, uint32_t bin, int64_t first, int64_t last,
					  DpPrng *prng, int64_t *coordinate)
{
	const DpRange *range = sampler->range;
	int64_t end = dp_range_bin_last(range, bin);
	uint32_t leaf;

	first = first > range->bin[bin] ? first : range->bin[bin];
	last = last < end ? last : end;
	if (first > last)
		return false;
	leaf = leaf_between(sampler, bin, first, last, prng);
	if (leaf == UINT32_MAX)
	{
		*coordinate = draw_beside(sampler, bin, first, last, prng);
		return true;
	}
	for (int try = 0; try < TRIES_IN_LEAF; try++)
	{
		*coordinate = draw_in_leaf(sampler, leaf, prng);
		if (*coordinate >= first && *coordinate <= last)
			return true;
	}
	end = dp_range_leaf_last(range, leaf);
	first = first > range->leaf[leaf] ? first : range->leaf[leaf];
	last = last < end ? last : end;
	*coordinate =
		(int64_t) ((uint64_t) first + draw_up_to((uint64_t) last - (uint64_t) first, prng));
	return true;
}
