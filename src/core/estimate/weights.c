/*
 * weights.c -- noisy counts as nonnegative weights.
 */
#include "core/estimate/weights.h"

#include <math.h>
#include <string.h>

#include "core/domain/zeros.h"
#include "core/model/noisy_table.h"

#define SWEEPS 8 /* over all levels, to keep margins */

/* Row-major, the last attribute fastest. */
typedef struct Shape
{
	uint32_t n;
	uint32_t levels[DP_ATTRIBUTES_MAX];
	uint64_t cells;
} Shape;

/* The cells that have one level of one attribute: runs, each so many cells after the one before. */
typedef struct Slice
{
	uint64_t first, run, step;
} Slice;

static DpStatus
project(double *weight, uint64_t cells, int64_t rows, DpArena *arena)
{
	double *work = dp_alloc(arena, cells, sizeof(*work));

	DP_TRY_ALLOC(work);
	dp_simplex_project(weight, cells, work, (double) rows);
	dp_free(arena, work, cells, sizeof(*work));
	return DP_OK;
}

/* Sets forbidden cells to 0. */
static DpStatus
mask(const DpDomain *domain, const DpTable *table, double *weight, DpArena *arena)
{
	DpZeroTest test;

	if (!dp_zeros_within(domain, table->attribute, table->n))
		return DP_OK;
	if (table->storage == DP_DENSE)
	{
		dp_zeros_fill(domain, table->attribute, table->n, 0, weight);
		return DP_OK;
	}
	DP_TRY(dp_zero_test_build(&test, domain, table->attribute, table->n, arena));
	for (uint64_t i = 0; i < table->cells; i++)
	{
		if (dp_zero_test_forbids(&test, table->code + i * table->n))
			weight[i] = 0;
	}
	return DP_OK;
}

/* ---- one-way margins ---- */

static Slice
slice_of(const Shape *shape, uint32_t attribute, uint32_t level)
{
	uint64_t run = 1;

	for (uint32_t k = attribute + 1; k < shape->n; k++)
		run *= shape->levels[k];
	return (Slice){.first = level * run, .run = run, .step = run * shape->levels[attribute]};
}

/* Copies the values of a slice. Returns how many there are. */
static uint64_t
copy_slice(const Shape *shape, Slice slice, const double *value, double *copy)
{
	uint64_t n = 0;

	for (uint64_t start = slice.first; start < shape->cells; start += slice.step)
	{
		memcpy(copy + n, value + start, slice.run * sizeof(*copy));
		n += slice.run;
	}
	return n;
}

static double
largest(const double *value, uint64_t n)
{
	double most = -INFINITY;

	for (uint64_t i = 0; i < n; i++)
		most = fmax(most, value[i]);
	return most;
}

/* The sum of the finite values; -INFINITY: there are none. */
static double
sum_finite(const double *value, uint64_t n)
{
	double sum = 0;

	if (isinf(largest(value, n)))
		return -INFINITY;
	for (uint64_t i = 0; i < n; i++)
		sum += isfinite(value[i]) ? value[i] : 0;
	return sum;
}

/* Subtracts one number from the values of a slice, so that the positive ones have this sum. */
static void
shift_slice(const Shape *shape, Slice slice, double total, double *value, double *copy,
			double *work)
{
	uint64_t n = copy_slice(shape, slice, value, copy);
	double by = largest(copy, n);

	if (isinf(by))
		return;
	if (total > 0)
	{
		dp_simplex_project(copy, n, work, total);
		by -= largest(copy, n);
	}
	for (uint64_t start = slice.first; start < shape->cells; start += slice.step)
		for (uint64_t i = start; i < start + slice.run; i++)
			value[i] -= by;
}

/* Shifts the values of each level of each attribute, so that the positive ones have these sums. */
static void
shift_all(const Shape *shape, const double *margin, double *value, double *copy, double *work)
{
	for (uint32_t k = 0; k < shape->n; k++)
		for (uint32_t v = 0; v < shape->levels[k]; v++)
			shift_slice(shape, slice_of(shape, k, v), *margin++, value, copy, work);
}

/* Sums up the values of each level of each attribute, and makes the sums nonnegative. */
static void
find_margins(const Shape *shape, const double *value, int64_t rows, double *margin, double *copy,
			 double *work)
{
	for (uint32_t k = 0; k < shape->n; k++)
	{
		for (uint32_t v = 0; v < shape->levels[k]; v++)
			margin[v] = sum_finite(copy, copy_slice(shape, slice_of(shape, k, v), value, copy));
		dp_simplex_project(margin, shape->levels[k], work, (double) rows);
		margin += shape->levels[k];
	}
}

