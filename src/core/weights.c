/*
 * weights.c -- noisy counts as nonnegative weights.
 */
#include "weights.h"

#include <string.h>

#include "simplex.h"

static DpStatus
project(double *weight, uint64_t cells, int64_t rows, DpArena *arena)
{
	double *work = dp_alloc(arena, cells, sizeof(*work));

	if (work == NULL)
		return DP_ERR_MEMORY;
	dp_simplex_project(weight, cells, (double) rows, work);
	dp_free(arena, work, cells, sizeof(*work));
	return DP_OK;
}

DpStatus
dp_weights_make(const DpTable *table, const double *estimate, int64_t rows, DpArena *arena,
				double **weights_out)
{
	double *weight = dp_alloc(arena, table->cells, sizeof(*weight));
	bool any = false;

	if (weight == NULL)
		return DP_ERR_MEMORY;
	for (uint64_t i = 0; i < table->cells; i++)
	{
		weight[i] = estimate != NULL ? estimate[i] : (double) table->value[i];
		any |= weight[i] > 0;
	}
	any &= table->storage == DP_SPARSE || rows > 0;
	if (!any)
		memset(weight, 0, table->cells * sizeof(*weight));
	else if (table->storage == DP_DENSE)
		DP_TRY(project(weight, table->cells, rows, arena));
	*weights_out = weight;
	return DP_OK;
}
