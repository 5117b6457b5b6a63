/*
 * parents_plan.c -- planning the parents of each attribute.
 */
#include "parents_plan.h"

#include "methods.h"
#include "sort.h"

#define SENSITIVITY_MAX INT64_C(4000000000) /* dp_select's fractions fit 64 bits up to here */

DpStatus
dp_parents_public(const DpPlan *plan, DpArena *arena, uint32_t parents_n, DpParents **parents,
				  DpError *error)
{
	const DpDomain *domain = plan->request->domain;
	const DpOption *features = dp_option_lists(plan->request->options, "features");
	const DpOption *ring = dp_option_lists(plan->request->options, "attribute_order");
	DpParents *public;

	*parents = NULL;
	if (features != NULL && ring != NULL)
		return dp_fail(error, DP_ERR_ARGUMENT,
					   "options \"features\" and \"attribute_order\" exclude each other");
	/* With none to take, or with all of them, there is nothing to select. */
	if (features == NULL && ring == NULL && parents_n > 0 && parents_n + 1 < domain->attributes)
		return DP_OK;
	public = dp_alloc(arena, domain->attributes, sizeof(*public));
	if (public == NULL)
		return DP_ERR_MEMORY;
	*parents = public;
	if (features != NULL)
		return dp_parents_from_map(features, domain, DP_PARENTS_MAX, arena, public, error);
	if (ring != NULL)
		return dp_parents_from_ring(ring, domain, parents_n, arena, public, error);
	return parents_n > 0 ? dp_parents_all(domain, arena, public) : DP_OK;
}

DpStatus
dp_parents_plan_selection(DpPlan *plan, uint32_t parents_n, int64_t share_nano, int64_t *each_nano,
						  int64_t *spent_nano, DpError *error)
{
	uint64_t selections = (uint64_t) plan->request->domain->attributes * parents_n;
	int64_t share = dp_share_floor(plan->remaining.epsilon_nano, share_nano);
	DpStage stage = {
		.name = DP_STAGE_SELECTION,
		.mechanism = "permute-and-flip",
		.tables = selections,
		.each = dp_cost_pure(selections > 0 ? share / (int64_t) selections : 0),
	};

	*each_nano = stage.each.epsilon_nano;
	if (stage.each.epsilon_nano < 1)
		return dp_fail(error, DP_ERR_ARGUMENT,
					   "epsilon is too small for %llu selections of parents",
					   (unsigned long long) selections);
	if (dp_dependence_sensitivity(&plan->request->unit) > SENSITIVITY_MAX)
		return dp_fail(error, DP_ERR_LIMIT,
					   "a privacy unit has too many rows for parents to be selected");
	DP_TRY(dp_budget_multiply(stage.each, selections, &stage.total));
	*spent_nano = stage.total.epsilon_nano;
	plan->scans++;
	return dp_plan_stage(plan, &stage, error);
}

DpStatus
dp_parents_measure(const DpMeasurement *m, const DpParents *given, uint32_t parents_n,
				   int64_t each_nano, const DpParents **parents, DpError *error)
{
	DpParents *selected;

	*parents = given;
	if (given != NULL)
		return DP_OK;
	dp_announce(m, DP_STAGE_SELECTION);
	selected = dp_alloc(m->arena, m->domain->attributes, sizeof(*selected));
	if (selected == NULL)
		return DP_ERR_MEMORY;
	*parents = selected;
	return dp_parents_select(m, parents_n, each_nano, selected, error);
}

uint32_t
dp_parents_table(const DpParents *parents, uint32_t child, uint32_t *out)
{
	for (uint32_t k = 0; k < parents->n; k++)
		out[k] = parents->index[k];
	out[parents->n] = child;
	return parents->n + 1;
}

static bool
larger_domain(const void *context, uint64_t a, uint64_t b)
{
	const DpAttribute *attribute = context;

	/* How large an open one will be is not known, so it counts as the largest. */
	if (attribute[a].open != attribute[b].open)
		return attribute[a].open;
	return attribute[a].levels > attribute[b].levels;
}

DpStatus
dp_parents_by_size(const DpDomain *domain, DpArena *arena, uint64_t *by_size)
{
	for (uint32_t i = 0; i < domain->attributes; i++)
		by_size[i] = i;
	return dp_sort_indexes(arena, by_size, domain->attributes, larger_domain, domain->attribute);
}

uint32_t
dp_parents_largest_table(const uint64_t *by_size, uint32_t parents_n, uint32_t child, uint32_t *out)
{
	uint32_t n = 0;

	for (uint32_t i = 0; n < parents_n; i++)
	{
		if (by_size[i] != child)
			out[n++] = (uint32_t) by_size[i];
	}
	out[n] = child;
	return n + 1;
}
