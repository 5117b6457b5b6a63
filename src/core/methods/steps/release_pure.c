/*
 * release_pure.c -- planning and releasing one table without a delta.
 */
#include "core/methods/steps/steps_plan.h"

#include "core/base/row_major.h"
#include "core/base/saturate.h"
#include "core/mechanism/sparse_histogram.h"
#include "core/plan/refuse.h"
#include "core/plan/release_table.h"

static const char *
mechanism_name(bool dense, bool certain)
{
	if (dense)
		return "discrete Laplace";
	return certain ? "sparse histogram" : "discrete Laplace or sparse histogram";
}

DpStatus
dp_plan_pure(DpPlan *plan, const char *name, const DpPureRelease *release, uint64_t cells,
			 bool certain, DpError *error)
{
	bool dense = cells <= release->dense_cells;
	DpStage stage = {
		.name = name,
		.mechanism = mechanism_name(dense, certain),
		.tables = 1,
		.each = dp_cost_pure(release->epsilon_nano),
		.cells = certain || dense ? cells : 0,
	};
	DpSparseHistogram histogram = {release->epsilon_nano, plan->request->unit, cells};
	DpSparseRule rule;

	if (dense)
		return dp_plan_noisy(plan, &stage, error);
	if (cells > DP_SPARSE_HISTOGRAM_CELLS_MAX)
		return dp_refuse_cells(name, DP_SPARSE_HISTOGRAM_CELLS_MAX, "columns with fewer levels",
							   error);
	if (release->epsilon_nano < 1 ||
		dp_sparse_histogram_plan(&histogram, release->no_false_positives_nano, &rule) != DP_OK)
		return dp_refuse_budget(name, error);
	stage.threshold_rows = rule.threshold_rows;
	stage.false_positives = rule.false_positives;
	return dp_plan_noisy(plan, &stage, error);
}

/* ---- sparse ---- */

/* Lists the non-empty cells as indexes, which ascend as codes do. */
static DpStatus
list_cells(const DpMeasurement *m, const DpMarginal *exact, uint64_t **index, int64_t **counts,
		   uint64_t *n)
{
	uint32_t *codes;

	DP_TRY(dp_marginal_cells(exact, &codes, counts, n, m->arena));
	*index = dp_alloc(m->arena, *n, sizeof(**index));
	DP_TRY_ALLOC(*index);
	for (uint64_t i = 0; i < *n; i++)
		(*index)[i] = dp_row_major_cell(exact->levels, exact->n, codes + i * exact->n);
	dp_free(m->arena, codes, *n, exact->n * sizeof(*codes));
	return DP_OK;
}

static DpStatus
take_cells(const DpMeasurement *m, const DpMarginal *exact, DpSparseCells *cells, DpTable *out)
{
	out->cells = cells->n;
	out->code = dp_alloc(m->arena, cells->n, exact->n * sizeof(*out->code));
	out->value = dp_memdup(m->arena, cells->value, cells->n * sizeof(*out->value));
	DP_TRY_ALLOC(out->code && out->value);
	for (uint64_t i = 0; i < cells->n; i++)
		dp_row_major_codes(exact->levels, exact->n, cells->index[i], out->code + i * exact->n);
	dp_free(m->arena, cells->index, cells->capacity, sizeof(*cells->index));
	dp_free(m->arena, cells->value, cells->capacity, sizeof(*cells->value));
	return DP_OK;
}

static DpStatus
release_sparse(const DpMeasurement *m, const DpMarginal *exact, const DpPureRelease *release,
			   DpTable *out)
{
	DpSparseHistogram histogram = {release->epsilon_nano, m->plan->request->unit,
								   dp_product_saturated(exact->levels, exact->n)};
	DpSparseCells released;
	DpSparseRule rule;
	uint64_t *index;
	int64_t *counts;
	uint64_t n;

	DP_TRY(dp_sparse_histogram_plan(&histogram, release->no_false_positives_nano, &rule));
	DP_TRY(list_cells(m, exact, &index, &counts, &n));
	DP_TRY(dp_sparse_histogram_release(&m->noise, &rule, &(DpOccupiedCells){n, index, counts},
									   &released, m->arena));
	dp_free(m->arena, index, n, sizeof(*index));
	dp_free(m->arena, counts, n, sizeof(*counts));
	out->noise = DP_NOISE_SPARSE;
	out->cost = dp_cost_pure(release->epsilon_nano);
	out->threshold_rows = rule.threshold_rows;
	return take_cells(m, exact, &released, out);
}

/*
 * dp_table_release_pure -- one contingency table with noise, without a delta
 *
 * Inputs:      exact, a table into which each row was counted once
 * Output:      out: a dense table, each cell with discrete Laplace noise; or the cells of the
 *              sparse histogram, in ascending order of codes
 * Neighbours:  the dataset's, by its unit: a row sits in one cell
 * Guarantee:   (epsilon, 0)-DP, as the mechanisms prove. Whether it is dense or sparse, the
 *              threshold T, and the odds of empty cells follow from public or released sizes
 *              alone.
 * Errors:      those of the mechanisms; out is not to be used then
 */
DpStatus
dp_table_release_pure(const DpMeasurement *m, const DpMarginal *exact, const DpPureRelease *release,
					  DpTable *out)
{
	if (exact->storage == DP_DENSE)
		return dp_table_release(m, exact, dp_cost_pure(release->epsilon_nano), out);
	*out = (DpTable){.n = 0};
	DP_TRY(dp_table_describe(m, exact, out));
	return release_sparse(m, exact, release, out);
}
