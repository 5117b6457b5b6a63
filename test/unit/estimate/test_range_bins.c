/*
 * test_range_bins.c -- which bins follow from noisy counts of leaves: hitters, empty ends, few
 * bins, and tails that are as long as those of the column.
 *
 * Covers range_weights.c.
 */
#include "core/base/prng.h"
#include "core/estimate/range_bins.h"

#include "unit.h"
#include "unit_arena.h"

#include <math.h>

#define LEAVES_MAX 2000
#define TAIL_ROWS 20000.0
#define TAIL_SCALE 1000.0
#define TAIL_LEAVES 40
#define TAIL_RUNS 100
#define WIDE_LEAVES 64
#define WIDE_RUNS 200
#define FEW_ROWS 250

static DpRange
find(DpArena *arena, DpGrid grid, uint32_t bins_max, const DpNoisyLeaves *leaves)
{
	DpRange range = {.grid = grid, .bins_max = bins_max};

	MUST(dp_range_find(leaves, &range, NULL, arena));
	CHECK_OK(dp_range_check(&range, NULL), "what is found is valid");
	CHECK(range.bins <= bins_max, "%u bins of at most %u", range.bins, bins_max);
	return range;
}

static uint64_t
weight_in(const DpRange *range, int64_t from, int64_t to)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < range->leaves; i++)
		if (range->leaf[i] >= from && dp_range_leaf_last(range, i) <= to)
			sum += range->weight[i];
	return sum;
}

static bool
is_bin(const DpRange *range, int64_t from, int64_t to)
{
	uint32_t bin = dp_range_bin(range, from);

	return range->bin[bin] == from && dp_range_bin_last(range, bin) == to;
}

static void
test_heavy_hitters(DpArena *arena)
{
	const int64_t first[] = {0, 1, 100, 999, 1000, 2000, 50000};
	const int64_t count[] = {20000, 3000, 2500, 900, 2600, 60, -80};
	DpRange range = find(arena, (DpGrid){DP_GRID_NUMBER, 0, 99999, 1, 0}, 32,
						 &(DpNoisyLeaves){7, first, count, 50, 215});

	CHECK(is_bin(&range, 0, 0), "0 is a bin of its own");
	CHECK(is_bin(&range, 999, 999), "and so is another spike");
	CHECK(weight_in(&range, 50000, 99999) == 0, "what is not clear of noise at the end is empty");
	CHECK(weight_in(&range, 0, 0) > 19000 * 16 && weight_in(&range, 0, 0) < 21000 * 16,
		  "a spike has its weight");
	range = find(arena, (DpGrid){DP_GRID_NUMBER, 0, 99999, 1, 0}, 1,
				 &(DpNoisyLeaves){7, first, count, 50, 215});
	CHECK_I64(range.bins, 1, "one bin if so many are asked for");
	CHECK(weight_in(&range, 0, 0) > 19000 * 16, "its leaves stay");
}

/* Values that were counted apart, far from all others and at the ends. */
static void
test_marks(DpArena *arena)
{
	const int64_t first[] = {0, 64, 128, 512, 4096, 65536, 1048576};
	const int64_t count[] = {2000, 2100, 900, 20, -30, 40, -20};
	const int64_t mark[] = {0, 9999, 99999, 9999999}, of_mark[] = {100, 150, 1500, 216};
	DpRange range = find(arena, (DpGrid){DP_GRID_NUMBER, 0, 9999999, 1, 0}, 32,
						 &(DpNoisyLeaves){7, first, count, 50, 215, 4, mark, of_mark});

	CHECK(is_bin(&range, 99999, 99999), "a far value that is clear of the noise is a bin");
	CHECK(weight_in(&range, 99999, 99999) == 1500 * 16, "with its weight");
	CHECK(weight_in(&range, 9999999, 9999999) == 216 * 16, "and so has the end");
	CHECK(weight_in(&range, 9999, 9999) == 0 && weight_in(&range, 100000, 9999998) == 0,
		  "what is not clear is nothing");
	CHECK(dp_range_bin_last(&range, 0) < 65536, "and what is far does not widen the other bins");
}

