/*
 * weights.c -- noisy counts as nonnegative weights.
 */
#include "core/estimate/weights.h"

#include <math.h>
#include <string.h>

#include "core/domain/zeros.h"
#include "core/estimate/simplex.h"
#include "core/estimate/strides.h"

#define SWEEPS 8 /* of scaling */

static DpStatus
project(double *weight, uint64_t cells, int64_t rows, DpArena *arena)
{
	double *work = dp_alloc(arena, cells, sizeof(*work));

	if (work == NULL)
		return DP_ERR_MEMORY;
	dp_simplex_project(weight, cells, work, (double) rows);
	dp_free(arena, work, cells, sizeof(*work));
	return DP_OK;
}

/* Sets forbidden cells of a dense table to -INFINITY, which the projection turns into 0; those
 * of a sparse one to 0. */
static DpStatus
mask(const DpDomain *domain, const DpTable *table, double *weight, DpArena *arena)
{
	DpZeroTest test;

	if (!dp_zeros_within(domain, table->attribute, table->n))
		return DP_OK;
	if (table->storage == DP_DENSE)
	{
		dp_zeros_fill(domain, table->attribute, table->n, NULL, -INFINITY, weight);
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

/* The margin of the estimate along an axis, without negative numbers. */
static DpStatus
target_margin(const DpWalk *walk, const double *estimate, int64_t rows, double *margin,
			  DpArena *arena)
{
	dp_walk_sum(walk, estimate, margin);
	return project(margin, walk->margin_cells, rows, arena);
}

/* Makes the sums along an axis those of the target, where there is any weight. */
static void
scale_to(const DpWalk *walk, const double *target, double *ratio, double *weight)
{
	dp_walk_sum(walk, weight, ratio);
	for (uint64_t v = 0; v < walk->margin_cells; v++)
		ratio[v] = ratio[v] > 0 ? target[v] / ratio[v] : 1;
	dp_walk_multiply(walk, weight, ratio);
}

/*
 * Gives weights the one-way margins of the estimate back, by iterative proportional fitting. Where
 * most cells are small, cutting negative ones off adds to rare levels what it takes from others: an
 * error that the sums over many cells, which are near the truth, do not have.
 */
static DpStatus
keep_margins(const DpEstimatedTable *from, const double *estimate, double *weight, DpArena *arena)
{
	const DpTable *table = from->table;
	uint32_t levels[DP_ATTRIBUTES_MAX], axis[DP_ATTRIBUTES_MAX];
	DpWalk *walk = dp_alloc(arena, table->n, sizeof(*walk));
	double **target = dp_alloc(arena, table->n, sizeof(*target)), *ratio;
	uint32_t most = 1;

	if (walk == NULL || target == NULL)
		return DP_ERR_MEMORY;
	for (uint32_t k = 0; k < table->n; k++)
	{
		axis[k] = k;
		levels[k] = from->domain->attribute[table->attribute[k]].levels;
		most = levels[k] > most ? levels[k] : most;
	}
	ratio = dp_alloc(arena, most, sizeof(*ratio));
	if (ratio == NULL)
		return DP_ERR_MEMORY;
	for (uint32_t k = 0; k < table->n; k++)
	{
		DP_TRY(dp_walk_init(&walk[k], levels, &(DpAttributeSet){table->n, axis},
							&(DpAttributeSet){1, &axis[k]}));
		target[k] = dp_alloc(arena, levels[k], sizeof(double));
		if (target[k] == NULL)
			return DP_ERR_MEMORY;
		DP_TRY(target_margin(&walk[k], estimate, from->rows, target[k], arena));
	}
	for (int sweep = 0; sweep < SWEEPS; sweep++)
		for (uint32_t k = 0; k < table->n; k++)
			scale_to(&walk[k], target[k], ratio, weight);
	return DP_OK;
}

DpStatus
dp_weights_make(const DpEstimatedTable *from, double **weights_out, DpArena *arena)
{
	const DpTable *table = from->table;
	double *weight = dp_alloc(arena, table->cells, sizeof(*weight));
	bool any = false;

	if (weight == NULL)
		return DP_ERR_MEMORY;
	for (uint64_t i = 0; i < table->cells; i++)
		weight[i] = from->estimate != NULL ? from->estimate[i] : (double) table->value[i];
	DP_TRY(mask(from->domain, table, weight, arena));
	for (uint64_t i = 0; i < table->cells; i++)
		any |= weight[i] > 0;
	any &= table->storage == DP_SPARSE || from->rows > 0; /* so at least one is finite */
	if (!any)
		memset(weight, 0, table->cells * sizeof(*weight));
	else if (table->storage == DP_DENSE)
	{
		DP_TRY(project(weight, table->cells, from->rows, arena));
		if (table->n > 1 && from->estimate != NULL)
			DP_TRY(keep_margins(from, from->estimate, weight, arena));
	}
	*weights_out = weight;
	return DP_OK;
}
