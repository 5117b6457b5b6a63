/*
 * query_answer.c -- counts, sums, means, variances and quantiles with intervals.
 *
 * The noise of each statistic has a public distribution, the same in all groups. Where a measure is
 * one statistic or a quotient of two, its interval is that distribution's. For variances, noises
 * are drawn from a seeded stream, once for all groups (query_answer.h), and the interval is that of
 * what they do to the variance. Intervals of quantiles come from the rows around them
 * (query_answer.h). What clamping and bounded units did to the truth is in no interval.
 */
#include "core/estimate/query_answer.h"

#include <math.h>

#define RATIO_STEPS 16 /* means for which the noise of a ratio is looked up */

struct DpAnswerer
{
	const DpModel *model;
	const DpQueryLayout *layout;
	double confidence;
	double z;                  /* of the normal distribution, two-sided */
	DpQueryNoise *noise;       /* [statistics] */
	double *scratch;           /* [DP_QUERY_DRAWS] */
	DpQuantileNoise *quantile; /* [measures] of quantiles */
	double **ratio;            /* [measures] RATIO_STEPS + 1 quantiles, of means */
	double *linear; /* [measures] half of the interval of a sum that follows from a mean */
	DpArena *arena;
};

/* ---- measures of one or two statistics ---- */

static const DpQueryNoise *
noise_of(const DpAnswerer *answerer, DpStatisticKind kind, uint32_t column)
{
	int i =
		dp_statistic_find(answerer->layout->statistic, answerer->layout->statistics, kind, column);

	return i < 0 ? NULL : &answerer->noise[i];
}

/* Of the number of rows with a value, which is that of all rows where no value can be missing. */
static const DpQueryNoise *
noise_present(const DpAnswerer *answerer, uint32_t column)
{
	const DpQueryNoise *noise = noise_of(answerer, DP_STATISTIC_PRESENT, column);

	return noise != NULL ? noise : noise_of(answerer, DP_STATISTIC_ROWS, DP_NO_COLUMN);
}

static double
at_least(double value, double least)
{
	return value > least ? value : least;
}

static double
at_most(double value, double most)
{
	return value < most ? value : most;
}

static DpAnswerValue
answer_count(const DpQueryNoise *noise, uint64_t cell)
{
	double value = dp_query_noise_read(noise, cell);

	return (DpAnswerValue){value, noise->stddev, at_least(value - noise->half, 0),
						   at_least(value + noise->half, 0)};
}

/* What stands behind a mean: the sum about the middle, the count, and where the middle is. */
typedef struct Mean
{
	const DpQueryNoise *sum, *count;
	double middle;         /* as a number */
	double least, largest; /* of a mean, from the middle */
} Mean;

static Mean
mean_of(const DpAnswerer *answerer, uint32_t column)
{
	const DpQueryLayout *layout = answerer->layout;
	int i = dp_statistic_find(layout->statistic, layout->statistics, DP_STATISTIC_CENTRED, column);
	const DpStatistic *statistic = &layout->statistic[i];
	double unit = dp_coordinate_unit(&layout->grid[i]);
	double middle = (double) dp_statistic_middle(statistic);

	return (Mean){.sum = noise_of(answerer, DP_STATISTIC_CENTRED, column),
				  .count = noise_present(answerer, column),
				  .middle = middle * unit + dp_coordinate_origin(&layout->grid[i]),
				  .least = ((double) statistic->first - middle) * unit,
				  .largest = ((double) statistic->last - middle) * unit};
}

static DpAnswerValue
answer_sum(const DpAnswerer *answerer, uint32_t m, uint64_t cell)
{
	uint32_t column = answerer->layout->measure[m].column;
	const DpQueryNoise *direct = noise_of(answerer, DP_STATISTIC_SUM, column);
	Mean mean;
	double value, stddev;

	if (direct != NULL)
	{
		value = dp_query_noise_read(direct, cell);
		return (DpAnswerValue){value, direct->stddev, value - direct->half, value + direct->half};
	}
	mean = mean_of(answerer, column);
	value =
		dp_query_noise_read(mean.sum, cell) + mean.middle * dp_query_noise_read(mean.count, cell);
	stddev = hypot(mean.sum->stddev, mean.middle * mean.count->stddev);
	return (DpAnswerValue){value, stddev, value - answerer->linear[m], value + answerer->linear[m]};
}

