/*
 * discover.c -- open attributes: which values are frequent enough to be named.
 */
#include "discover.h"

#include <string.h>

#include "release_table.h"
#include "sort.h"

uint32_t
dp_open_attributes(const DpDomain *domain)
{
	uint32_t open = 0;

	for (uint32_t i = 0; i < domain->attributes; i++)
		open += domain->attribute[i].open;
	return open;
}

static DpStatus
delta_missing(DpError *error)
{
	(void) dp_fail(error, DP_ERR_ARGUMENT, "open columns need a delta");
	dp_fail_detail(error, "Their values are found by a stability histogram, which needs a delta of "
						  "at least 1e-18 for each of them.");
	dp_fail_hint(error, "Give a delta well below one over the number of rows, leave open columns "
						"out, or let their categories be defined.");
	return DP_ERR_ARGUMENT;
}

DpStatus
dp_discover_plan(DpPlan *plan, int64_t share_nano, DpError *error)
{
	uint32_t open = dp_open_attributes(plan->request->domain);
	DpBudget share = {
		.epsilon_nano = dp_share_floor(plan->remaining.epsilon_nano, share_nano),
		.delta_atto = dp_share_floor(plan->remaining.delta_atto, share_nano),
	};
	DpBudget each = dp_budget_divide(share, open);
	DpBudget total;

	if (open == 0)
		return DP_OK;
	plan->discovery = dp_cost_approximate(each.epsilon_nano, each.delta_atto);
	if (plan->discovery.delta_atto < 1)
		return delta_missing(error);
	DP_TRY(dp_plan_stability(plan, "discover values", "stability histogram", open, plan->discovery,
							 error));
	DP_TRY(dp_budget_multiply(plan->discovery, open, &total));
	DP_TRY(dp_budget_left(plan->remaining, total, &plan->remaining));
	plan->scans++;
	return DP_OK;
}

/*
 * A value that cannot be a label counts as "other" from the start: whether it can
 * depends on the value alone, so each row still counts in one cell at most.
 */
static uint64_t
keep_storable(const DpAttribute *attribute, DpValueCounts *values)
{
	uint64_t kept = 0;

	for (uint64_t i = 0; i < values->n; i++)
	{
		const char *value = values->value[i];

		if (strlen(value) > DP_TEXT_MAX ||
			(attribute->other != NULL && strcmp(value, attribute->other) == 0))
			continue;
		values->value[kept] = value;
		values->count[kept] = values->count[i];
		kept++;
	}
	return kept;
}

static bool
value_before(const void *context, uint64_t a, uint64_t b)
{
	const char *const *value = context;

	return strcmp(value[a], value[b]) < 0;
}

/* Released values in bytewise order, which neither rows nor a locale decide. */
static DpStatus
set_labels(const DpMeasurement *m, const DpValueCounts *values, DpAttribute *attribute)
{
	uint64_t *order = dp_alloc(m->arena, values->n, sizeof(*order));
	uint64_t released = 0;

	if (order == NULL)
		return DP_ERR_MEMORY;
	for (uint64_t i = 0; i < values->n; i++)
	{
		if (values->count[i] > 0)
			order[released++] = i;
	}
	DP_TRY(dp_sort_indexes(m->arena, order, released, value_before, values->value));
	/* One level is for the rest. So many labels are never reached in practice, but a limit is one. */
	released = released < DP_LEVELS_MAX - 1 ? released : DP_LEVELS_MAX - 1;
	attribute->labels = dp_alloc(m->arena, released, sizeof(*attribute->labels));
	if (attribute->labels == NULL)
		return DP_ERR_MEMORY;
	for (uint64_t i = 0; i < released; i++)
	{
		attribute->labels[i] = dp_strdup(m->arena, values->value[order[i]]);
		if (attribute->labels[i] == NULL)
			return DP_ERR_MEMORY;
	}
	attribute->labels_n = (uint32_t) released;
	dp_free(m->arena, order, values->n, sizeof(*order));
	return DP_OK;
}

static DpStatus
discover_attribute(const DpMeasurement *m, DpValueCounts *values, DpAttribute *attribute)
{
	int64_t threshold_rows;

	values->n = keep_storable(attribute, values);
	DP_TRY(dp_stability_release(m->meter, m->rng, values->count, values->n, m->plan->discovery,
								m->plan->request->unit, values->count, &threshold_rows, m->tick));
	DP_TRY(set_labels(m, values, attribute));
	attribute->open = false;
	dp_attribute_count_levels(attribute);
	return DP_OK;
}

/*
 * dp_discover -- levels for open attributes
 *
 * Inputs:      exact counts of the distinct values of each open attribute
 * Output:      the values whose noisy count is >= the threshold, sorted bytewise; all
 *              the others, and NULL, are the level "other". Counts are not kept.
 * Neighbours:  the dataset's: a row has one value of each attribute
 * Guarantee:   (epsilon, delta)-DP for each attribute, plan->discovery, by
 *              dp_stability_release; basic composition over attributes
 * Source:      Bun, Nissim, Stemmer (2016); see mechanism_stability.c
 */
DpStatus
dp_discover(const DpMeasurement *m, DpDomain *discovered, DpError *error)
{
	uint32_t open[DP_ATTRIBUTES_MAX];
	uint32_t n = 0;
	DpValueCounts *values;

	DP_TRY(dp_domain_copy(m->arena, m->domain, discovered));
	for (uint32_t i = 0; i < discovered->attributes; i++)
	{
		if (discovered->attribute[i].open)
			open[n++] = i;
	}
	if (n == 0)
		return DP_OK;
	values = dp_alloc(m->arena, n, sizeof(*values));
	if (values == NULL)
		return DP_ERR_MEMORY;
	DP_TRY(m->counter->distinct(m->counter->context, m->domain, open, n, values, error));
	for (uint32_t i = 0; i < n; i++)
		DP_TRY(discover_attribute(m, &values[i], &discovered->attribute[open[i]]));
	return DP_OK;
}
