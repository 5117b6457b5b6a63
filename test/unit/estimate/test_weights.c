/*
 * test_weights.c -- noisy counts as weights: on the simplex, as near as can be to
 * the counts, with the margins of estimates, and nothing where nothing can be.
 */
#include "core/base/prng.h"
#include "core/estimate/weights.h"

#include "unit_data.h"

/* That the weights are the counts less one number, cut off at 0, and add up to rows, is what the
 * nearest point of the simplex is. */
static bool
is_projection(const double *value, const bool *forbidden, const double *weight, uint64_t n,
			  double rows)
{
	double sum = 0, off = NAN;

	for (uint64_t i = 0; i < n; i++)
	{
		sum += weight[i];
		if (weight[i] > 0)
			off = value[i] - weight[i];
	}
	for (uint64_t i = 0; i < n; i++)
	{
		double want = forbidden[i] ? 0 : fmax(value[i] - off, 0);

		if (!(fabs(weight[i] - want) < 1e-9 * rows))
			return false;
	}
	return fabs(sum - rows) < 1e-9 * rows;
}

/*
 * That the weights are nonnegative numbers nearest to the values among those with the same margins:
 * no exchange between two rows and two columns brings them nearer. And that the columns, which are
 * shifted last, sum up to what they do in the values.
 */
static bool
is_nearest(const double *value, const double *weight, uint32_t n, uint32_t columns, double rows)
{
	double column[3] = {0}, is[3] = {0}, work[3];
	bool right = true;

	for (uint32_t i = 0; i < n * columns; i++)
	{
		column[i % columns] += value[i];
		is[i % columns] += weight[i];
		right &= weight[i] >= 0;
	}
	dp_simplex_project(column, columns, work, rows);
	for (uint32_t j = 0; j < columns; j++)
		right &= fabs(is[j] - column[j]) < 1e-9 * rows;
	for (uint32_t i = 0; i < n * columns; i++)
		for (uint32_t k = 0; k < n * columns; k++)
		{
			uint32_t across = i / columns * columns + k % columns;
			uint32_t other = k / columns * columns + i % columns;
			double more = weight[i] - value[i] + weight[k] - value[k];
			double less = weight[across] - value[across] + weight[other] - value[other];

			if (weight[across] > 0 && weight[other] > 0)
				right &= more - less > -1e-9 * rows;
		}
	return right;
}

static void
test_dense(DpArena *arena)
{
	const uint32_t levels[] = {4, 3};
	DpDomain domain = unit_domain(arena, levels, 2);
	uint32_t attribute[] = {0, 1};
	int64_t value[12];
	double estimate[12], counts[12];
	bool none[12] = {false};
	DpTable table = {
		.n = 2, .attribute = attribute, .storage = DP_DENSE, .cells = 12, .value = value};
	unsigned wrong = 0;
	double *weight;
	DpPrng prng;

	dp_prng_seed(&prng, (DpStream){10, 0, 0});
	for (int round = 0; round < 200; round++)
	{
		int64_t rows = 1 + (int64_t) dp_prng_below(&prng, 2000);

		for (int i = 0; i < 12; i++)
		{
			value[i] = (int64_t) dp_prng_below(&prng, 200) - 50;
			counts[i] = (double) value[i];
			estimate[i] = 100 * dp_prng_unit(&prng) - 20;
		}
		value[5] = 40;
		counts[5] = 40;
		estimate[7] = 30;
		MUST(dp_weights_make(&(DpEstimatedTable){&domain, &table, NULL, rows}, &weight, arena));
		wrong += !is_projection(counts, none, weight, 12, (double) rows);
		MUST(dp_weights_make(&(DpEstimatedTable){&domain, &table, estimate, rows}, &weight, arena));
		wrong += !is_nearest(estimate, weight, 4, 3, (double) rows);
	}
	CHECK_I64(wrong, 0,
			  "counts are projected on the simplex of the rows, estimates keep their margins");
}

/* Weights of two by two cells, within a hundredth of a row. */
static bool
are_near(const double *weight, const double want[4])
{
	for (int i = 0; i < 4; i++)
		if (!(fabs(weight[i] - want[i]) < 0.01))
			return false;
	return true;
}

