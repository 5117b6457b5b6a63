/*
 * test_query_answer.c -- measures from noisy statistics: what they are where there is hardly any
 * noise, what is said of groups that noise hides, and how often intervals of quantiles hold.
 */
#include "core/estimate/query_answer.h"
#include "core/estimate/query_quantile.h"

#include "unit_query.h"

#define TRIALS 3000

static void
answer_all(const DpModel *model, double confidence, DpAnswerValue out[6][QUERY_GROUPS],
		   DpArena *arena)
{
	DpAnswerer *answerer;
	DpQueryLayout layout;
	DpError error = {0};

	MUST(dp_query_layout_load(model, &layout, arena, &error));
	MUST(dp_answerer_create(model, &layout, confidence, &answerer, NULL, arena));
	for (uint32_t m = 0; m < layout.measures; m++)
		for (uint32_t g = 0; g < QUERY_GROUPS; g++)
			MUST(dp_answer_value(answerer, m, g, &out[m][g]));
}

/* 2, 2, 3, 7 and 11: their mean is 5, the sum of squares about it 62. */
static void
test_values(DpArena *arena)
{
	static const int64_t rows[QUERY_GROUPS][QUERY_LEAVES] = {{0, 0, 2, 1, 0, 0, 0, 1, 0, 0, 0, 1},
															 {0, 0, 0, 0, 100}};
	static const double wanted[] = {5, 25, 5, 15.5, 3.93700393700590, 3};
	static const char *const names[] = {"count", "sum", "mean", "variance", "deviation", "median"};
	DpAnswerValue value[6][QUERY_GROUPS];
	DpQueryLayout layout;
	DpModel model;

	query_model(rows, INT64_C(60000000000), &model, &layout, arena);
	answer_all(&model, 0.95, value, arena);
	for (uint32_t m = 0; m < 6; m++)
	{
		CHECK_NEAR(value[m][0].estimate, wanted[m], 1e-9, "the %s", names[m]);
		CHECK(value[m][0].low <= wanted[m] + 1e-9 && value[m][0].high >= wanted[m] - 1e-9,
			  "is in its interval");
	}
	CHECK(value[5][1].low == 4 && value[5][1].high == 4 && value[3][1].estimate == 0,
		  "a value that all rows have leaves no doubt");
}

/* Noise of 10 rows, and groups of 5 and 0. */
static void
test_hidden(DpArena *arena)
{
	static const int64_t rows[QUERY_GROUPS][QUERY_LEAVES] = {{0, 2, 3}, {0}};
	DpAnswerValue value[6][QUERY_GROUPS];
	DpQueryLayout layout;
	DpModel model;

	query_model(rows, 100000000, &model, &layout, arena);
	model.table[0].value[1] = -4;
	answer_all(&model, 0.95, value, arena);
	CHECK(value[0][1].estimate == -4 && value[0][1].low == 0 && value[0][1].high > 20,
		  "a count stays as it was released, and its interval is cut at 0");
	for (uint32_t g = 0; g < QUERY_GROUPS; g++)
	{
		CHECK(isnan(value[2][g].estimate) && value[2][g].low == 0 && value[2][g].high == 15,
			  "the mean of a group that noise hides is not told, and can be anything");
		CHECK(isnan(value[3][g].estimate) && value[3][g].low == 0 && value[3][g].high > 50,
			  "nor is its variance");
		CHECK(value[5][g].low == 0 && value[5][g].high == 15, "its median can be anything");
	}
}

/* ---- quantiles ---- */

static double
draw_laplace(DpPrng *prng, double b)
{
	double u = dp_prng_unit(prng) - 0.5;

	return floor(0.5 - copysign(b * log(1 - 2 * fabs(u)), u));
}

/* By the exponential mechanism, with distances from the middle of leaves. */
static uint32_t
draw_choice(const int64_t *leaf, double q, double rows, DpPrng *prng)
{
	double weight[QUERY_LEAVES], all = 0, n = 0, before = 0, at;
	uint32_t v = 0;

	for (uint32_t u = 0; u < QUERY_LEAVES; u++)
		n += (double) leaf[u];
	for (uint32_t u = 0; u < QUERY_LEAVES; before += (double) leaf[u++])
	{
		weight[u] = exp(-fabs(before + (double) leaf[u] / 2 - q * n) / rows);
		all += weight[u];
	}
	for (at = dp_prng_unit(prng) * all; v + 1 < QUERY_LEAVES && at >= weight[v]; v++)
		at -= weight[v];
	return v;
}

static void
test_quantiles(DpArena *arena)
{
	static const int64_t rows[QUERY_GROUPS][QUERY_LEAVES] = {
		{60, 50, 40, 40, 30, 30, 20, 20, 10, 9, 8, 7, 6, 5, 4, 3}, {0, 0, 0, 0, 2, 9, 7, 5, 1}};
	static const uint32_t median[QUERY_GROUPS] = {3, 6};
	DpStatistic choice = {.kind = DP_STATISTIC_CHOICE,
						  .height = QUERY_HEIGHT,
						  .quantile_nano = 500000000,
						  .choice_nano = 300000000};
	DpTable table = query_table(arena, 2, QUERY_GROUPS * QUERY_LEAVES, 300000000);
	double width[QUERY_GROUPS] = {0};
	uint32_t held[QUERY_GROUPS] = {0};
	DpQuantileLaw law;
	DpPrng prng;

	dp_prng_seed(&prng, (DpStream){55, 0, 0});
	dp_quantile_law(&table, QUERY_HEIGHT, 0.9, &law);
	for (uint32_t trial = 0; trial < TRIALS; trial++)
		for (uint32_t g = 0; g < QUERY_GROUPS; g++)
		{
			uint32_t chosen = draw_choice(rows[g], 0.5, dp_choice_rows(&choice), &prng);
			DpQuantilePlace place;

			for (uint32_t v = 0; v < QUERY_LEAVES; v++)
				table.value[g * QUERY_LEAVES + v] =
					rows[g][v] + (int64_t) draw_laplace(&prng, 1 / 0.3);
			place = dp_quantile_place(&law, &choice, chosen, g);
			held[g] += place.low <= median[g] && median[g] <= place.high;
			width[g] += (place.high - place.low + 1.0) / TRIALS;
		}
	CHECK(held[0] >= TRIALS * 9 / 10 && held[1] >= TRIALS * 9 / 10,
		  "intervals of 90 %% hold %u and %u of %u medians", held[0], held[1], TRIALS);
	CHECK(width[0] < 6 && width[1] > 6, "and tell more of a large group: %.1f and %.1f leaves",
		  width[0], width[1]);
	CHECK_NEAR(dp_choice_distance(&choice, 0.9), 4 + log(320) / 0.3, 1e-9,
			   "a choice is as far off as the union of all leaves allows");
}

int
main(void)
{
	DpArena arena = dp_arena_malloc();

	test_values(&arena);
	test_hidden(&arena);
	test_quantiles(&arena);
	dp_arena_malloc_free(&arena);
	return unit_finish();
}