/* Categories in blocks of four and chapters of eight, each of few rows but one. */
static void
test_hierarchy(DpArena *arena)
{
	enum
	{
		CODES = 32
	};
	const char *listed[CODES];
	uint8_t border[CODES];
	int64_t first[CODES], count[CODES];
	DpRange range = {.grid = {DP_GRID_NUMBER, 0, CODES - 1, 1, 0},
					 .listed = listed,
					 .boundary = border,
					 .bins_max = 64};

	for (int i = 0; i < CODES; i++)
	{
		listed[i] = "code";
		border[i] = (uint8_t) (i % 8 == 0 ? 2 : i % 4 == 0);
		first[i] = i;
		count[i] = i < 8 ? 60 : i < 12 ? 90 : i < 14 ? 150 : i < 24 ? 300 : 2;
	}
	count[14] = 9000;
	count[31] = 800;
	MUST(dp_range_find(&(DpNoisyLeaves){CODES, first, count, 50, 215}, &range, NULL, arena));
	CHECK_OK(dp_range_check(&range, NULL), "what is found is valid");
	CHECK(is_bin(&range, 14, 14) && is_bin(&range, 16, 16), "frequent codes are alone");
	CHECK(is_bin(&range, 8, 11) && is_bin(&range, 12, 13), "rare ones with their block");
	CHECK(is_bin(&range, 24, 31), "and what is lost in noise with who is nearest");
	CHECK(range.bin[dp_range_bin(&range, 16)] == 16 &&
			  dp_range_bin_last(&range, dp_range_bin(&range, 15)) == 15,
		  "no bin crosses a chapter that is not rare");
	CHECK(weight_in(&range, 0, 7) > 0, "what comes first is no empty end");
	CHECK(weight_in(&range, 12, 12) == 150 * 16, "what is alike keeps what it has");
	for (int i = 24; i < CODES; i++)
		CHECK((weight_in(&range, i, i) > 0) == (weight_in(&range, 24, 24) > 0) || i == 31,
			  "what noise drowns is even");
	CHECK(weight_in(&range, 31, 31) > 8 * weight_in(&range, 30, 30), "but for what stands out");
	MUST(dp_range_find(&(DpNoisyLeaves){CODES, first, count, 0.1, 0.5}, &range, NULL, arena));
	CHECK(weight_in(&range, 24, 31) == (7 * 2 + 800) * 16 && weight_in(&range, 9, 9) == 90 * 16,
		  "without noise all keep what they have");
	range = (DpRange){.grid = range.grid, .listed = listed, .bins_max = 64};
	for (int i = 0; i < CODES; i++)
		count[i] = i < 8 ? 20 : 3000;
	MUST(dp_range_find(&(DpNoisyLeaves){CODES, first, count, 50, 215}, &range, NULL, arena));
	CHECK(weight_in(&range, 0, 7) > 0, "nor is it in a list without a hierarchy");
}

static void
test_nothing(DpArena *arena)
{
	const int64_t first[] = {-5, 0, 7};
	const int64_t count[] = {-3, 9, -20};
	DpRange range = find(arena, (DpGrid){DP_GRID_NUMBER, -5, 9, 1, 0}, 8,
						 &(DpNoisyLeaves){3, first, count, 50, 215});

	CHECK_I64(range.bins, 1, "noise alone gives one bin");
	CHECK(range.leaves == 3 && range.weight[0] + range.weight[1] + range.weight[2] == 0,
		  "of no weight");
}

/* Of a declared range: how many of 8 leaves have rows, by their counts. */
static int
leaves_with_rows(DpArena *arena, DpGrid grid, const int64_t *first, const int64_t *count)
{
	DpRange range = {.grid = grid, .bins_max = 32, .is_declared = true};
	int with_rows = 0;

	MUST(dp_range_find(&(DpNoisyLeaves){8, first, count, 1000, 4300}, &range, NULL, arena));
	CHECK_OK(dp_range_check(&range, NULL), "what is found is valid");
	for (uint32_t i = 0; i < range.leaves; i++)
		with_rows += range.weight[i] > 0;
	return with_rows;
}