static void
test_margins(DpArena *arena)
{
	const uint32_t levels[] = {2, 2};
	DpDomain domain = unit_domain(arena, levels, 2);
	uint32_t attribute[] = {0, 1}, tuple[] = {0, 0};
	DpZeroSet set = {2, attribute, 1, tuple};
	DpTable table = {
		.n = 2, .attribute = attribute, .storage = DP_DENSE, .cells = 4, .value = (int64_t[4]){0}};
	double *weight;

	MUST(dp_weights_make(&(DpEstimatedTable){&domain, &table, (double[]){-10, 40, 30, 940}, 1000},
						 &weight, arena));
	CHECK(are_near(weight, (double[]){0, 30, 20, 950}),
		  "where a cell is cut off, rows and columns still sum up to what they did");
	MUST(dp_weights_make(&(DpEstimatedTable){&domain, &table, (double[]){-30, 10, 500, 520}, 1000},
						 &weight, arena));
	CHECK(are_near(weight, (double[]){0, 0, 470, 530}), "a level without rows weighs nothing");
	domain.zeros = (DpZeros){1, &set};
	MUST(dp_weights_make(&(DpEstimatedTable){&domain, &table, (double[]){500, 30, 20, 950}, 1000},
						 &weight, arena));
	CHECK(are_near(weight, (double[]){0, 30, 20, 950}) && weight[0] == 0,
		  "impossible cells weigh 0, and margins are those of possible ones");
}

static bool
all_zero(const double *weight, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++)
		if (weight[i] != 0)
			return false;
	return true;
}

static void
test_nothing(DpArena *arena)
{
	const uint32_t levels[] = {4};
	DpDomain domain = unit_domain(arena, levels, 1);
	uint32_t attribute[] = {0};
	int64_t none[] = {0, -3, -1, 0}, some[] = {5, -3, 1, 0};
	uint32_t code[] = {0, 2};
	DpTable dense = {
		.n = 1, .attribute = attribute, .storage = DP_DENSE, .cells = 4, .value = none};
	DpTable sparse = {.n = 1,
					  .attribute = attribute,
					  .storage = DP_SPARSE,
					  .cells = 2,
					  .value = (int64_t[]){5, 7},
					  .code = code};
	double *weight;

	MUST(dp_weights_make(&(DpEstimatedTable){&domain, &dense, NULL, 10}, &weight, arena));
	CHECK(all_zero(weight, 4), "a table without a positive count weighs nothing");
	dense.value = some;
	MUST(dp_weights_make(&(DpEstimatedTable){&domain, &dense, NULL, 0}, &weight, arena));
	CHECK(all_zero(weight, 4), "nor does a dense one of no rows");
	MUST(dp_weights_make(&(DpEstimatedTable){&domain, &sparse, NULL, 0}, &weight, arena));
	CHECK(weight[0] == 5 && weight[1] == 7, "a sparse one weighs what was released");
}

/* Attribute 1 at level 2 is impossible, and so is level 3 of attribute 0 with level 0 of
 * attribute 1. */
static void
test_zeros(DpArena *arena)
{
	const uint32_t levels[] = {4, 3};
	DpDomain domain = unit_domain(arena, levels, 2);
	uint32_t one[] = {1}, two[] = {0, 1}, tuple_one[] = {2}, tuple_two[] = {3, 0};
	DpZeroSet set[] = {{1, one, 1, tuple_one}, {2, two, 1, tuple_two}};
	uint32_t reversed[] = {1, 0}, code[] = {0, 0, 0, 3, 1, 3, 2, 1};
	int64_t value[] = {9, 8, 7, 60, 5, 4, 3, 2, 100, 100, 100, 100}; /* attribute 1 first */
	int64_t some[] = {9, 60, 4, 100};
	double counts[12];
	bool forbidden[12] = {false};
	DpTable dense = {
		.n = 2, .attribute = reversed, .storage = DP_DENSE, .cells = 12, .value = value};
	DpTable sparse = {.n = 2,
					  .attribute = reversed,
					  .storage = DP_SPARSE,
					  .cells = 4,
					  .value = some,
					  .code = code};
	double *weight;

	domain.zeros = (DpZeros){2, set};
	for (int i = 0; i < 12; i++)
	{
		counts[i] = (double) value[i];
		forbidden[i] = i == 3 || i >= 8;
	}
	MUST(dp_weights_make(&(DpEstimatedTable){&domain, &dense, NULL, 1000}, &weight, arena));
	CHECK(is_projection(counts, forbidden, weight, 12, 1000),
		  "of a dense table only possible cells share the rows");
	MUST(dp_weights_make(&(DpEstimatedTable){&domain, &sparse, NULL, 1000}, &weight, arena));
	CHECK(weight[0] == 9 && weight[1] == 0 && weight[2] == 4 && weight[3] == 0,
		  "impossible cells of a sparse table weigh 0, the others as before");
	for (int i = 0; i < 8; i++)
		value[i] = i == 3 ? 60 : -1;
	MUST(dp_weights_make(&(DpEstimatedTable){&domain, &dense, NULL, 1000}, &weight, arena));
	CHECK(all_zero(weight, 12), "counts in impossible cells alone say nothing");
}

