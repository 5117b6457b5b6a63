/*
 * sbhg_sampler.c -- a Gibbs sampler on noisy conditional distributions.
 *
 * Each row is a chain of its own. It starts from the noisy one-way margins. Then each attribute in
 * turn is drawn again from its noisy distribution given the row so far.
 */
#include "core/rows/sbhg_sampler.h"

#include "core/base/saturate.h"
#include "core/estimate/consistency.h"
#include "core/rows/conditional.h"

typedef struct SbhgSampler
{
	uint32_t attributes;
	uint32_t sweeps;
	bool reject;
	DpConditional *conditional; /* [attributes], in the order of the scan */
	DpCodeColumns block;
} SbhgSampler;

/* Whether there are p tables whose targets are the attributes in order, followed by the row
 * count at most. */
static bool
tables_fit(const DpModel *model)
{
	uint32_t p = model->domain.attributes;
	bool counted = model->tables == p + 1 && model->table[p].n == 0;

	if (model->tables != p && !counted)
		return false;
	for (uint32_t i = 0; i < p; i++)
	{
		const DpTable *table = &model->table[i];

		if (table->n < 1 || table->attribute[table->n - 1] != i)
			return false;
	}
	return true;
}

static DpStatus
read_parameters(const DpModel *model, SbhgSampler *sampler, DpError *error)
{
	int64_t sweeps = dp_model_parameter(model, "sweeps", 0);
	int64_t missing_key = dp_model_parameter(model, "missing_key", 0);

	if (!tables_fit(model))
		return dp_fail(error, DP_ERR_CORRUPT, "stored model: its tables are not those of sbhg");
	if (sweeps < 1 || sweeps > 10000 || missing_key < 0 || missing_key > 1)
		return dp_fail(error, DP_ERR_CORRUPT, "stored model: a parameter is out of its bounds");
	sampler->attributes = model->domain.attributes;
	sampler->sweeps = (uint32_t) sweeps;
	sampler->reject = missing_key == 1;
	return DP_OK;
}

static DpStatus
sbhg_prepare(const DpModel *model, void **out, const DpTick *tick, DpArena *arena, DpError *error)
{
	SbhgSampler *sampler = dp_alloc(arena, 1, sizeof(*sampler));
	uint32_t parents = 0;
	double **estimate;

	if (sampler == NULL)
		return DP_ERR_MEMORY;
	DP_TRY(read_parameters(model, sampler, error));
	DP_TRY(dp_consistency_make(model, &estimate, tick, arena));
	sampler->conditional = dp_alloc(arena, sampler->attributes, sizeof(*sampler->conditional));
	if (sampler->conditional == NULL)
		return DP_ERR_MEMORY;
	for (uint32_t i = 0; i < sampler->attributes; i++)
	{
		dp_tick(tick, (double) i / sampler->attributes);
		DP_TRY(dp_conditional_build(&sampler->conditional[i],
									&(DpEstimatedTable){.domain = &model->domain,
														.table = &model->table[i],
														.estimate = estimate[i],
														.rows = model->rows},
									!sampler->reject, tick, arena));
		parents += sampler->conditional[i].parents;
	}
	dp_consistency_free(model, estimate, arena);
	DP_TRY(dp_code_columns_init(&sampler->block, sampler->attributes, arena));
	/* Without any parents the start has the right distribution already. */
	if (parents == 0)
		sampler->sweeps = 0;
	*out = sampler;
	return DP_OK;
}

/* Draws each attribute from its own noisy margin. */
static void
start_chain(const SbhgSampler *sampler, DpPrng *prng, uint32_t *codes)
{
	for (uint32_t i = 0; i < sampler->attributes; i++)
	{
		const DpConditional *conditional = &sampler->conditional[i];

		codes[i] = dp_conditional_draw_backoff(conditional, conditional->levels - 1, codes, prng);
	}
}

static void
sweep_backoff(const SbhgSampler *sampler, DpPrng *prng, uint32_t *codes)
{
	for (uint32_t i = 0; i < sampler->attributes; i++)
		codes[i] = dp_conditional_draw_backoff(&sampler->conditional[i], 0, codes, prng);
}

