/*
 * marginal_sampler.c -- each column by itself from its noisy margin, or the rows that
 * the release holds.
 */
#include "core/sample/marginal/marginal_sampler.h"

#include "core/sample/conditional.h"
#include "core/sample/graphical_fit.h"
#include "core/sample/sampler.h"
#include "core/sample/network_factors.h"

typedef struct MarginalSampler
{
	void *held; /* rows; NULL: draw from the margins */
	uint32_t attributes;
	DpConditional *conditional; /* [attributes] given nothing */
} MarginalSampler;

static bool
tables_fit(const DpModel *model)
{
	if (model->tables != model->domain.attributes)
		return false;
	for (uint32_t i = 0; i < model->tables; i++)
	{
		if (model->table[i].n != 1 || model->table[i].attribute[0] != i)
			return false;
	}
	return true;
}

static DpStatus
marginal_prepare(const DpModel *model, void **out, const DpTick *tick, DpArena *arena,
				 DpError *error)
{
	MarginalSampler *sampler = dp_alloc(arena, 1, sizeof(*sampler));

	DP_TRY_ALLOC(sampler);
	*out = sampler;
	if (dp_model_holds_rows(model))
		return dp_row_release_sampler.prepare(model, &sampler->held, tick, arena, error);
	if (!tables_fit(model))
		return dp_fail(error, DP_ERR_CORRUPT, "stored model: its tables are not those of marginal");
	sampler->attributes = model->domain.attributes;
	sampler->conditional = dp_alloc(arena, sampler->attributes, sizeof(*sampler->conditional));
	DP_TRY_ALLOC(sampler->conditional);
	for (uint32_t i = 0; i < sampler->attributes; i++)
	{
		dp_tick(tick, (double) i / sampler->attributes);
		DP_TRY(dp_conditional_build(&sampler->conditional[i],
									&(DpEstimatedTable){.domain = &model->domain,
														.table = &model->table[i],
														.estimate = NULL,
														.rows = model->rows},
									false, tick, arena));
	}
	return DP_OK;
}

static bool
marginal_fetch(const void *sampler_in, uint64_t row, uint32_t *codes)
{
	const MarginalSampler *sampler = sampler_in;

	return sampler->held != NULL && dp_row_release_sampler.fetch(sampler->held, row, codes);
}

static void
marginal_draw(const void *sampler_in, DpPrng *prng, uint32_t *codes)
{
	const MarginalSampler *sampler = sampler_in;

	for (uint32_t i = 0; i < sampler->attributes; i++)
	{
		const DpConditional *conditional = &sampler->conditional[i];

		codes[i] = dp_conditional_draw_backoff(conditional, conditional->levels - 1, codes, prng);
	}
}

static uint64_t
marginal_draw_cost(const DpModel *model, const void *state)
{
	(void) state;
	return model->domain.attributes;
}

static DpStatus
marginal_fit(const DpModel *model, void **out, const DpTick *tick, DpArena *arena, DpError *error)
{
	DpGraphicalFit *fit;

	if (dp_model_holds_rows(model))
		return DP_ERR_LIMIT;
	if (!tables_fit(model))
		return dp_fail(error, DP_ERR_CORRUPT, "stored model: its tables are not those of marginal");
	DP_TRY(dp_model_factors(model, &fit, tick, arena));
	*out = fit;
	return DP_OK;
}

static const DpModelQuery marginal_query = {
	.fit = marginal_fit,
	.marginal = dp_graphical_fit_marginal,
	.compile = dp_graphical_fit_compile,
	.sampler = &dp_graphical_sampler,
};

const DpSampler dp_marginal_sampler = {
	.prepare = marginal_prepare,
	.draw = marginal_draw,
	.fetch = marginal_fetch,
	.draw_cost = marginal_draw_cost,
	.query = &marginal_query,
};