/* Leaves of which none, or one alone, is clear of the noise, though all together are. */
static void
test_declared(DpArena *arena)
{
	const DpGrid grid = {DP_GRID_NUMBER, 0, (INT64_C(1) << 40) - 1, 1, 0};
	const int64_t one_clear[] = {1700, 1300, 1900, 5200, 1800, 1500, 2100, 2900};
	const int64_t at_the_start[] = {15200, 900, 300, -200, 800, -500, 100, -900};
	int64_t first[8], count[] = {700, 300, 900, -200, 800, 500, 100, 900};
	DpRange range;
	int with_rows;

	for (int i = 0; i < 8; i++)
		first[i] = i * (INT64_C(1) << 37);
	with_rows = leaves_with_rows(arena, grid, first, count);
	CHECK(with_rows >= 5, "rows are all over a declared range, not in %d of 8 leaves", with_rows);
	with_rows = leaves_with_rows(arena, grid, first, one_clear);
	CHECK(with_rows == 8, "one leaf that is clear does not empty the others: %d have rows",
		  with_rows);
	with_rows = leaves_with_rows(arena, grid, first, at_the_start);
	CHECK(with_rows <= 3, "ends that lack rows clearly are empty: %d leaves have rows", with_rows);
	range = find(arena, grid, 32, &(DpNoisyLeaves){8, first, count, 1000, 4300});
	CHECK(weight_in(&range, first[4], grid.last) == 0,
		  "in one that is assumed where they are likeliest");
}

/* Values that are all alike dense make bins of about the same weight. */
static void
test_even(DpArena *arena)
{
	int64_t first[LEAVES_MAX], count[LEAVES_MAX];
	uint64_t least = UINT64_MAX, most = 0;
	DpRange range;

	for (int i = 0; i < LEAVES_MAX; i++)
	{
		first[i] = i;
		count[i] = 100 + i % 7;
	}
	range = find(arena, (DpGrid){DP_GRID_NUMBER, 0, LEAVES_MAX - 1, 1, 0}, 20,
				 &(DpNoisyLeaves){LEAVES_MAX, first, count, 10, 43});
	for (uint32_t b = 0; b < range.bins; b++)
	{
		uint64_t own = weight_in(&range, range.bin[b], dp_range_bin_last(&range, b));

		least = own < least ? own : least;
		most = own > most ? own : most;
	}
	CHECK(range.bins >= 15 && most < 2 * least, "%u bins of like weight", range.bins);
}

/* Few leaves that the noise does not tell apart are drawn alike; one that stands out is not. */
static void
test_noise(DpArena *arena)
{
	const int64_t first[] = {2007, 2008, 2009}, noise_alone[] = {-60, 20, 290};
	const int64_t far[] = {2007, 2008, 1 << 20}, stands_out[] = {20, 10, 1200};
	const DpGrid years = {DP_GRID_NUMBER, 2007, 2009, 1, 0};
	DpRange range = {.grid = years, .bins_max = 32, .is_declared = true};

	MUST(dp_range_find(&(DpNoisyLeaves){3, first, noise_alone, 110, 470}, &range, NULL, arena));
	CHECK(range.bins == 1 && weight_in(&range, 2007, 2007) == weight_in(&range, 2009, 2009) &&
			  weight_in(&range, 2008, 2008) > 70 * 16,
		  "years are alike");
	MUST(dp_range_find(&(DpNoisyLeaves){3, first, stands_out, 110, 470}, &range, NULL, arena));
	CHECK(weight_in(&range, 2009, 2009) > 10 * weight_in(&range, 2007, 2007), "one stands out");
	range = find(arena, (DpGrid){DP_GRID_NUMBER, 2007, INT64_C(1) << 40, 1, 0}, 32,
				 &(DpNoisyLeaves){3, far, noise_alone, 110, 470});
	CHECK(weight_in(&range, 2007, 2007) == 0, "nothing is spread over all that a type can hold");
}

/* A value that half of the rows have, and others that no leaf shows clearly. */
static void
test_mark_beside_noise(DpArena *arena)
{
	const int64_t first[] = {0, 256, 512, 768}, mark[] = {999999};
	const int64_t some[] = {150, 90, 170, 60}, none[] = {30, -20, 10, -40}, of_mark[] = {470};
	const DpGrid grid = {DP_GRID_NUMBER, 0, 999999, 1, 0};
	DpRange range =
		find(arena, grid, 32, &(DpNoisyLeaves){4, first, some, 70, 550, 1, mark, of_mark});

	CHECK(is_bin(&range, 999999, 999999) && range.bins == 2, "they are two bins, not %u",
		  range.bins);
	range = find(arena, grid, 32, &(DpNoisyLeaves){4, first, none, 70, 550, 1, mark, of_mark});
	CHECK_I64(range.bins, 1, "one value is one bin");
}

/* Rows of an exponential column that are further out than x. */
static double
further(double x)
{
	return TAIL_ROWS * exp(-x / TAIL_SCALE);
}

