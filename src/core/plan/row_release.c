/*
 * row_release.c -- releases that consist of rows.
 */
#include "core/plan/row_release.h"

#include <stdio.h>
#include <string.h>

#include "core/base/decimal.h"
#include "core/base/saturate.h"
#include "core/plan/method.h"
#include "core/plan/refuse.h"

#define MECHANISM_BYTES 128

/* ---- seeds ---- */

static DpStatus
draw_uniform(const DpDomain *domain, DpRng *rng, uint32_t *row)
{
	for (uint32_t a = 0; a < domain->attributes; a++)
	{
		uint64_t code;

		DP_TRY(dp_rng_below(rng, domain->attribute[a].levels, &code));
		row[a] = (uint32_t) code;
	}
	return DP_OK;
}

DpStatus
dp_seed_pool_draw(const DpSeedPool *pool, const DpDomain *domain, DpRng *rng, uint32_t *row)
{
	uint64_t copy;
	uint64_t low = 0, high;

	if (pool == NULL)
		return draw_uniform(domain, rng, row);
	high = pool->n - 1;
	DP_TRY(dp_rng_below(rng, (uint64_t) pool->upto[high], &copy));
	while (low < high) /* the first row with copy < upto */
	{
		uint64_t middle = low + (high - low) / 2;

		if (copy < (uint64_t) pool->upto[middle])
			high = middle;
		else
			low = middle + 1;
	}
	memcpy(row, pool->codes + low * pool->attributes, pool->attributes * sizeof(*row));
	return DP_OK;
}

static uint64_t
run_blocks(const DpRowRun *run)
{
	return (run->rows + run->block - 1) / run->block;
}

/* ---- planning ---- */

static DpStatus
rows_missing(const DpPlan *plan, DpError *error)
{
	(void) dp_fail(error, DP_ERR_ARGUMENT, "method \"%s\" needs the number of rows to draw",
				   plan->method->name);
	dp_fail_detail(error, "Drawing a row is what spends, and no more rows can be drawn later.");
	dp_fail_hint(error, "Give the option \"rows\"; few rows are closer to the data than many.");
	return DP_ERR_ARGUMENT;
}

/* A release holds the rows of one set. More sets must be measured apart (independent_sets), and
 * paid for. */
static DpStatus
check_sets(const DpPlan *plan, DpError *error)
{
	uint32_t wanted = plan->request->sets > 0 ? plan->request->sets : 1;

	if (wanted == plan->sets || plan->sets > 1)
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
dp_plan_row_release(DpPlan *plan, uint32_t block, DpRowRun *run, DpError *error)
{
	const DpOptions *options = plan->request->options;

	if (!dp_option_given(options, "rows"))
		return rows_missing(plan, error);
	run->rows = (uint64_t) dp_plan_option(plan, "rows");
	run->sweeps = (uint32_t) dp_plan_option(plan, "sweeps");
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
	/* the rows as codes, and as bytes */
	plan->memory_bytes =
		dp_add_saturated(plan->memory_bytes, 2 * sizeof(uint32_t) * run->rows * plan->sets *
												 plan->request->domain->attributes);
	return DP_OK;
}

/* The attributes that leave a draw a choice: those with two levels or more, and open ones, which may
 * get any number. */
static uint32_t
drawn_attributes(const DpDomain *domain)
{
	uint32_t drawn = 0;

	for (uint32_t a = 0; a < domain->attributes; a++)
		drawn += domain->attribute[a].open || domain->attribute[a].levels > 1;
	return drawn;
}

DpPerturbedTerms
dp_row_run_terms(const DpPlan *plan, const DpRowRun *run, DpPerturbedKind kind,
				 int64_t epsilon_nano)
{
	uint32_t drawn = drawn_attributes(plan->request->domain);

	return (DpPerturbedTerms){.kind = kind,
							  .unit = plan->request->unit,
							  .epsilon_nano = epsilon_nano / (int64_t) run_blocks(run),
							  .attributes = drawn > 0 ? drawn : 1,
							  .rows = run->block,
							  .sweeps = run->sweeps};
}

/* Describes the mechanism for people, as dp_explain shows it. */
static char *
describe(const DpRowRun *run, const DpPerturbedTerms *terms, DpAlpha alpha, DpArena *arena)
{
	int64_t epsilon_nano = terms->epsilon_nano * (int64_t) run_blocks(run);
	char *words = dp_alloc(arena, MECHANISM_BYTES, 1);
	char each[DP_DECIMAL_BYTES];

	if (words != NULL)
		(void) snprintf(words, MECHANISM_BYTES, "perturbed %s, alpha %.6g, epsilon %s a row",
						terms->kind == DP_PERTURBED_COUNTS ? "counts" : "fits",
						(double) alpha.base / (double) alpha.unit,
						dp_decimal_print(epsilon_nano / (int64_t) run->rows, 9, each));
	return words;
}

DpStatus
dp_plan_perturbed(DpPlan *plan, const DpRowRun *run, const DpPerturbedTerms *terms, DpArena *arena,
				  DpError *error)
{
	DpStage stage = {.name = run->block > 1 ? "draw blocks of rows" : "draw rows",
					 .tables = run_blocks(run)};
	DpAlpha alpha;

	if (terms->epsilon_nano < 1 || dp_perturbed_alpha(terms, &alpha) != DP_OK)
		return dp_refuse_budget(stage.name, error);
	stage.mechanism = describe(run, terms, alpha, arena);
	DP_TRY_ALLOC(stage.mechanism);
	stage.each = dp_cost_pure(terms->epsilon_nano);
	DP_TRY(dp_budget_multiply(stage.each, stage.tables, &stage.total));
	return dp_plan_stage(plan, &stage, error);
}

/* ---- behind the wall ---- */

static DpStatus
draw_row(const DpMeasurement *m, const DpRowRun *run, const DpRowSource *source, uint32_t *row)
{
	for (uint32_t sweep = 0; sweep < run->sweeps; sweep++)
	{
		dp_tick(m->noise.tick, -1.0); /* with many columns or sweeps a single row can take long */
		for (uint32_t a = 0; a < m->domain->attributes; a++)
		{
			if (m->domain->attribute[a].levels > 1)
				DP_TRY(source->draw(source->context, a, row, &row[a]));
		}
	}
	return DP_OK;
}

/* Draws all rows. A block starts at a seed row, and each later row where the one before it
 * ended. */
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
			DP_TRY(dp_seed_pool_draw(m->plan->request->seeds, m->domain, m->noise.rng, row));
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
	DP_TRY_ALLOC(model->parameter);
	model->parameter[0].name = dp_strdup(m->arena, DP_MODEL_HOLDS_ROWS);
	model->parameter[0].value = 1;
	return model->parameter[0].name == NULL ? DP_ERR_MEMORY : DP_OK;
}

DpStatus
dp_row_release_make(const DpMeasurement *m, const DpRowRun *run, const DpRowSource *source,
					DpModel *model)
{
	uint64_t codes = run->rows * m->domain->attributes;

	/* a missing pool must not pass for a uniform one */
	if (dp_option_text(m->plan->request->options, DP_OPTION_SEED_POOL) != NULL &&
		m->plan->request->seeds == NULL)
		return DP_ERR_INTERNAL;
	model->rows = (int64_t) run->rows;
	model->structure_n = (uint32_t) codes;
	model->structure = dp_alloc(m->arena, codes, sizeof(*model->structure));
	DP_TRY_ALLOC(model->structure);
	DP_TRY(set_parameters(m, model));
	return draw_rows(m, run, source, model->structure);
}
