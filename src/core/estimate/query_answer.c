/*
 * query_answer.c -- counts, sums, means, variances and quantiles with intervals.
 *
 * The noise of each statistic has a public law, the same in all groups. Where a measure is one
 * statistic, its interval is that law's. Where it is made of several, noises of all of them are
 * drawn from a seeded stream, once for all groups, and the interval is that of what they do to the
 * measure. What clamping and bounded units did to the truth is in no interval.
 */
#include "core/estimate/query_answer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/prng.h"
#include "core/budget/stddev.h"
#include "core/estimate/tree.h"
#include "core/model/noisy_table.h"

#define DRAWS 4000     /* of the noise of each statistic */
#define TREE_DRAWS 400 /* of that of a tree */
#define RATIO_STEPS 16 /* means for which the noise of a ratio is looked up */
#define SEED UINT64_C(0x9e3779b97f4a7c15)

/* ---- the noise of one statistic ---- */

typedef struct Noise
{
	const DpTable *table;
	double unit;   /* what the integer that a row adds is worth */
	double stddev; /* in that unit, times it */
	double half;   /* half of the interval, in the same way */
	double *draw;  /* [DRAWS] in the same way */
} Noise;

/* What stands ready for a tree: the law of its cumulated counts depends on its shape alone. */
typedef struct Tree
{
	uint32_t height;
	uint64_t *first; /* [2^height + 1] 0, 2, 4, ... */
	double **value;  /* [height] one layer each */
	double *prefix;  /* [2^height + 1] */
	double *moment;  /* [2^height + 1][3] variance of P_j, covariance with P_end, */
	double end_variance;
} Tree;

struct DpAnswerer
{
	const DpModel *model;
	const DpQueryLayout *layout;
	double confidence;
	double z;        /* of the normal law, two-sided */
	Noise *noise;    /* [statistics] */
	Tree *tree;      /* [statistics] */
	double *scratch; /* [DRAWS] */
	double **ratio;  /* [measures] RATIO_STEPS + 1 quantiles, of means */
	double *linear;  /* [measures] half of the interval of a sum that follows from a mean */
	DpArena *arena;
};

static double
normal_quantile(double confidence)
{
	double low = 0, high = 40;

	for (int i = 0; i < 200; i++)
	{
		double middle = (low + high) / 2;

		if (erf(middle / sqrt(2)) < confidence)
			low = middle;
		else
			high = middle;
	}
	return high;
}

static double
laplace_rate(const DpTable *table)
{
	return (double) table->cost.epsilon_nano /
		   ((double) DP_EPSILON_ONE * (double) table->sensitivity_l1);
}

/* The least t with P[|Z| <= t] >= confidence. P[|Z| > t] = 2 a^(t+1)/(1 + a) for discrete Laplace
 * noise. */
static double
half_width(const DpTable *table, double stddev, double confidence, double z)
{
	double rate, t;

	if (table->noise == DP_NOISE_GAUSSIAN)
		return ceil(z * stddev - 0.5 > 0 ? z * stddev - 0.5 : 0);
	rate = laplace_rate(table);
	t = ceil(log(2 / ((1 - confidence) * (1 + exp(-rate)))) / rate - 1);
	return t > 0 ? t : 0;
}

static double
open_unit(DpPrng *prng)
{
	return 1 - dp_prng_unit(prng);
}

/* Geometric, P[G >= g] = exp(-rate g). */
static double
draw_geometric(DpPrng *prng, double rate)
{
	return floor(-log(open_unit(prng)) / rate);
}

static double
draw_noise(const DpTable *table, double stddev, DpPrng *prng)
{
	if (table->noise == DP_NOISE_GAUSSIAN)
		return rint(stddev * sqrt(-2 * log(open_unit(prng))) *
					cos(6.283185307179586 * dp_prng_unit(prng)));
	return draw_geometric(prng, laplace_rate(table)) - draw_geometric(prng, laplace_rate(table));
}

static double
unit_of(const DpQueryLayout *layout, uint32_t i)
{
	const DpStatistic *statistic = &layout->statistic[i];
	double unit;

	if (statistic->kind < DP_STATISTIC_SUM || statistic->kind == DP_STATISTIC_TREE)
		return 1;
	unit = ldexp(dp_coordinate_unit(&layout->grid[i]), (int) statistic->shift);
	return statistic->kind == DP_STATISTIC_SQUARES ? unit * unit : unit;
}

