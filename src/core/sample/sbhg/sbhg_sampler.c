/*
 * sbhg_sampler.c -- a Gibbs sampler on noisy conditional distributions.
 *
 * Each row is a chain of its own. It starts from the noisy one-way margins. Then each attribute in
 * turn is drawn again from its noisy distribution given the row so far. chain.c says which of these
 * steps are drawn for a row, and which need not be.
 *
 * A trace shows all steps of a row. Those that were not drawn for it are drawn afterwards, given
 * those that were: backward from the tables that were summed, and forward where nothing depends on
 * a step.
 */
#include "core/sample/sbhg/sbhg_sampler.h"

#include <string.h>

#include "core/base/row_major.h"
#include "core/base/saturate.h"
#include "core/estimate/consistency.h"
#include "core/sample/sbhg/chain.h"

#define DISTRIBUTION_CELLS_MAX 65536              /* of a joint distribution that rows start from */
#define DISTRIBUTION_WORK_MAX (UINT64_C(1) << 22) /* cells that are computed before the first row */
#define TRACE_STREAM                                                                               \
	UINT64_C(0xe7037ed1a0b428db) /* keeps what only a trace draws apart from rows */

typedef struct SbhgSampler
{
	DpChain chain;
	DpChainPlan plan;
	DpCodeColumns block;
	uint32_t *cell; /* [tables of the plan x DP_BLOCK_ROWS] that the rows of the block have */
} SbhgSampler;

struct DpSbhgTrace
{
	SbhgSampler *sampler;
	uint32_t *value; /* [steps] of the row, where it is known */
	bool *known;     /* [steps] */
};

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
read_parameters(const DpModel *model, DpChain *chain, DpError *error)
{
	int64_t sweeps = dp_model_parameter(model, "sweeps", 0);
	int64_t missing_key = dp_model_parameter(model, "missing_key", 0);

	if (!tables_fit(model))
		return dp_fail(error, DP_ERR_CORRUPT, "stored model: its tables are not those of sbhg");
	if (sweeps < 1 || sweeps > 10000 || missing_key < 0 || missing_key > 1)
		return dp_fail(error, DP_ERR_CORRUPT, "stored model: a parameter is out of its bounds");
	chain->attributes = model->domain.attributes;
	chain->sweeps = (uint32_t) sweeps;
	chain->keep = missing_key == 1;
	return DP_OK;
}

static DpStatus
build_conditionals(const DpModel *model, DpChain *chain, const DpTick *tick, DpArena *arena)
{
	DpConditional *conditional = dp_alloc(arena, chain->attributes, sizeof(*conditional));
	uint32_t parents = 0;
	double **estimate;

	DP_TRY_ALLOC(conditional);
	DP_TRY(dp_consistency_make(model, &estimate, tick, arena));
	for (uint32_t i = 0; i < chain->attributes; i++)
	{
		dp_tick(tick, (double) i / chain->attributes);
		DP_TRY(dp_conditional_build(&conditional[i],
									&(DpEstimatedTable){.domain = &model->domain,
														.table = &model->table[i],
														.estimate = estimate[i],
														.rows = model->rows},
									!chain->keep, tick, arena));
		parents += conditional[i].parents;
	}
	dp_consistency_free(model, estimate, arena);
	chain->conditional = conditional;
	/* Without any parents the start has the right distribution already. */
	if (parents == 0)
		chain->sweeps = 0;
	return DP_OK;
}

static DpStatus
prepare(const DpModel *model, bool keep_history, SbhgSampler **out, const DpTick *tick,
		DpArena *arena, DpError *error)
{
	SbhgSampler *sampler = dp_alloc(arena, 1, sizeof(*sampler));
	DpChainLimits limits = {DISTRIBUTION_CELLS_MAX, DISTRIBUTION_WORK_MAX, keep_history};

	DP_TRY_ALLOC(sampler);
	DP_TRY(read_parameters(model, &sampler->chain, error));
	DP_TRY(build_conditionals(model, &sampler->chain, tick, arena));
	DP_TRY(dp_chain_plan(&sampler->chain, &limits, &sampler->plan, tick, arena));
	DP_TRY(dp_code_columns_init(&sampler->block, sampler->chain.attributes, arena));
	sampler->cell =
		dp_alloc(arena, (size_t) sampler->plan.tables * DP_BLOCK_ROWS, sizeof(*sampler->cell));
	DP_TRY_ALLOC(sampler->cell);
	*out = sampler;
	return DP_OK;
}

static DpStatus
sbhg_prepare(const DpModel *model, void **out, const DpTick *tick, DpArena *arena, DpError *error)
{
	return prepare(model, false, (SbhgSampler **) out, tick, arena, error);
}

