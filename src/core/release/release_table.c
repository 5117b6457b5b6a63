/*
 * release_table.c -- planning and releasing one noisy table, and the row count.
 */
#include "release_table.h"

#include <math.h>
#include <string.h>

#include "saturate.h"

DpStorage
dp_table_storage(const DpDomain *domain, const uint32_t *attributes, uint32_t n,
				 uint64_t dense_cells)
{
	return dp_domain_cells(domain, attributes, n) <= dense_cells ? DP_DENSE : DP_SPARSE;
}

/* How many cells are filled depends on the data, so this is what a plan reckons with. */
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

	/* Order, codes and counts, twice: as counted and as released. */
	if (storage == DP_SPARSE)
		noisy = 2 * (n * sizeof(uint32_t) + 2 * sizeof(int64_t));
	return dp_add_saturated(dp_table_counted(domain, attributes, n, storage),
							dp_multiply_saturated(cells, noisy));
}

static DpStatus
too_little(const char *name, DpError *error)
{
	(void) dp_fail(error, DP_ERR_ARGUMENT, "the budget is too small for stage \"%s\"", name);
	dp_fail_hint(error, "Ask for more epsilon or delta, or for fewer attributes or parents.");
	return DP_ERR_ARGUMENT;
}

/* The mechanism checks its arguments before it charges or draws: a run over no cells is a rehearsal. */
static DpStatus
rehearse_laplace(int64_t epsilon_nano, int64_t sensitivity_l1)
{
	DpMeter meter;

	dp_meter_init(&meter, dp_cost_pure(epsilon_nano));
	return dp_laplace_release(&meter, NULL, NULL, 0, epsilon_nano, sensitivity_l1, NULL, NULL);
}

/* Completes each and total, the noise of a row, and appends the stage. */
DpStatus
dp_plan_noisy(DpPlan *plan, DpStage *stage, DpError *error)
{
	int64_t sensitivity_l1 = dp_unit_l1(&plan->request->unit);

	if (stage->each.epsilon_nano < 1 ||
		rehearse_laplace(stage->each.epsilon_nano, sensitivity_l1) != DP_OK ||
		dp_budget_multiply(stage->each, stage->tables, &stage->total) != DP_OK)
		return too_little(stage->name, error);
	stage->noise_stddev_rows = dp_laplace_stddev(stage->each.epsilon_nano, sensitivity_l1);
	return dp_plan_stage(plan, stage, error);
}

DpStatus
dp_plan_laplace(DpPlan *plan, const char *name, uint64_t tables, int64_t epsilon_nano,
				uint64_t cells, DpError *error)
{
	DpStage stage = {
		.name = name,
		.mechanism = "discrete Laplace",
		.tables = tables,
		.each = dp_cost_pure(epsilon_nano),
		.cells = cells,
	};

	return tables == 0 ? DP_OK : dp_plan_noisy(plan, &stage, error);
}

static DpStatus
delta_missing(const DpPlan *plan, const char *name, DpError *error)
{
	(void) dp_fail(error, DP_ERR_ARGUMENT, "stage \"%s\" of method \"%s\" needs a delta", name,
				   plan->method->name);
	dp_fail_detail(error, "A table that can have more than dense_cells cells is a stability "
						  "histogram, which needs a delta of at least 1e-18.");
	dp_fail_hint(error, "Give a delta well below one over the number of rows, or raise "
						"dense_cells.");
	return DP_ERR_ARGUMENT;
}

DpStatus
dp_plan_stability(DpPlan *plan, const char *name, const char *mechanism, uint64_t tables,
				  DpBudget each, DpError *error)
{
	DpStage stage = {.name = name, .mechanism = mechanism, .tables = tables, .each = each};

	if (tables == 0)
		return DP_OK;
	if (each.delta_atto < 1)
		return delta_missing(plan, name, error);
	if (dp_stability_threshold(each.epsilon_nano, each.delta_atto, plan->request->unit,
							   &stage.threshold_rows) != DP_OK)
		return too_little(name, error);
	return dp_plan_noisy(plan, &stage, error);
}