/* ---- means ---- */

/* The quantile of |noise of the sum - mean x noise of the count|, by the size of the mean. */
static double
ratio_half(const double *ratio, double mean, double size)
{
	double place = size > 0 ? fabs(mean) / size * RATIO_STEPS : 0; /* 0: a range of one value */
	uint32_t step = place >= RATIO_STEPS ? RATIO_STEPS - 1 : (uint32_t) place;

	return ratio[step] + (place - step) * (ratio[step + 1] - ratio[step]);
}

typedef struct Ratio
{
	double sum, count;
	const double *table;
	double size; /* the largest mean in the table */
} Ratio;

static bool
ratio_accepts(const Ratio *ratio, double mean)
{
	return fabs(ratio->sum - mean * ratio->count) <= ratio_half(ratio->table, mean, ratio->size);
}

/* The end of the accepted means between one that is accepted and a bound. */
static double
ratio_end(const Ratio *ratio, double inside, double bound)
{
	if (ratio_accepts(ratio, bound))
		return bound;
	for (int i = 0; i < 60; i++)
	{
		double middle = (inside + bound) / 2;

		if (ratio_accepts(ratio, middle))
			inside = middle;
		else
			bound = middle;
	}
	return bound;
}

/*
 * The means that the noise does not rule out (Fieller 1954): if mu is the mean, sum - mu count has
 * the noise z_sum - mu z_count, whose distribution is known, and it is not larger than its quantile
 * with the confidence asked for. That is exact, also where the count is small.
 */
static DpAnswerValue
answer_mean(const DpAnswerer *answerer, uint32_t m, uint64_t cell)
{
	Mean mean = mean_of(answerer, answerer->layout->measure[m].column);
	Ratio ratio = {.sum = dp_query_noise_read(mean.sum, cell),
				   .count = dp_query_noise_read(mean.count, cell),
				   .table = answerer->ratio[m],
				   .size = at_least(-mean.least, mean.largest)};
	double estimate;

	if (ratio.count <= mean.count->half || ratio.count < 1)
		return (DpAnswerValue){NAN, NAN, mean.middle + mean.least, mean.middle + mean.largest};
	estimate = at_least(at_most(ratio.sum / ratio.count, mean.largest), mean.least);
	return (DpAnswerValue){.estimate = mean.middle + estimate,
						   .std_error =
							   hypot(mean.sum->stddev, estimate * mean.count->stddev) / ratio.count,
						   .low = mean.middle + (ratio_accepts(&ratio, estimate)
													 ? ratio_end(&ratio, estimate, mean.least)
													 : estimate),
						   .high = mean.middle + (ratio_accepts(&ratio, estimate)
													  ? ratio_end(&ratio, estimate, mean.largest)
													  : estimate)};
}

static DpStatus
mean_prepare(DpAnswerer *answerer, uint32_t m)
{
	Mean mean = mean_of(answerer, answerer->layout->measure[m].column);
	double size = at_least(-mean.least, mean.largest);

	answerer->ratio[m] = dp_alloc(answerer->arena, RATIO_STEPS + 1, sizeof(**answerer->ratio));
	DP_TRY_ALLOC(answerer->ratio[m]);
	for (uint32_t s = 0; s <= RATIO_STEPS; s++)
		answerer->ratio[m][s] = dp_query_noise_linear(mean.sum, mean.count, -size * s / RATIO_STEPS,
													  answerer->confidence);
	return DP_OK;
}

/* ---- variances ---- */

static double
variance_from(double squares, double sum, double count)
{
	double mean = sum / count;

	return (squares / count - mean * mean) * (count > 2 ? count / (count - 1) : 1);
}

