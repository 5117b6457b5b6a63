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
#include "methods.h"
#include "release_table.h"
#include "saturate.h"
#include "table_sampler.h"

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
	DpTableSampler *sampler = dp_alloc(arena, 1, sizeof(*sampler));

	if (!covers_domain(model))
		return dp_fail(error, DP_ERR_CORRUPT, "stored model: it has no table of all attributes");
	if (sampler == NULL)
		return DP_ERR_MEMORY;
	dp_tick(tick, 0);
	*out = sampler;
	return dp_table_sampler_prepare(model, 0, NULL, model->rows, arena, sampler, error);
}

static void
sba_draw(const void *sampler, DpPrng *prng, uint32_t *codes)
{
	dp_table_sampler_draw(sampler, prng, codes);
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
