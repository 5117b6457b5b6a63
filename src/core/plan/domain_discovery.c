/*
 * domain_discovery.c -- open attributes: which values are frequent enough to be named.
 */
#include "core/plan/domain_discovery.h"

#include <string.h>

#include "core/base/sort.h"
#include "core/domain/domain.h"
#include "core/mechanism/mechanism.h"
#include "core/mechanism/sparse_histogram.h"
#include "core/plan/refuse.h"
#include "core/plan/release_cells.h"
#include "core/plan/release_table.h"

/* Counts the open attributes with a universe, or those without one; sizes[] gets the sizes of
 * their universes. */
static uint32_t
open_of_kind(const DpDomain *domain, bool universe, uint64_t *sizes)
{
	uint32_t found = 0;

	for (uint32_t i = 0; i < domain->attributes; i++)
	{
		const DpAttribute *attribute = &domain->attribute[i];

		if (!attribute->open || (attribute->universe != NULL) != universe)
			continue;
		sizes[found++] = universe ? attribute->universe->size : 0;
	}
	return found;
}

static DpStatus
take_off(DpPlan *plan, DpBudget each, uint32_t times)
{
	DpBudget total;

	DP_TRY(dp_budget_multiply(each, times, &total));
	return dp_budget_left(plan->remaining, total, &plan->remaining);
}

/* Each attribute gets an equal part of epsilon. Only those without a universe get delta. */
DpStatus
dp_domain_discovery_plan(DpPlan *plan, int64_t share_nano, DpArena *arena, DpError *error)
{
	uint64_t sizes[DP_ATTRIBUTES_MAX];
	uint32_t any = open_of_kind(plan->request->domain, false, sizes);
	uint32_t within = open_of_kind(plan->request->domain, true, sizes);
	int64_t epsilon_nano = dp_share_floor(plan->remaining.epsilon_nano, share_nano);
	int64_t delta_atto = dp_share_floor(plan->remaining.delta_atto, share_nano);

	if (any + within == 0)
		return DP_OK;
	epsilon_nano /= any + within;
	plan->scans++;
	if (within > 0)
	{
		plan->discovery_pure = dp_cost_pure(epsilon_nano);
		DP_TRY(dp_plan_cathist(
			plan,
			&(DpCellRelease){.stage = "discover values of domains",
							 .cost = plan->discovery_pure,
							 .no_false_positives_nano = plan->discovery_no_false_positives_nano},
			sizes, within, arena, error));
		DP_TRY(take_off(plan, plan->discovery_pure, within));
	}
	if (any == 0)
		return DP_OK;
	plan->discovery = dp_cost_approximate(
		(DpBudget){.epsilon_nano = epsilon_nano, .delta_atto = delta_atto / any});
	if (plan->discovery.delta_atto < 1)
		return dp_refuse_delta("discover values",
							   "leave open columns out or let their categories be defined", error);
	DP_TRY(dp_plan_stability(plan, "discover values", "stability histogram", any, plan->discovery,
							 error));
	return take_off(plan, plan->discovery, any);
}

static bool
is_other(const DpAttribute *attribute, const char *text)
{
	return attribute->other != NULL && strcmp(text, attribute->other) == 0;
}

/*
 * Drops values that cannot be a label, so that they count as "other" from the start. Whether a
 * value can be a label depends on the value alone, so each row still counts in one cell at most.
 */
