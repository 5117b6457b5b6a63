/*
 * test_number_statistics.c -- means, quartiles, distances and correlations, beside numbers by hand.
 */
#include "core/evaluate/number_statistics.h"

#include "unit.h"

/* The original has 1 2 3 4 and an infinity, the synthetic table 2 2 8. */
static void
test_statistics(DpArena *arena)
{
	static const double number[] = {3, 1, 8, INFINITY, 2, 4};
	static const uint32_t ascending[] = {2, 5, 1, 6, 3, 4};
	DpValueCodes values;
	DpNumbers numbers;
	DpNumberStatistics of;
	uint32_t code, order[6];

	MUST(dp_value_codes_init(&values, false, arena));
	for (uint32_t i = 0; i < 6; i++)
		MUST(dp_value_codes_number(&values, number[i], &code));
	for (uint32_t i = 0; i < 6; i++)
		order[i] = ascending[i];
	dp_value_codes_count(&values, 0, (const uint32_t[]){1, 2, 4, 5, 6}, 5);
	dp_value_codes_count(&values, 1, (const uint32_t[]){5, 5, 3}, 3);
	numbers = (DpNumbers){&values, order};
	of = dp_number_statistics(&numbers, 0);
	CHECK_I64(of.rows, 4, "an infinity does not count");
	CHECK_NEAR(of.mean, 2.5, 1e-12, "the mean");
	CHECK_NEAR(of.sd, sqrt(5.0 / 3), 1e-12, "the standard deviation");
	CHECK(of.quartile[0] == 1.75 && of.quartile[1] == 2.5 && of.quartile[2] == 3.25, "quartiles");
	of = dp_number_statistics(&numbers, 1);
	CHECK(of.rows == 3 && of.mean == 4 && of.quartile[1] == 2, "of the synthetic table");
	/* areas between the distributions: 1/4 + 1/6 + 1/12, then 4 times 1/3 */
	CHECK_NEAR(dp_wasserstein(&numbers), 0.25 + 1.0 / 6 + 1.0 / 12 + 4.0 / 3, 1e-12,
			   "the distance that values must be moved");
	dp_value_codes_free(&values);
}

static void
test_empty(DpArena *arena)
{
	DpValueCodes values;
	DpNumbers numbers = {&values, NULL};

	MUST(dp_value_codes_init(&values, false, arena));
	CHECK(isnan(dp_number_statistics(&numbers, 0).mean), "no value has no mean");
	CHECK(isnan(dp_wasserstein(&numbers)), "and no distance");
	dp_value_codes_free(&values);
}

static void
test_correlation(DpArena *arena)
{
	static const double x[] = {1, 2, 3, 4, 0}, y[] = {2, 4, 6, 8, 0}, z[] = {1, -1, 0, 5, 1};
	DpCorrelations all;

	MUST(dp_correlations_init(&all, 3, 5, arena));
	for (uint32_t i = 0; i < 5; i++)
	{
		all.value[i] = x[i];
		all.value[5 + i] = y[i];
		all.value[10 + i] = z[i];
		all.present[i] = all.present[5 + i] = i < 4;
		all.present[10 + i] = 1;
	}
	dp_correlations_add(&all, 5);
	CHECK_NEAR(dp_correlation(&all.pair[0]), 1, 1e-12, "y is twice x");
	CHECK_NEAR(dp_correlation(&all.pair[1]), 6.5 / sqrt(5 * 20.75), 1e-12,
			   "over the rows in which both have a value");
	CHECK_NEAR(all.pair[1].n, 4, 0, "which are four");
	CHECK(isnan(dp_correlation(&(DpPairSums){3, 3, 3, 3, 5, 3})), "a constant has no correlation");
}

int
main(void)
{
	DpArena arena = dp_arena_malloc();

	test_statistics(&arena);
	test_empty(&arena);
	test_correlation(&arena);
	dp_arena_malloc_free(&arena);
	return unit_finish();
}