/* The value that a move gives a row. cell: [tables]. */
static uint32_t
move_value(const SbhgSampler *sampler, const DpChainMove *move, const uint32_t *cell)
{
	return sampler->plan.table[move->table].value[move->place][cell[move->table]];
}

static void
sbhg_draw(const void *sampler_in, DpPrng *prng, uint32_t *codes)
{
	const SbhgSampler *sampler = sampler_in;
	const DpChain *chain = &sampler->chain;
	uint32_t cell[DP_CHAIN_TABLES_MAX];

	for (uint32_t m = 0; m < sampler->plan.moves; m++)
	{
		const DpChainMove *move = &sampler->plan.move[m];
		uint32_t own = move->step % chain->attributes;
		const DpConditional *conditional = &chain->conditional[own];

		if (move->table != DP_CHAIN_NO_TABLE)
		{
			const DpDrawnSteps *table = &sampler->plan.table[move->table];

			if (move->first)
				cell[move->table] = dp_alias_draw(table->entry, table->cells, prng);
			codes[own] = move_value(sampler, move, cell);
		}
		else if (move->step < chain->attributes || !chain->keep)
			codes[own] = dp_conditional_draw_backoff(
				conditional, dp_chain_level(chain, move->step / chain->attributes, own), codes,
				prng);
		else /* if the key is missing, the value stays as it is */
			(void) dp_conditional_draw(conditional, &conditional->level[0], codes, prng,
									   &codes[own]);
	}
}

/* ---- a block ---- */

/* The cells of a table that the rows of a block have. */
static void
draw_cells(SbhgSampler *sampler, uint32_t number, DpPrng *prng)
{
	const DpDrawnSteps *table = &sampler->plan.table[number];
	uint32_t *cell = sampler->cell + (size_t) number * DP_BLOCK_ROWS;

	dp_prng_fill(prng, sampler->block.random, DP_BLOCK_ROWS);
	for (uint32_t r = 0; r < sampler->block.rows; r++)
		cell[r] = dp_alias_pick(table->entry, table->cells, sampler->block.random[r]);
}

static void
move_block(SbhgSampler *sampler, const DpChainMove *move, DpPrng *prng)
{
	const DpChain *chain = &sampler->chain;
	uint32_t own = move->step % chain->attributes, sweep = move->step / chain->attributes;

	if (move->table == DP_CHAIN_NO_TABLE)
		dp_conditional_draw_block(&chain->conditional[own], dp_chain_level(chain, sweep, own),
								  sweep > 0 && chain->keep, &sampler->block, own, prng);
	else
	{
		const uint32_t *cell = sampler->cell + (size_t) move->table * DP_BLOCK_ROWS;
		const uint32_t *value = sampler->plan.table[move->table].value[move->place];
		uint32_t *code = sampler->block.code + (size_t) own * DP_BLOCK_ROWS;

		if (move->first)
			draw_cells(sampler, move->table, prng);
		for (uint32_t r = 0; r < sampler->block.rows; r++)
			code[r] = value[cell[r]];
	}
}

/* The chains of all rows of a block, side by side. */
static void
sbhg_draw_block(void *sampler_in, const DpRowBlock *rows, uint32_t *codes, const DpTick *tick)
{
	SbhgSampler *sampler = sampler_in;
	DpPrng prng;

	dp_prng_seed(&prng, rows->stream);
	sampler->block.rows = rows->rows;
	for (uint32_t m = 0; m < sampler->plan.moves; m++)
	{
		dp_tick(tick, -1.0);
		move_block(sampler, &sampler->plan.move[m], &prng);
	}
	dp_code_columns_to_rows(&sampler->block, codes);
}

/* ---- a chain, step by step ---- */

DpStatus
dp_sbhg_trace_prepare(const DpModel *model, DpSbhgTrace **out, const DpTick *tick, DpArena *arena,
					  DpError *error)
{
	DpSbhgTrace *trace = dp_alloc(arena, 1, sizeof(*trace));
	uint64_t steps;

	DP_TRY_ALLOC(trace);
	DP_TRY(prepare(model, true, &trace->sampler, tick, arena, error));
	steps = ((uint64_t) trace->sampler->chain.sweeps + 1) * trace->sampler->chain.attributes;
	trace->value = dp_alloc(arena, steps, sizeof(*trace->value));
	trace->known = dp_alloc(arena, steps, sizeof(*trace->known));
	DP_TRY_ALLOC(trace->value && trace->known);
	*out = trace;
	return DP_OK;
}

static void
set_value(DpSbhgTrace *trace, uint32_t step, uint32_t value)
{
	trace->value[step] = value;
	trace->known[step] = true;
}

