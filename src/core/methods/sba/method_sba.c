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
#include "core/base/saturate.h"
#include "core/methods/registry.h"
#include "core/plan/method.h"
#include "core/plan/release_table.h"
#include "core/sample/sampler.h"

#define HISTOGRAM "histogram"

static const DpOptionSpec specs[] = {
	DP_SPEC_DENSE_CELLS("0"),
	DP_SPEC_COUNT_SHARE,
};

typedef struct SbaPlan
{
	uint64_t dense_cells;
	int64_t epsilon_rows_nano; /* 0 = the row count is public, or the table's total tells it */
	DpBudget table;
} SbaPlan;

/* 0, 1, 2, ... */
static uint32_t *
all_attributes(uint32_t n, DpArena *arena)
{
	uint32_t *index = dp_alloc(arena, n, sizeof(*index));

	for (uint32_t i = 0; index != NULL && i < n; i++)
		index[i] = i;
	return index;
}

static DpStatus
plan_table(DpPlan *plan, SbaPlan *sba, DpStorage storage, uint64_t cells, DpError *error)
{
	sba->table = dp_cost_approximate(
		(DpBudget){.epsilon_nano = plan->remaining.epsilon_nano - sba->epsilon_rows_nano,
				   .delta_atto = plan->remaining.delta_atto});
	if (storage == DP_SPARSE)
		return dp_plan_stability(plan, HISTOGRAM, "stability histogram", 1, sba->table, error);
	return dp_plan_laplace(plan, HISTOGRAM, 1, dp_cost_pure(sba->table.epsilon_nano), cells, error);
}

static DpStatus
sba_plan(DpPlan *plan, DpArena *arena, DpError *error)
{
	const DpDomain *domain = plan->request->domain;
	uint32_t *all = all_attributes(domain->attributes, arena);
	SbaPlan *sba = dp_alloc(arena, 1, sizeof(*sba));
	DpStorage storage;

	DP_TRY_ALLOC(all && sba);
	plan->private_data = sba;
	sba->dense_cells = (uint64_t) dp_plan_option(plan, "dense_cells");
	storage = dp_table_storage(domain, all, domain->attributes, sba->dense_cells);
	if (storage == DP_SPARSE && !dp_unit_rows_public(&plan->request->unit))
		DP_TRY(dp_plan_rows(plan, dp_plan_option(plan, "count_share"), &sba->epsilon_rows_nano,
							error));
	plan->scans++;
	plan->memory_bytes = dp_add_saturated(
		plan->memory_bytes, dp_table_memory(domain, all, domain->attributes, storage));
	dp_plan_counts(plan, dp_table_counted(domain, all, domain->attributes, storage));
	dp_expect_table(&plan->estimate, domain, &(DpAttributeSet){domain->attributes, all}, storage);
	return plan_table(plan, sba, storage, dp_domain_cells(domain, all, domain->attributes), error);
}

static DpStatus
count_all(const DpMeasurement *m, uint64_t dense_cells, DpMarginal *exact, DpError *error)
{
	uint32_t n = m->domain->attributes;
	uint32_t *all = all_attributes(n, m->arena);

	DP_TRY_ALLOC(all);
	DP_TRY(dp_marginal_init(exact, m->domain, &(DpAttributeSet){n, all},
							dp_table_storage(m->domain, all, n, dense_cells), m->arena, error));
	dp_free(m->arena, all, n, sizeof(*all));
	return dp_count_marginals(m, exact, 1, error);
}

static DpStatus
sba_measure(const DpMeasurement *m, DpModel *model, DpError *error)
{
	const SbaPlan *sba = m->plan->private_data;
	DpMarginal exact = {.arena = NULL};
	int64_t rows;

	dp_announce(m, HISTOGRAM);
	DP_TRY(count_all(m, sba->dense_cells, &exact, error));
	rows = exact.total;
	DP_TRY(dp_tables_release(m, &exact, 1, sba->table, sba->epsilon_rows_nano > 0, model));
	if (sba->epsilon_rows_nano > 0)
		DP_TRY(dp_rows_release(m, rows, dp_cost_pure(sba->epsilon_rows_nano), &model->table[1]));
	dp_rows_finalize(m, rows, model);
	return DP_OK;
}

const DpMethod dp_method_sba = {
	.name = "sba",
	.summary = "A stability histogram of all columns together: best for few columns.",
	.guarantee = "(epsilon, delta)-DP",
	.source = "Bun, Nissim, Stemmer 2016",
	DP_SPECS(specs),
	.plan = sba_plan,
	.measure = sba_measure,
	.sampler = &dp_histogram_sampler,
};