/* About normal, in units of its standard deviation. */
static double
noise(DpPrng *prng)
{
	double sum = -6;

	for (int i = 0; i < 12; i++)
		sum += (double) dp_prng_below(prng, 1 << 30) / (1 << 30);
	return sum;
}

/* Laplace noise, in units of its standard deviation. */
static double
laplace_noise(DpPrng *prng)
{
	double size = -log1p(-dp_prng_unit(prng)) / sqrt(2);

	return dp_prng_below(prng, 2) == 0 ? size : -size;
}

/* Leaves as a tree has them: narrow ones where rows are, then octaves. Mirrored: below 0. */
static DpRange
find_exponential(DpArena *arena, DpPrng *prng, bool mirrored, int64_t far_rows)
{
	int64_t edge[TAIL_LEAVES + 1], first[TAIL_LEAVES], count[TAIL_LEAVES];
	DpRange range = {.bins_max = 32};
	uint32_t n = 0;

	for (edge[n] = 0; edge[n] < 4096; n++)
		edge[n + 1] = edge[n] + 512;
	for (; edge[n] < INT64_C(1) << 32; n++)
		edge[n + 1] = edge[n] * 2;
	for (uint32_t i = 0; i < n; i++)
	{
		uint32_t k = mirrored ? n - 1 - i : i;
		double rows = further((double) edge[k]) - further((double) edge[k + 1]);

		first[i] = mirrored ? 1 - edge[k + 1] : edge[k];
		count[i] = llround(rows + 60 * noise(prng)) + (k == n - 1 ? far_rows : 0);
	}
	range.grid = mirrored ? (DpGrid){DP_GRID_NUMBER, 1 - edge[n], 0, 1, 0}
						  : (DpGrid){DP_GRID_NUMBER, 0, edge[n] - 1, 1, 0};
	MUST(dp_range_find(&(DpNoisyLeaves){n, first, count, 60, 258}, &range, NULL, arena));
	MUST(dp_range_check(&range, NULL));
	return range;
}

/* What is stored further out than x, in parts of all; rows are uniform in each stored leaf. */
static double
stored_further(const DpRange *range, bool mirrored, double x)
{
	double sum = 0, all = 0;

	for (uint32_t i = 0; i < range->leaves; i++)
	{
		double weight = (double) range->weight[i];
		double low = (double) range->leaf[i], high = (double) dp_range_leaf_last(range, i) + 1;
		double from = mirrored ? 1 - high : low, to = mirrored ? 1 - low : high;

		all += weight;
		sum += from >= x ? weight : to > x ? weight * (to - x) / (to - from) : 0;
	}
	return sum / all;
}

/* The part of all rows that is in the outermost bin, by the distribution of the column. */
static double
outermost(const DpRange *range, bool mirrored)
{
	double begin = mirrored ? 1 - (double) dp_range_bin_last(range, 0) - 1
							: (double) range->bin[range->bins - 1];

	return further(begin) / TAIL_ROWS;
}

/* A tail of which no leaf is clear of the noise keeps its rows and its length. Its bins become
 * lighter outwards, so that the last percent of the rows can be measured. */
static void
test_tail(DpArena *arena, bool mirrored)
{
	double one = 0, tenth = 0, far = 0, distant = 1, last = 0;
	DpPrng prng;
	DpRange range;

	dp_prng_seed(&prng, (DpStream){.seed = 5});
	for (int run = 0; run < TAIL_RUNS; run++)
	{
		range = find_exponential(arena, &prng, mirrored, 0);
		one += stored_further(&range, mirrored, TAIL_SCALE * log(100)) / TAIL_RUNS;
		last += outermost(&range, mirrored) / TAIL_RUNS;
		tenth += stored_further(&range, mirrored, TAIL_SCALE * log(1000)) / TAIL_RUNS;
		far = fmax(far, stored_further(&range, mirrored, 100 * TAIL_SCALE));
		range = find_exponential(arena, &prng, mirrored, 1000);
		distant = fmin(distant, stored_further(&range, mirrored, 1e6));
	}
	CHECK_NEAR(one, 0.01, 0.001, "the last percent of the rows are where they were");
	CHECK(tenth < 0.0015, "and the last thousandth not further out: %.5f", tenth);
	CHECK(last > 0.002 && last < 0.013, "which has bins of its own: %.4f in the last", last);
	CHECK(far == 0, "noise in wide leaves far out is no rows: %.5f", far);
	CHECK(distant > 0.035, "but many rows far out are: %.4f", distant);
}