DpStatus
dp_plan_rows(DpPlan *plan, int64_t share_nano, int64_t *epsilon_nano, DpError *error)
{
	*epsilon_nano = dp_share_floor(plan->remaining.epsilon_nano, share_nano);
	return dp_plan_laplace(plan, "row count", 1, *epsilon_nano, 1, error);
}

/* What the two kinds of table have in common. */
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
	if (out->value == NULL)
		return DP_ERR_MEMORY;
	return dp_laplace_release(m->meter, m->rng, exact->dense, exact->cells, epsilon_nano,
							  out->sensitivity_l1, out->value, m->tick);
}

/* Closes the gaps that silent cells leave; the order of codes stays. */
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

/* Gives the room of silent cells back, whose codes still stand behind the released ones. */
static DpStatus
shrink(DpArena *arena, DpTable *table, uint64_t cells_before)
{
	int64_t *value = dp_memdup(arena, table->value, table->cells * sizeof(*value));
	uint32_t *code = dp_memdup(arena, table->code, table->cells * table->n * sizeof(*code));

	if (value == NULL || code == NULL)
		return DP_ERR_MEMORY;
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
	out->cost = dp_cost_approximate(cost.epsilon_nano, cost.delta_atto);
	DP_TRY(dp_marginal_cells(exact, m->arena, &out->code, &out->value, &used));
	out->cells = used;
	DP_TRY(dp_stability_release(m->meter, m->rng, out->value, used, cost, m->plan->request->unit,
								out->value, &out->threshold_rows, m->tick));
	drop_silent(out);
	return shrink(m->arena, out, used);
}

/*
 * dp_table_release -- one contingency table with noise
 *
 * Inputs:      exact, a table into which each row was counted once; cost
 * Output:      out: dense, each cell with discrete Laplace noise, or sparse, the cells
 *              whose noisy count is >= the threshold, in ascending order of codes
 * Neighbours:  the dataset's, by its unit: a row sits in one cell, so the L1 sensitivity
 *              is rows_max under add/remove, twice that under replacement
 * Guarantee:   dense (epsilon, 0)-DP, sparse (epsilon, delta)-DP, as the mechanisms
 *              prove. Dense or sparse is decided by public sizes alone.
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
dp_rows_release(const DpMeasurement *m, int64_t rows, int64_t epsilon_nano, DpTable *out)
{
	DpMarginal exact = {.storage = DP_DENSE, .cells = 1, .dense = &rows, .total = rows};

	return dp_table_release(m, &exact, dp_cost_pure(epsilon_nano), out);
}

static double
table_total(const DpTable *table)
{
	double total = 0;

	for (uint64_t i = 0; i < table->cells; i++)
		total += (double) table->value[i];
	return total;
}

double
dp_table_variance(const DpTable *table)
{
	double stddev = table->noise == DP_NOISE_GAUSSIAN
						? dp_gaussian_stddev(table->cost.rho_pico, table->sensitivity_l2_squared)
						: dp_laplace_stddev(table->cost.epsilon_nano, table->sensitivity_l1);

	return stddev * stddev;
}

/* Variance of the total of a dense table: its cells' noises are independent. */
static double
total_variance(const DpTable *table)
{
	return (double) table->cells * dp_table_variance(table);
}

/*
 * The best unbiased linear estimate from several totals of the same rows. A
 * huge epsilon has a variance that underflows to 0: a floor keeps the weights
 * finite, and all such totals are exact anyway.
 */
int64_t
dp_rows_estimate(const DpModel *model)
{
	double weights = 0;
	double sum = 0;
	double mean;

	for (uint32_t i = 0; i < model->tables; i++)
	{
		const DpTable *table = &model->table[i];
		double weight;

		if (table->noise != DP_NOISE_LAPLACE)
			continue;
		weight = 1 / fmax(total_variance(table), 1e-100);
		weights += weight;
		sum += weight * table_total(table);
	}
	mean = weights > 0 ? sum / weights : 0;
	return mean <= 0 ? 0 : mean >= 0x1p62 ? INT64_C(1) << 62 : (int64_t) llround(mean);
}

void
dp_rows_settle(const DpMeasurement *m, int64_t exact_rows, DpModel *model)
{
	bool is_public = dp_unit_rows_public(&m->plan->request->unit);

	model->rows = is_public ? exact_rows : dp_rows_estimate(model);
}
