/*
 * held_rows.c -- releases that are rows.
 */
#include "held_rows.h"

#include <stdio.h>
#include <string.h>

#include "discover.h"
#include "saturate.h"
#include "zeros.h"

#define MECHANISM_BYTES 128

uint64_t
dp_row_run_blocks(const DpRowRun *run)
{
	return (run->rows + run->block - 1) / run->block;
}

/* ---- planning ---- */

static DpStatus
rows_missing(const DpPlan *plan, DpError *error)
{
	(void) dp_fail(error, DP_ERR_ARGUMENT, "method \"%s\" must be told how many rows to draw",
				   plan->method->name);
	dp_fail_detail(error, "Drawing a row is what spends, and no more rows can be drawn later.");
	dp_fail_hint(error, "Give the option \"rows\"; few rows are closer to the data than many.");
	return DP_ERR_ARGUMENT;
}

/* Rows of one release are not another set of it for nothing. */
static DpStatus
check_sets(const DpPlan *plan, DpError *error)
{
	uint32_t asked = plan->request->sets > 0 ? plan->request->sets : 1;

	if (asked == plan->sets || plan->sets > 1)
		return DP_OK;
	(void) dp_fail(error, DP_ERR_ARGUMENT, "each set of rows of method \"%s\" must be paid for",
				   plan->method->name);
	dp_fail_hint(error, "Set independent_sets, which divides epsilon among the sets.");
	return DP_ERR_ARGUMENT;
}

static DpStatus
check_size(const DpPlan *plan, const DpRowRun *run, DpError *error)
{
	uint32_t attributes = plan->request->domain->attributes;
	uint64_t codes = dp_multiply_saturated(run->rows * attributes, plan->sets);

	if (codes <= DP_MODEL_STRUCTURE_MAX)
		return DP_OK;
	(void) dp_fail(error, DP_ERR_LIMIT, "a release cannot hold that many rows");
	dp_fail_detail(error, "Rows times columns times independent sets may be %d at most.",
				   DP_MODEL_STRUCTURE_MAX);
	dp_fail_hint(error, "Ask for fewer rows or columns.");
	return DP_ERR_LIMIT;
}

DpStatus
dp_plan_held_rows(DpPlan *plan, const DpOptionSpec *specs, uint32_t specs_n, uint32_t block,
				  DpRowRun *run, DpError *error)
{
	const DpOptions *options = plan->request->options;

	if (!dp_option_given(options, "rows"))
		return rows_missing(plan, error);
	run->rows = (uint64_t) dp_option_integer(options, specs, specs_n, "rows");
	run->sweeps = (uint32_t) dp_option_integer(options, specs, specs_n, "sweeps");
	run->sweeps = run->sweeps > 0 ? run->sweeps : 1;
	run->block = block < run->rows ? block : (uint32_t) run->rows;
	if (dp_option_text(options, DP_OPTION_SEED_POOL) != NULL &&
		dp_open_attributes(plan->request->domain) > 0)
	{
		(void) dp_fail(error, DP_ERR_ARGUMENT, "a seed pool does not go with open columns");
		dp_fail_hint(error, "Leave open columns out, or let their categories be defined.");
		return DP_ERR_ARGUMENT;
	}
	DP_TRY(check_sets(plan, error));
	DP_TRY(check_size(plan, run, error));
	plan->rows_held = run->rows;
	/* as codes, and as bytes */
	plan->memory_bytes =
		dp_add_saturated(plan->memory_bytes, 2 * sizeof(uint32_t) * run->rows * plan->sets *
												 plan->request->domain->attributes);
	return DP_OK;
}

/* One that is not discovered yet may have any number of levels. */
uint32_t
dp_drawn_attributes(const DpDomain *domain)
{
	uint32_t drawn = 0;

	for (uint32_t a = 0; a < domain->attributes; a++)
		drawn += domain->attribute[a].open || domain->attribute[a].levels > 1;
	return drawn;
}

