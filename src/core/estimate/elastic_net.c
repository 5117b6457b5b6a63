/*
 * elastic_net.c -- multinomial logistic regression by coordinate descent.
 *
 * One weight moves at a time. Its step minimises a quadratic that lies above the loss for all
 * steps up to `shrinkage`. Along one coordinate the loss is a sum of ln(1 - p + p e^step), whose
 * second derivative is p (1 - p) <= 1/4 and changes by no more than a factor e^|step|. So every
 * step lowers the objective. shrinkage follows the steps (Genkin, Lewis, Madigan, "Large-scale
 * Bayesian logistic regression", 2007). Features are levels, 0 or 1. So a weight touches only the
 * rows that have its level, and their exp(score) changes by one common factor.
 */
#include "core/estimate/elastic_net.h"

#include <math.h>
#include <string.h>

#include "core/base/saturate.h"

#define TRUST_FIRST 1.0
#define TRUST_LEAST 1e-4
#define TRUST_MOST 4.0
#define ACTIVE_PASSES 8   /* passes over the nonzero weights, for each pass over all weights */
#define RESCALE_PASSES 16 /* after which exp(score) is computed anew */
#define RARE_CLASS 1e-6   /* the least share that the intercept of a class begins with */
#define PROBABILITY_LEAST 1e-12

/* ---- rows by level ---- */

static DpStatus
index_attribute(DpNetRows *data, uint32_t a, DpArena *arena)
{
	uint32_t levels = data->levels[a];
	uint64_t *first = dp_alloc(arena, (size_t) levels + 2, sizeof(*first));
	uint32_t *row = dp_alloc(arena, data->rows, sizeof(*row));

	DP_TRY_ALLOC(first && row);
	/* counts stand two places up, so that filling leaves the beginning of each level one place
	 * up */
	for (uint64_t i = 0; i < data->rows; i++)
		first[data->codes[i * data->attributes + a] + 2]++;
	for (uint32_t k = 2; k < levels + 2; k++)
		first[k] += first[k - 1];
	for (uint64_t i = 0; i < data->rows; i++)
		row[first[data->codes[i * data->attributes + a] + 1]++] = (uint32_t) i;
	data->first[a] = first;
	data->row[a] = row;
	return DP_OK;
}

DpStatus
dp_net_rows_build(DpNetRows *data, DpArena *arena)
{
	if (data->rows > UINT32_MAX)
		return DP_ERR_LIMIT;
	data->first = dp_alloc(arena, data->attributes, sizeof(*data->first));
	data->row = dp_alloc(arena, data->attributes, sizeof(*data->row));
	DP_TRY_ALLOC(data->first && data->row);
	for (uint32_t a = 0; a < data->attributes; a++)
		DP_TRY(index_attribute(data, a, arena));
	return DP_OK;
}

/* ---- the net ---- */

uint64_t
dp_elastic_net_parameters(const uint32_t *levels, uint32_t target, const uint32_t *feature,
						  uint32_t features)
{
	uint64_t rows = 1;

	for (uint32_t k = 0; k < features; k++)
		rows = dp_add_saturated(rows, levels[feature[k]]);
	return dp_multiply_saturated(rows, levels[target]);
}

static size_t
feature_weights(const DpElasticNet *net, uint32_t k)
{
	return (size_t) net->data->levels[net->feature[k]] * net->classes;
}

DpStatus
dp_elastic_net_init(DpElasticNet *net, const DpNetRows *data, uint32_t target,
					const uint32_t *feature, uint32_t features, DpArena *arena)
{
	*net = (DpElasticNet){.data = data,
						  .target = target,
						  .classes = data->levels[target],
						  .features = features,
						  .feature = feature};
	net->intercept = dp_alloc(arena, net->classes, sizeof(*net->intercept));
	net->weight = dp_alloc(arena, features, sizeof(*net->weight));
	DP_TRY_ALLOC(net->intercept && net->weight);
	for (uint32_t k = 0; k < features; k++)
	{
		net->weight[k] = dp_alloc(arena, feature_weights(net, k), sizeof(double));
		DP_TRY_ALLOC(net->weight[k]);
	}
	return DP_OK;
}

