/*
 * parents_plan.c -- planning the parents of each attribute.
 */
#include "core/select/parents_plan.h"

#include "core/base/sort.h"
#include "core/plan/release_table.h"

DpStatus
dp_parents_public(const DpPlan *plan, uint32_t parents_n, DpParents **parents, DpArena *arena,
				  DpError *error)
{
	const DpDomain *domain = plan->request->domain;
	const DpOption *features = dp_option_lists(plan->request->options, "network");
	const DpOption *ring = dp_option_lists(plan->request->options, "column_order");
	DpParents *public;

	*parents = NULL;
	if (features != NULL && ring != NULL)
		return dp_fail(error, DP_ERR_ARGUMENT,
					   "options \"network\" and \"column_order\" exclude each other");
	/* With no parents to take, or with all of them, there is nothing to select. */
	if (features == NULL && ring == NULL && parents_n > 0 && parents_n + 1 < domain->attributes)
		return DP_OK;
	public = dp_alloc(arena, domain->attributes, sizeof(*public));
	DP_TRY_ALLOC(public);
	*parents = public;
	if (features != NULL)
		return dp_parents_from_map(features, domain, DP_ATTRIBUTES_MAX, public, arena, error);
	if (ring != NULL)
		return dp_parents_from_ring(ring, domain, parents_n, public, arena, error);
	return parents_n > 0 ? dp_parents_all(domain, public, arena) : DP_OK;
}

DpStatus
dp_parents_plan_selection(DpPlan *plan, DpParentsPlan *parents, int64_t share_nano,
						  int64_t *spent_nano, DpError *error)
{
	uint64_t selections = (uint64_t) plan->request->domain->attributes * parents->parents_n;
	int64_t share = dp_share_floor(plan->remaining.epsilon_nano, share_nano);
	DpStage stage = {
		.name = DP_STAGE_SELECTION,
		.tables = selections,
		.each = dp_cost_pure(selections > 0 ? share / (int64_t) selections : 0),
	};

	*spent_nano = 0;
	if (parents->given != NULL)
		return DP_OK;
	DP_TRY(dp_plan_selection(plan, &stage,
							 dp_pairs_sensitivity(parents->score, &plan->request->unit), error));
	parents->epsilon_each_nano = stage.each.epsilon_nano;
	*spent_nano = stage.total.epsilon_nano;
	plan->scans++;
	return DP_OK;
}

DpStatus
dp_parents_measure(const DpMeasurement *m, const DpParentsPlan *plan, const DpParents **parents,
				   DpError *error)
{
	DpParents *selected;

	*parents = plan->given;
	if (plan->given != NULL)
		return DP_OK;
	dp_announce(m, DP_STAGE_SELECTION);
	selected = dp_alloc(m->arena, m->domain->attributes, sizeof(*selected));
	DP_TRY_ALLOC(selected);
	*parents = selected;
	return dp_parents_select(m, plan, selected, error);
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

	/* How large an open attribute will be is not known, so it counts as the largest. */
	if (attribute[a].open != attribute[b].open)
		return attribute[a].open;
	return attribute[a].levels > attribute[b].levels;
}

DpStatus
dp_parents_by_size(const DpDomain *domain, uint64_t *by_size, DpArena *arena)
{
	for (uint32_t i = 0; i < domain->attributes; i++)
		by_size[i] = i;
	return dp_sort_indexes(by_size, domain->attributes, larger_domain, domain->attribute, arena);
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
