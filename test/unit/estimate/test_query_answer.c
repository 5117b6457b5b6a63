/*
 * test_query_answer.c -- measures from noisy statistics: what they are where there is hardly any
 * noise, what is said of groups that noise hides, and how often intervals of quantiles hold.
 */
#include "core/estimate/query_answer.h"
#include "core/estimate/query_quantile.h"
#include "core/select/quantile_score.h"

#include "unit_query.h"

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

#define HEIGHT 6
#define LEAVES (1 << HEIGHT)

/* By the exponential mechanism, with the scores of a release: the law is known exactly. */
static void
law_of(const int64_t *leaf, const DpStatistic *choice, double *p)
{
	DpQuantileRank rank = {choice->quantile_nano, dp_choice_margin_rows(choice),
						   choice->aside_rows};
	double all = 0;
	int64_t score[LEAVES], best = INT64_MIN;

	dp_quantile_scores(leaf, LEAVES, &rank, score);
	for (uint32_t v = 0; v < LEAVES; v++)
		best = score[v] > best ? score[v] : best;
	for (uint32_t v = 0; v < LEAVES; v++)
		all += p[v] = exp((double) (score[v] - best) / 2e9 / dp_choice_rows(choice));
	for (uint32_t v = 0; v < LEAVES; v++)
		p[v] /= all;
}

/* The probability that the interval holds the leaf of the quantile, over all that can be chosen. */
static double
coverage_of(const int64_t *leaf, int64_t quantile_nano, int64_t epsilon_nano, double confidence)
{
	DpStatistic side[3];
	double law[3][LEAVES], n = 0, sum = 0, held = 0;
	uint32_t holder = 0;

	for (int32_t s = 0; s < 3; s++)
	{
		side[s] = (DpStatistic){.kind = DP_STATISTIC_CHOICE,
								.height = HEIGHT,
								.quantile_nano = quantile_nano,
								.choice_nano = s == 1 ? 3 * epsilon_nano : epsilon_nano,
								.side = s - 1};
		side[s].aside_rows = dp_choice_aside_rows(&side[s], confidence);
		law_of(leaf, &side[s], law[s]);
	}
	for (uint32_t v = 0; v < LEAVES; v++)
		n += (double) leaf[v];
	for (sum = (double) leaf[0]; sum * 1e9 < n * (double) quantile_nano;
		 sum += (double) leaf[++holder])
		continue;
	for (uint32_t low = 0; low < LEAVES; low++)
		for (uint32_t chosen = 0; chosen < LEAVES; chosen++)
			for (uint32_t high = 0; high < LEAVES; high++)
			{
				DpQuantilePlace place = dp_quantile_place(&(DpQuantileChoices){.quantile = &side[1],
																			   .end = &side[0],
																			   .chosen = chosen,
																			   .low = low,
																			   .high = high,
																			   .rows = n},
														  confidence);

				if (place.low <= holder && holder <= place.high)
					held += law[0][low] * law[1][chosen] * law[2][high];
			}
	return held;
}

/* Rows that lie evenly, thin out towards one end, or leave half of the range empty. */
static void
test_coverage(void)
{
	static const double confidences[] = {0.5, 0.9, 0.95, 0.99};
	int64_t even[LEAVES], thin[LEAVES], part[LEAVES] = {0};

	for (uint32_t v = 0; v < LEAVES; v++)
	{
		even[v] = 8;
		thin[v] = 1 + (int64_t) (60 * exp(-(double) v / 12));
		part[v] = v > 4 && v < 30 ? 20 : 0;
	}
	for (size_t c = 0; c < sizeof(confidences) / sizeof(confidences[0]); c++)
	{
		double wanted = confidences[c], held[4];

		held[0] = coverage_of(even, 500000000, 20000000, wanted);
		held[1] = coverage_of(even, 250000000, 80000000, wanted);
		held[2] = coverage_of(thin, 500000000, 30000000, wanted);
		held[3] = coverage_of(part, 500000000, 40000000, wanted);
		for (size_t k = 0; k < 4; k++)
			CHECK(held[k] > wanted - 0.01, "an interval of %g holds %.4f", wanted, held[k]);
		CHECK(held[0] < wanted + (1 - wanted) / 2, "and not much more where leaves are narrow");
	}
	memset(part, 0, sizeof(part));
	part[3] = 5;
	CHECK_NEAR(coverage_of(part, 900000000, 100000000, 0.95), 1, 1e-9,
			   "of a few rows it is the range, and holds always");
}

static void
test_places(void)
{
	DpStatistic quantile = {.kind = DP_STATISTIC_CHOICE,
							.height = HEIGHT,
							.quantile_nano = 500000000,
							.choice_nano = 300000000};
	DpStatistic end = quantile;
	DpQuantileChoices choices = {
		.quantile = &quantile, .end = &end, .chosen = 20, .low = 10, .high = 22, .rows = 1000};
	DpQuantilePlace place;

	end.choice_nano = 100000000;
	end.side = -1;
	end.aside_rows = dp_choice_aside_rows(&end, 0.95);
	place = dp_quantile_place(&choices, 0.95);
	CHECK(place.low == 10 && place.high == 22, "ends are as they were chosen");
	CHECK_NEAR(place.stddev, 12.0 / 48 * sqrt(2) / 0.3, 1e-9,
			   "and tell how many leaves a row is worth");
	choices.chosen = 40;
	CHECK(dp_quantile_place(&choices, 0.9).high == 40, "an interval holds its estimate");
	place = dp_quantile_place(&choices, 0.96);
	CHECK(place.low == 0 && place.high == LEAVES - 1 && place.stddev < 0,
		  "with more confidence than was asked for it is the range");
	/* an end needs 24 rows on its side, and (6 ln 2)/0.1 - 24 = 17.6 on the other */
	choices.rows = 47;
	CHECK(dp_quantile_place(&choices, 0.95).low == 0, "an end without rows enough is the range's");
	choices.rows = 48;
	CHECK(dp_quantile_place(&choices, 0.95).low == 10, "with them it is not");
	quantile.quantile_nano = end.quantile_nano = 900000000;
	end.choice_nano = quantile.choice_nano = 180000000;
	choices.rows = 170;
	CHECK(dp_quantile_place(&choices, 0.95).low == 0,
		  "rows behind a high quantile must keep its low end from the empty leaves behind them");
	choices.rows = 180;
	CHECK(dp_quantile_place(&choices, 0.95).low == 10, "as these do");
}

int
main(void)
{
	DpArena arena = dp_arena_malloc();

	test_values(&arena);
	test_hidden(&arena);
	test_coverage();
	test_places();
	dp_arena_malloc_free(&arena);
	return unit_finish();
}
