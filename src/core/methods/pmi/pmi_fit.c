/*
 * pmi_fit.c -- the regressions of perturbed multiple imputation.
 */
#include "core/methods/pmi/pmi_fit.h"

#include <math.h>

const double dp_pmi_lambda[DP_PMI_LAMBDAS] = {0.1, 0.03, 0.01, 0.003, 0.001, 0.0003};

/* Rows are drawn from f mixed with much of the uniform distribution. A finer fit would not show. */
const DpNetEffort dp_pmi_effort = {.tolerance = 1e-2, .passes_max = 20};

DpStatus
dp_pmi_count(const DpMeasurement *m, DpPmiData *data, DpError *error)
{
	uint32_t p = m->domain->attributes;
	uint32_t attributes[DP_ATTRIBUTES_MAX] = {0};
	uint32_t *levels = dp_alloc(m->arena, p, sizeof(*levels));
	uint32_t *codes;
	DpMarginal exact;

	DP_TRY_ALLOC(levels);
	for (uint32_t a = 0; a < p; a++)
	{
		attributes[a] = a;
		levels[a] = m->domain->attribute[a].levels;
	}
	DP_TRY(dp_marginal_init(&exact, m->domain, &(DpAttributeSet){p, attributes}, DP_SPARSE,
							m->arena, error));
	dp_announce(m, "distinct rows");
	DP_TRY(dp_count_marginals(m, &exact, 1, error));
	*data = (DpPmiData){.rows = {.attributes = p, .levels = levels}};
	DP_TRY(dp_marginal_cells(&exact, &codes, &data->count, &data->rows.rows, m->arena));
	data->rows.codes = codes;
	dp_marginal_free(&exact);
	return dp_net_rows_build(&data->rows, m->arena);
}

/* ---- cross-validation ---- */

/* How many copies of a row are held out in a fold. Copies are dealt out one after another, and
 * those of row i begin with fold i. */
static int64_t
held_out(int64_t count, uint64_t row, uint32_t fold, uint32_t folds)
{
	uint64_t place = (fold + folds - row % folds) % folds;

	return count / folds + (place < (uint64_t) count % folds);
}

static void
split(const DpPmiData *data, uint32_t fold, uint32_t folds, double *fitted, double *tested)
{
	for (uint64_t i = 0; i < data->rows.rows; i++)
	{
		int64_t out = held_out(data->count[i], i, fold, folds);

		tested[i] = (double) out;
		fitted[i] = (double) (data->count[i] - out);
	}
}

/* Adds the losses of one fold for all lambdas. Each fit starts where the one before it ended. */
static DpStatus
try_fold(const DpMeasurement *m, const DpPmiSettings *settings, DpElasticNet *net,
		 const double *fitted, const double *tested, double *loss)
{
	for (int i = 0; i < DP_PMI_LAMBDAS; i++)
	{
		DpNetPenalty penalty = {dp_pmi_lambda[i], settings->mixing};
		double once;

		DP_TRY(dp_elastic_net_fit(net, fitted, penalty, dp_pmi_effort, m->noise.tick, m->arena));
		DP_TRY(dp_elastic_net_loss(net, tested, &once, m->arena));
		loss[i] += once;
	}
	return DP_OK;
}

/* Finds the last lambda of the path to fit: the one with the least loss on rows that were held
 * out. */
static DpStatus
cross_validate(const DpMeasurement *m, const DpPmiData *data, const DpPmiSettings *settings,
			   uint32_t attribute, int *best)
{
	const DpParents *features = &settings->features[attribute];
	double *fitted = dp_alloc(m->arena, data->rows.rows, sizeof(*fitted));
	double *tested = dp_alloc(m->arena, data->rows.rows, sizeof(*tested));
	double loss[DP_PMI_LAMBDAS] = {0.0};

	DP_TRY_ALLOC(fitted && tested);
	for (uint32_t fold = 0; fold < settings->folds; fold++)
	{
		DpElasticNet net;

		split(data, fold, settings->folds, fitted, tested);
		DP_TRY(dp_elastic_net_init(&net, &data->rows, attribute, features->index, features->n,
								   m->arena));
		DP_TRY(try_fold(m, settings, &net, fitted, tested, loss));
		dp_elastic_net_free(&net, m->arena);
	}
	*best = 0;
	for (int i = 1; i < DP_PMI_LAMBDAS; i++)
	{
		if (loss[i] < loss[*best])
			*best = i;
	}
	dp_free(m->arena, fitted, data->rows.rows, sizeof(*fitted));
	dp_free(m->arena, tested, data->rows.rows, sizeof(*tested));
	return DP_OK;
}

/* ---- the fit that is drawn from ---- */

DpStatus
dp_pmi_fit(const DpMeasurement *m, const DpPmiData *data, const DpPmiSettings *settings,
		   uint32_t attribute, DpElasticNet *net)
{
	const DpParents *features = &settings->features[attribute];
	double *weight = dp_alloc(m->arena, data->rows.rows, sizeof(*weight));
	DpNetPenalty penalty = {settings->lambda, settings->mixing};
	int best = 0;

	DP_TRY_ALLOC(weight);
	DP_TRY(
		dp_elastic_net_init(net, &data->rows, attribute, features->index, features->n, m->arena));
	if (data->rows.levels[attribute] < 2)
		return DP_OK;
	for (uint64_t i = 0; i < data->rows.rows; i++)
		weight[i] = (double) data->count[i];
	if (settings->lambda == 0)
		DP_TRY(cross_validate(m, data, settings, attribute, &best));
	for (int i = 0; i <= best; i++)
	{
		if (settings->lambda == 0)
			penalty.lambda = dp_pmi_lambda[i];
		DP_TRY(dp_elastic_net_fit(net, weight, penalty, dp_pmi_effort, m->noise.tick, m->arena));
	}
	dp_free(m->arena, weight, data->rows.rows, sizeof(*weight));
	return DP_OK;
}

void
dp_pmi_round(const double *f, uint32_t n, int64_t total, int64_t *out)
{
	int64_t left = total;
	uint32_t largest = 0;
	double sum = 0.0;

	for (uint32_t c = 0; c < n; c++)
		sum += f[c] > 0 ? f[c] : 0.0;
	for (uint32_t c = 0; c < n; c++)
	{
		double share = sum > 0 && isfinite(sum) ? (f[c] > 0 ? f[c] / sum : 0.0) : 1.0 / n;
		double part = floor(share * (double) total);

		out[c] = part < (double) left ? (int64_t) part : left;
		left -= out[c];
		largest = out[c] > out[largest] ? c : largest;
	}
	out[largest] += left;
}