/* The noise is drawn again around the released numbers, and the resulting errors of the variance
 * are reflected (a basic bootstrap interval). */
static DpAnswerValue
answer_variance(const DpAnswerer *answerer, uint32_t m, uint64_t cell)
{
	uint32_t column = answerer->layout->measure[m].column;
	bool root = answerer->layout->measure[m].kind == DP_STDDEV;
	Mean mean = mean_of(answerer, column);
	const DpQueryNoise *squares = noise_of(answerer, DP_STATISTIC_SQUARES, column);
	double size = (mean.largest - mean.least) / 2, most = size * size, estimate, moment = 0;
	double q = dp_query_noise_read(squares, cell), s = dp_query_noise_read(mean.sum, cell);
	double n = dp_query_noise_read(mean.count, cell);
	DpAnswerValue value = {NAN, NAN, 0, root ? size : most};

	if (n < 2 || n <= 2 * mean.count->half)
		return value;
	estimate = variance_from(q, s, n);
	for (uint32_t d = 0; d < DP_QUERY_DRAWS; d++)
	{
		answerer->scratch[d] = variance_from(q + squares->draw[d], s + mean.sum->draw[d],
											 at_least(n + mean.count->draw[d], 1)) -
							   estimate;
		moment += answerer->scratch[d] * answerer->scratch[d] / DP_QUERY_DRAWS;
	}
	value.high = at_least(at_most(estimate - dp_quantile_of(answerer->scratch, DP_QUERY_DRAWS,
															(1 - answerer->confidence) / 2),
								  most),
						  0);
	value.low = at_most(at_least(estimate - dp_quantile_of(answerer->scratch, DP_QUERY_DRAWS,
														   (1 + answerer->confidence) / 2),
								 0),
						value.high);
	value.high = root ? sqrt(value.high) : value.high;
	value.low = root ? sqrt(value.low) : value.low;
	value.std_error = root ? (value.high - value.low) / (2 * answerer->z) : sqrt(moment);
	estimate = at_least(at_most(estimate, most), 0);
	value.estimate = root ? sqrt(estimate) : estimate;
	return value;
}

/* ---- quantiles ---- */

/* A value, where a leaf is one, else the middle of the leaf. The high end of an interval is the
 * last value of a leaf. The last leaves can be without any value. */
static double
value_of(const DpStatistic *statistic, const DpGrid *grid, uint32_t leaf, double share)
{
	double first = at_most(dp_statistic_leaf_begin(statistic, leaf), (double) statistic->last);
	double last = dp_statistic_leaf_begin(statistic, leaf + 1) - 1;

	return (first + share * (last > first ? last - first : 0)) * dp_coordinate_unit(grid) +
		   dp_coordinate_origin(grid);
}

/* Of a leaf and the way to the next, on average. */
static double
leaf_width(const DpStatistic *statistic, const DpGrid *grid)
{
	return ldexp(((double) statistic->last - (double) statistic->first + 1) *
					 dp_coordinate_unit(grid),
				 -(int) statistic->height);
}

/* The place of the choice of a quantile, or of its zones. */
static int
quantile_part(const DpQueryLayout *layout, const DpMeasure *measure, DpStatisticKind kind)
{
	return dp_statistic_find_quantile(layout->statistic, layout->statistics, kind, measure->column,
									  measure->quantile_nano);
}

/* A leaf of several values is off by its own width, too: that of an even distribution is
 * width/sqrt(12). */