/* Rows of the level "other" that may be noise are none, and more are. */
static void
test_other(DpArena *arena)
{
	const uint32_t levels[] = {3};
	DpDomain domain = unit_domain(arena, levels, 1);
	uint32_t attribute[] = {0};
	int64_t value[] = {600, 300, 20};
	DpTable table = {.n = 1,
					 .attribute = attribute,
					 .storage = DP_DENSE,
					 .cells = 3,
					 .value = value,
					 .cost = {.epsilon_nano = 100000000}, /* the noise has 14.1 rows */
					 .sensitivity_l1 = 1};
	const DpEstimatedTable from = {&domain, &table, NULL, 920};
	double *weight;

	domain.attribute[0].has_other = true;
	MUST(dp_weights_make(&from, &weight, arena));
	CHECK_NEAR(weight[2], 0, 1e-9, "20 rows of others may be noise");
	CHECK_NEAR(weight[0] - weight[1], 300, 1e-9, "and the rest shares them");
	value[2] = 40;
	MUST(dp_weights_make(&from, &weight, arena));
	CHECK(weight[2] > 0, "40 are none");
	value[0] = value[1] = -5;
	value[2] = 20;
	MUST(dp_weights_make(&from, &weight, arena));
	CHECK(weight[2] > 0, "where others have all rows, they have them");
}

/* Counts of the noise of a fair coin, thrown twelve times: its variance is 3. */
static double
coins(DpPrng *prng)
{
	double sum = -6;

	for (int i = 0; i < 12; i++)
		sum += dp_prng_unit(prng) < 0.5;
	return sum;
}

/* Levels that noise drowns become about even, those that are clear of it keep what they have, and
 * where all are clear nothing changes that matters. */
static void
test_shrink(void)
{
	enum
	{
		LEVELS = 1000
	};
	static double count[LEVELS], before[LEVELS];
	DpPrng prng;
	double least = INFINITY, most = -INFINITY, furthest = 0;

	dp_prng_seed(&prng, (DpStream){1, 2, 3});
	for (int i = 0; i < LEVELS; i++)
		before[i] = count[i] = i % 500 == 7 ? 40 + i / 500 : coins(&prng);
	dp_shrink_noisy(count, LEVELS, 3);
	for (int i = 0; i < LEVELS; i++)
		if (i % 500 != 7)
		{
			least = fmin(least, count[i]);
			most = fmax(most, count[i]);
		}
	CHECK(most - least < 4, "levels that noise drowns are nearly even: %.2f..%.2f", least, most);
	CHECK(count[7] == 40 && count[507] == 41, "those that are clear of it keep what they have");
	for (int i = 0; i < LEVELS; i++)
		before[i] = count[i] = 1000.0 * (i % 37) + coins(&prng);
	dp_shrink_noisy(count, LEVELS, 3);
	for (int i = 0; i < LEVELS; i++)
		furthest = fmax(furthest, fabs(count[i] - before[i]));
	CHECK(furthest < 0.01, "nothing changes where noise is small: %.4f", furthest);
	memcpy(count, before, sizeof(count));
	dp_shrink_noisy(count, LEVELS, 0);
	furthest = 0;
	for (int i = 0; i < LEVELS; i++)
		furthest = fmax(furthest, fabs(count[i] - before[i]));
	CHECK(furthest < 1e-9, "and nothing at all where there is none");
	count[0] = 5;
	dp_shrink_noisy(count, 1, 3);
	CHECK(count[0] == 5, "nor of one level");
}

int
main(void)
{
	DpArena arena = dp_arena_malloc();

	test_dense(&arena);
	test_margins(&arena);
	test_nothing(&arena);
	test_zeros(&arena);
	test_other(&arena);
	test_shrink();
	dp_arena_malloc_free(&arena);
	return unit_finish();
}