/* The values that the row has by the moves of its block. */
static void
follow_moves(DpSbhgTrace *trace, const DpStream *stream, uint32_t row)
{
	SbhgSampler *sampler = trace->sampler;
	DpPrng prng;

	dp_prng_seed(&prng, *stream);
	sampler->block.rows = row + 1;
	for (uint32_t m = 0; m < sampler->plan.moves; m++)
	{
		const DpChainMove *move = &sampler->plan.move[m];
		uint32_t own = move->step % sampler->chain.attributes;

		move_block(sampler, move, &prng);
		set_value(trace, move->step, sampler->block.code[(size_t) own * DP_BLOCK_ROWS + row]);
	}
}

/* The cell that the known values of a table say, with zeros for the others; step[k]: what another
 * value of the k-th changes. */
static uint64_t
first_cell(const DpSbhgTrace *trace, const DpStepTable *table, uint64_t *step)
{
	uint64_t cell = 0;

	(void) dp_row_major_steps(table->levels, table->n, step);
	for (uint32_t k = 0; k < table->n; k++)
		if (trace->known[table->step[k]])
			cell += trace->value[table->step[k]] * step[k];
	return cell;
}

/* Draws the values of a table that are not known, given those that are. There are few of them: what
 * a single step was the last to look at. */
static void
draw_back(DpSbhgTrace *trace, const DpStepTable *table, double u)
{
	uint64_t step[DP_CHAIN_STEPS_MAX];
	uint64_t first = first_cell(trace, table, step), combinations = 1, last = 0;
	double sum = 0, so_far = 0;

	for (uint32_t k = 0; k < table->n; k++)
		combinations *= trace->known[table->step[k]] ? 1 : table->levels[k];
	for (int pass = 0; pass < 2; pass++)
		for (uint64_t i = 0; i < combinations && !(pass == 1 && so_far > u * sum); i++)
		{
			uint64_t cell = first, rest = i;

			for (uint32_t k = table->n; k-- > 0;)
				if (!trace->known[table->step[k]])
				{
					cell += rest % table->levels[k] * step[k];
					rest /= table->levels[k];
				}
			if (pass == 0)
				sum += table->weight[cell];
			else
				so_far += table->weight[cell];
			if (pass == 1 && table->weight[cell] > 0)
				last = cell;
		}
	for (uint32_t k = table->n; k-- > 0; last /= table->levels[k])
		set_value(trace, table->step[k], (uint32_t) (last % table->levels[k]));
}

static void
show_step(DpSbhgTrace *trace, DpChainStep *step, uint64_t random, uint32_t *codes)
{
	const DpChain *chain = &trace->sampler->chain;
	const DpConditional *conditional = &chain->conditional[step->attribute];
	uint32_t number = dp_chain_step(chain, step->sweep, step->attribute);
	uint32_t *value = &codes[step->attribute], drawn, level;

	step->before = *value;
	level = dp_conditional_pick(conditional, dp_chain_level(chain, step->sweep, step->attribute),
								codes, random, &drawn);
	step->drawn = step->sweep == 0 || !chain->keep || level == 0;
	step->given = level < conditional->levels ? conditional->level[level].parents : 0;
	if (trace->known[number])
		*value = trace->value[number];
	else if (step->drawn)
		*value = drawn;
	step->after = *value;
}

void
dp_sbhg_trace(DpSbhgTrace *trace, const DpStream *stream, uint32_t row, const DpChainView *view,
			  uint32_t *codes)
{
	const DpChain *chain = &trace->sampler->chain;
	const DpChainPlan *plan = &trace->sampler->plan;
	DpStream own = {stream->seed ^ TRACE_STREAM, stream->set, stream->block * DP_BLOCK_ROWS + row};
	DpPrng prng;

	memset(trace->known, 0, dp_chain_step(chain, chain->sweeps + 1, 0) * sizeof(*trace->known));
	follow_moves(trace, stream, row);
	dp_prng_seed(&prng, own);
	for (uint32_t i = plan->histories; i-- > 0;)
		draw_back(trace, &plan->history[i], dp_prng_unit(&prng));
	for (uint32_t sweep = 0; sweep <= chain->sweeps; sweep++)
		for (uint32_t i = 0; i < chain->attributes; i++)
		{
			DpChainStep step = {.sweep = sweep, .attribute = i};

			show_step(trace, &step, dp_prng_u64(&prng), codes);
			view->step(view->context, &step, codes);
		}
}

static uint64_t
sbhg_draw_cost(const DpModel *model, const void *state)
{
	const SbhgSampler *sampler = state;
	int64_t sweeps = dp_model_parameter(model, "sweeps", 1);

	if (sampler != NULL)
		return sampler->plan.moves;
	return dp_multiply_saturated(model->domain.attributes, sweeps > 0 ? (uint64_t) sweeps + 1 : 1);
}

const DpSampler dp_sbhg_sampler = {
	.prepare = sbhg_prepare,
	.draw = sbhg_draw,
	.draw_block = sbhg_draw_block,
	.draw_cost = sbhg_draw_cost,
};