/* 64 scales of a wide range, of which three in the middle have rows: in none of the runs does noise
 * further out pass for rows. kept: runs in which the noise of the three leaves themselves, which
 * Laplace noise takes 300 of 2,100 rows from in one of 200, leaves them their weight. */
static void
test_wide(DpArena *arena, double (*noise_of)(DpPrng *), double rare_rows, uint64_t kept)
{
	uint64_t far = 0, near = 0;
	DpPrng prng;

	dp_prng_seed(&prng, (DpStream){.seed = 6});
	for (int run = 0; run < WIDE_RUNS; run++)
	{
		int64_t first[WIDE_LEAVES], count[WIDE_LEAVES];
		DpRange range;

		for (int i = 0; i < WIDE_LEAVES; i++)
		{
			first[i] = i == 0 ? 0 : INT64_C(1) << (i - 1);
			count[i] = llround(60 * noise_of(&prng)) + (i == 10              ? 300
														: i == 11 || i == 12 ? 900
																			 : 0);
		}
		range = find(arena, (DpGrid){DP_GRID_NUMBER, 0, INT64_MAX, 1, 0}, 32,
					 &(DpNoisyLeaves){WIDE_LEAVES, first, count, 60, rare_rows});
		far += weight_in(&range, INT64_C(1) << 20, INT64_MAX) > 0;
		near += weight_in(&range, 512, 4095) > 1500 * 16;
	}
	CHECK_I64((int64_t) far, 0, "noise far out is no rows");
	CHECK(near >= kept, "and the rows are there: %d", (int) near);
}

/* The largest weight of a stored leaf, and where it begins. */
static int64_t
heaviest(const DpRange *range)
{
	uint32_t heavy = 0;

	for (uint32_t i = 1; i < range->leaves; i++)
		if (range->weight[i] > range->weight[heavy])
			heavy = i;
	CHECK(range->weight[heavy] > 0, "rows are somewhere");
	return range->leaf[heavy];
}

/* Few rows, of which no leaf is clear of the noise: they are where the counts are largest, and in
 * most of the runs in which all counts are noise within a factor of 4^8 of one. */
static void
test_few_rows(DpArena *arena)
{
	const DpGrid grid = {DP_GRID_NUMBER, 0, INT64_MAX, 1, 0};
	int right = 0, ordinary = 0;
	DpPrng prng;

	dp_prng_seed(&prng, (DpStream){.seed = 7});
	for (int run = 0; run < WIDE_RUNS; run++)
	{
		int64_t first[WIDE_LEAVES / 2], count[WIDE_LEAVES / 2];
		DpRange range;

		for (int i = 0; i < WIDE_LEAVES / 2; i++)
		{
			first[i] = i == 0 ? 0 : INT64_C(1) << 2 * (i - 1);
			count[i] = llround(60 * noise(&prng)) + (i == 9 ? FEW_ROWS : 0);
		}
		range = find(arena, grid, 32, &(DpNoisyLeaves){WIDE_LEAVES / 2, first, count, 60, 258});
		right += heaviest(&range) == INT64_C(1) << 16;
		count[9] -= FEW_ROWS;
		range = find(arena, grid, 32, &(DpNoisyLeaves){WIDE_LEAVES / 2, first, count, 60, 258});
		ordinary += heaviest(&range) <= INT64_C(1) << 16;
	}
	CHECK(right > WIDE_RUNS * 9 / 10, "rows are where counts are largest: %d", right);
	CHECK(ordinary > WIDE_RUNS / 2, "noise alone is taken for ordinary numbers: %d", ordinary);
}

/* Grids at the ends of what types hold: all of bigint, a few values near 10^18, numeric with 30
 * digits or thousands of billions, times to the microsecond, and a short range below 0. */
static const DpGrid extreme[] = {
	{DP_GRID_NUMBER, INT64_MIN, INT64_MAX, 1, 0},
	{DP_GRID_NUMBER, INT64_C(1000000000000000000), INT64_C(1000000000000001000), 1, 0},
	{DP_GRID_NUMBER, -INT64_C(1000000000000000000), INT64_C(1000000000000000000), 7, 30},
	{DP_GRID_NUMBER, -1, INT64_MAX, 1, -30},
	{DP_GRID_DATE, -730119, 2921939, 1, 0},
	{DP_GRID_TIMESTAMP, -INT64_C(63082281600000000), INT64_C(252455615999999999), 1, 0},
	{DP_GRID_TIMESTAMPTZ, -INT64_C(63082281600000), INT64_C(252455615999999), 1000, 0},
	{DP_GRID_INTERVAL, INT64_MIN, INT64_MAX, 1, 0},
	{DP_GRID_NUMBER, -7, 60, 1, 0},
};