static DpAnswerValue
answer_quantile(const DpAnswerer *answerer, uint32_t m, uint64_t cell)
{
	const DpQueryLayout *layout = answerer->layout;
	int at = quantile_part(layout, &layout->measure[m], DP_STATISTIC_CHOICE);
	int zones = quantile_part(layout, &layout->measure[m], DP_STATISTIC_ZONES);
	const DpStatistic *choice = &layout->statistic[at];
	const DpGrid *grid = &layout->grid[at];
	uint32_t chosen = layout->choice[at][cell];
	int64_t rows[DP_ZONES_MAX(DP_LEAVES_HEIGHT_MAX)];
	DpQuantilePlace place;
	DpAnswerValue value;
	double width;

	for (uint32_t z = 0; z < DP_ZONES_MAX(choice->height); z++)
		rows[z] = answerer->model->table[layout->table[zones] + z].value[cell];
	place = dp_quantile_place(&answerer->quantile[m], chosen, rows);
	value = (DpAnswerValue){.estimate = value_of(choice, grid, chosen, 0.5),
							.low = value_of(choice, grid, place.low, 0),
							.high = value_of(choice, grid, place.high, 1)};
	width = value_of(choice, grid, chosen, 1) - value_of(choice, grid, chosen, 0);
	value.std_error = place.stddev < 0
						  ? (value.high - value.low) / (2 * answerer->z)
						  : hypot(place.stddev * leaf_width(choice, grid), width / sqrt(12));
	return value;
}

static DpStatus
quantile_prepare(DpAnswerer *answerer, uint32_t m)
{
	const DpQueryLayout *layout = answerer->layout;
	int choice = quantile_part(layout, &layout->measure[m], DP_STATISTIC_CHOICE);
	int zones = quantile_part(layout, &layout->measure[m], DP_STATISTIC_ZONES);

	return dp_quantile_noise_prepare(&layout->statistic[choice],
									 &answerer->model->table[layout->table[zones]],
									 answerer->confidence, &answerer->quantile[m], answerer->arena);
}

/* ---- all of them ---- */

static bool
is_mean(const DpAnswerer *answerer, uint32_t m)
{
	const DpMeasure *measure = &answerer->layout->measure[m];

	return noise_of(answerer, DP_STATISTIC_CENTRED, measure->column) != NULL &&
		   noise_present(answerer, measure->column) != NULL;
}

/* A quantile has a choice, and zones of the same leaves. */
static bool
is_quantile(const DpQueryLayout *layout, const DpMeasure *measure)
{
	int choice = quantile_part(layout, measure, DP_STATISTIC_CHOICE);
	int zones = quantile_part(layout, measure, DP_STATISTIC_ZONES);

	return choice >= 0 && zones >= 0 &&
		   layout->statistic[choice].height == layout->statistic[zones].height;
}

/* Whether the layout has the statistics that a measure is computed from. */
static bool
can_answer(const DpAnswerer *answerer, uint32_t m)
{
	const DpMeasure *measure = &answerer->layout->measure[m];

	switch (measure->kind)
	{
		case DP_COUNT_ROWS:
			return noise_of(answerer, DP_STATISTIC_ROWS, DP_NO_COLUMN) != NULL;
		case DP_COUNT:
			return noise_present(answerer, measure->column) != NULL;
		case DP_COUNT_DISTINCT:
			return noise_of(answerer, DP_STATISTIC_DISTINCT, measure->column) != NULL;
		case DP_SUM:
			return noise_of(answerer, DP_STATISTIC_SUM, measure->column) != NULL ||
				   is_mean(answerer, m);
		case DP_AVG:
			return is_mean(answerer, m);
		case DP_VAR:
		case DP_STDDEV:
			return is_mean(answerer, m) &&
				   noise_of(answerer, DP_STATISTIC_SQUARES, measure->column) != NULL;
		case DP_QUANTILE:
			return is_quantile(answerer->layout, measure);
	}
	return false;
}

static DpStatus
measure_prepare(DpAnswerer *answerer, uint32_t m)
{
	const DpMeasure *measure = &answerer->layout->measure[m];
	Mean mean;

	if (!can_answer(answerer, m))
		return DP_ERR_CORRUPT;
	if (measure->kind == DP_AVG)
		return mean_prepare(answerer, m);
	if (measure->kind == DP_QUANTILE)
		return quantile_prepare(answerer, m);
	if (measure->kind != DP_SUM || noise_of(answerer, DP_STATISTIC_SUM, measure->column) != NULL)
		return DP_OK;
	mean = mean_of(answerer, measure->column);
	answerer->linear[m] =
		dp_query_noise_linear(mean.sum, mean.count, mean.middle, answerer->confidence);
	return DP_OK;
}

