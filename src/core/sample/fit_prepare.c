/*
 * fit_prepare.c -- from a stored model to a fit and its sampler.
 */
#include "core/sample/fit.h"

#include "core/estimate/joint.h"
#include "core/model/noisy_table.h"
#include "core/sample/model_query.h"

#define DRAW_COST 2 /* a search in running sums; solving again in parallel workers never pays */

DpStatus
dp_fit_table(const DpTable *table, DpFitTable *out)
{
	if (table->storage != DP_DENSE || table->noise != DP_NOISE_LAPLACE)
		return DP_ERR_CORRUPT;
	*out = (DpFitTable){.of = {table->n, table->attribute},
						.cells = table->cells,
						.count = table->value,
						.variance = dp_table_variance(table)};
	return DP_OK;
}

static DpStatus
fail_model(DpError *error)
{
	return dp_fail(error, DP_ERR_CORRUPT, "stored model: its tables are not those of a fit");
}

/* Reads a parameter of the model, which must lie in a range. */
static bool
read_parameter(const DpModel *model, const char *name, int64_t minimum, int64_t maximum,
			   int64_t *value)
{
	*value = dp_model_parameter(model, name, minimum - 1);
	return *value >= minimum && *value <= maximum;
}

static DpStatus
input_of_model(const DpModel *model, DpFitTable *table, DpFitInput *input, DpError *error)
{
	int64_t solver, lambda_nano, cell_limit, residual_permille;

	if (!read_parameter(model, "solver", DP_SOLVER_ENTROPIC, DP_SOLVER_GRAPHICAL, &solver) ||
		!read_parameter(model, "lambda_nano", 1, INT64_MAX, &lambda_nano) ||
		!read_parameter(model, "cell_limit", 1, (int64_t) DP_JOINT_CELLS_MAX, &cell_limit) ||
		!read_parameter(model, "residual_permille", 1, 1000, &residual_permille))
		return fail_model(error);
	for (uint32_t t = 0; t < model->tables; t++)
	{
		if (dp_fit_table(&model->table[t], &table[t]) != DP_OK)
			return fail_model(error);
	}
	*input = (DpFitInput){.domain = &model->domain,
						  .tables = model->tables,
						  .table = table,
						  .rows = (double) model->rows,
						  .solver = (DpSolver) solver,
						  .lambda = (double) lambda_nano * 1e-9,
						  .cell_limit = (uint64_t) cell_limit,
						  .residual = (double) residual_permille * 1e-3};
	return DP_OK;
}

static DpStatus
fit_model_prepare(const DpModel *model, void **sampler, const DpTick *tick, DpArena *arena,
				  DpError *error)
{
	DpFitTable *table = dp_alloc(arena, model->tables, sizeof(*table));
	DpFitInput input;

	DP_TRY_ALLOC(table);
	DP_TRY(input_of_model(model, table, &input, error));
	return dp_fit_prepare(&input, sampler, tick, arena, error);
}

static uint64_t
fit_model_draw_cost(const DpModel *model, const void *state)
{
	(void) state;
	(void) model;
	return DRAW_COST;
}

static const DpModelQuery fit_query = {
	.fit = fit_model_prepare,
	.marginal = dp_fit_marginal,
	.compile = dp_fit_compile,
	.sampler = &dp_fit_sampler,
	.keeps_zeros = dp_fit_keeps_zeros,
};

const DpSampler dp_fit_sampler = {
	.prepare = fit_model_prepare,
	.draw = dp_fit_draw,
	.draw_cost = fit_model_draw_cost,
	.query = &fit_query,
};
