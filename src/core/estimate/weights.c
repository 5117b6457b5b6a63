/*
 * weights.c -- noisy counts as nonnegative weights.
 */
#include "core/estimate/weights.h"

#include <math.h>
#include <string.h>

#include "core/domain/zeros.h"
#include "core/estimate/simplex.h"

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
		DP_TRY(project(weight, table->cells, from->rows, arena));
	*weights_out = weight;
	return DP_OK;
}