static DpStatus
too_little(const DpPlan *plan, DpError *error)
{
	(void) dp_fail(error, DP_ERR_ARGUMENT, "epsilon is too small for so many rows of method \"%s\"",
				   plan->method->name);
	dp_fail_hint(error, "Ask for fewer rows or columns, or for more epsilon.");
	return DP_ERR_ARGUMENT;
}

/* For people: what dp_explain shows. */
static char *
describe(DpArena *arena, DpPerturbedKind kind, const DpRowRun *run, DpAlpha alpha,
		 int64_t epsilon_nano)
{
	char *words = dp_alloc(arena, MECHANISM_BYTES, 1);
	char each[DP_DECIMAL_BYTES];

	if (words != NULL)
		(void) snprintf(words, MECHANISM_BYTES, "perturbed %s, alpha %.6g, epsilon %s a row",
						kind == DP_PERTURBED_COUNTS ? "counts" : "fits",
						(double) alpha.base / (double) alpha.unit,
						dp_decimal_print(epsilon_nano / (int64_t) run->rows, 9, each));
	return words;
}

DpStatus
dp_plan_perturbed(DpPlan *plan, DpArena *arena, DpPerturbedKind kind, const DpRowRun *run,
				  int64_t epsilon_nano, DpPerturbedTerms *terms, DpError *error)
{
	uint64_t blocks = dp_row_run_blocks(run);
	uint32_t drawn = dp_drawn_attributes(plan->request->domain);
	DpStage stage = {.tables = blocks, .cells = 0};
	DpAlpha alpha;

	*terms = (DpPerturbedTerms){.kind = kind,
								.unit = plan->request->unit,
								.epsilon_nano = epsilon_nano / (int64_t) blocks,
								.attributes = drawn > 0 ? drawn : 1,
								.rows = run->block,
								.sweeps = run->sweeps};
	if (terms->epsilon_nano < 1 || dp_perturbed_alpha(terms, &alpha) != DP_OK)
		return too_little(plan, error);
	stage.name = run->block > 1 ? "draw blocks of rows" : "draw rows";
	stage.mechanism = describe(arena, kind, run, alpha, terms->epsilon_nano * (int64_t) blocks);
	if (stage.mechanism == NULL)
		return DP_ERR_MEMORY;
	stage.each = dp_cost_pure(terms->epsilon_nano);
	DP_TRY(dp_budget_multiply(stage.each, blocks, &stage.total));
	return dp_plan_stage(plan, &stage, error);
}

/* ---- behind the wall ---- */

static DpStatus
draw_row(const DpMeasurement *m, const DpRowRun *run, const DpRowSource *source, uint32_t *row)
{
	for (uint32_t sweep = 0; sweep < run->sweeps; sweep++)
	{
		dp_tick(m->tick, -1.0); /* many columns, many sweeps: a row alone can take long */
		for (uint32_t a = 0; a < m->domain->attributes; a++)
		{
			if (m->domain->attribute[a].levels > 1)
				DP_TRY(source->draw(source->context, a, row, &row[a]));
		}
	}
	return DP_OK;
}

/* A block starts at a seed row, each later row where the one before it ended. */
static DpStatus
draw_rows(const DpMeasurement *m, const DpRowRun *run, const DpRowSource *source, uint32_t *codes)
{
	uint32_t p = m->domain->attributes;

	for (uint64_t i = 0; i < run->rows; i++)
	{
		uint32_t *row = codes + i * p;

		if (i % run->block != 0)
			memcpy(row, row - p, p * sizeof(*row));
		else
		{
			if (source->begin != NULL)
				DP_TRY(source->begin(source->context));
			DP_TRY(dp_seed_pool_draw(m->plan->request->seeds, m->domain, m->rng, row));
		}
		DP_TRY(draw_row(m, run, source, row));
	}
	return DP_OK;
}

