/*
 * method_sba.c -- one noisy histogram of all attributes together.
 *
 * sba -- stability-based histogram
 *
 * Inputs:      the table over all modelled attributes, each row in one cell
 * Output:      noisy counts of its frequent cells; rows are drawn from these
 * Neighbours:  the dataset's
 * Guarantee:   (epsilon, delta)-DP: basic composition of the row count (epsilon_c, 0) and one
 *              stability histogram (epsilon - epsilon_c, delta). With dense_cells at or above
 *              the size of the domain: (epsilon, 0)-DP, noise on every cell.
 * Why:         see dp_table_release and dp_stability_delta
 * Source:      Bun, Nissim, Stemmer, "Simultaneous private learning of multiple concepts"
 *              (2016), as used in the SBHG paper. Departures: integer noise, the smallest
 *              threshold that holds delta, and a noisy row count where the count is not public.
 */
#include "alias.h"
#include "methods.h"
#include "release_table.h"
#include "saturate.h"
#include "weights.h"

#define HISTOGRAM "histogram"

static const DpOptionSpec specs[] = {
	DP_SPEC_DENSE_CELLS("0"),
	DP_SPEC_COUNT_SHARE,
};
#define SPECS_N (sizeof(specs) / sizeof(specs[0]))

typedef struct SbaPlan
{
	uint64_t dense_cells;
	int64_t epsilon_rows_nano; /* 0 = the row count is public, or the table's total tells it */
	DpBudget table;
} SbaPlan;

static int64_t
read_option(const DpPlan *plan, const char *name)
{
	return dp_option_integer(plan->request->options, specs, SPECS_N, name);
}

/* 0, 1, 2, ... */
static uint32_t *
all_attributes(DpArena *arena, uint32_t n)
{
	uint32_t *index = dp_alloc(arena, n, sizeof(*index));

	for (uint32_t i = 0; index != NULL && i < n; i++)
		index[i] = i;
	return index;
}

static DpStatus
plan_table(DpPlan *plan, SbaPlan *sba, DpStorage storage, uint64_t cells, DpError *error)
{
	sba->table = dp_cost_approximate(plan->remaining.epsilon_nano - sba->epsilon_rows_nano,
									 plan->remaining.delta_atto);
	if (storage == DP_SPARSE)
		return dp_plan_stability(plan, HISTOGRAM, "stability histogram", 1, sba->table, error);
	return dp_plan_laplace(plan, HISTOGRAM, 1, sba->table.epsilon_nano, cells, error);
}

static DpStatus
sba_plan(DpPlan *plan, DpArena *arena, DpError *error)
{
	const DpDomain *domain = plan->request->domain;
	uint32_t *all = all_attributes(arena, domain->attributes);
	SbaPlan *sba = dp_alloc(arena, 1, sizeof(*sba));
	DpStorage storage;

	if (all == NULL || sba == NULL)
		return DP_ERR_MEMORY;
	plan->private_data = sba;
	sba->dense_cells = (uint64_t) read_option(plan, "dense_cells");
	storage = dp_table_storage(domain, all, domain->attributes, sba->dense_cells);
	if (storage == DP_SPARSE && !dp_unit_rows_public(&plan->request->unit))
		DP_TRY(
			dp_plan_rows(plan, read_option(plan, "count_share"), &sba->epsilon_rows_nano, error));
	plan->scans++;
	plan->memory_bytes = dp_add_saturated(
		plan->memory_bytes, dp_table_memory(domain, all, domain->attributes, storage));
	dp_plan_counts(plan, dp_table_counted(domain, all, domain->attributes, storage));
	return plan_table(plan, sba, storage, dp_domain_cells(domain, all, domain->attributes), error);
}

static DpStatus
count_all(const DpMeasurement *m, uint64_t dense_cells, DpMarginal *exact, DpError *error)
{
	DpMarginal *const tables[] = {exact};
	uint32_t n = m->domain->attributes;
	uint32_t *all = all_attributes(m->arena, n);

	if (all == NULL)
		return DP_ERR_MEMORY;
	DP_TRY(dp_marginal_init(exact, m->arena, m->domain, all, n,
							dp_table_storage(m->domain, all, n, dense_cells), error));
	dp_free(m->arena, all, n, sizeof(*all));
	return m->counter->count(m->counter->context, m->domain, tables, 1, error);
}

static DpStatus
sba_measure(const DpMeasurement *m, DpModel *model, DpError *error)
{
	const SbaPlan *sba = m->plan->private_data;
	DpMarginal exact = {.arena = NULL};
	int64_t rows;

	model->tables = sba->epsilon_rows_nano > 0 ? 2 : 1;
	model->table = dp_alloc(m->arena, model->tables, sizeof(*model->table));
	if (model->table == NULL)
		return DP_ERR_MEMORY;
	dp_announce(m, HISTOGRAM);
	DP_TRY(count_all(m, sba->dense_cells, &exact, error));
	rows = exact.total;
	DP_TRY(dp_table_release(m, &exact, sba->table, &model->table[0]));
	dp_marginal_free(&exact);
	if (sba->epsilon_rows_nano > 0)
		DP_TRY(dp_rows_release(m, rows, sba->epsilon_rows_nano, &model->table[1]));
	dp_rows_settle(m, rows, model);
	return DP_OK;
}

