/*
 * test_graphical_score.c -- gains of tables: their sensitivity, shrinkage and limits.
 */
#include "core/plan/graphical_score.h"

#include "unit_data.h"

/* Adds and takes a row in each cell of random tables: a gain moves by at most DP_SCORE_UNIT, and
 * nearly so much somewhere. */
static void
test_gain_sensitivity(void)
{
	const uint32_t levels[] = {9, 2}, member[] = {0};
	int64_t count[9], most = 0;
	double observed[9], expected[9];
	DpAttributeSet set = {1, member};
	const DpFitRule rule = {.ridge = 0.1, .tolerance = 0.1, .evaluations_max = 10};
	DpPrng prng;

	dp_prng_seed(&prng, (DpStream){8, 21, 0});
	for (int turn = 0; turn < 60; turn++)
	{
		DpArena arena = dp_arena_malloc();
		DpExactMarginal exact = {set, 9, count};
		DpGraphicalMeasure measure = {.marginals = 1, .exact = &exact};
		double stddev = exp(6 * dp_prng_unit(&prng) - 3);

		for (int k = 0; k < 9; k++)
			observed[k] = 40 * dp_prng_unit(&prng) * dp_prng_unit(&prng);
		MUST(dp_graphical_init(
			&measure.graphical,
			&(DpGraphicalStart){
				.attributes = 2, .levels = levels, .total = DP_TOTAL_UNKNOWN, .cells_max = 100},
			&arena));
		MUST(dp_graphical_add(&measure.graphical, &set, observed, 1));
		MUST(dp_graphical_fit(&measure.graphical, &rule, NULL));
		for (int k = 0; k < 9; k++)
			count[k] = (int64_t) dp_prng_below(&prng, 30) +
					   (turn % 3 == 0 ? INT64_C(1) << 37 : 0); /* as many rows as norms allow */
		for (int k = 0; k < 9; k++)
		{
			int64_t gain, more;

			MUST(dp_graphical_gain(&measure, 0, stddev, expected, &gain));
			count[k]++;
			MUST(dp_graphical_gain(&measure, 0, stddev, expected, &more));
			most = llabs(more - gain) > most ? llabs(more - gain) : most;
		}
		dp_arena_malloc_free(&arena);
	}
	CHECK_I64(most, DP_SCORE_UNIT, "a row moves a gain by its sensitivity, and no further");
}

/* What a fit takes over of a table: nothing where no row is expected, all of what stands far above
 * the noise. */
static void
test_shrinkage(void)
{
	CHECK(dp_graphical_shrinkage(0, 5) == 0 &&
			  dp_graphical_shrinkage(1e9, 5) == DP_SHRINKAGE_ONE - 1 &&
			  dp_graphical_shrinkage(1.5, 5) == DP_SHRINKAGE_ONE / 2 &&
			  dp_graphical_shrinkage(NAN, 5) == 0 && dp_graphical_shrinkage(INFINITY, 5) == 0,
		  "trust grows with what is expected");
	CHECK(fabs(dp_graphical_noise((double[]){1.5, 0, 0}, 3, 5) - 2.5 * DP_ABSOLUTE_OF_NORMAL) <
			  1e-12,
		  "noise where no row is expected counts for nothing");
}

/* By the formula: what is gained of a gap where one row is expected. */
static double
expected_gain_of(double gap, double stddev)
{
	double share = 1 / (1 + 0.3 * stddev);

	return 63.0 / 64 *
		   (gap - hypot((1 - share) * gap, share * DP_ABSOLUTE_OF_NORMAL * stddev * DP_SCORE_UNIT));
}

/* A gain stops where a weight times it would leave 64 bits, and does not wrap round. */
static void
test_gain_limit(void)
{
	const uint32_t levels[] = {2, 2}, member[] = {0};
	int64_t count[] = {INT64_C(1) << 58, INT64_C(1) << 58}, gain;
	double observed[] = {1, 1}, expected[2];
	DpArena arena = dp_arena_malloc();
	DpAttributeSet set = {1, member};
	DpExactMarginal exact = {set, 2, count};
	DpGraphicalMeasure measure = {.marginals = 1, .exact = &exact};
	const DpFitRule rule = {.ridge = 0.1, .tolerance = 0.1, .evaluations_max = 10};

	MUST(dp_graphical_init(
		&measure.graphical,
		&(DpGraphicalStart){.attributes = 2, .levels = levels, .total = 2, .cells_max = 100},
		&arena));
	MUST(dp_graphical_add(&measure.graphical, &set, observed, 1));
	MUST(dp_graphical_fit(&measure.graphical, &rule, NULL));
	MUST(dp_graphical_gain(&measure, 0, 0, expected, &gain));
	CHECK_I64(gain, 2 * (INT64_C(63) << 34), "the largest gain of two cells");
	CHECK_I64(dp_graphical_distance_from(&measure, 0, expected), DP_DISTANCE_MAX,
			  "and the largest distance");
	count[0] = 4;
	count[1] = 1;
	MUST(dp_graphical_gain(&measure, 0, 0, expected, &gain));
	CHECK_I64(gain, 3 * DP_SCORE_UNIT * 63 / 64, "and one without noise, rounded down");
	MUST(dp_graphical_gain(&measure, 0, 1, expected, &gain));
	CHECK_I64(gain, (int64_t) floor(expected_gain_of(12, 1) + expected_gain_of(0, 1)),
			  "and one with noise");
	MUST(dp_graphical_gain(&measure, 0, 1000, expected, &gain));
	CHECK_I64(gain, DP_GAIN_NONE, "and none where noise is far above what is expected");
	CHECK_I64(dp_graphical_distance_from(&measure, 0, expected), 3 * DP_SCORE_UNIT,
			  "as the distance is");
	dp_arena_malloc_free(&arena);
}

int
main(void)
{
	test_gain_sensitivity();
	test_shrinkage();
	test_gain_limit();
	return unit_finish();
}