void
dp_elastic_net_free(DpElasticNet *net, DpArena *arena)
{
	for (uint32_t k = 0; k < net->features; k++)
		dp_free(arena, net->weight[k], feature_weights(net, k), sizeof(double));
	dp_free(arena, net->weight, net->features, sizeof(*net->weight));
	dp_free(arena, net->intercept, net->classes, sizeof(*net->intercept));
}

static void
score_row(const DpElasticNet *net, const uint32_t *row, double *score)
{
	memcpy(score, net->intercept, net->classes * sizeof(*score));
	for (uint32_t k = 0; k < net->features; k++)
	{
		const double *weight = net->weight[k] + (size_t) row[net->feature[k]] * net->classes;

		for (uint32_t c = 0; c < net->classes; c++)
			score[c] += weight[c];
	}
}

/* Turns scores into exp(score - the largest). Returns their sum. */
static double
exponentiate(double *score, uint32_t n)
{
	double most = score[0], sum = 0.0;

	for (uint32_t c = 1; c < n; c++)
		most = score[c] > most ? score[c] : most;
	for (uint32_t c = 0; c < n; c++)
	{
		score[c] = exp(score[c] - most);
		sum += score[c];
	}
	return sum;
}

void
dp_elastic_net_predict(const DpElasticNet *net, const uint32_t *row, double *f)
{
	double sum;

	score_row(net, row, f);
	sum = exponentiate(f, net->classes);
	for (uint32_t c = 0; c < net->classes; c++)
		f[c] /= sum;
}

DpStatus
dp_elastic_net_loss(const DpElasticNet *net, const double *row_weight, double *loss, DpArena *arena)
{
	const DpNetRows *data = net->data;
	double *f = dp_alloc(arena, net->classes, sizeof(*f));

	DP_TRY_ALLOC(f);
	*loss = 0.0;
	for (uint64_t i = 0; i < data->rows; i++)
	{
		const uint32_t *row = data->codes + i * data->attributes;

		if (row_weight[i] <= 0)
			continue;
		dp_elastic_net_predict(net, row, f);
		*loss -= row_weight[i] * log(fmax(f[row[net->target]], PROBABILITY_LEAST));
	}
	dp_free(arena, f, net->classes, sizeof(*f));
	return DP_OK;
}

/* ---- fitting ---- */

typedef struct Fit
{
	DpElasticNet *net;
	const double *row_weight;
	double total; /* sum of row_weight */
	DpNetPenalty penalty;
	double *share;     /* [classes x rows] exp(score), up to a factor for each row */
	double *sum;       /* [rows] of share */
	double *shrinkage; /* [all parameters] */
	double *observed;  /* [all parameters] weight of the rows with this level and class */
	double *score;     /* [classes] */
	uint64_t parameters;
} Fit;

/* The rows of a level. The intercept (k = features) has all rows. */
typedef struct Slice
{
	const uint32_t *row; /* NULL: 0, 1, 2, ... */
	uint64_t n;
} Slice;

static Slice
rows_of(const Fit *fit, uint32_t k, uint32_t level)
{
	const DpNetRows *data = fit->net->data;
	const uint64_t *first;

	if (k == fit->net->features)
		return (Slice){NULL, data->rows};
	first = data->first[fit->net->feature[k]] + level;
	return (Slice){data->row[fit->net->feature[k]] + first[0], first[1] - first[0]};
}

static uint64_t
row_at(Slice slice, uint64_t i)
{
	return slice.row != NULL ? slice.row[i] : i;
}

