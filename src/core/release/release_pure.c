/*
 * release_pure.c -- planning and releasing one table without a delta.
 */
#include "release_pure.h"

#include "release_table.h"
#include "saturate.h"

static DpStatus
too_many_cells(const char *name, DpError *error)
{
	(void) dp_fail(error, DP_ERR_LIMIT, "stage \"%s\" has too many cells", name);
	dp_fail_detail(error, "The limit is %llu.", (unsigned long long) DP_SPARSE_HISTOGRAM_CELLS_MAX);
	dp_fail_hint(error, "Model fewer columns, with the option \"attributes\".");
	return DP_ERR_LIMIT;
}

static DpStatus
too_little(const char *name, DpError *error)
{
	(void) dp_fail(error, DP_ERR_ARGUMENT, "the budget is too small for stage \"%s\"", name);
	dp_fail_hint(error, "Ask for more epsilon, or model fewer columns.");
	return DP_ERR_ARGUMENT;
}

static const char *
mechanism_name(bool dense, bool certain)
{
	if (dense)
		return "discrete Laplace";
	return certain ? "sparse histogram" : "discrete Laplace or sparse histogram";
}

DpStatus
dp_plan_pure(DpPlan *plan, const char *name, int64_t epsilon_nano, uint64_t cells, bool certain,
			 uint64_t dense_cells, int64_t tolerance_nano, DpError *error)
{
	bool dense = cells <= dense_cells;
	DpStage stage = {
		.name = name,
		.mechanism = mechanism_name(dense, certain),
		.tables = 1,
		.each = dp_cost_pure(epsilon_nano),
		.cells = certain || dense ? cells : 0,
	};
	DpSparseRule rule;

	if (dense)
		return dp_plan_noisy(plan, &stage, error);
	if (cells > DP_SPARSE_HISTOGRAM_CELLS_MAX)
		return too_many_cells(name, error);
	if (epsilon_nano < 1 || dp_sparse_histogram_plan(epsilon_nano, plan->request->unit, cells,
													 tolerance_nano, &rule) != DP_OK)
		return too_little(name, error);
	stage.threshold_rows = rule.threshold_rows;
	stage.random_cells = rule.random_cells;
	return dp_plan_noisy(plan, &stage, error);
}

/* ---- sparse ---- */

/* Row-major index of a cell; the caller has checked that the table's cells fit. */
static uint64_t
index_of(const uint32_t *codes, const uint32_t *levels, uint32_t n)
{
	uint64_t index = 0;

	for (uint32_t k = 0; k < n; k++)
		index = index * levels[k] + codes[k];
	return index;
}

static void
codes_of(uint64_t index, const uint32_t *levels, uint32_t n, uint32_t *codes)
{
	for (uint32_t k = n; k-- > 0;)
	{
		codes[k] = (uint32_t) (index % levels[k]);
		index /= levels[k];
	}
}

/* The non-empty cells as indexes, which ascend as codes do. */
static DpStatus
list_cells(const DpMeasurement *m, const DpMarginal *exact, uint64_t **index, int64_t **counts,
		   uint64_t *n)
{
	uint32_t *codes;

	DP_TRY(dp_marginal_cells(exact, m->arena, &codes, counts, n));
	*index = dp_alloc(m->arena, *n, sizeof(**index));
	if (*index == NULL)
		return DP_ERR_MEMORY;
	for (uint64_t i = 0; i < *n; i++)
		(*index)[i] = index_of(codes + i * exact->n, exact->levels, exact->n);
	dp_free(m->arena, codes, *n, exact->n * sizeof(*codes));
	return DP_OK;
}

static DpStatus
take_cells(const DpMeasurement *m, const DpMarginal *exact, DpSparseCells *cells, DpTable *out)
{
	out->cells = cells->n;
	out->code = dp_alloc(m->arena, cells->n, exact->n * sizeof(*out->code));
	out->value = dp_memdup(m->arena, cells->value, cells->n * sizeof(*out->value));
	if (out->code == NULL || out->value == NULL)
		return DP_ERR_MEMORY;
	for (uint64_t i = 0; i < cells->n; i++)
		codes_of(cells->index[i], exact->levels, exact->n, out->code + i * exact->n);
	dp_free(m->arena, cells->index, cells->capacity, sizeof(*cells->index));
	dp_free(m->arena, cells->value, cells->capacity, sizeof(*cells->value));
	return DP_OK;
}

static DpStatus
release_sparse(const DpMeasurement *m, const DpMarginal *exact, int64_t epsilon_nano,
			   int64_t tolerance_nano, DpTable *out)
{
	uint64_t cells = dp_product_saturated(exact->levels, exact->n);
	DpUnit unit = m->plan->request->unit;
	DpSparseCells released;
	DpSparseRule rule;
	uint64_t *index;
	int64_t *counts;
	uint64_t n;

	DP_TRY(dp_sparse_histogram_plan(epsilon_nano, unit, cells, tolerance_nano, &rule));
	DP_TRY(list_cells(m, exact, &index, &counts, &n));
	DP_TRY(dp_sparse_histogram_release(m->meter, m->rng, index, counts, n, cells, epsilon_nano,
									   unit, &rule, m->arena, &released, m->tick));
	dp_free(m->arena, index, n, sizeof(*index));
	dp_free(m->arena, counts, n, sizeof(*counts));
	out->noise = DP_NOISE_SPARSE;
	out->cost = dp_cost_pure(epsilon_nano);
	out->threshold_rows = rule.threshold_rows;
	return take_cells(m, exact, &released, out);
}

/*
 * dp_table_release_pure -- one contingency table with noise, without a delta
 *
 * Inputs:      exact, a table into which each row was counted once
 * Output:      out: dense, each cell with discrete Laplace noise; or the cells of the
 *              sparse histogram, in ascending order of codes
 * Neighbours:  the dataset's, by its unit: a row sits in one cell
 * Guarantee:   (epsilon, 0)-DP, as the mechanisms prove. Dense or sparse, T and the odds of
 *              empty cells follow from public or released sizes alone.
 * Errors:      those of the mechanisms; out is not to be used then
 */
DpStatus
dp_table_release_pure(const DpMeasurement *m, const DpMarginal *exact, int64_t epsilon_nano,
					  int64_t tolerance_nano, DpTable *out)
{
	if (exact->storage == DP_DENSE)
		return dp_table_release(m, exact, dp_cost_pure(epsilon_nano), out);
	*out = (DpTable){.n = 0};
	DP_TRY(dp_table_describe(m, exact, out));
	return release_sparse(m, exact, epsilon_nano, tolerance_nano, out);
}
