/*
 * regression_pass.c -- the passes of a regression over its rows.
 */
#include "core/evaluate/regression_pass.h"

#include <math.h>
#include <string.h>

#define ETA_MAX 700
#define TICK_ROWS 4096

static double
predictor_of(const DpDesignRow *row, const double *beta)
{
	double eta = 0;

	for (uint32_t k = 0; k < row->n; k++)
		eta += row->x[k] * beta[row->term[k]];
	return eta;
}

static void
add_square(DpFactor *factor, const DpDesignRow *row, double weight)
{
	for (uint32_t a = 0; a < row->n; a++)
	{
		double *into = factor->l + (size_t) row->term[a] * factor->n;
		double times = weight * row->x[a];

		for (uint32_t b = 0; b <= a; b++)
			into[row->term[b]] += times * row->x[b];
	}
}

/* ln(1 + e^x) without overflow. */
static double
log1p_exp(double x)
{
	return x > 0 ? x + log1p(exp(-x)) : log1p(exp(x));
}

/* The loss of one row; sets the mean, and the variance per row. */
static double
row_loss(DpFamily family, double y, double eta, double *mean, double *variance)
{
	if (family == DP_FAMILY_LINEAR)
	{
		*mean = eta;
		*variance = 1;
		return (y - eta) * (y - eta) / 2;
	}
	eta = fmax(-ETA_MAX, fmin(ETA_MAX, eta));
	*mean = 1 / (1 + exp(-eta));
	*variance = *mean * (1 / (1 + exp(eta)));
	return log1p_exp(eta) - y * eta;
}

double
dp_fit_pass(DpFit *fit, const double *beta, double *gradient, bool matrix)
{
	const DpObservations *rows = fit->rows;
	double loss = 0;

	memset(gradient, 0, sizeof(double) * fit->design->terms);
	if (matrix)
		dp_factor_clear(&fit->factor);
	for (uint64_t r = 0; r < rows->rows; r++)
	{
		double weight = rows->weight[r], mean, variance, left;

		if (r % TICK_ROWS == 0)
			dp_tick(fit->tick, -1);
		if (fit->place[r] != DP_ROW_IN)
			continue;
		dp_design_row(fit->design, rows->value + r * rows->predictors, &fit->row);
		loss += weight * row_loss(fit->model->family, rows->outcome[r],
								  predictor_of(&fit->row, beta), &mean, &variance);
		left = weight * (rows->outcome[r] - mean);
		for (uint32_t k = 0; k < fit->row.n; k++)
			gradient[fit->row.term[k]] += left * fit->row.x[k];
		if (matrix)
			add_square(&fit->factor, &fit->row, weight * variance);
		fit->fitted[r] = mean;
	}
	for (uint32_t t = 1; fit->model->ridge > 0 && t < fit->design->terms; t++)
	{
		loss += fit->model->ridge * beta[t] * beta[t] / 2;
		gradient[t] -= fit->model->ridge * beta[t];
		if (matrix)
			fit->factor.l[(size_t) t * fit->factor.n + t] += fit->model->ridge;
	}
	return loss;
}

void
dp_fit_pass_plain(DpFit *fit)
{
	dp_factor_clear(&fit->factor);
	for (uint64_t r = 0; r < fit->rows->rows; r++)
	{
		if (r % TICK_ROWS == 0)
			dp_tick(fit->tick, -1);
		if (fit->place[r] != DP_ROW_IN)
			continue;
		dp_design_row(fit->design, fit->rows->value + r * fit->rows->predictors, &fit->row);
		add_square(&fit->factor, &fit->row, fit->rows->weight[r]);
	}
}

uint32_t
dp_fit_kept(const bool *kept, uint32_t n)
{
	uint32_t sum = 0;

	for (uint32_t t = 0; t < n; t++)
		sum += kept[t];
	return sum;
}