#define EXTREMES (sizeof(extreme) / sizeof(extreme[0]))
#define ANY_RUNS 600
#define ANY_LEAVES 40

/* Leaves that begin at random coordinates, most of them near an end or around 0. */
static uint32_t
cut_at_random(const DpGrid *grid, DpPrng *prng, int64_t *first)
{
	uint64_t values = (uint64_t) grid->last - (uint64_t) grid->first;
	uint32_t n = 1;

	first[0] = grid->first;
	for (uint32_t i = 1; i < ANY_LEAVES; i++)
	{
		uint64_t left = (uint64_t) grid->last - (uint64_t) first[n - 1];
		uint64_t step = values / ANY_LEAVES >> dp_prng_below(prng, 60);

		step = 1 + dp_prng_below(prng, step + 2);
		if (left < step)
			continue;
		first[n] = (int64_t) ((uint64_t) first[n - 1] + step);
		n++;
	}
	return n;
}

/* Any counts, on any grid, give valid bins; declared ones, too. */
static void
test_any(DpArena *arena)
{
	DpPrng prng;

	dp_prng_seed(&prng, (DpStream){.seed = 1});
	for (int run = 0; run < ANY_RUNS; run++)
	{
		int64_t first[ANY_LEAVES], count[ANY_LEAVES];
		double stddev_rows = run % 90;
		DpRange range = {.grid = extreme[(uint32_t) run % EXTREMES],
						 .bins_max = 1 + (uint32_t) dp_prng_below(&prng, 9),
						 .is_declared = dp_prng_below(&prng, 2) == 1};
		uint32_t n = cut_at_random(&range.grid, &prng, first);

		for (uint32_t i = 0; i < n; i++)
		{
			count[i] = (int64_t) dp_prng_below(&prng, 2000) - (run % 2 ? 1900 : 200);
			count[i] *= run % 5 == 0 ? INT64_C(1) << 40 : 1;
		}
		MUST(dp_range_find(&(DpNoisyLeaves){n, first, count, stddev_rows, 5 * stddev_rows}, &range,
						   NULL, arena));
		if (dp_range_check(&range, NULL) != DP_OK || range.bins > range.bins_max)
		{
			CHECK(false, "run %d is not valid", run);
			return;
		}
	}
	CHECK(true, "any counts give valid bins");
}

static void
count_tick(void *context, double share_done)
{
	(void) share_done;
	++*(int *) context;
}

/* Whoever cancels while a tail is looked for does not wait until it is found. */
static void
test_ticks(DpArena *arena)
{
	int64_t first[LEAVES_MAX], count[LEAVES_MAX];
	int ticks = 0;
	DpRange range = {.grid = {DP_GRID_NUMBER, 0, INT64_C(1) << 62, 1, 0}, .bins_max = 32};

	for (int i = 0; i < LEAVES_MAX; i++)
	{
		first[i] = i < LEAVES_MAX - 40 ? i : INT64_C(1) << (62 - LEAVES_MAX + i);
		count[i] = 10000 / (1 + i);
	}
	MUST(dp_range_find(&(DpNoisyLeaves){LEAVES_MAX, first, count, 1, 5}, &range,
					   &(DpTick){count_tick, &ticks}, arena));
	CHECK(ticks > 1000, "the search for a tail ticks: %d times", ticks);
}

int
main(void)
{
	DpArena arena = dp_arena_malloc();

	test_heavy_hitters(&arena);
	test_marks(&arena);
	test_hierarchy(&arena);
	test_nothing(&arena);
	test_declared(&arena);
	test_even(&arena);
	test_noise(&arena);
	test_mark_beside_noise(&arena);
	test_tail(&arena, false);
	test_tail(&arena, true);
	test_wide(&arena, noise, 258, WIDE_RUNS);
	test_wide(&arena, laplace_noise, 462, WIDE_RUNS * 99 / 100);
	test_few_rows(&arena);
	test_any(&arena);
	test_ticks(&arena);
	dp_arena_malloc_free(&arena);
	return unit_finish();
}