static DpStatus
noise_prepare(const DpAnswerer *answerer, uint32_t i, Noise *noise)
{
	const DpTable *table = &answerer->model->table[answerer->layout->table[i]];
	double stddev = sqrt(dp_table_variance(table));
	DpPrng prng;

	*noise = (Noise){.table = table, .unit = unit_of(answerer->layout, i)};
	noise->stddev = stddev * noise->unit;
	noise->half = half_width(table, stddev, answerer->confidence, answerer->z) * noise->unit;
	noise->draw = dp_alloc(answerer->arena, DRAWS, sizeof(*noise->draw));
	if (noise->draw == NULL)
		return DP_ERR_MEMORY;
	dp_prng_seed(&prng, (DpStream){SEED, i, 0});
	for (uint32_t d = 0; d < DRAWS; d++)
		noise->draw[d] = draw_noise(table, stddev, &prng) * noise->unit;
	return DP_OK;
}

/* ---- quantiles of draws ---- */

static int
compare(const void *a, const void *b)
{
	double x = *(const double *) a, y = *(const double *) b;

	return (x > y) - (x < y);
}

/* The share of the n draws that are at most the result is at least the given one. Sorts them. */
static double
quantile_of(double *draw, uint32_t n, double share)
{
	uint32_t place = (uint32_t) ceil(share * n);

	qsort(draw, n, sizeof(*draw), compare);
	return draw[place == 0 ? 0 : place > n ? n - 1 : place - 1];
}

/* Of |a + factor b|, a and b the draws of two noises. */
static double
linear_half(const DpAnswerer *answerer, const Noise *a, const Noise *b, double factor)
{
	for (uint32_t d = 0; d < DRAWS; d++)
		answerer->scratch[d] = fabs(a->draw[d] + factor * b->draw[d]);
	return quantile_of(answerer->scratch, DRAWS, answerer->confidence);
}

/* ---- trees ---- */

static DpStatus
tree_alloc(Tree *tree, uint32_t height, DpArena *arena)
{
	uint64_t leaves = UINT64_C(1) << height;

	tree->height = height;
	tree->first = dp_alloc(arena, leaves + 1, sizeof(*tree->first));
	tree->value = dp_alloc(arena, height, sizeof(*tree->value));
	tree->prefix = dp_alloc(arena, leaves + 1, sizeof(*tree->prefix));
	tree->moment = dp_alloc(arena, 2 * (leaves + 1), sizeof(*tree->moment));
	if (tree->first == NULL || tree->value == NULL || tree->prefix == NULL || tree->moment == NULL)
		return DP_ERR_MEMORY;
	for (uint64_t v = 0; v <= leaves; v++)
		tree->first[v] = 2 * v;
	for (uint32_t l = 0; l < height; l++)
	{
		tree->value[l] = dp_alloc(arena, UINT64_C(2) << l, sizeof(**tree->value));
		if (tree->value[l] == NULL)
			return DP_ERR_MEMORY;
	}
	return DP_OK;
}

/* Makes the layers in tree->value consistent, and sums the leaves up in tree->prefix. */
static DpStatus
tree_solve(const Tree *tree, double variance, bool nonnegative, DpArena *arena)
{
	DpTreeLayer layer[DP_TREE_HEIGHT_MAX];
	DpTree whole = {.layers = tree->height, .layer = layer};
	uint64_t leaves = UINT64_C(1) << tree->height;
	double total;

	for (uint32_t l = 0; l < tree->height; l++)
		layer[l] = (DpTreeLayer){.nodes = UINT64_C(2) << l,
								 .first = tree->first,
								 .value = tree->value[l],
								 .variance = variance};
	DP_TRY(dp_tree_solve(&whole, NAN, arena));
	total = tree->value[0][0] + tree->value[0][1];
	if (nonnegative)
		DP_TRY(dp_tree_project(&whole, total > 0 ? total : 0, arena));
	tree->prefix[0] = 0;
	for (uint64_t j = 0; j < leaves; j++)
		tree->prefix[j + 1] = tree->prefix[j] + tree->value[tree->height - 1][j];
	return DP_OK;
}

