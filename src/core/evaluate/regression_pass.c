/*
 * regression_pass.c -- the passes of a regression over its rows.
 */
#include "core/evaluate/regression.h"

#include <math.h>
#include <string.h>

#include "core/estimate/dot.h"

#define ETA_MAX 700
#define TICK_ROWS 4096

/* ---- normal equations ---- */

DpStatus
dp_factor_init(DpFactor *factor, uint32_t n, DpArena *arena)
{
	factor->n = n;
	factor->l = dp_alloc(arena, (size_t) n * n, sizeof(double));
	factor->kept = dp_alloc(arena, n, sizeof(bool));
	DP_TRY_ALLOC(factor->l && factor->kept);
	for (uint32_t i = 0; i < n; i++)
		factor->kept[i] = true;
	return DP_OK;
}

void
dp_factor_free(DpFactor *factor, DpArena *arena)
{
	dp_free(arena, factor->l, (size_t) factor->n * factor->n, sizeof(double));
	dp_free(arena, factor->kept, factor->n, sizeof(bool));
}

static void
factor_clear(DpFactor *factor)
{
	memset(factor->l, 0, sizeof(double) * factor->n * factor->n);
}

static double *
row_of(const DpFactor *factor, uint32_t i)
{
	return factor->l + (size_t) i * factor->n;
}

/* A kept row has 0 in the columns that are not kept, so that products need not ask. */
uint32_t
dp_factor_make(DpFactor *factor, double tolerance, const DpTick *tick)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < factor->n; i++)
	{
		double *row = row_of(factor, i);
		double own = row[i], left;

		dp_tick(tick, -1);
		for (uint32_t j = 0; j < i; j++)
		{
			const double *above = row_of(factor, j);

			row[j] = factor->kept[j] ? (row[j] - dp_dot(row, above, j)) / above[j] : 0;
		}
		left = own - dp_dot(row, row, i);
		factor->kept[i] = factor->kept[i] && own > 0 && left > tolerance * own;
		if (factor->kept[i])
		{
			row[i] = sqrt(left);
			kept++;
		}
	}
	return kept;
}

static void
solve_lower(const DpFactor *factor, double *b)
{
	for (uint32_t i = 0; i < factor->n; i++)
		b[i] =
			factor->kept[i] ? (b[i] - dp_dot(row_of(factor, i), b, i)) / row_of(factor, i)[i] : 0;
}

/* The first n columns alone. */
static void
solve_upper(const DpFactor *factor, double *b, uint32_t n)
{
	for (uint32_t i = n; i-- > 0;)
	{
		const double *row = row_of(factor, i);

		if (!factor->kept[i])
		{
			b[i] = 0;
			continue;
		}
		b[i] /= row[i];
		for (uint32_t j = 0; j < i; j++)
			b[j] -= row[j] * b[i];
	}
}

void
dp_factor_solve(const DpFactor *factor, double *b)
{
	solve_lower(factor, b);
	solve_upper(factor, b, factor->n);
}

double
dp_factor_square(const DpFactor *factor, double *a)
{
	solve_lower(factor, a);
	return dp_dot(a, a, factor->n);
}

void
dp_factor_combination(const DpFactor *factor, uint32_t column, double *z)
{
	memset(z, 0, sizeof(double) * factor->n);
	memcpy(z, row_of(factor, column), sizeof(double) * column);
	solve_upper(factor, z, column);
}

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
		factor_clear(&fit->factor);
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
	factor_clear(&fit->factor);
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
