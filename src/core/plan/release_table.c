/*
 * release_table.c -- planning and releasing one noisy table, and the row count.
 */
#include "core/plan/release_table.h"

#include <string.h>

#include "core/base/saturate.h"
#include "core/mechanism/mechanism.h"
#include "core/model/noisy_table.h"
#include "core/plan/refuse.h"

DpStorage
dp_table_storage(const DpDomain *domain, const uint32_t *attributes, uint32_t n,
				 uint64_t dense_cells)
{
	return dp_domain_cells(domain, attributes, n) <= dense_cells ? DP_DENSE : DP_SPARSE;
}

/* The number of cells that a plan assumes, since how many are filled depends on the data. */
static uint64_t
planned_cells(const DpDomain *domain, const uint32_t *attributes, uint32_t n, DpStorage storage)
{
	uint64_t cells = dp_domain_cells(domain, attributes, n);

	return storage == DP_DENSE || cells < DP_PLAN_SPARSE_CELLS ? cells : DP_PLAN_SPARSE_CELLS;
}

uint64_t
dp_table_counted(const DpDomain *domain, const uint32_t *attributes, uint32_t n, DpStorage storage)
{
	return dp_marginal_bytes(domain, attributes, n, storage,
							 planned_cells(domain, attributes, n, storage));
}

uint64_t
dp_table_memory(const DpDomain *domain, const uint32_t *attributes, uint32_t n, DpStorage storage)
{
	uint64_t cells = planned_cells(domain, attributes, n, storage);
	uint64_t noisy = sizeof(int64_t);

	/* order, codes and counts, both as counted and as released */
	if (storage == DP_SPARSE)
		noisy = 2 * (n * sizeof(uint32_t) + 2 * sizeof(int64_t));
	return dp_add_saturated(dp_table_counted(domain, attributes, n, storage),
							dp_multiply_saturated(cells, noisy));
}

void
dp_expect_table(DpCostEstimate *estimate, const DpDomain *domain, const DpAttributeSet *set,
				DpStorage storage)
{
	if (storage == DP_SPARSE)
	{
		estimate->hashed++;
		return;
	}
	dp_expect_tables(estimate, 1, set->n);
	estimate->bytes =
		dp_add_saturated(estimate->bytes, dp_table_memory(domain, set->attribute, set->n, storage));
}

/* The mechanism checks its arguments before it charges or draws, so that a run over no cells is a
 * preflight. */
static DpStatus
preflight_laplace(DpLaplace distribution)
{
	DpMeter meter;

	dp_meter_init(&meter, dp_cost_pure(distribution.epsilon_nano));
	return dp_laplace_release(&(DpNoiseSource){.meter = &meter}, distribution, NULL, 0, NULL);
}

/* Completes each and total and the noise of a cell, and appends the stage. */
DpStatus
dp_plan_noisy(DpPlan *plan, DpStage *stage, DpError *error)
{
	DpLaplace distribution = dp_unit_laplace(&plan->request->unit, stage->each.epsilon_nano);

	if (distribution.epsilon_nano < 1 || preflight_laplace(distribution) != DP_OK ||
		dp_budget_multiply(stage->each, stage->tables, &stage->total) != DP_OK)
		return dp_refuse_budget(stage->name, error);
	stage->noise_stddev_rows = dp_laplace_stddev(distribution);
	return dp_plan_stage(plan, stage, error);
}

DpStatus
dp_plan_laplace(DpPlan *plan, const char *name, uint64_t tables, DpBudget each, uint64_t cells,
				DpError *error)
{
	DpStage stage = {
		.name = name,
		.mechanism = "discrete Laplace",
		.tables = tables,
		.each = each,
		.cells = cells,
	};

	return tables == 0 ? DP_OK : dp_plan_noisy(plan, &stage, error);
}

DpStatus
dp_plan_stability(DpPlan *plan, const char *name, const char *mechanism, uint64_t tables,
				  DpBudget each, DpError *error)
{
	DpStage stage = {.name = name, .mechanism = mechanism, .tables = tables, .each = each};

	if (tables == 0)
		return DP_OK;
	if (each.delta_atto < 1)
		return dp_refuse_delta(name, "raise \"dense_cells\"", error);
	if (dp_stability_threshold(&(DpStability){each, plan->request->unit}, &stage.threshold_rows) !=
		DP_OK)
		return dp_refuse_budget(name, error);
	return dp_plan_noisy(plan, &stage, error);
}

DpStatus
dp_plan_selection(DpPlan *plan, DpStage *stage, int64_t sensitivity, DpError *error)
{
	if (stage->each.epsilon_nano < 1)
		return dp_refuse_budget(stage->name, error);
	if (sensitivity > DP_SELECT_SENSITIVITY_MAX)
		return dp_refuse_unit(stage->name, error);
	stage->mechanism = "permute-and-flip";
	DP_TRY(dp_budget_multiply(stage->each, stage->tables, &stage->total));
	return dp_plan_stage(plan, stage, error);
}

DpStatus
dp_plan_rows(DpPlan *plan, int64_t share_nano, int64_t *epsilon_nano, DpError *error)
{
	*epsilon_nano = dp_share_floor(plan->remaining.epsilon_nano, share_nano);
	return dp_plan_laplace(plan, "row count", 1, dp_cost_pure(*epsilon_nano), 1, error);
}

