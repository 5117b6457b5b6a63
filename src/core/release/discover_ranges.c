/*
 * discover_ranges.c -- attributes with a range: where rows are, and where bins should be.
 *
 * dp_ranges_find -- bins of all attributes with a range
 *
 * Inputs:      exact counts of the finest public cells of each such attribute, in one scan
 * Output:      for each the leaves of a tree that dp_privtree_release cuts back, their counts with
 *              discrete Laplace noise, and what dp_range_find makes of these two
 * Neighbours:  the dataset's: a row is in one cell of each attribute, or in that for NULL
 * Guarantee:   epsilon-DP, epsilon = the sum of plan->range_tree and plan->range_leaves for each
 *              attribute. Which leaves are counted follows from what the tree has released, so the
 *              two compose. Basic composition over attributes.
 * Source:      docs/methods/ranges.md
 */
#include "core/release/discover_ranges.h"

#include "core/domain/domain_check.h"
#include "core/estimate/range_bins.h"
#include "core/exact/marginal.h"
#include "core/mechanism/mechanism.h"
#include "core/mechanism/privtree.h"
#include "core/release/refuse.h"
#include "core/release/release_table.h"

#define TREE_SHARE_NANO                                                                            \
	INT64_C(500000000) /* of what finds bins; the counts of leaves get the rest */

/* ---- plan ---- */

static bool
is_asked(const DpAttribute *attribute)
{
	return attribute->range != NULL && attribute->range->state == DP_RANGE_ASKED;
}

static DpLaplace
leaf_noise(const DpPlan *plan)
{
	return dp_unit_laplace(&plan->request->unit, plan->range_leaves.epsilon_nano);
}

/* The standard deviation of the noise of one decision to split. */
static double
tree_stddev(const DpPrivTreeRule *rule)
{
	double lam = (double) rule->noise_denominator / (double) rule->noise_numerator;

	return dp_laplace_stddev(
		(DpLaplace){DP_EPSILON_ONE, (int64_t) (lam + 0.5) < 1 ? 1 : (int64_t) (lam + 0.5)});
}

/* Bytes of the exact counts of the finest cells. */
static uint64_t
cells_bytes(const DpDomain *domain)
{
	uint64_t bytes = 0;

	for (uint32_t a = 0; a < domain->attributes; a++)
	{
		DpGridCells cells;

		if (!is_asked(&domain->attribute[a]))
			continue;
		dp_grid_cells(domain->attribute[a].range->grid.first, domain->attribute[a].range->grid.last,
					  &cells);
		bytes += (cells.n + UINT64_C(1)) * sizeof(int64_t);
	}
	return bytes;
}

DpStatus
dp_ranges_plan(DpPlan *plan, int64_t share_nano, DpError *error)
{
	uint32_t n = dp_asked_ranges(plan->request->domain);
	int64_t each_nano;
	DpPrivTreeRule rule;
	DpBudget total;

	if (n == 0)
		return DP_OK;
	each_nano = dp_share_floor(plan->request->budget.epsilon_nano, share_nano) / n;
	plan->range_tree = dp_cost_pure(dp_share_floor(each_nano, TREE_SHARE_NANO));
	plan->range_leaves = dp_cost_pure(each_nano - plan->range_tree.epsilon_nano);
	if (dp_privtree_rule(&(DpPrivTree){plan->range_tree.epsilon_nano, plan->request->unit},
						 &rule) != DP_OK)
		return dp_refuse_budget("find bins", error);
	DP_TRY(dp_budget_multiply(plan->range_tree, n, &total));
	DP_TRY(dp_plan_stage(plan,
						 &(DpStage){.name = "find bins",
									.mechanism = "PrivTree",
									.tables = n,
									.each = plan->range_tree,
									.total = total,
									.noise_stddev_rows = tree_stddev(&rule)},
						 error));
	DP_TRY(dp_budget_left(plan->remaining, total, &plan->remaining));
	DP_TRY(dp_plan_laplace(plan, "count leaves of bins", n, plan->range_leaves, 0, error));
	DP_TRY(dp_budget_multiply(plan->range_leaves, n, &total));
	DP_TRY(dp_budget_left(plan->remaining, total, &plan->remaining));
	plan->scans++;
	dp_plan_counts(plan, cells_bytes(plan->request->domain));
	return DP_OK;
}

/* ---- measure ---- */

static uint32_t
split_cells(const void *context, uint32_t low, uint32_t high)
{
	return dp_grid_split(context, low, high);
}

/* The counts of the intervals of cells that begin at leaf[0..n-1]. */
static void
sum_leaves(const int64_t *counts, uint32_t cells, const uint32_t *leaf, uint32_t n, int64_t *sums)
{
	for (uint32_t i = 0; i < n; i++)
	{
		uint32_t end = i + 1 < n ? leaf[i + 1] : cells;

		sums[i] = 0;
		for (uint32_t c = leaf[i]; c < end; c++)
			sums[i] += counts[c]; /* at most the number of rows, which fits */
	}
}

