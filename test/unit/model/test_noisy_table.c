/*
 * test_noisy_table.c -- the number of rows as noisy tables tell it.
 */
#include "core/model/noisy_table.h"

#include "unit_data.h"

/* The mean of exact numbers of different variance. */
static void
test_rows_estimate(DpArena *arena)
{
	int64_t one[] = {100, 50, 50};
	int64_t two[] = {260};
	DpTable table[2] = {
		{.cells = 3,
		 .value = one,
		 .noise = DP_NOISE_LAPLACE,
		 .cost = {1000000, 0, 0},
		 .sensitivity_l1 = 1},
		{.cells = 1,
		 .value = two,
		 .noise = DP_NOISE_LAPLACE,
		 .cost = {1000000, 0, 0},
		 .sensitivity_l1 = 1},
	};
	DpModel model = {.tables = 2, .table = table};

	(void) arena;
	CHECK_I64(dp_rows_estimate(&model), 245, "three cells have three times the variance of one");
	CHECK(fabs(dp_rows_stddev(&model) / (sqrt(2) * 1000 * sqrt(0.75)) - 1) < 1e-6,
		  "and together they have three quarters of its variance");
	one[0] = two[0] = -1000000;
	CHECK_I64(dp_rows_estimate(&model), 0, "a negative total is 0 rows");
	table[0].noise = DP_NOISE_STABILITY;
	two[0] = 77;
	CHECK_I64(dp_rows_estimate(&model), 77, "stability histograms tell no total");
	table[1].cost.epsilon_nano = DP_EPSILON_NANO_MAX;
	CHECK_I64(dp_rows_estimate(&model), 77, "a variance of 0 is no trouble");
	two[0] = INT64_MAX;
	CHECK_I64(dp_rows_estimate(&model), INT64_C(1) << 62, "nor is a huge count");
	model.tables = 1;
	CHECK(isinf(dp_rows_stddev(&model)), "a stability histogram alone has no accuracy");
	model.unit = (DpUnit){DP_REPLACE_ONE, 1};
	CHECK(dp_rows_stddev(&model) == 0, "a public number is exact");
}

int
main(void)
{
	DpArena arena = dp_arena_malloc();

	test_rows_estimate(&arena);
	dp_arena_malloc_free(&arena);
	return unit_finish();
}
