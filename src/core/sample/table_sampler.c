/*
 * table_sampler.c -- noisy counts of a table, compiled to an alias table.
 */
#include "core/sample/table_sampler.h"

/* Moves the cells of positive weight to the front of weight and cell. Returns how many there
 * are. */
static uint32_t
keep_positive(double *weight, uint64_t n, uint32_t *cell)
{
	uint32_t kept = 0;

	for (uint64_t i = 0; i < n; i++)
	{
		if (weight[i] <= 0)
			continue;
		weight[kept] = weight[i];
		cell[kept++] = (uint32_t) i;
	}
	return kept;
}

static DpStatus
compile_cells(DpTableSampler *sampler, const DpEstimatedTable *from, DpArena *arena)
{
	const DpTable *table = sampler->table;
	double *weight;
	uint32_t *cell;
	uint32_t *work;

	DP_TRY(dp_weights_make(from, &weight, arena));
	cell = dp_alloc(arena, table->cells, sizeof(*cell));
	work = dp_alloc(arena, table->cells, sizeof(*work));
	DP_TRY_ALLOC(cell && work);
	sampler->cells = keep_positive(weight, table->cells, cell);
	sampler->entry = dp_alloc(arena, sampler->cells, sizeof(*sampler->entry));
	DP_TRY_ALLOC(sampler->entry);
	if (sampler->cells > 0)
		dp_alias_build(weight, cell, sampler->cells, work, sampler->entry);
	dp_free(arena, weight, table->cells, sizeof(*weight));
	dp_free(arena, cell, table->cells, sizeof(*cell));
	dp_free(arena, work, table->cells, sizeof(*work));
	return DP_OK;
}

DpStatus
dp_table_sampler_prepare(const DpEstimatedTable *from, DpTableSampler *out, DpArena *arena,
						 DpError *error)
{
	*out = (DpTableSampler){.table = from->table};
	if (out->table->cells > UINT32_MAX)
		return dp_fail(error, DP_ERR_LIMIT, "the released table has too many cells to draw from");
	out->levels = dp_alloc(arena, out->table->n, sizeof(*out->levels));
	DP_TRY_ALLOC(out->levels);
	dp_domain_levels(from->domain, out->table->attribute, out->table->n, out->levels);
	return compile_cells(out, from, arena);
}

static void
decode(const DpTableSampler *sampler, uint64_t cell, uint32_t *codes)
{
	const DpTable *table = sampler->table;

	for (uint32_t k = table->n; k-- > 0;)
	{
		if (table->storage == DP_SPARSE)
		{
			codes[table->attribute[k]] = table->code[cell * table->n + k];
			continue;
		}
		codes[table->attribute[k]] = (uint32_t) (cell % sampler->levels[k]);
		cell /= sampler->levels[k];
	}
}

void
dp_table_sampler_draw(const DpTableSampler *sampler, DpPrng *prng, uint32_t *codes)
{
	if (sampler->cells > 0)
	{
		decode(sampler, dp_alias_draw(sampler->entry, sampler->cells, prng), codes);
		return;
	}
	for (uint32_t k = 0; k < sampler->table->n; k++)
		codes[sampler->table->attribute[k]] = (uint32_t) dp_prng_below(prng, sampler->levels[k]);
}