/* The variance of each cumulated count, and its covariance with the whole, from drawn noise. */
static DpStatus
tree_prepare(DpAnswerer *answerer, uint32_t i, const DpTick *tick)
{
	const DpTable *table = &answerer->model->table[answerer->layout->table[i]];
	Tree *tree = &answerer->tree[i];
	uint64_t leaves;
	double variance = dp_table_variance(table);
	DpPrng prng;

	DP_TRY(tree_alloc(tree, answerer->layout->statistic[i].height, answerer->arena));
	leaves = UINT64_C(1) << tree->height;
	dp_prng_seed(&prng, (DpStream){SEED, i, 1});
	for (uint32_t d = 0; d < TREE_DRAWS; d++)
	{
		dp_tick(tick, (double) d / TREE_DRAWS);
		for (uint32_t l = 0; l < tree->height; l++)
			for (uint64_t v = 0; v < UINT64_C(2) << l; v++)
				tree->value[l][v] = draw_noise(table, sqrt(variance), &prng);
		DP_TRY(tree_solve(tree, variance, false, answerer->arena));
		for (uint64_t j = 0; j <= leaves; j++)
		{
			tree->moment[2 * j] += tree->prefix[j] * tree->prefix[j] / TREE_DRAWS;
			tree->moment[2 * j + 1] += tree->prefix[j] * tree->prefix[leaves] / TREE_DRAWS;
		}
	}
	tree->end_variance = tree->moment[2 * leaves];
	return DP_OK;
}

/* The standard deviation of P_j - q P_end. */
static double
tree_stddev(const Tree *tree, uint64_t j, double q)
{
	double variance =
		tree->moment[2 * j] - 2 * q * tree->moment[2 * j + 1] + q * q * tree->end_variance;

	return sqrt(variance > 0 ? variance : 0);
}

static DpStatus
tree_load(const DpAnswerer *answerer, uint32_t i, uint64_t cell, bool nonnegative)
{
	const Tree *tree = &answerer->tree[i];
	const DpTable *table = &answerer->model->table[answerer->layout->table[i]];

	for (uint32_t l = 0; l < tree->height; l++)
		for (uint64_t v = 0; v < UINT64_C(2) << l; v++)
			tree->value[l][v] = (double) table[l].value[(cell << (l + 1)) + v];
	return tree_solve(tree, dp_table_variance(table), nonnegative, answerer->arena);
}

/* ---- measures of one or two statistics ---- */

static const Noise *
noise_of(const DpAnswerer *answerer, DpStatisticKind kind, uint32_t column)
{
	int i =
		dp_statistic_find(answerer->layout->statistic, answerer->layout->statistics, kind, column);

	return i < 0 ? NULL : &answerer->noise[i];
}

/* Of the number of rows with a value, which is that of all rows where no value can be missing. */
static const Noise *
noise_present(const DpAnswerer *answerer, uint32_t column)
{
	const Noise *noise = noise_of(answerer, DP_STATISTIC_PRESENT, column);

	return noise != NULL ? noise : noise_of(answerer, DP_STATISTIC_ROWS, DP_NO_COLUMN);
}

