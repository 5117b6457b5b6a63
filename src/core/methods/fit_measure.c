/*
 * fit_model.c -- between workloads, models and solvers.
 */
#include "fit_model.h"

#include <string.h>

#include "discover.h"
#include "joint.h"
#include "release_table.h"
#include "saturate.h"

#define DRAW_COST 2 /* a search in running sums; never worth to solve again in parallel workers */

/* ---- plan ---- */

static DpStatus
refuse_open(const DpDomain *domain, DpError *error)
{
	for (uint32_t a = 0; a < domain->attributes; a++)
	{
		if (!domain->attribute[a].open)
			continue;
		(void) dp_fail(error, DP_ERR_ARGUMENT, "column \"%s\" is open", domain->attribute[a].name);
		dp_fail_detail(error, "The size of a joint table must be known before anything is spent, "
							  "and the values of an open column are found afterwards.");
		dp_fail_hint(error, "Declare its categories with dp_define_column, or leave it out with "
							"\"attributes\".");
		return DP_ERR_ARGUMENT;
	}
	return DP_OK;
}

static DpStatus
check_covered(const DpWorkload *workload, const DpDomain *domain, DpError *error)
{
	uint32_t a = dp_workload_uncovered(workload, domain->attributes);

	if (a == domain->attributes)
		return DP_OK;
	(void) dp_fail(error, DP_ERR_ARGUMENT, "option \"marginals\" leaves out column \"%s\"",
				   domain->attribute[a].name);
	dp_fail_detail(error, "Each modelled column must be in one of the sets.");
	dp_fail_hint(error, "Add a set with it, or leave it out of \"attributes\".");
	return DP_ERR_ARGUMENT;
}

/* The shapes of the tables, without values. */
static DpStatus
shape_input(const DpWorkload *workload, const DpDomain *domain, const DpFitSettings *settings,
			DpArena *arena, DpFitInput *input)
{
	DpFitTable *table = dp_alloc(arena, workload->sets, sizeof(*table));

	if (table == NULL)
		return DP_ERR_MEMORY;
	for (uint32_t s = 0; s < workload->sets; s++)
	{
		const DpWorkloadSet *set = &workload->set[s];

		table[s] = (DpFitTable){.n = set->n,
								.attribute = set->attribute,
								.cells = dp_domain_cells(domain, set->attribute, set->n)};
	}
	*input = (DpFitInput){.domain = domain,
						  .tables = workload->sets,
						  .table = table,
						  .solver = settings->solver,
						  .lambda = (double) settings->lambda_nano * 1e-9,
						  .cell_limit = (uint64_t) settings->cell_limit};
	return DP_OK;
}

DpStatus
dp_fit_plan(const DpPlan *plan, const DpFitSettings *settings, DpArena *arena, DpWorkload *workload,
			uint64_t *solve_bytes, DpError *error)
{
	const DpDomain *domain = plan->request->domain;
	DpWorkloadLimits limits = {.sets_max = DP_WORKLOAD_SETS_MAX, .cells_max = DP_MODEL_CELLS_MAX};
	DpFitInput input;

	DP_TRY(refuse_open(domain, error));
	DP_TRY(dp_workload_read(plan->request->options, plan->method->specs, plan->method->specs_n,
							"marginals", domain, &limits, arena, workload, error));
	DP_TRY(check_covered(workload, domain, error));
	DP_TRY(shape_input(workload, domain, settings, arena, &input));
	DP_TRY(dp_fit_check(&input, arena, error));
	return dp_fit_memory(&input, arena, solve_bytes);
}

uint64_t
dp_fit_tables_memory(const DpWorkload *workload, const DpDomain *domain)
{
	uint64_t bytes = 0;

	for (uint32_t s = 0; s < workload->sets; s++)
		bytes = dp_add_saturated(bytes, dp_table_memory(domain, workload->set[s].attribute,
														workload->set[s].n, DP_DENSE));
	return bytes;
}

uint64_t
dp_fit_counted(const DpWorkload *workload, const DpDomain *domain)
{
	return dp_multiply_saturated(dp_workload_cells(workload, domain), sizeof(int64_t));
}

/* ---- measure ---- */

DpStatus
dp_fit_count(const DpMeasurement *m, const DpWorkload *workload, DpMarginal **out, DpError *error)
{
	uint32_t n = workload->sets;
	DpMarginal *exact = dp_alloc(m->arena, n, sizeof(*exact));
	DpMarginal **table = dp_alloc(m->arena, n, sizeof(*table));

	if (exact == NULL || table == NULL)
		return DP_ERR_MEMORY;
	for (uint32_t s = 0; s < n; s++)
	{
		const DpWorkloadSet *set = &workload->set[s];

		table[s] = &exact[s];
		DP_TRY(dp_marginal_init(&exact[s], m->arena, m->domain, set->attribute, set->n, DP_DENSE,
								error));
	}
	DP_TRY(m->counter->count(m->counter->context, m->domain, table, n, error));
	dp_free(m->arena, table, n, sizeof(*table));
	*out = exact;
	return DP_OK;
}

DpStatus
dp_fit_settle(const DpMeasurement *m, const DpFitSettings *settings, DpModel *model)
{
	model->parameters = 4;
	model->parameter = dp_alloc(m->arena, model->parameters, sizeof(*model->parameter));
	if (model->parameter == NULL)
		return DP_ERR_MEMORY;
	model->parameter[0] = (DpParameter){"solver", settings->solver};
	model->parameter[1] = (DpParameter){"lambda_nano", settings->lambda_nano};
	model->parameter[2] = (DpParameter){"cell_limit", settings->cell_limit};
	model->parameter[3] = (DpParameter){"residual_permille", settings->residual_permille};
	return DP_OK;
}

/* ---- prepare ---- */

DpStatus
dp_fit_table(const DpTable *table, DpFitTable *out)
{
	double stddev = dp_laplace_stddev(table->cost.epsilon_nano, table->sensitivity_l1);

	if (table->storage != DP_DENSE || table->noise != DP_NOISE_LAPLACE)
		return DP_ERR_CORRUPT;
	*out = (DpFitTable){.n = table->n,
						.attribute = table->attribute,
						.cells = table->cells,
						.count = table->value,
						.variance = stddev * stddev};
	return DP_OK;
}

static DpStatus
fail_model(DpError *error)
{
	return dp_fail(error, DP_ERR_CORRUPT, "stored model: its tables are not those of a fit");
}

/* A number of the model that must lie in a range. */
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

DpStatus
dp_fit_model_prepare(const DpModel *model, DpArena *arena, const DpTick *tick, void **sampler,
					 DpError *error)
{
	DpFitTable *table = dp_alloc(arena, model->tables, sizeof(*table));
	DpFitInput input;

	if (table == NULL)
		return DP_ERR_MEMORY;
	DP_TRY(input_of_model(model, table, &input, error));
	return dp_fit_prepare(&input, arena, tick, sampler, error);
}

uint64_t
dp_fit_model_draw_cost(const DpModel *model)
{
	(void) model;
	return DRAW_COST;
}
