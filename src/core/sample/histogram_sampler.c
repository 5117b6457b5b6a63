/*
 * histogram_sampler.c -- rows from tables that divide the columns among them.
 */
#include "core/sample/sampler.h"

#include "core/sample/graphical_fit.h"
#include "core/sample/network_factors.h"
#include "core/sample/table_sampler.h"

typedef struct HistogramSampler
{
	uint32_t tables;
	DpTableSampler *table;
} HistogramSampler;

/* Whether each attribute is in exactly one table, so that nothing of a row is drawn twice or
 * left out. */
static bool
divides_domain(const DpModel *model, bool *seen)
{
	uint32_t placed = 0;

	for (uint32_t t = 0; t < model->tables; t++)
		for (uint32_t k = 0; k < model->table[t].n; k++, placed++)
		{
			if (seen[model->table[t].attribute[k]])
				return false;
			seen[model->table[t].attribute[k]] = true;
		}
	return placed == model->domain.attributes;
}

static DpStatus
check_tables(const DpModel *model, bool *seen, DpError *error)
{
	if (divides_domain(model, seen))
		return DP_OK;
	if (model->tables == 1 && model->table[0].n == 0)
		return dp_fail(error, DP_ERR_ARGUMENT,
					   "the release is a number of rows, and has no columns to draw");
	return dp_fail(error, DP_ERR_CORRUPT,
				   "stored model: its tables do not divide the columns among them");
}

static DpStatus
histogram_prepare(const DpModel *model, void **out, const DpTick *tick, DpArena *arena,
				  DpError *error)
{
	HistogramSampler *sampler = dp_alloc(arena, 1, sizeof(*sampler));
	bool *seen = dp_alloc(arena, model->domain.attributes, sizeof(*seen));

	DP_TRY_ALLOC(sampler && seen);
	DP_TRY(check_tables(model, seen, error));
	sampler->table = dp_alloc(arena, model->tables, sizeof(*sampler->table));
	DP_TRY_ALLOC(sampler->table);
	for (uint32_t t = 0; t < model->tables; t++)
	{
		dp_tick(tick, (double) t / model->tables);
		if (model->table[t].n == 0)
			continue; /* the number of rows */
		DP_TRY(dp_table_sampler_prepare(&(DpEstimatedTable){.domain = &model->domain,
															.table = &model->table[t],
															.estimate = NULL,
															.rows = model->rows},
										&sampler->table[sampler->tables++], arena, error));
	}
	*out = sampler;
	return DP_OK;
}

static void
histogram_draw(const void *sampler_in, DpPrng *prng, uint32_t *codes)
{
	const HistogramSampler *sampler = sampler_in;

	for (uint32_t t = 0; t < sampler->tables; t++)
		dp_table_sampler_draw(&sampler->table[t], prng, codes);
}

static uint64_t
histogram_draw_cost(const DpModel *model, const void *state)
{
	(void) state;
	return 1 + model->tables + model->domain.attributes / 8;
}

static DpStatus
histogram_fit(const DpModel *model, void **out, const DpTick *tick, DpArena *arena, DpError *error)
{
	bool *seen = dp_alloc(arena, model->domain.attributes, sizeof(*seen));
	DpGraphicalFit *fit;

	DP_TRY_ALLOC(seen);
	DP_TRY(check_tables(model, seen, error));
	DP_TRY(dp_model_factors(model, &fit, tick, arena));
	*out = fit;
	return DP_OK;
}

static const DpModelQuery histogram_query = {
	.fit = histogram_fit,
	.marginal = dp_graphical_fit_marginal,
	.compile = dp_graphical_fit_compile,
	.sampler = &dp_graphical_sampler,
};

const DpSampler dp_histogram_sampler = {
	.prepare = histogram_prepare,
	.draw = histogram_draw,
	.draw_cost = histogram_draw_cost,
	.query = &histogram_query,
};
