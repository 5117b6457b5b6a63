/*
 * test_query_answer.c -- answers of a query, their intervals and draws.
 */
#include "core/base/prng.h"
#include "core/estimate/query_answer.h"
#include "core/methods/query/quantile_score.h"

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

/* Draws are about what was released, and those of one group belong together. */
static void
test_draws(DpArena *arena)
{
	static const int64_t rows[QUERY_GROUPS][QUERY_LEAVES] = {{0, 0, 400, 400, 0, 0, 300, 500},
															 {0, 0, 0, 0, 100}};
	double *draw[6], mean[5] = {0};
	DpAnswerValue value;
	DpAnswerer *answerer;
	DpQueryLayout layout;
	DpError error = {0};
	DpModel model;

	query_model(rows, INT64_C(1000000000), &model, &layout, arena);
	MUST(dp_query_layout_load(&model, &layout, arena, &error));
	MUST(dp_answerer_create(&model, &layout, 0.95, &answerer, NULL, arena));
	for (uint32_t m = 0; m < 6; m++)
	{
		draw[m] = dp_alloc(arena, DP_QUERY_DRAWS, sizeof(double));
		CHECK(dp_answer_draws(answerer, m, 0, draw[m]) == (m < 5), "measure %u has draws", m);
	}
	for (uint32_t d = 0; d < DP_QUERY_DRAWS; d++)
	{
		for (uint32_t m = 0; m < 5; m++)
			mean[m] += draw[m][d] / DP_QUERY_DRAWS;
		if (fabs(draw[4][d] - sqrt(draw[3][d])) > 1e-6)
			CHECK(false, "draw %u belongs together", d);
	}
	for (uint32_t m = 0; m < 5; m++)
	{
		MUST(dp_answer_value(answerer, m, 0, &value));
		CHECK_NEAR(mean[m], value.estimate, value.std_error / 5, "the mean of draws of %u", m);
	}
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

/* What is said of the width before there are rows, beside intervals of 100,000 rows that all have
 * an end of the range, where the noise of a mean and of a variance is the largest. */
static void
test_half_widths(DpArena *arena)
{
	static const int64_t rows[QUERY_GROUPS][QUERY_LEAVES] = {{[QUERY_LEAVES - 1] = 100000},
															 {[6] = 60, [8] = 60}};
	double half[6], n = 100000;
	DpAnswerValue value[6][QUERY_GROUPS];
	DpAnswerer *answerer;
	DpQueryLayout layout;
	DpError error = {0};
	DpModel model;

	query_model(rows, 100000000, &model, &layout, arena);
	answer_all(&model, 0.9, value, arena);
	MUST(dp_query_layout_load(&model, &layout, arena, &error));
	MUST(dp_answerer_create(&model, &layout, 0.9, &answerer, NULL, arena));
	for (uint32_t m = 0; m < 6; m++)
		half[m] = dp_answer_half_width(answerer, m);
	for (uint32_t m = 0; m < 2; m++)
		CHECK_NEAR(half[m], (value[m][0].high - value[m][0].low) / 2, 1e-6,
				   "a count and a sum are as wide as that");
	CHECK_NEAR((value[2][0].estimate - value[2][0].low) * n / half[2], 1, 0.01,
			   "a mean at the end of the range as wide as it can be");
	CHECK(value[2][0].estimate - value[2][0].low <= half[2] / n, "and no wider");
	CHECK_NEAR(value[3][0].high * n / half[3], 1, 0.05, "a variance there, too");
	CHECK(half[4] == half[3], "a deviation goes by its variance");
	CHECK(half[5] < 60 && value[5][1].low == 6 && value[5][1].high == 9,
		  "an interval of a quantile ends at the edge of a zone that more rows lie before");
}

#define HEIGHT 6
#define LEAVES (1 << HEIGHT)

/* By the exponential mechanism, with the scores of a release: the distribution is known exactly. */
static void
distribution_of(const int64_t *leaf, const DpStatistic *choice, double *p)
{
	DpQuantileRank rank = {choice->quantile_nano, dp_choice_margin_rows(choice)};
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

static uint32_t
draw_leaf(DpPrng *prng, const double *p)
{
	double left = dp_prng_unit(prng);
	uint32_t v = 0;

	for (left -= p[0]; left >= 0 && v + 1 < LEAVES; left -= p[++v])
		continue;
	return v;
}

static int64_t
draw_laplace(DpPrng *prng, double rate)
{
	return (int64_t) (floor(-log(1 - dp_prng_unit(prng)) / rate) -
					  floor(-log(1 - dp_prng_unit(prng)) / rate));
}

#define DRAWS 20000

/* How often the interval holds the leaf of the quantile. The draws are seeded. */
static double
coverage_of(const int64_t *leaf, int64_t quantile_nano, int64_t epsilon_nano, double confidence,
			DpArena *arena)
{
	DpStatistic choice = {.kind = DP_STATISTIC_CHOICE,
						  .height = HEIGHT,
						  .quantile_nano = quantile_nano,
						  .choice_nano = epsilon_nano};
	DpTable table = zone_table(epsilon_nano);
	DpQuantileNoise noise;
	DpPrng prng;
	double distribution[LEAVES], n = 0, sum = 0;
	uint32_t holder = 0, held = 0;

	MUST(dp_quantile_noise_prepare(&choice, &table, confidence, &noise, arena));
	dp_prng_seed(&prng, (DpStream){1, 2, 3});
	distribution_of(leaf, &choice, distribution);
	for (uint32_t v = 0; v < LEAVES; v++)
		n += (double) leaf[v];
	for (sum = (double) leaf[0]; sum * 1e9 < n * (double) quantile_nano;
		 sum += (double) leaf[++holder])
		continue;
	for (uint32_t d = 0; d < DRAWS; d++)
	{
		uint32_t chosen = draw_leaf(&prng, distribution);
		int64_t rows[DP_ZONES_MAX(HEIGHT)] = {0};
		DpQuantilePlace place;

		for (uint32_t v = 0; v < LEAVES; v++)
			rows[dp_quantile_zone(v, chosen, HEIGHT)] += leaf[v];
		for (uint32_t z = 0; z < DP_ZONES_MAX(HEIGHT); z++)
			rows[z] += draw_laplace(&prng, (double) epsilon_nano / 1e9);
		place = dp_quantile_place(&noise, chosen, rows);
		held += place.low <= holder && holder <= place.high;
	}
	return (double) held / DRAWS;
}

/* Rows that lie evenly, thin out towards one end, leave half of the range empty, part at the
 * median, are zero in half of the cases, or are few: no rows are held less often than was asked
 * for. */
static void
test_coverage(DpArena *arena)
{
	static const double confidences[] = {0.5, 0.9, 0.95, 0.99};
	static const int64_t shares[] = {250000000, 500000000, 123456789};
	static const int64_t epsilons[] = {30000000, 300000000, 3000000000};
	int64_t rows[6][LEAVES] = {{0}};

	for (uint32_t v = 0; v < LEAVES; v++)
	{
		rows[0][v] = 8;
		rows[1][v] = 1 + (int64_t) (60 * exp(-(double) v / 12));
		rows[2][v] = v > 4 && v < 30 ? 20 : 0;
		rows[3][v] = v < 3 || v > 60 ? 50 : 0;
		rows[4][v] = v == 0 ? LEAVES - 1 : 1;
	}
	rows[5][3] = 5;
	for (size_t c = 0; c < sizeof(confidences) / sizeof(confidences[0]); c++)
		for (size_t q = 0; q < 3; q++)
			for (size_t e = 0; e < 3; e++)
				for (size_t k = 0; k < 6; k++)
				{
					double held =
						coverage_of(rows[k], shares[q], epsilons[e], confidences[c], arena);

					CHECK(held > confidences[c] - 0.01, "an interval of %g holds %.4f",
						  confidences[c], held);
					if (k == 3 && shares[q] == 500000000 && epsilons[e] < 1000000000 &&
						confidences[c] == 0.95)
						CHECK(held < confidences[c] + 0.01,
							  "and no more where rows lie as badly as they can: %.4f", held);
				}
}

int
main(void)
{
	DpArena arena = dp_arena_malloc();

	test_values(&arena);
	test_draws(&arena);
	test_hidden(&arena);
	test_half_widths(&arena);
	test_coverage(&arena);
	dp_arena_malloc_free(&arena);
	return unit_finish();
}