typedef struct SbaSampler
{
	const DpTable *table;
	uint32_t attributes;
	uint32_t *levels; /* [attributes] */
	uint32_t cells;   /* with a positive weight; 0 = draw uniformly */
	DpAliasEntry *entry;
} SbaSampler;

/* The cells of positive weight, closed up in weight and cell; returns how many. */
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
compile_cells(SbaSampler *sampler, int64_t rows, DpArena *arena)
{
	const DpTable *table = sampler->table;
	double *weight;
	uint32_t *cell;
	uint32_t *work;

	DP_TRY(dp_weights_make(table, NULL, rows, arena, &weight));
	cell = dp_alloc(arena, table->cells, sizeof(*cell));
	work = dp_alloc(arena, table->cells, sizeof(*work));
	if (cell == NULL || work == NULL)
		return DP_ERR_MEMORY;
	sampler->cells = keep_positive(weight, table->cells, cell);
	sampler->entry = dp_alloc(arena, sampler->cells, sizeof(*sampler->entry));
	if (sampler->entry == NULL)
		return DP_ERR_MEMORY;
	if (sampler->cells > 0)
		dp_alias_build(weight, cell, sampler->cells, work, sampler->entry);
	dp_free(arena, weight, table->cells, sizeof(*weight));
	dp_free(arena, cell, table->cells, sizeof(*cell));
	dp_free(arena, work, table->cells, sizeof(*work));
	return DP_OK;
}

static bool
covers_domain(const DpModel *model)
{
	if (model->tables < 1 || model->table[0].n != model->domain.attributes)
		return false;
	for (uint32_t k = 0; k < model->domain.attributes; k++)
	{
		if (model->table[0].attribute[k] != k)
			return false;
	}
	return true;
}

static DpStatus
sba_prepare(const DpModel *model, DpArena *arena, const DpTick *tick, void **out, DpError *error)
{
	SbaSampler *sampler = dp_alloc(arena, 1, sizeof(*sampler));

	if (!covers_domain(model))
		return dp_fail(error, DP_ERR_CORRUPT, "stored model: it has no table of all attributes");
	if (model->table[0].cells > UINT32_MAX)
		return dp_fail(error, DP_ERR_LIMIT, "the released table has too many cells to draw from");
	if (sampler == NULL)
		return DP_ERR_MEMORY;
	dp_tick(tick, 0);
	sampler->table = &model->table[0];
	sampler->attributes = model->domain.attributes;
	sampler->levels = dp_alloc(arena, sampler->attributes, sizeof(*sampler->levels));
	if (sampler->levels == NULL)
		return DP_ERR_MEMORY;
	for (uint32_t k = 0; k < sampler->attributes; k++)
		sampler->levels[k] = model->domain.attribute[k].levels;
	*out = sampler;
	return compile_cells(sampler, model->rows, arena);
}

static void
decode(const SbaSampler *sampler, uint64_t cell, uint32_t *codes)
{
	uint32_t n = sampler->attributes;

	for (uint32_t k = n; k-- > 0;)
	{
		if (sampler->table->storage == DP_SPARSE)
		{
			codes[k] = sampler->table->code[cell * n + k];
			continue;
		}
		codes[k] = (uint32_t) (cell % sampler->levels[k]);
		cell /= sampler->levels[k];
	}
}

static void
sba_draw(const void *sampler_in, DpPrng *prng, uint32_t *codes)
{
	const SbaSampler *sampler = sampler_in;

	if (sampler->cells > 0)
	{
		decode(sampler, dp_alias_draw(sampler->entry, sampler->cells, prng), codes);
		return;
	}
	for (uint32_t k = 0; k < sampler->attributes; k++)
		codes[k] = (uint32_t) dp_prng_below(prng, sampler->levels[k]);
}

/* Copying the codes costs about as much as drawing one. */
static uint64_t
sba_draw_cost(const DpModel *model)
{
	return 1 + model->domain.attributes / 8;
}

const DpMethod dp_method_sba = {
	.name = "sba",
	.summary = "A stability histogram of all columns together: best for few columns.",
	.guarantee = "(epsilon, delta)-DP",
	.source = "Bun, Nissim, Stemmer 2016",
	.specs = specs,
	.specs_n = SPECS_N,
	.plan = sba_plan,
	.measure = sba_measure,
	.prepare = sba_prepare,
	.draw = sba_draw,
	.draw_cost = sba_draw_cost,
};