static DpStatus
find_leaves(const DpMeasurement *m, const int64_t *counts, const DpGridCells *cells, uint32_t *leaf,
			uint32_t *leaves)
{
	DpPrivTree goal = {m->plan->range_tree.epsilon_nano, m->plan->request->unit};
	DpPublicTree tree = {cells->n, split_cells, cells};

	return dp_privtree_release(&m->noise, &goal, &tree, counts, leaf, leaves, m->arena);
}

static DpStatus
find_range(const DpMeasurement *m, const int64_t *counts, DpAttribute *attribute)
{
	DpRange *range = dp_memdup(m->arena, attribute->range, sizeof(*range));
	DpLaplace noise = leaf_noise(m->plan);
	DpGridCells cells;
	uint32_t *leaf, leaves;
	int64_t *sums, *first;

	if (range == NULL)
		return DP_ERR_MEMORY;
	dp_grid_cells(range->grid.first, range->grid.last, &cells);
	leaf = dp_alloc(m->arena, cells.n, sizeof(*leaf));
	if (leaf == NULL)
		return DP_ERR_MEMORY;
	DP_TRY(find_leaves(m, counts, &cells, leaf, &leaves));
	sums = dp_alloc(m->arena, leaves, sizeof(*sums));
	first = dp_alloc(m->arena, leaves, sizeof(*first));
	if (sums == NULL || first == NULL)
		return DP_ERR_MEMORY;
	for (uint32_t i = 0; i < leaves; i++)
		first[i] = dp_grid_cell_first(&cells, leaf[i]);
	sum_leaves(counts, cells.n, leaf, leaves, sums);
	DP_TRY(dp_laplace_release(&m->noise, noise, sums, leaves, sums));
	DP_TRY(dp_range_find(&(DpNoisyLeaves){leaves, first, sums, dp_laplace_stddev(noise)}, range,
						 m->arena));
	dp_free(m->arena, leaf, cells.n, sizeof(*leaf));
	attribute->range = range;
	attribute->labels = dp_range_labels(range, m->arena);
	attribute->labels_n = range->bins + 1;
	dp_attribute_count_levels(attribute);
	return attribute->labels == NULL ? DP_ERR_MEMORY : DP_OK;
}

/* A domain in which the levels of the asked ranges are their finest cells. */
static DpStatus
domain_of_cells(const DpDomain *domain, DpDomain *cells, DpArena *arena)
{
	*cells = *domain;
	cells->attribute =
		dp_memdup(arena, domain->attribute, domain->attributes * sizeof(*cells->attribute));
	if (cells->attribute == NULL)
		return DP_ERR_MEMORY;
	for (uint32_t a = 0; a < cells->attributes; a++)
	{
		DpAttribute *attribute = &cells->attribute[a];
		DpRange *range;

		if (!is_asked(attribute))
			continue;
		range = dp_memdup(arena, attribute->range, sizeof(*range));
		if (range == NULL)
			return DP_ERR_MEMORY;
		range->state = DP_RANGE_CELLS;
		attribute->range = range;
		dp_attribute_count_levels(attribute);
	}
	return DP_OK;
}

/* Counts the finest cells of all asked ranges, in one scan. */
static DpStatus
count_cells(const DpMeasurement *m, const uint32_t *asked, uint32_t n, DpMarginal *exact,
			DpError *error)
{
	DpMarginal **each = dp_alloc(m->arena, n, sizeof(DpMarginal *));
	DpDomain cells;

	if (each == NULL)
		return DP_ERR_MEMORY;
	DP_TRY(domain_of_cells(m->domain, &cells, m->arena));
	for (uint32_t i = 0; i < n; i++)
	{
		uint32_t *attribute = dp_memdup(m->arena, &asked[i], sizeof(*attribute));

		if (attribute == NULL)
			return DP_ERR_MEMORY;
		DP_TRY(dp_marginal_init(&exact[i], &cells, &(DpAttributeSet){1, attribute}, DP_DENSE,
								m->arena, error));
		each[i] = &exact[i];
	}
	return m->counter->count(m->counter->context, &cells, each, n, error);
}

DpStatus
dp_ranges_find(const DpMeasurement *m, DpDomain *found, DpError *error)
{
	uint32_t asked[DP_ATTRIBUTES_MAX], n = 0;
	DpMarginal *exact;

	DP_TRY(dp_domain_copy(m->domain, found, m->arena));
	for (uint32_t a = 0; a < found->attributes; a++)
		if (is_asked(&found->attribute[a]))
			asked[n++] = a;
	if (n == 0)
		return DP_OK;
	exact = dp_alloc(m->arena, n, sizeof(*exact));
	if (exact == NULL)
		return DP_ERR_MEMORY;
	DP_TRY(count_cells(m, asked, n, exact, error));
	for (uint32_t i = 0; i < n; i++)
	{
		DP_TRY(find_range(m, exact[i].dense, &found->attribute[asked[i]]));
		dp_marginal_free(&exact[i]);
	}
	return DP_OK;
}