DpStatus
dp_answerer_create(const DpModel *model, const DpQueryLayout *layout, double confidence,
				   DpAnswerer **out, const DpTick *tick, DpArena *arena)
{
	DpAnswerer *answerer = dp_alloc(arena, 1, sizeof(*answerer));

	*out = answerer;
	DP_TRY_ALLOC(answerer);
	*answerer = (DpAnswerer){.model = model,
							 .layout = layout,
							 .confidence = confidence,
							 .z = dp_normal_half_width(confidence),
							 .arena = arena};
	answerer->noise = dp_alloc(arena, layout->statistics, sizeof(*answerer->noise));
	answerer->scratch = dp_alloc(arena, DP_QUERY_DRAWS, sizeof(*answerer->scratch));
	answerer->ratio = dp_alloc(arena, layout->measures, sizeof(*answerer->ratio));
	answerer->linear = dp_alloc(arena, layout->measures, sizeof(*answerer->linear));
	answerer->quantile = dp_alloc(arena, layout->measures, sizeof(*answerer->quantile));
	DP_TRY_ALLOC(answerer->noise && answerer->scratch && answerer->ratio && answerer->linear &&
				 answerer->quantile);
	for (uint32_t i = 0; i < layout->statistics; i++)
	{
		dp_tick(tick, (double) i / layout->statistics);
		if (layout->statistic[i].kind < DP_STATISTIC_CHOICE)
			DP_TRY(
				dp_query_noise_prepare(model, layout, i, confidence, &answerer->noise[i], arena));
	}
	for (uint32_t m = 0; m < layout->measures; m++)
		DP_TRY(measure_prepare(answerer, m));
	return DP_OK;
}

/* ---- how wide, before there is any value ---- */

/* What noise does to a variance is, to the first order and times the rows, z_squares - 2 m z_sum +
 * (m^2 - v) z_count for a mean that is m off the middle and a variance v. Neither factor can be
 * larger than here, and the distributions are symmetric and have one peak. */
static double
variance_half(const DpAnswerer *answerer, uint32_t column)
{
	const DpQueryNoise *squares = noise_of(answerer, DP_STATISTIC_SQUARES, column);
	Mean mean = mean_of(answerer, column);
	double size = at_least(-mean.least, mean.largest);

	for (uint32_t d = 0; d < DP_QUERY_DRAWS; d++)
		answerer->scratch[d] = fabs(squares->draw[d] + 2 * size * mean.sum->draw[d] +
									size * size * mean.count->draw[d]);
	return dp_quantile_of(answerer->scratch, DP_QUERY_DRAWS, answerer->confidence);
}

static double
quantile_half(const DpQuantileNoise *noise)
{
	uint32_t zones = DP_ZONES_MAX(noise->choice->height);
	double half = 0;

	for (uint32_t before = 1; before < zones; before++)
		half = at_least(dp_quantile_half_width(noise, before, zones - before), half);
	return half;
}

double
dp_answer_half_width(const DpAnswerer *answerer, uint32_t m)
{
	const DpMeasure *measure = &answerer->layout->measure[m];
	const DpQueryNoise *sum;

	switch (measure->kind)
	{
		case DP_COUNT_ROWS:
			return noise_of(answerer, DP_STATISTIC_ROWS, DP_NO_COLUMN)->half;
		case DP_COUNT:
			return noise_present(answerer, measure->column)->half;
		case DP_COUNT_DISTINCT:
			return noise_of(answerer, DP_STATISTIC_DISTINCT, measure->column)->half;
		case DP_SUM:
			sum = noise_of(answerer, DP_STATISTIC_SUM, measure->column);
			return sum != NULL ? sum->half : answerer->linear[m];
		case DP_AVG:
			return answerer->ratio[m][RATIO_STEPS];
		case DP_VAR:
		case DP_STDDEV:
			return variance_half(answerer, measure->column);
		case DP_QUANTILE:
			return quantile_half(&answerer->quantile[m]);
	}
	return NAN;
}