/* Fills in what all kinds of noisy tables share. */
DpStatus
dp_table_describe(const DpMeasurement *m, const DpMarginal *exact, DpTable *out)
{
	out->n = exact->n;
	out->storage = exact->storage;
	out->sensitivity_l1 = dp_unit_l1(&m->plan->request->unit);
	out->attribute = dp_memdup(m->arena, exact->attribute, exact->n * sizeof(*exact->attribute));
	return out->attribute == NULL ? DP_ERR_MEMORY : DP_OK;
}

static DpStatus
release_dense(const DpMeasurement *m, const DpMarginal *exact, int64_t epsilon_nano, DpTable *out)
{
	out->noise = DP_NOISE_LAPLACE;
	out->cost = dp_cost_pure(epsilon_nano);
	out->cells = exact->cells;
	out->value = dp_alloc(m->arena, exact->cells, sizeof(*out->value));
	DP_TRY_ALLOC(out->value);
	return dp_laplace_release(&m->noise, dp_unit_laplace(&m->plan->request->unit, epsilon_nano),
							  exact->dense, exact->cells, out->value);
}

/* Closes the gaps of cells that were not released. The order of codes stays. */
static void
drop_silent(DpTable *table)
{
	uint64_t kept = 0;

	for (uint64_t i = 0; i < table->cells; i++)
	{
		if (table->value[i] == 0)
			continue;
		table->value[kept] = table->value[i];
		memmove(table->code + kept * table->n, table->code + i * table->n,
				table->n * sizeof(*table->code));
		kept++;
	}
	table->cells = kept;
}

/* Frees the memory of cells that were not released. Their codes still stand behind the released
 * ones, so the arrays are copied. */
static DpStatus
shrink(DpTable *table, uint64_t cells_before, DpArena *arena)
{
	int64_t *value = dp_memdup(arena, table->value, table->cells * sizeof(*value));
	uint32_t *code = dp_memdup(arena, table->code, table->cells * table->n * sizeof(*code));

	DP_TRY_ALLOC(value && code);
	dp_free(arena, table->value, cells_before, sizeof(*value));
	dp_free(arena, table->code, cells_before, table->n * sizeof(*code));
	table->value = value;
	table->code = code;
	return DP_OK;
}

static DpStatus
release_sparse(const DpMeasurement *m, const DpMarginal *exact, DpBudget cost, DpTable *out)
{
	uint64_t used;

	out->noise = DP_NOISE_STABILITY;
	out->cost = dp_cost_approximate(cost);
	DP_TRY(dp_marginal_cells(exact, &out->code, &out->value, &used, m->arena));
	out->cells = used;
	DP_TRY(dp_stability_release(&m->noise, &(DpStability){cost, m->plan->request->unit}, out->value,
								used, out->value, &out->threshold_rows));
	drop_silent(out);
	return shrink(out, used, m->arena);
}

/*
 * dp_table_release -- one contingency table with noise
 *
 * Inputs:      exact, a table into which each row was counted once; cost
 * Output:      out: a dense table, each cell with discrete Laplace noise; or a sparse one, with
 *              the cells whose noisy count is >= the threshold, in ascending order of codes
 * Neighbours:  the dataset's, by its unit: a row sits in one cell, so the L1 sensitivity
 *              is rows_max under add/remove, twice that under replacement
 * Guarantee:   dense: (epsilon, 0)-DP, sparse: (epsilon, delta)-DP, as the mechanisms prove.
 *              Public sizes alone decide whether it is dense or sparse.
 * Errors:      those of the mechanisms; out is not to be used then
 */
DpStatus
dp_table_release(const DpMeasurement *m, const DpMarginal *exact, DpBudget cost, DpTable *out)
{
	*out = (DpTable){.n = 0};
	DP_TRY(dp_table_describe(m, exact, out));
	if (exact->storage == DP_DENSE)
		return release_dense(m, exact, cost.epsilon_nano, out);
	return release_sparse(m, exact, cost, out);
}

DpStatus
dp_tables_release(const DpMeasurement *m, DpMarginal *exact, uint32_t n, DpBudget cost, bool more,
				  DpModel *model)
{
	model->tables = n + more;
	model->table = dp_alloc(m->arena, model->tables, sizeof(*model->table));
	DP_TRY_ALLOC(model->table);
	for (uint32_t t = 0; t < n; t++)
	{
		DP_TRY(dp_table_release(m, &exact[t], cost, &model->table[t]));
		dp_marginal_free(&exact[t]);
	}
	return DP_OK;
}

DpStatus
dp_rows_release(const DpMeasurement *m, int64_t rows, DpBudget cost, DpTable *out)
{
	DpMarginal exact = {.storage = DP_DENSE, .cells = 1, .dense = &rows, .total = rows};

	return dp_table_release(m, &exact, cost, out);
}

void
dp_rows_finalize(const DpMeasurement *m, int64_t exact_rows, DpModel *model)
{
	bool is_public = dp_unit_rows_public(&m->plan->request->unit);

	model->rows = is_public ? exact_rows : dp_rows_estimate(model);
}