static double
read_value(const Noise *noise, uint64_t cell)
{
	return (double) noise->table->value[cell] * noise->unit;
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
answer_count(const Noise *noise, uint64_t cell)
{
	double value = read_value(noise, cell);

	return (DpAnswerValue){value, noise->stddev, at_least(value - noise->half, 0),
						   at_least(value + noise->half, 0)};
}

/* What stands behind a mean: the sum about the middle, the count, and where the middle is. */
typedef struct Mean
{
	const Noise *sum, *count;
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
	const Noise *direct = noise_of(answerer, DP_STATISTIC_SUM, column);
	Mean mean;
	double value, stddev;

	if (direct != NULL)
	{
		value = read_value(direct, cell);
		return (DpAnswerValue){value, direct->stddev, value - direct->half, value + direct->half};
	}
	mean = mean_of(answerer, column);
	value = read_value(mean.sum, cell) + mean.middle * read_value(mean.count, cell);
	stddev = hypot(mean.sum->stddev, mean.middle * mean.count->stddev);
	return (DpAnswerValue){value, stddev, value - answerer->linear[m], value + answerer->linear[m]};
}

/* ---- means ---- */

/* The quantile of |noise of the sum - mean x noise of the count|, by the size of the mean. */
static double
ratio_half(const double *ratio, double mean, double size)
{
	double place = fabs(mean) / size * RATIO_STEPS;
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
 * the noise z_sum - mu z_count, whose law is known, and it is not larger than its quantile with the
 * confidence asked for. That is exact, also where the count is small.
 */
static DpAnswerValue
answer_mean(const DpAnswerer *answerer, uint32_t m, uint64_t cell)
{
	Mean mean = mean_of(answerer, answerer->layout->measure[m].column);
	Ratio ratio = {.sum = read_value(mean.sum, cell),
				   .count = read_value(mean.count, cell),
				   .table = answerer->ratio[m],
				   .size = at_least(-mean.least, mean.largest)};
	double estimate;

	if (ratio.count <= mean.count->half || ratio.count < 1)
		return (DpAnswerValue){
			ratio.count < 1 ? NAN
							: mean.middle + at_least(at_most(ratio.sum / ratio.count, mean.largest),
													 mean.least),
			NAN, mean.middle + mean.least, mean.middle + mean.largest};
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
	if (answerer->ratio[m] == NULL)
		return DP_ERR_MEMORY;
	for (uint32_t s = 0; s <= RATIO_STEPS; s++)
		answerer->ratio[m][s] =
			linear_half(answerer, mean.sum, mean.count, -size * s / RATIO_STEPS);
	return DP_OK;
}

/* ---- variances ---- */

static double
variance_from(double squares, double sum, double count)
{
	double mean = sum / count;

	return (squares / count - mean * mean) * (count > 2 ? count / (count - 1) : 1);
}

/* The noise is drawn anew about what was released, and what it does to the variance is turned
 * round. */
static DpAnswerValue
answer_variance(const DpAnswerer *answerer, uint32_t m, uint64_t cell)
{
	uint32_t column = answerer->layout->measure[m].column;
	bool root = answerer->layout->measure[m].kind == DP_STDDEV;
	Mean mean = mean_of(answerer, column);
	const Noise *squares = noise_of(answerer, DP_STATISTIC_SQUARES, column);
	double size = (mean.largest - mean.least) / 2, most = size * size, estimate, moment = 0;
	double q = read_value(squares, cell), s = read_value(mean.sum, cell);
	double n = read_value(mean.count, cell);
	DpAnswerValue value = {NAN, NAN, 0, root ? size : most};

	if (n < 2)
		return value;
	estimate = variance_from(q, s, n);
	for (uint32_t d = 0; d < DRAWS; d++)
	{
		answerer->scratch[d] = variance_from(q + squares->draw[d], s + mean.sum->draw[d],
											 at_least(n + mean.count->draw[d], 1)) -
							   estimate;
		moment += answerer->scratch[d] * answerer->scratch[d] / DRAWS;
	}
	if (n > 2 * mean.count->half)
	{
		value.high = at_least(at_most(estimate - quantile_of(answerer->scratch, DRAWS,
															 (1 - answerer->confidence) / 2),
									  most),
							  0);
		value.low = at_most(at_least(estimate - quantile_of(answerer->scratch, DRAWS,
															(1 + answerer->confidence) / 2),
									 0),
							value.high);
		value.high = root ? sqrt(value.high) : value.high;
		value.low = root ? sqrt(value.low) : value.low;
		value.std_error = root ? (value.high - value.low) / (2 * answerer->z) : sqrt(moment);
	}
	estimate = at_least(at_most(estimate, most), 0);
	value.estimate = root ? sqrt(estimate) : estimate;
	return value;
}

/* ---- quantiles ---- */

/* Where the cumulated count reaches the share q of it all: a value, where a leaf is one, else a
 * point inside the leaf. */
static double
quantile_place(const DpStatistic *statistic, const Tree *tree, double q)
{
	uint64_t leaves = UINT64_C(1) << tree->height, j = 0;
	double wanted = q * tree->prefix[leaves], begin, width, inside;

	while (j + 1 < leaves && tree->prefix[j + 1] <= wanted)
		j++;
	begin = dp_statistic_leaf_begin(statistic, (uint32_t) j);
	width = dp_statistic_leaf_begin(statistic, (uint32_t) j + 1) - begin;
	inside = tree->prefix[j + 1] - tree->prefix[j];
	if (width <= 1 || inside <= 0)
		return begin;
	return begin + at_most((wanted - tree->prefix[j]) / inside, 1) * width;
}

/*
 * The quantile lies above a boundary whose cumulated count is surely below the share, as are those
 * of all boundaries to the left; and below one in the same way. An end is wrong only if the noise at
 * one boundary, the next to the true quantile, exceeds its own quantile.
 */
static DpStatus
answer_quantile(DpAnswerer *answerer, uint32_t m, uint64_t cell, DpAnswerValue *out)
{
	const DpMeasure *measure = &answerer->layout->measure[m];
	int i = dp_statistic_find(answerer->layout->statistic, answerer->layout->statistics,
							  DP_STATISTIC_TREE, measure->column);
	const DpStatistic *statistic = &answerer->layout->statistic[i];
	const Tree *tree = &answerer->tree[i];
	uint64_t leaves = UINT64_C(1) << tree->height, low = 0, high = leaves;
	double q = (double) measure->quantile_nano / 1e9;
	double unit = dp_coordinate_unit(&answerer->layout->grid[i]);
	double origin = dp_coordinate_origin(&answerer->layout->grid[i]);
	double end, last;

	DP_TRY(tree_load(answerer, (uint32_t) i, cell, false));
	end = tree->prefix[leaves];
	while (low < leaves &&
		   tree->prefix[low + 1] - q * end < -answerer->z * tree_stddev(tree, low + 1, q))
		low++;
	while (high > low + 1 &&
		   tree->prefix[high - 1] - q * end > answerer->z * tree_stddev(tree, high - 1, q))
		high--;
	DP_TRY(tree_load(answerer, (uint32_t) i, cell, true));
	last =
		at_least(dp_statistic_leaf_begin(statistic, (uint32_t) (high > 0 ? high : 1)) - 1,
				 dp_statistic_leaf_begin(statistic, (uint32_t) (low < leaves ? low : leaves - 1)));
	*out = (DpAnswerValue){
		.estimate = end < 1 ? NAN : quantile_place(statistic, tree, q) * unit + origin,
		.low = dp_statistic_leaf_begin(statistic, (uint32_t) (low < leaves ? low : leaves - 1)) *
				   unit +
			   origin,
		.high = last * unit + origin};
	out->std_error = (out->high - out->low) / (2 * answerer->z);
	return DP_OK;
}

/* ---- all of them ---- */

static bool
is_mean(const DpAnswerer *answerer, uint32_t m)
{
	const DpMeasure *measure = &answerer->layout->measure[m];

	return noise_of(answerer, DP_STATISTIC_CENTRED, measure->column) != NULL &&
		   noise_present(answerer, measure->column) != NULL;
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
			return noise_of(answerer, DP_STATISTIC_TREE, measure->column) != NULL;
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
	if (measure->kind != DP_SUM || noise_of(answerer, DP_STATISTIC_SUM, measure->column) != NULL)
		return DP_OK;
	mean = mean_of(answerer, measure->column);
	answerer->linear[m] = linear_half(answerer, mean.sum, mean.count, mean.middle);
	return DP_OK;
}

DpStatus
dp_answerer_create(const DpModel *model, const DpQueryLayout *layout, double confidence,
				   DpAnswerer **out, const DpTick *tick, DpArena *arena)
{
	DpAnswerer *answerer = dp_alloc(arena, 1, sizeof(*answerer));

	*out = answerer;
	if (answerer == NULL)
		return DP_ERR_MEMORY;
	*answerer = (DpAnswerer){.model = model,
							 .layout = layout,
							 .confidence = confidence,
							 .z = normal_quantile(confidence),
							 .arena = arena};
	answerer->noise = dp_alloc(arena, layout->statistics, sizeof(*answerer->noise));
	answerer->tree = dp_alloc(arena, layout->statistics, sizeof(*answerer->tree));
	answerer->scratch = dp_alloc(arena, DRAWS, sizeof(*answerer->scratch));
	answerer->ratio = dp_alloc(arena, layout->measures, sizeof(*answerer->ratio));
	answerer->linear = dp_alloc(arena, layout->measures, sizeof(*answerer->linear));
	if (answerer->noise == NULL || answerer->tree == NULL || answerer->scratch == NULL ||
		answerer->ratio == NULL || answerer->linear == NULL)
		return DP_ERR_MEMORY;
	for (uint32_t i = 0; i < layout->statistics; i++)
	{
		DP_TRY(noise_prepare(answerer, i, &answerer->noise[i]));
		if (layout->statistic[i].kind == DP_STATISTIC_TREE)
			DP_TRY(tree_prepare(answerer, i, tick));
	}
	for (uint32_t m = 0; m < layout->measures; m++)
		DP_TRY(measure_prepare(answerer, m));
	return DP_OK;
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
			return answer_quantile(answerer, m, cell, out);
	}
	return DP_ERR_CORRUPT;
}
