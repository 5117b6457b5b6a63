/*
 * test_range_sampler.c -- values inside the bins of a range: within the bin, by the weights of
 * leaves, leaning to the denser side.
 */
#include "core/sample/range_sampler.h"

#include "unit.h"
#include "unit_arena.h"

#define DRAWS 200000

typedef struct Sums
{
	uint64_t in[4]; /* draws in each leaf */
	double mean;
	int64_t least, most;
} Sums;

static void
sums_add(Sums *sums, const DpRange *range, int64_t value)
{
	for (uint32_t k = 0; k < range->leaves && k < 4; k++)
		sums->in[k] += value >= range->leaf[k] && value <= dp_range_leaf_last(range, k);
	sums->mean += (double) value / DRAWS;
	sums->least = value < sums->least ? value : sums->least;
	sums->most = value > sums->most ? value : sums->most;
}

static Sums
draw(const DpRange *range, uint32_t bin, DpArena *arena)
{
	DpRangeSampler *sampler = dp_range_sampler_create(range, arena);
	Sums sums = {.least = INT64_MAX, .most = INT64_MIN};
	DpPrng prng;

	dp_prng_seed(&prng, (DpStream){.seed = 7});
	for (int i = 0; i < DRAWS; i++)
		sums_add(&sums, range, dp_range_draw(sampler, bin, &prng));
	return sums;
}

/* The same among first..last. */
static Sums
draw_between(const DpRange *range, uint32_t bin, int64_t first, int64_t last, DpArena *arena)
{
	DpRangeSampler *sampler = dp_range_sampler_create(range, arena);
	Sums sums = {.least = INT64_MAX, .most = INT64_MIN};
	int64_t value;
	DpPrng prng;

	dp_prng_seed(&prng, (DpStream){.seed = 8});
	for (int i = 0; i < DRAWS && dp_range_draw_between(sampler, bin, first, last, &prng, &value);
		 i++)
		sums_add(&sums, range, value);
	return sums;
}

static void
test_between(DpRange *range, DpArena *arena)
{
	Sums sums = draw_between(range, 0, 5, 14, arena);

	CHECK(sums.least == 5 && sums.most == 14, "values of a part lie in it");
	CHECK_NEAR((double) sums.in[0] / DRAWS, 0.5, 0.006,
			   "leaves have the weights of their parts: 5 of 10 values, and 5 of 20");
	sums = draw_between(range, 0, INT64_MIN, INT64_MAX, arena);
	CHECK(sums.least == 0 && sums.most == 29, "a part may be more than the bin");
	sums = draw_between(range, 0, 32, 35, arena);
	CHECK(sums.least == 32 && sums.most == 35, "where no weight is, all values of the part serve");
	sums = draw_between(range, 0, 40, 99, arena);
	CHECK(sums.most == INT64_MIN, "another bin's values are none of it");
	sums = draw_between(range, 1, 99, 99, arena);
	CHECK(sums.least == 99 && sums.most == 99, "a single value is found in a wide leaf");
}

/* A bin that reaches 2^62 and has rows in 100..199 alone. */
static void
test_beside(DpArena *arena)
{
	int64_t bin[] = {0}, leaf[] = {0, 100, 200};
	uint64_t weight[] = {0, 50, 0};
	DpRange range = {.grid = {DP_GRID_NUMBER, 0, INT64_C(1) << 62, 1, 0},
					 .state = DP_RANGE_FOUND,
					 .bins = 1,
					 .bin = bin,
					 .leaves = 3,
					 .leaf = leaf,
					 .weight = weight};
	Sums sums = draw_between(&range, 0, 300, INT64_MAX, arena);

	CHECK(sums.least == 300 && sums.most > 450, "beyond all rows, values are next to them");
	CHECK(sums.mean < 600, "and seldom far out: mean %.0f", sums.mean);
	sums = draw_between(&range, 0, 0, 90, arena);
	CHECK(sums.least == 0 && sums.most == 90, "below them too");
	weight[1] = 0;
	sums = draw_between(&range, 0, 300, INT64_MAX, arena);
	CHECK(sums.mean > 1e18, "without rows, values are uniform");
}

int
main(void)
{
	DpArena arena = dp_arena_malloc();
	int64_t bin[] = {0, 40}, leaf[] = {0, 10, 30, 40};
	uint64_t weight[] = {100, 200, 0, 300};
	DpRange range = {.grid = {DP_GRID_NUMBER, 0, 99, 1, 0},
					 .state = DP_RANGE_FOUND,
					 .bins = 2,
					 .bin = bin,
					 .leaves = 4,
					 .leaf = leaf,
					 .weight = weight};
	Sums sums;

	MUST(dp_range_check(&range, NULL));
	sums = draw(&range, 0, &arena);
	CHECK_NEAR((double) sums.in[0] / DRAWS, 1.0 / 3, 0.006, "leaves have their weights");
	CHECK(sums.in[2] == 0 && sums.in[3] == 0, "an empty leaf is not drawn, nor another bin's");
	CHECK(sums.least == 0 && sums.most == 29, "and all their values");
	sums = draw(&range, 1, &arena);
	CHECK(sums.least == 40 && sums.most == 99, "the last bin is closed");
	CHECK(sums.mean > 69.6, "an empty neighbour below: values lean up, mean %.1f", sums.mean);
	test_between(&range, &arena);
	test_beside(&arena);
	weight[2] = 10000;
	sums = draw(&range, 1, &arena);
	CHECK(sums.mean < 60, "a dense one: they lean down, mean %.1f", sums.mean);
	weight[2] = 50;
	sums = draw(&range, 1, &arena);
	CHECK_NEAR(sums.mean, 69.5, 1, "as dense a one: they do not lean");
	weight[0] = weight[1] = weight[2] = 0;
	sums = draw(&range, 0, &arena);
	CHECK(sums.least == 0 && sums.most == 39, "without weights all values of the bin");
	CHECK_NEAR(sums.mean, 19.5, 0.2, "uniformly");
	range.grid = (DpGrid){DP_GRID_NUMBER, INT64_MIN, INT64_MAX, 1, 0};
	range.bins = range.leaves = 1;
	bin[0] = leaf[0] = INT64_MIN;
	weight[0] = 5;
	sums = draw(&range, 0, &arena);
	CHECK(sums.least < INT64_MIN / 4 * 3 && sums.most > INT64_MAX / 4 * 3, "64 bits are no limit");
	dp_arena_malloc_free(&arena);
	return unit_finish();
}