static DpStatus
set_parameters(const DpMeasurement *m, DpModel *model)
{
	model->parameters = 1;
	model->parameter = dp_alloc(m->arena, 1, sizeof(*model->parameter));
	if (model->parameter == NULL)
		return DP_ERR_MEMORY;
	model->parameter[0].name = dp_strdup(m->arena, DP_MODEL_HOLDS_ROWS);
	model->parameter[0].value = 1;
	return model->parameter[0].name == NULL ? DP_ERR_MEMORY : DP_OK;
}

DpStatus
dp_held_rows_make(const DpMeasurement *m, const DpRowRun *run, const DpRowSource *source,
				  DpModel *model)
{
	uint64_t codes = run->rows * m->domain->attributes;

	/* a pool that was asked for and is not there must not pass for a uniform one */
	if (dp_option_text(m->plan->request->options, DP_OPTION_SEED_POOL) != NULL &&
		m->plan->request->seeds == NULL)
		return DP_ERR_INTERNAL;
	model->rows = (int64_t) run->rows;
	model->structure_n = (uint32_t) codes;
	model->structure = dp_alloc(m->arena, codes, sizeof(*model->structure));
	if (model->structure == NULL)
		return DP_ERR_MEMORY;
	DP_TRY(set_parameters(m, model));
	return draw_rows(m, run, source, model->structure);
}

/* ---- handing them out ---- */

/*
 * Rows that hold a forbidden combination give their places to the allowed ones, in
 * turn: no others can be drawn from such a release.
 */
static DpStatus
replace_forbidden(const DpModel *model, DpArena *arena, DpHeldRows *held, DpError *error)
{
	size_t width = held->attributes * sizeof(*held->codes);
	uint32_t *codes;
	uint64_t allowed = 0;
	DpZeroTest test;

	DP_TRY(dp_zero_test_build(&test, arena, &model->domain, NULL, 0));
	if (test.n == 0)
		return DP_OK;
	codes = dp_alloc(arena, held->rows, width);
	if (codes == NULL)
		return DP_ERR_MEMORY;
	for (uint64_t row = 0; row < held->rows; row++)
	{
		const uint32_t *own = held->codes + row * held->attributes;

		if (!dp_zero_test_forbids(&test, own))
			memcpy(codes + allowed++ * held->attributes, own, width);
	}
	if (allowed == 0 && held->rows > 0)
		return dp_fail(error, DP_ERR_LIMIT,
					   "every row of the release is one that the zeros forbid");
	for (uint64_t row = allowed; row < held->rows; row++)
		memcpy(codes + row * held->attributes, codes + (row - allowed) * held->attributes, width);
	held->codes = codes;
	return DP_OK;
}

DpStatus
dp_held_rows_prepare(const DpModel *model, DpArena *arena, const DpTick *tick, void **out,
					 DpError *error)
{
	DpHeldRows *held = dp_alloc(arena, 1, sizeof(*held));

	(void) tick;
	if (held == NULL)
		return DP_ERR_MEMORY;
	if (!dp_model_holds_rows(model))
		return dp_fail(error, DP_ERR_CORRUPT, "stored model: it holds no rows");
	held->attributes = model->domain.attributes;
	held->rows = model->structure_n / held->attributes;
	held->codes = model->structure;
	DP_TRY(replace_forbidden(model, arena, held, error));
	*out = held;
	return DP_OK;
}

/* Whoever asks for more rows than there are is told so before; here they are the first level. */
bool
dp_held_rows_fetch(const void *sampler, uint64_t row, uint32_t *codes)
{
	const DpHeldRows *held = sampler;

	if (row < held->rows)
		memcpy(codes, held->codes + row * held->attributes, held->attributes * sizeof(*codes));
	else
		memset(codes, 0, held->attributes * sizeof(*codes));
	return true;
}

uint64_t
dp_held_rows_cost(const DpModel *model)
{
	return model->domain.attributes;
}