/* The first and second derivative of the mean loss along one weight. */
static void
derivatives(const Fit *fit, Slice slice, uint32_t class, double observed, double *slope,
			double *curvature)
{
	const double *share = fit->share + class * fit->net->data->rows;
	double expected = 0.0, spread = 0.0;

	for (uint64_t i = 0; i < slice.n; i++)
	{
		uint64_t row = row_at(slice, i);
		double p = share[row] / fit->sum[row];
		double mass = fit->row_weight[row] * p;

		expected += mass;
		spread += mass * (1 - p);
	}
	*slope = (expected - observed) / fit->total;
	*curvature = spread / fit->total;
}

static double
soft_threshold(double x, double by)
{
	if (x > by)
		return x - by;
	return x < -by ? x + by : 0.0;
}

static void
move_rows(Fit *fit, Slice slice, uint32_t class, double step)
{
	double *share = fit->share + class * fit->net->data->rows;
	double factor = expm1(step);

	for (uint64_t i = 0; i < slice.n; i++)
	{
		uint64_t row = row_at(slice, i);
		double gain = share[row] * factor;

		share[row] += gain;
		fit->sum[row] += gain;
	}
}

/* Moves one weight, which has this parameter number. Returns how far it moved. */
static double
descend(Fit *fit, Slice slice, uint32_t class, uint64_t parameter, double *weight, bool penalised)
{
	double lasso = penalised ? fit->penalty.lambda * fit->penalty.mixing : 0.0;
	double ridge = penalised ? fit->penalty.lambda * (1 - fit->penalty.mixing) : 0.0;
	double shrinkage = fit->shrinkage[parameter];
	double slope, curvature, step;

	derivatives(fit, slice, class, fit->observed[parameter], &slope, &curvature);
	curvature *= exp(shrinkage);
	if (!(curvature + ridge > 0))
		return 0.0;
	step = soft_threshold(curvature * *weight - slope, lasso) / (curvature + ridge) - *weight;
	step = fmin(fmax(step, -shrinkage), shrinkage);
	fit->shrinkage[parameter] =
		fmin(fmax(fmax(2 * fabs(step), shrinkage / 2), TRUST_LEAST), TRUST_MOST);
	if (step == 0)
		return 0.0;
	*weight += step;
	move_rows(fit, slice, class, step);
	return fabs(step);
}

/* Moves all weights of feature k (k = features: the intercepts), or only those that are not 0.
 * Returns the largest step. */
static double
pass_feature(Fit *fit, uint32_t k, uint64_t first_parameter, bool active_only)
{
	DpElasticNet *net = fit->net;
	bool penalised = k < net->features;
	uint32_t levels = penalised ? net->data->levels[net->feature[k]] : 1;
	double *weight = penalised ? net->weight[k] : net->intercept;
	double most = 0.0;

	for (uint32_t level = 0; level < levels; level++)
	{
		Slice slice = rows_of(fit, k, level);

		for (uint32_t c = 0; c < net->classes && slice.n > 0; c++)
		{
			size_t at = (size_t) level * net->classes + c;

			if (active_only && penalised && weight[at] == 0)
				continue;
			most = fmax(most, descend(fit, slice, c, first_parameter + at, &weight[at], penalised));
		}
	}
	return most;
}

/* Makes one pass. Returns its largest step. */
static double
pass_all(Fit *fit, bool active_only, const DpTick *tick)
{
	double most = 0.0;
	uint64_t parameter = 0;

	for (uint32_t k = 0; k <= fit->net->features; k++)
	{
		dp_tick(tick, -1.0);
		most = fmax(most, pass_feature(fit, k, parameter, active_only));
		parameter += k < fit->net->features ? feature_weights(fit->net, k) : fit->net->classes;
	}
	return most;
}

static void
rescale(Fit *fit)
{
	const DpNetRows *data = fit->net->data;

	for (uint64_t i = 0; i < data->rows; i++)
	{
		score_row(fit->net, data->codes + i * data->attributes, fit->score);
		fit->sum[i] = exponentiate(fit->score, fit->net->classes);
		for (uint32_t c = 0; c < fit->net->classes; c++)
			fit->share[c * data->rows + i] = fit->score[c];
	}
}