static uint64_t
keep_storable(const DpAttribute *attribute, DpValueCounts *values)
{
	uint64_t kept = 0;

	for (uint64_t i = 0; i < values->n; i++)
	{
		const char *value = values->value[i];

		if (strlen(value) > DP_TEXT_MAX || is_other(attribute, value))
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

static bool
number_before(const void *context, uint64_t a, uint64_t b)
{
	const uint64_t *number = context;

	return number[a] < number[b];
}

/* ---- no more values than a method can plan for ---- */

typedef struct Commonest
{
	const int64_t *count; /* noisy */
	const uint64_t *at;
} Commonest;

static bool
commoner(const void *context, uint64_t a, uint64_t b)
{
	const Commonest *by = context;
	int64_t first = by->count[by->at[a]];
	int64_t second = by->count[by->at[b]];

	return first != second ? first > second : a < b;
}

static bool
is_earlier(const void *context, uint64_t a, uint64_t b)
{
	(void) context;
	return a < b;
}

/* Keeps the `most` (0: all) of the values at[n] that have the largest noisy counts, in their order.
 * Of equal counts the first are kept. It looks at nothing but released numbers. */
static DpStatus
keep_commonest(const int64_t *noisy, uint32_t most, uint64_t *at, uint64_t *n, DpArena *arena)
{
	uint64_t all = *n;
	uint64_t *place = dp_alloc(arena, all, sizeof(*place));

	DP_TRY_ALLOC(place);
	for (uint64_t i = 0; i < all; i++)
		place[i] = i;
	if (most > 0 && all > most)
	{
		DP_TRY(dp_sort_indexes(place, all, commoner, &(Commonest){noisy, at}, arena));
		DP_TRY(dp_sort_indexes(place, most, is_earlier, NULL, arena));
		*n = most;
	}
	for (uint64_t i = 0; i < *n; i++)
		at[i] = at[place[i]];
	dp_free(arena, place, all, sizeof(*place));
	return DP_OK;
}

DpStatus
dp_domain_discovery_bound(const DpPlan *plan, DpDomain *bound, DpArena *arena)
{
	const DpDomain *domain = plan->request->domain;
	DpAttribute *attribute =
		dp_memdup(arena, domain->attribute, domain->attributes * sizeof(*attribute));

	DP_TRY_ALLOC(attribute);
	for (uint32_t a = 0; a < domain->attributes; a++)
	{
		const DpUniverse *universe = attribute[a].universe;

		if (!attribute[a].open)
			continue;
		attribute[a].open = false;
		attribute[a].universe = NULL;
		attribute[a].levels =
			1 + (universe != NULL && universe->size < plan->open_levels ? (uint32_t) universe->size
																		: plan->open_levels);
	}
	*bound = *domain;
	bound->attribute = attribute;
	return DP_OK;
}

/*
 * Of values that the column calls equal, which counting cannot tell apart, the one with the largest
 * noisy count stays, and stands for the others. at[n] are places of released values. It looks at
 * nothing but these and their noisy counts.
 */
static DpStatus
keep_spellings(const DpMeasurement *m, const DpValueCounts *values, const DpAttribute *attribute,
			   uint64_t *at, uint64_t *n)
{
	const DpRuleSource *rules = &m->plan->request->rules;
	uint64_t all = *n, *place = dp_alloc(m->arena, all, sizeof(*place));
	const char **value = dp_alloc(m->arena, all, sizeof(*value));
	bool *repeated = dp_alloc(m->arena, all, sizeof(*repeated));

	DP_TRY_ALLOC(place && value && repeated);
	if (rules->mark_equal == NULL)
		return DP_OK;
	for (uint64_t i = 0; i < all; i++)
		place[i] = i;
	DP_TRY(dp_sort_indexes(place, all, commoner, &(Commonest){values->count, at}, m->arena));
	for (uint64_t i = 0; i < all; i++)
		value[i] = values->value[at[place[i]]];
	rules->mark_equal(rules->context, attribute, value, all, repeated);
	*n = 0;
	for (uint64_t i = 0; i < all; i++)
		if (!repeated[i])
			place[(*n)++] = at[place[i]];
	memcpy(at, place, *n * sizeof(*at));
	return DP_OK;
}

/* Sets the labels to the released values in bytewise order, which depends neither on rows nor on
 * a locale. */
static DpStatus
set_labels(const DpMeasurement *m, const DpValueCounts *values, DpAttribute *attribute)
{
	uint64_t *order = dp_alloc(m->arena, values->n, sizeof(*order));
	uint64_t released = 0;

	DP_TRY_ALLOC(order);
	for (uint64_t i = 0; i < values->n; i++)
	{
		if (values->count[i] > 0)
			order[released++] = i;
	}
	DP_TRY(keep_spellings(m, values, attribute, order, &released));
	DP_TRY(dp_sort_indexes(order, released, value_before, values->value, m->arena));
	DP_TRY(keep_commonest(values->count, m->plan->open_levels, order, &released, m->arena));
	/* One level is "other". So many labels do not occur in practice, but the limit is checked. */
	released = released < DP_LEVELS_MAX - 1 ? released : DP_LEVELS_MAX - 1;
	attribute->labels = dp_alloc(m->arena, released, sizeof(*attribute->labels));
	DP_TRY_ALLOC(attribute->labels);
	for (uint64_t i = 0; i < released; i++)
	{
		attribute->labels[i] = dp_strdup(m->arena, values->value[order[i]]);
		DP_TRY_ALLOC(attribute->labels[i]);
	}
	attribute->labels_n = (uint32_t) released;
	dp_free(m->arena, order, values->n, sizeof(*order));
	return DP_OK;
}

static DpStatus
discover_any(const DpMeasurement *m, DpValueCounts *values, DpAttribute *attribute)
{
	int64_t threshold_rows;

	values->n = keep_storable(attribute, values);
	DP_TRY(dp_stability_release(&m->noise,
								&(DpStability){m->plan->discovery, m->plan->request->unit},
								values->count, values->n, values->count, &threshold_rows));
	return set_labels(m, values, attribute);
}

/* Turns values into indexes of the universe. A value that lies outside it, or is spelled like
 * the label "other", counts as "other" and is never named. */
static DpStatus
index_values(const DpMeasurement *m, const DpValueCounts *values, const DpAttribute *attribute,
			 uint64_t *index, int64_t *count, uint64_t *n)
{
	const DpUniverse *universe = attribute->universe;
	uint64_t *found = dp_alloc(m->arena, values->n, sizeof(*found));
	uint64_t *order = dp_alloc(m->arena, values->n, sizeof(*order));
	int64_t *counted = dp_alloc(m->arena, values->n, sizeof(*counted));
	char *scratch = dp_alloc(m->arena, universe->text_bytes + 1, 1);

	*n = 0;
	DP_TRY_ALLOC(found && order && counted && scratch);
	for (uint64_t i = 0; i < values->n; i++)
	{
		if (is_other(attribute, values->value[i]) ||
			!dp_universe_find(universe, values->value[i], strlen(values->value[i]), scratch,
							  &found[*n]))
			continue;
		counted[*n] = values->count[i];
		order[*n] = *n;
		(*n)++;
	}
	DP_TRY(dp_sort_indexes(order, *n, number_before, found, m->arena));
	for (uint64_t i = 0; i < *n; i++)
	{
		index[i] = found[order[i]];
		count[i] = counted[order[i]];
	}
	return DP_OK;
}

/* Drops the label "other" if it was released at random: it is merged with the level "other". */
static void
drop_other(DpAttribute *attribute)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < attribute->labels_n; i++)
		if (!is_other(attribute, attribute->labels[i]))
			attribute->labels[kept++] = attribute->labels[i];
	attribute->labels_n = kept;
}

