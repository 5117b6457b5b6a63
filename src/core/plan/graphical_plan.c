/*
 * graphical_plan.c -- sizes of what is measured and modelled, from public facts.
 */
#include "core/plan/graphical_plan.h"

#include <math.h>

#include "core/base/saturate.h"
#include "core/domain/priors.h"
#include "core/graphical/noisy_measurement.h"
#include "core/plan/graphical_options.h"
#include "core/plan/method.h"

DpStatus
dp_graphical_estimate(const DpDomain *domain, DpDomain *estimate, DpArena *arena)
{
	*estimate = *domain;
	estimate->attribute =
		dp_memdup(arena, domain->attribute, domain->attributes * sizeof(*domain->attribute));
	DP_TRY_ALLOC(estimate->attribute);
	for (uint32_t a = 0; a < estimate->attributes; a++)
	{
		if (!estimate->attribute[a].open)
			continue;
		estimate->attribute[a].open = false;
		estimate->attribute[a].levels = DP_OPEN_LEVELS_ESTIMATE;
	}
	return DP_OK;
}

/* Checks the size of the group of each level, which a model keeps. */
static DpStatus
check_structure(uint64_t levels, uint32_t sets, DpError *error)
{
	if (dp_multiply_saturated(levels, sets) <= DP_MODEL_STRUCTURE_MAX)
		return DP_OK;
	(void) dp_fail(error, DP_ERR_LIMIT, "the columns have too many levels for a model");
	dp_fail_detail(error, "They have %llu for each set, and the limit is %d for all.",
				   (unsigned long long) levels, DP_MODEL_STRUCTURE_MAX);
	dp_fail_hint(error, "Model fewer columns, or draw sets from one measurement.");
	return DP_ERR_LIMIT;
}

DpStatus
dp_graphical_check_one_way(const DpPlan *plan, const DpDomain *domain, uint64_t cells_max,
						   DpError *error)
{
	uint64_t cells = 0;

	for (uint32_t a = 0; a < domain->attributes; a++)
		cells = dp_add_saturated(cells, domain->attribute[a].levels);
	DP_TRY(check_structure(cells, plan->sets, error));
	if (cells <= cells_max / 2)
		return DP_OK;
	(void) dp_fail(error, DP_ERR_LIMIT, "the columns have too many levels for the model's memory");
	dp_fail_detail(error, "They have %llu, and the limit is %llu.", (unsigned long long) cells,
				   (unsigned long long) cells_max / 2);
	dp_fail_hint(error,
				 "Raise dpsyn.model_memory or \"max_model_memory\", or model fewer columns.");
	return DP_ERR_LIMIT;
}

DpStatus
dp_graphical_predicted(const DpPlan *plan, uint32_t *attribute, DpError *error)
{
	const char *column = dp_option_text(plan->request->options, DP_OPTION_PREDICT);

	*attribute = DP_PREDICT_NONE;
	if (column == NULL)
		return DP_OK;
	return dp_option_column(DP_OPTION_PREDICT, plan->request->domain, column, attribute, error);
}

DpGroupingOf
dp_graphical_grouping(const DpPlan *plan, DpGroupingOf usual)
{
	if (!dp_option_given(plan->request->options, DP_OPTION_GROUP_RARE))
		return usual;
	return dp_plan_option(plan, DP_OPTION_GROUP_RARE) != 0 ? DP_GROUPING_ALL
														   : DP_GROUPING_HIERARCHIES;
}

uint64_t
dp_graphical_pair_cells(const DpDomain *domain)
{
	uint64_t cells = 0, so_far = 0;

	for (uint32_t a = 0; a < domain->attributes; a++)
	{
		uint64_t levels = domain->attribute[a].levels;

		cells = dp_add_saturated(cells, dp_multiply_saturated(so_far, levels));
		so_far = dp_add_saturated(so_far, levels);
	}
	return cells;
}

uint64_t
dp_graphical_joint_cells(const DpDomain *domain)
{
	uint64_t cells = 1;

	for (uint32_t a = 0; a < domain->attributes; a++)
		cells =
			dp_multiply_saturated(cells, domain->attribute[a].open ? DP_OPEN_LEVELS_ESTIMATE
																   : domain->attribute[a].levels);
	return cells;
}

double
dp_graphical_mean_levels(const DpDomain *domain)
{
	double sum = 0;

	for (uint32_t a = 0; a < domain->attributes; a++)
		sum += log((double) domain->attribute[a].levels);
	return domain->attributes > 0 ? exp(sum / domain->attributes) : 1;
}

bool
dp_graphical_plan_is_connected(const DpRequest *request)
{
	return request->known != NULL || dp_graphical_is_connected(request->domain);
}

uint64_t
dp_graphical_plan_public_parts(const DpRequest *request)
{
	if (request->known == NULL)
		return dp_graphical_public_parts(request->domain);
	return DP_PRIORS_MAX * dp_interactions_parts(DP_PRIOR_WIDTH_MAX);
}

void
dp_graphical_plan_memory(DpPlan *plan, const DpGraphicalSizes *sizes)
{
	uint64_t most =
		DP_MODEL_CELLS_MAX / plan->sets; /* most cells of the tables that the model keeps */
	uint64_t once = sizes->released < most ? sizes->released : most;
	uint64_t released = dp_multiply_saturated(once, plan->sets);
	uint64_t margin_cells = sizes->margin_cells < once ? sizes->margin_cells : once;
	/* the counts; the table of each set, and over groups; the noisy one-way marginals; work for a
	 * score */
	uint64_t cells = dp_add_saturated(dp_multiply_saturated(sizes->margin_cells, 2),
									  dp_add_saturated(sizes->counted, released));
	uint64_t bytes =
		dp_multiply_saturated(dp_add_saturated(cells, sizes->queried), sizeof(int64_t));

	dp_plan_counts(plan, dp_multiply_saturated(sizes->counted, sizeof(int64_t)));
	margin_cells = dp_add_saturated(
		margin_cells, dp_graphical_public_cells(dp_graphical_plan_is_connected(plan->request),
												sizes->clique_cells));
	bytes = dp_add_saturated(bytes, dp_graphical_bytes(sizes->clique_cells, margin_cells));
	bytes = dp_add_saturated(bytes, dp_interactions_bytes(sizes->parts));
	plan->memory_bytes = dp_add_saturated(plan->memory_bytes, bytes);
}
