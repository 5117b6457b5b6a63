/*
 * number_statistics.c -- what is said of a column of numbers, in two tables of rows.
 */
#include "core/evaluate/number_statistics.h"

#include <math.h>

static double
value_at(const DpNumbers *numbers, uint32_t i)
{
	return numbers->values->number[numbers->order[i]];
}

static int64_t
rows_at(const DpNumbers *numbers, uint32_t side, uint32_t i)
{
	return isfinite(value_at(numbers, i)) ? numbers->values->rows[side][numbers->order[i]] : 0;
}

static int64_t
rows_of(const DpNumbers *numbers, uint32_t side)
{
	int64_t rows = 0;

	for (uint32_t i = 0; i + 1 < numbers->values->n; i++)
		rows += rows_at(numbers, side, i);
	return rows;
}

/* The value of the row at a rank, which counts from 0. */
static double
at_rank(const DpNumbers *numbers, uint32_t side, int64_t rank)
{
	int64_t passed = 0;

	for (uint32_t i = 0; i + 1 < numbers->values->n; i++)
	{
		passed += rows_at(numbers, side, i);
		if (passed > rank)
			return value_at(numbers, i);
	}
	return NAN;
}

static double
quantile(const DpNumbers *numbers, uint32_t side, int64_t rows, double share)
{
	double place = share * (double) (rows - 1);
	int64_t rank = (int64_t) floor(place);
	double low = at_rank(numbers, side, rank);
	double rest = place - (double) rank;

	return rest == 0 ? low : low + rest * (at_rank(numbers, side, rank + 1) - low);
}

DpNumberStatistics
dp_number_statistics(const DpNumbers *numbers, uint32_t side)
{
	DpNumberStatistics found = {rows_of(numbers, side), NAN, NAN, {NAN, NAN, NAN}};
	double rows = (double) found.rows;
	double sum = 0;
	double squares = 0;

	if (found.rows == 0)
		return found;
	/* shares are summed, since a sum of values can overflow where their mean does not */
	for (uint32_t i = 0; i + 1 < numbers->values->n; i++)
		if (rows_at(numbers, side, i) > 0)
			sum += value_at(numbers, i) * ((double) rows_at(numbers, side, i) / rows);
	for (uint32_t i = 0; i + 1 < numbers->values->n; i++)
	{
		double apart = value_at(numbers, i) - sum;

		if (rows_at(numbers, side, i) > 0)
			squares += apart * apart * (double) rows_at(numbers, side, i);
	}
	found.mean = sum;
	found.sd = found.rows > 1 ? sqrt(squares / (rows - 1)) : NAN;
	for (int i = 0; i < 3; i++)
		found.quartile[i] = quantile(numbers, side, found.rows, (i + 1) / 4.0);
	return found;
}

double
dp_wasserstein(const DpNumbers *numbers)
{
	int64_t rows[2] = {rows_of(numbers, 0), rows_of(numbers, 1)};
	int64_t below[2] = {0, 0};
	double before = NAN;
	double area = 0;

	if (rows[0] == 0 || rows[1] == 0)
		return NAN;
	for (uint32_t i = 0; i + 1 < numbers->values->n; i++)
	{
		double value = value_at(numbers, i);

		if (!isfinite(value))
			continue;
		if (!isnan(before))
			area += (value - before) * fabs((double) below[0] / (double) rows[0] -
											(double) below[1] / (double) rows[1]);
		for (uint32_t side = 0; side < 2; side++)
			below[side] += rows_at(numbers, side, i);
		before = value;
	}
	return area;
}

/* ---- correlations of pairs ---- */

DpStatus
dp_correlations_init(DpCorrelations *correlations, uint32_t n, uint32_t rows_max, DpArena *arena)
{
	*correlations = (DpCorrelations){.n = n, .rows_max = rows_max};
	correlations->pair = dp_alloc(arena, (size_t) n * (n - 1) / 2, sizeof(DpPairSums));
	correlations->value = dp_alloc(arena, (size_t) n * rows_max, sizeof(double));
	correlations->present = dp_alloc(arena, (size_t) n * rows_max, sizeof(double));
	correlations->column = dp_alloc(arena, n, sizeof(DpBatchColumn));
	return correlations->pair == NULL || correlations->value == NULL ||
				   correlations->present == NULL || correlations->column == NULL
			   ? DP_ERR_MEMORY
			   : DP_OK;
}

/* Several sums side by side, so that additions need not wait for each other. */
static double
dot(const double *a, const double *b, uint32_t rows)
{
	double sum[4] = {0};
	uint32_t i = 0;

	for (; i + 4 <= rows; i += 4)
		for (int k = 0; k < 4; k++)
			sum[k] += a[i + k] * b[i + k];
	for (; i < rows; i++)
		sum[0] += a[i] * b[i];
	return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

static double
dot_square(const double *a, const double *b, uint32_t rows)
{
	double sum = 0;

	for (uint32_t i = 0; i < rows; i++)
		sum += a[i] * a[i] * b[i];
	return sum;
}

static DpBatchColumn
column_of(const DpCorrelations *correlations, uint32_t i, uint32_t rows)
{
	const double *value = correlations->value + (size_t) i * correlations->rows_max;
	const double *present = correlations->present + (size_t) i * correlations->rows_max;

	return (DpBatchColumn){value, present, dot(present, present, rows) == rows,
						   dot(value, present, rows), dot(value, value, rows)};
}

static void
pair_add(DpPairSums *sums, const DpBatchColumn *a, const DpBatchColumn *b, uint32_t rows)
{
	sums->n += a->complete && b->complete ? rows : dot(a->present, b->present, rows);
	sums->x += b->complete ? a->sum : dot(a->value, b->present, rows);
	sums->y += a->complete ? b->sum : dot(b->value, a->present, rows);
	sums->xx += b->complete ? a->squares : dot_square(a->value, b->present, rows);
	sums->yy += a->complete ? b->squares : dot_square(b->value, a->present, rows);
	sums->xy += dot(a->value, b->value, rows);
}

void
dp_correlations_add(DpCorrelations *correlations, uint32_t rows)
{
	DpPairSums *sums = correlations->pair;

	for (uint32_t i = 0; i < correlations->n; i++)
		correlations->column[i] = column_of(correlations, i, rows);
	for (uint32_t i = 0; i < correlations->n; i++)
		for (uint32_t j = i + 1; j < correlations->n; j++)
			pair_add(sums++, &correlations->column[i], &correlations->column[j], rows);
}

double
dp_correlation(const DpPairSums *sums)
{
	double xx = sums->xx - sums->x * sums->x / sums->n;
	double yy = sums->yy - sums->y * sums->y / sums->n;
	double xy = sums->xy - sums->x * sums->y / sums->n;

	/* what rounding leaves of a constant is no variance */
	if (!(xx > 1e-12 * sums->xx) || !(yy > 1e-12 * sums->yy))
		return NAN;
	return fmax(-1, fmin(1, xy / sqrt(xx * yy)));
}