DpStatus
dp_answer_value(DpAnswerer *answerer, uint32_t m, uint64_t cell, DpAnswerValue *out)
{
	const DpMeasure *measure = &answerer->layout->measure[m];

	switch (measure->kind)
	{
		case DP_COUNT_ROWS:
			*out = answer_count(noise_of(answerer, DP_STATISTIC_ROWS, DP_NO_COLUMN), cell);
			return DP_OK;
		case DP_COUNT:
			*out = answer_count(noise_present(answerer, measure->column), cell);
			return DP_OK;
		case DP_COUNT_DISTINCT:
			*out = answer_count(noise_of(answerer, DP_STATISTIC_DISTINCT, measure->column), cell);
			return DP_OK;
		case DP_SUM:
			*out = answer_sum(answerer, m, cell);
			return DP_OK;
		case DP_AVG:
			*out = answer_mean(answerer, m, cell);
			return DP_OK;
		case DP_VAR:
		case DP_STDDEV:
			*out = answer_variance(answerer, m, cell);
			return DP_OK;
		case DP_QUANTILE:
			*out = answer_quantile(answerer, m, cell);
			return DP_OK;
	}
	return DP_ERR_CORRUPT;
}

/* ---- noise once more ---- */

static void
draws_of(const DpQueryNoise *noise, uint64_t cell, double *draw)
{
	double value = dp_query_noise_read(noise, cell);

	for (uint32_t d = 0; d < DP_QUERY_DRAWS; d++)
		draw[d] = value + noise->draw[d];
}

/* A sum that follows from a mean, the mean itself, or a variance. */
static double
drawn_from_mean(const DpMeasure *measure, const Mean *mean, double sum, double count,
				double squares)
{
	double off, variance;

	if (measure->kind == DP_SUM)
		return sum + mean->middle * count;
	count = at_least(count, 1);
	off = at_most(at_least(sum / count, mean->least), mean->largest);
	if (measure->kind == DP_AVG)
		return mean->middle + off;
	variance = at_least(variance_from(squares, sum, count), 0);
	return measure->kind == DP_STDDEV ? sqrt(variance) : variance;
}

static void
draws_from_mean(const DpAnswerer *answerer, const DpMeasure *measure, uint64_t cell, double *draw)
{
	Mean mean = mean_of(answerer, measure->column);
	const DpQueryNoise *squares = noise_of(answerer, DP_STATISTIC_SQUARES, measure->column);
	double s = dp_query_noise_read(mean.sum, cell), n = dp_query_noise_read(mean.count, cell);
	double q = squares != NULL ? dp_query_noise_read(squares, cell) : 0;

	for (uint32_t d = 0; d < DP_QUERY_DRAWS; d++)
		draw[d] = drawn_from_mean(measure, &mean, s + mean.sum->draw[d], n + mean.count->draw[d],
								  squares != NULL ? q + squares->draw[d] : 0);
}

bool
dp_answer_draws(const DpAnswerer *answerer, uint32_t m, uint64_t cell, double *draw)
{
	const DpMeasure *measure = &answerer->layout->measure[m];
	const DpQueryNoise *noise = NULL;

	if (measure->kind == DP_QUANTILE)
		return false;
	if (measure->kind == DP_COUNT_ROWS)
		noise = noise_of(answerer, DP_STATISTIC_ROWS, DP_NO_COLUMN);
	else if (measure->kind == DP_COUNT)
		noise = noise_present(answerer, measure->column);
	else if (measure->kind == DP_COUNT_DISTINCT)
		noise = noise_of(answerer, DP_STATISTIC_DISTINCT, measure->column);
	else if (measure->kind == DP_SUM)
		noise = noise_of(answerer, DP_STATISTIC_SUM, measure->column);
	if (noise != NULL)
		draws_of(noise, cell, draw);
	else
		draws_from_mean(answerer, measure, cell, draw);
	return true;
}
