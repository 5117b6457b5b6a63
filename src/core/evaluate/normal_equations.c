/*
 * normal_equations.c -- the Cholesky factor of a matrix, row by row, without collinear columns.
 */
#include "core/evaluate/normal_equations.h"

#include <math.h>
#include <string.h>

#include "core/estimate/dot.h"

DpStatus
dp_factor_init(DpFactor *factor, uint32_t n, DpArena *arena)
{
	factor->n = n;
	factor->l = dp_alloc(arena, (size_t) n * n, sizeof(double));
	factor->kept = dp_alloc(arena, n, sizeof(bool));
	if (factor->l == NULL || factor->kept == NULL)
		return DP_ERR_MEMORY;
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

void
dp_factor_clear(DpFactor *factor)
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
