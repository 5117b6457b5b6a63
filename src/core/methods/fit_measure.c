/*
 * fit_measure.c -- between workloads, models and solvers.
 */
#include "core/methods/fit_measure.h"

#include "core/base/saturate.h"
#include "core/plan/method.h"
#include "core/plan/release_table.h"

/* ---- plan ---- */

static DpStatus
check_covered(const DpWorkload *workload, const DpDomain *domain, DpError *error)
{
	uint32_t a = dp_workload_uncovered(workload, domain->attributes);

	if (a == domain->attributes)
		return DP_OK;
	(void) dp_fail(error, DP_ERR_ARGUMENT, "option \"workload\" leaves out column \"%s\"",
				   domain->attribute[a].name);
	dp_fail_detail(error, "Each modelled column must be in one of the sets.");
	dp_fail_hint(error, "Add a set with it, or leave it out of \"columns\".");
	return DP_ERR_ARGUMENT;
}

/* The shapes of the tables, without values. */
static DpStatus
shape_input(const DpWorkload *workload, const DpDomain *domain, const DpFitSettings *settings,
			DpFitInput *input, DpArena *arena)
{
	DpFitTable *table = dp_alloc(arena, workload->sets, sizeof(*table));

	DP_TRY_ALLOC(table);
	for (uint32_t s = 0; s < workload->sets; s++)
	{
		const DpAttributeSet *set = &workload->set[s].of;

		table[s] =
			(DpFitTable){.of = *set, .cells = dp_domain_cells(domain, set->attribute, set->n)};
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
dp_fit_plan(const DpPlan *plan, const DpDomain *domain, const DpFitSettings *settings,
			DpWorkload *workload, uint64_t *solve_bytes, DpArena *arena, DpError *error)
{
	const DpWorkloadQuery query = {.option = "workload",
								   .given = dp_option_lists(plan->request->options, "workload"),
								   .size = (uint32_t) dp_plan_option(plan, "workload"),
								   .domain = domain,
								   .sets_max = DP_WORKLOAD_SETS_MAX,
								   .cells_max = DP_MODEL_CELLS_MAX,
								   .tick = plan->request->tick};
	DpFitInput input;

	DP_TRY(dp_workload_read(&query, workload, arena, error));
	DP_TRY(check_covered(workload, domain, error));
	DP_TRY(shape_input(workload, domain, settings, &input, arena));
	DP_TRY(dp_fit_check(&input, arena, error));
	return dp_fit_memory(&input, solve_bytes, arena);
}

uint64_t
dp_fit_tables_memory(const DpWorkload *workload, const DpDomain *domain)
{
	uint64_t bytes = 0;

	for (uint32_t s = 0; s < workload->sets; s++)
		bytes = dp_add_saturated(bytes, dp_table_memory(domain, workload->set[s].of.attribute,
														workload->set[s].of.n, DP_DENSE));
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

	DP_TRY_ALLOC(exact);
	for (uint32_t s = 0; s < n; s++)
	{
		const DpAttributeSet *set = &workload->set[s].of;

		DP_TRY(dp_marginal_init(&exact[s], m->domain, set, DP_DENSE, m->arena, error));
	}
	*out = exact;
	return dp_count_marginals(m, exact, n, error);
}

DpStatus
dp_fit_finalize(const DpMeasurement *m, const DpFitSettings *settings, DpModel *model)
{
	model->parameters = 4;
	model->parameter = dp_alloc(m->arena, model->parameters, sizeof(*model->parameter));
	DP_TRY_ALLOC(model->parameter);
	model->parameter[0] = (DpParameter){"solver", settings->solver};
	model->parameter[1] = (DpParameter){"lambda_nano", settings->lambda_nano};
	model->parameter[2] = (DpParameter){"cell_limit", settings->cell_limit};
	model->parameter[3] = (DpParameter){"residual_permille", settings->residual_permille};
	return DP_OK;
}