/*
 * Replaces values by the nearest point of {x >= 0, one-way margins as they are}, coordinate by
 * coordinate in the dual problem (Hildreth 1957). Where most cells are small, cutting negative ones
 * off and no more adds to rare levels what it takes from others: an error that the sums over many
 * cells, which are near the truth, do not have. Values that must become 0 are -INFINITY.
 */
static DpStatus
keep_margins(const DpEstimatedTable *from, double *value, DpArena *arena)
{
	const DpTable *table = from->table;
	Shape shape = {.n = table->n, .cells = table->cells};
	uint64_t levels = 0;
	double *margin, *copy = dp_alloc(arena, table->cells, sizeof(*copy));
	double *work = dp_alloc(arena, table->cells, sizeof(*work));

	for (uint32_t k = 0; k < table->n; k++)
		levels += shape.levels[k] = from->domain->attribute[table->attribute[k]].levels;
	margin = dp_alloc(arena, levels, sizeof(*margin));
	DP_TRY_ALLOC(margin && copy && work);
	find_margins(&shape, value, from->rows, margin, copy, work);
	for (int sweep = 0; sweep < SWEEPS; sweep++)
		shift_all(&shape, margin, value, copy, work);
	for (uint64_t i = 0; i < table->cells; i++)
		value[i] = fmax(value[i], 0);
	dp_free(arena, margin, levels, sizeof(*margin));
	dp_free(arena, copy, table->cells, sizeof(*copy));
	dp_free(arena, work, table->cells, sizeof(*work));
	return DP_OK;
}

/* ---- weights ---- */

/* Leaves the level "other" empty where its rows may all be noise, and others have rows. */
static void
empty_other(const DpEstimatedTable *from, double *value)
{
	const DpTable *table = from->table;
	const DpAttribute *attribute = &from->domain->attribute[table->attribute[0]];

	if (table->n == 1 && dp_table_other_is_noise(table, attribute) &&
		largest(value, table->cells - 1) > 0)
		value[table->cells - 1] = -INFINITY;
}

/* Makes the values of a dense table nonnegative. */
static DpStatus
cut_off(const DpEstimatedTable *from, double *value, DpArena *arena)
{
	const DpTable *table = from->table;

	dp_zeros_fill(from->domain, table->attribute, table->n, -INFINITY, value);
	empty_other(from, value);
	return from->estimate != NULL && table->n > 1 ? keep_margins(from, value, arena)
												  : project(value, table->cells, from->rows, arena);
}

DpStatus
dp_weights_make(const DpEstimatedTable *from, double **weights_out, DpArena *arena)
{
	const DpTable *table = from->table;
	double *weight = dp_alloc(arena, table->cells, sizeof(*weight));
	bool any = false;

	DP_TRY_ALLOC(weight);
	for (uint64_t i = 0; i < table->cells; i++)
		weight[i] = from->estimate != NULL ? from->estimate[i] : (double) table->value[i];
	DP_TRY(mask(from->domain, table, weight, arena));
	for (uint64_t i = 0; i < table->cells; i++)
		any |= weight[i] > 0;
	any &= table->storage == DP_SPARSE || from->rows > 0; /* so at least one is finite */
	if (!any)
		memset(weight, 0, table->cells * sizeof(*weight));
	else if (table->storage == DP_DENSE)
		DP_TRY(cut_off(from, weight, arena));
	*weights_out = weight;
	return DP_OK;
}

void
dp_shrink_noisy(double *count, uint32_t n, double variance)
{
	double mean = 0, most, rest = 0, squares = 0, noise, kept;
	uint32_t drowned = 0;

	for (uint32_t i = 0; i < n; i++)
		mean += count[i] / n;
	most = mean + sqrt(2 * log(n) * variance);
	for (uint32_t i = 0; i < n; i++)
		if (count[i] <= most)
		{
			rest += count[i];
			drowned++;
		}
	if (drowned < 2)
		return;
	mean = rest / drowned;
	for (uint32_t i = 0; i < n; i++)
		if (count[i] <= most)
			squares += (count[i] - mean) * (count[i] - mean);
	noise = (drowned > 3 ? drowned - 3 : drowned - 1) * variance;
	kept = squares > noise ? 1 - noise / squares : 0;
	for (uint32_t i = 0; i < n; i++)
		if (count[i] <= most)
			count[i] = mean + kept * (count[i] - mean);
}