static DpStatus
keep_commonest_cells(const DpMeasurement *m, DpSparseCells *released)
{
	uint64_t *at = dp_alloc(m->arena, released->n, sizeof(*at));

	DP_TRY_ALLOC(at);
	for (uint64_t i = 0; i < released->n; i++)
		at[i] = i;
	DP_TRY(keep_commonest(released->value, m->plan->open_levels, at, &released->n, m->arena));
	for (uint64_t i = 0; i < released->n; i++)
		released->index[i] = released->index[at[i]];
	return DP_OK;
}

static DpStatus
discover_within(const DpMeasurement *m, const DpValueCounts *values, DpAttribute *attribute)
{
	uint64_t *index = dp_alloc(m->arena, values->n, sizeof(*index));
	int64_t *count = dp_alloc(m->arena, values->n, sizeof(*count));
	const DpUniverse *universe = attribute->universe;
	DpSparseHistogram histogram = {m->plan->discovery_pure.epsilon_nano, m->plan->request->unit,
								   universe->size};
	DpSparseCells released;
	DpSparseRule rule;
	uint64_t n;

	DP_TRY_ALLOC(index && count);
	DP_TRY(dp_sparse_histogram_plan(&histogram, m->plan->discovery_no_false_positives_nano, &rule));
	DP_TRY(index_values(m, values, attribute, index, count, &n));
	DP_TRY(dp_sparse_histogram_release(&m->noise, &rule, &(DpOccupiedCells){n, index, count},
									   &released, m->arena));
	DP_TRY(keep_commonest_cells(m, &released));
	/* One level is "other", as with stability. */
	released.n = released.n < DP_LEVELS_MAX - 1 ? released.n : DP_LEVELS_MAX - 1;
	attribute->labels_n = (uint32_t) released.n;
	DP_TRY(dp_universe_labels(universe, released.index, released.n, &attribute->labels, m->arena));
	drop_other(attribute);
	return DP_OK;
}

static DpStatus
discover_attribute(const DpMeasurement *m, DpValueCounts *values, DpAttribute *attribute)
{
	if (attribute->universe != NULL)
		DP_TRY(discover_within(m, values, attribute));
	else
		DP_TRY(discover_any(m, values, attribute));
	attribute->open = false;
	attribute->universe = NULL;
	dp_attribute_count_levels(attribute);
	return DP_OK;
}

/*
 * dp_domain_discovery -- levels for open attributes
 *
 * Inputs:      exact counts of the distinct values of each open attribute
 * Output:      the values whose noisy count is >= the threshold, sorted bytewise. All other
 *              values, and NULL, become the level "other". Counts are not kept. Where the
 *              method must know sizes beforehand, the plan->open_levels with the largest
 *              noisy counts are kept of the values, which is post-processing. So is that of values
 *              which the column calls equal the one with the largest noisy count is kept
 * Neighbours:  the dataset's: a row has one value of each attribute
 * Guarantee:   (epsilon, delta)-DP for each attribute without a universe, plan->discovery, by
 *              dp_stability_release. (epsilon, 0)-DP for each one with a universe,
 *              plan->discovery_pure, by dp_sparse_histogram_release; there a released value need
 *              not be one that occurs. Basic composition over attributes.
 * Source:      Bun, Nissim, Stemmer (2016); see stability.c and
 *              sparse_histogram.c
 */
DpStatus
dp_domain_discovery(const DpMeasurement *m, DpDomain *discovered, DpError *error)
{
	uint32_t open[DP_ATTRIBUTES_MAX];
	uint32_t n = 0;
	DpValueCounts *values;

	DP_TRY(dp_domain_copy(m->domain, discovered, m->arena));
	for (uint32_t i = 0; i < discovered->attributes; i++)
	{
		if (discovered->attribute[i].open)
			open[n++] = i;
	}
	if (n == 0)
		return DP_OK;
	values = dp_alloc(m->arena, n, sizeof(*values));
	DP_TRY_ALLOC(values);
	DP_TRY(m->counter->distinct(m->counter->context, m->domain, open, n, values, error));
	for (uint32_t i = 0; i < n; i++)
		DP_TRY(discover_attribute(m, &values[i], &discovered->attribute[open[i]]));
	return DP_OK;
}