static void
sweep_reject(const SbhgSampler *sampler, DpPrng *prng, uint32_t *codes)
{
	for (uint32_t i = 0; i < sampler->attributes; i++)
	{
		const DpConditional *conditional = &sampler->conditional[i];

		/* If the key is missing, the value stays as it is. */
		(void) dp_conditional_draw(conditional, &conditional->level[0], codes, prng, &codes[i]);
	}
}

static void
sbhg_draw(const void *sampler_in, DpPrng *prng, uint32_t *codes)
{
	const SbhgSampler *sampler = sampler_in;

	start_chain(sampler, prng, codes);
	for (uint32_t i = 0; i < sampler->sweeps; i++)
	{
		if (sampler->reject)
			sweep_reject(sampler, prng, codes);
		else
			sweep_backoff(sampler, prng, codes);
	}
}

/* ---- a block ---- */

/* The chains of all rows of a block, side by side. */
static void
sbhg_draw_block(void *sampler_in, const DpRowBlock *rows, uint32_t *codes, const DpTick *tick)
{
	SbhgSampler *sampler = sampler_in;
	DpCodeColumns *block = &sampler->block;
	DpPrng prng;

	dp_prng_seed(&prng, rows->stream);
	block->rows = rows->rows;
	for (uint32_t sweep = 0; sweep <= sampler->sweeps; sweep++)
		for (uint32_t i = 0; i < sampler->attributes; i++)
		{
			const DpConditional *conditional = &sampler->conditional[i];
			uint32_t first = sweep == 0 ? conditional->levels - 1 : 0;

			dp_tick(tick, -1.0);
			dp_conditional_draw_block(conditional, first, sweep > 0 && sampler->reject, block, i,
									  &prng);
		}
	dp_code_columns_to_rows(block, codes);
}

/* ---- a chain, step by step ---- */

/* Parents that were used at a level; none if no level had the key. */
static uint32_t
parents_at(const DpConditional *conditional, uint32_t level)
{
	return level < conditional->levels ? conditional->level[level].parents : 0;
}

static void
trace_step(const SbhgSampler *sampler, DpChainStep *step, uint64_t random, uint32_t *codes)
{
	const DpConditional *conditional = &sampler->conditional[step->attribute];
	uint32_t first = step->sweep == 0 ? conditional->levels - 1 : 0;
	uint32_t *value = &codes[step->attribute], drawn, level;

	step->before = *value;
	level = dp_conditional_pick(conditional, first, codes, random, &drawn);
	step->drawn = step->sweep == 0 || !sampler->reject || level == 0;
	step->given = parents_at(conditional, step->drawn ? level : 0);
	if (step->drawn)
		*value = drawn;
	step->after = *value;
}

void
dp_sbhg_trace(const void *state, const DpStream *stream, uint32_t row, const DpChainView *view,
			  uint32_t *codes)
{
	const SbhgSampler *sampler = state;
	uint64_t random[DP_BLOCK_ROWS];
	DpPrng prng;

	dp_prng_seed(&prng, *stream);
	for (uint32_t sweep = 0; sweep <= sampler->sweeps; sweep++)
		for (uint32_t i = 0; i < sampler->attributes; i++)
		{
			DpChainStep step = {.sweep = sweep, .attribute = i};

			dp_prng_fill(&prng, random, DP_BLOCK_ROWS); /* those of all rows of the block */
			trace_step(sampler, &step, random[row], codes);
			view->step(view->context, &step, codes);
		}
}

/* Whether any attribute has parents. Without them a chain ends where it starts. */
static bool
any_parents(const DpModel *model)
{
	for (uint32_t i = 0; i < model->tables; i++)
	{
		if (model->table[i].n > 1)
			return true;
	}
	return false;
}

static uint64_t
sbhg_draw_cost(const DpModel *model)
{
	int64_t sweeps = dp_model_parameter(model, "sweeps", 1);
	uint64_t draws = 1; /* for the start of the chain */

	if (sweeps > 0 && any_parents(model))
		draws += (uint64_t) sweeps;
	return dp_multiply_saturated(model->domain.attributes, draws);
}

const DpSampler dp_sbhg_sampler = {
	.prepare = sbhg_prepare,
	.draw = sbhg_draw,
	.draw_block = sbhg_draw_block,
	.draw_cost = sbhg_draw_cost,
};