static void
observe(Fit *fit)
{
	DpElasticNet *net = fit->net;
	const DpNetRows *data = net->data;

	for (uint64_t i = 0; i < data->rows; i++)
	{
		const uint32_t *row = data->codes + i * data->attributes;
		double *observed = fit->observed;

		for (uint32_t k = 0; k < net->features; k++)
		{
			observed[(size_t) row[net->feature[k]] * net->classes + row[net->target]] +=
				fit->row_weight[i];
			observed += feature_weights(net, k);
		}
		observed[row[net->target]] += fit->row_weight[i];
		fit->total += fit->row_weight[i];
	}
}

/* Intercepts that were never fitted begin at the classes' shares. */
static void
begin_intercepts(Fit *fit)
{
	const double *observed = fit->observed + fit->parameters - fit->net->classes;

	for (uint32_t c = 0; c < fit->net->classes; c++)
	{
		if (fit->net->intercept[c] == 0)
			fit->net->intercept[c] = log(fmax(observed[c] / fit->total, RARE_CLASS));
	}
}

static DpStatus
fit_allocate(Fit *fit, DpArena *arena)
{
	const DpElasticNet *net = fit->net;
	uint64_t cells = net->data->rows * net->classes;

	fit->parameters =
		dp_elastic_net_parameters(net->data->levels, net->target, net->feature, net->features);
	fit->share = dp_alloc(arena, cells, sizeof(double));
	fit->sum = dp_alloc(arena, net->data->rows, sizeof(double));
	fit->shrinkage = dp_alloc(arena, fit->parameters, sizeof(double));
	fit->observed = dp_alloc(arena, fit->parameters, sizeof(double));
	fit->score = dp_alloc(arena, net->classes, sizeof(double));
	DP_TRY_ALLOC(fit->share && fit->sum && fit->shrinkage && fit->observed && fit->score);
	for (uint64_t i = 0; i < fit->parameters; i++)
		fit->shrinkage[i] = TRUST_FIRST;
	return DP_OK;
}

static void
fit_free(Fit *fit, DpArena *arena)
{
	const DpElasticNet *net = fit->net;

	dp_free(arena, fit->share, net->data->rows * net->classes, sizeof(double));
	dp_free(arena, fit->sum, net->data->rows, sizeof(double));
	dp_free(arena, fit->shrinkage, fit->parameters, sizeof(double));
	dp_free(arena, fit->observed, fit->parameters, sizeof(double));
	dp_free(arena, fit->score, net->classes, sizeof(double));
}

static void
run_passes(Fit *fit, DpNetEffort effort, const DpTick *tick)
{
	uint32_t passes = 0;

	rescale(fit);
	while (passes < effort.passes_max)
	{
		double most = pass_all(fit, false, tick);

		if (!(most > effort.tolerance) || ++passes >= effort.passes_max)
			break;
		for (int i = 0; i < ACTIVE_PASSES && passes < effort.passes_max; i++)
		{
			if (++passes % RESCALE_PASSES == 0)
				rescale(fit);
			if (pass_all(fit, true, tick) <= effort.tolerance)
				break;
		}
	}
	fit->net->passes = passes;
}

DpStatus
dp_elastic_net_fit(DpElasticNet *net, const double *row_weight, DpNetPenalty penalty,
				   DpNetEffort effort, const DpTick *tick, DpArena *arena)
{
	Fit fit = {.net = net, .row_weight = row_weight, .penalty = penalty};

	DP_TRY(fit_allocate(&fit, arena));
	observe(&fit);
	if (fit.total > 0)
	{
		begin_intercepts(&fit);
		run_passes(&fit, effort, tick);
	}
	fit_free(&fit, arena);
	return DP_OK;
}
