/*
 * discover_ranges.c -- attributes with a range: where rows are, and where bins should be.
 *
 * dp_ranges_find -- bins of all attributes with a range
 *
 * Inputs:      exact counts of the finest public cells of each such attribute, in one scan
 * Output:      for each the leaves of a tree that dp_privtree_release cuts back, cut again at
 *              public places, their counts with noise, and what dp_range_find makes of these two
 * Neighbours:  the dataset's: a row is in one cell of each attribute, or in that for NULL
 * Guarantee:   plan->range for each attribute: two epsilon-DP releases, or two that are rho-zCDP.
 *              Which leaves are counted follows from what the tree has released, so the two
 *              compose. Basic composition over attributes, and with the edges that are placed after
 *              that (place_boundaries.c), of epsilon or of rho.
 * Source:      docs/methods/ranges.md
 */
#include "core/plan/discover_ranges.h"

#include "core/domain/domain.h"
#include "core/domain/range.h"
#include "core/estimate/range_bins.h"
#include "core/exact/marginal.h"
#include "core/mechanism/privtree.h"
#include "core/plan/privacy_measure.h"
#include "core/plan/method.h"
#include "core/plan/refuse.h"
#include "core/plan/release_table.h"

#define FIND_BINS "find bins"
#define TREE_SHARE_NANO                                                                            \
	INT64_C(500000000) /* of what finds bins; the counts of leaves get the rest */
#define EDGES_SHARE_NANO INT64_C(250000000) /* of what ranges cost; finding bins gets the rest */

/* What the noise of one count exceeds with a chance of 1e-5 at most, in standard deviations. */
#define RARE_GAUSSIAN 4.3
#define RARE_LAPLACE 7.7

/* ---- plan ---- */

static bool
is_requested(const DpAttribute *attribute)
{
	return attribute->range != NULL && attribute->range->state == DP_RANGE_REQUESTED;
}

static DpPrivTree
tree_goal(const DpPlan *plan)
{
	return (DpPrivTree){plan->range.tree_epsilon_nano, plan->request->unit,
						plan->range.concentrated};
}

static DpPrivacyMeasure
leaf_privacy_measure(const DpPlan *plan)
{
	return (DpPrivacyMeasure){.concentrated = plan->range.concentrated,
							  .unit = plan->request->unit,
							  .all = plan->range.leaves};
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

		if (!is_requested(&domain->attribute[a]))
			continue;
		dp_grid_cells(&domain->attribute[a].range->grid, &cells);
		bytes += (cells.n + UINT64_C(1)) * sizeof(int64_t);
	}
	return bytes;
}

/* The largest epsilon of which dp_rho_of_budget makes at most rho. */
static int64_t
epsilon_for(int64_t rho_pico, int64_t delta_atto)
{
	int64_t epsilon_nano = dp_epsilon_of_rho(
		(DpBudget){.rho_pico = rho_pico, .delta_atto = delta_atto}); /* rounded up */

	while (epsilon_nano > 0 && dp_rho_of_budget((DpBudget){.epsilon_nano = epsilon_nano,
														   .delta_atto = delta_atto}) > rho_pico)
		epsilon_nano--;
	return epsilon_nano;
}

/* The largest epsilon of which dp_rho_of_epsilon makes at most rho. */
static int64_t
pure_epsilon_for(int64_t rho_pico)
{
	int64_t low = 0, high = DP_EPSILON_NANO_MAX;

	while (low < high)
	{
		int64_t middle = low + (high - low + 1) / 2;

		if (dp_rho_of_epsilon(middle) <= rho_pico)
			low = middle;
		else
			high = middle - 1;
	}
	return low;
}

/* Divides the price of all ranges: a part for edges; the rest equally among the n ranges, and of
 * each a part for the tree. */
static void
divide_price(DpPlan *plan, uint32_t n, int64_t all)
{
	uint32_t edges = dp_edges_number(plan);
	int64_t each, tree;

	plan->range.edge = edges == 0 ? 0 : dp_share_floor(all, EDGES_SHARE_NANO) / edges;
	each = (all - edges * plan->range.edge) / n;
	tree = dp_share_floor(each, TREE_SHARE_NANO);
	plan->range.tree_epsilon_nano = plan->range.concentrated ? pure_epsilon_for(tree) : tree;
	plan->range.leaves = each - tree;
}

/*
 * Where the method pays with rho, bins do too: equal shares of rho buy far more than equal shares
 * of epsilon. The method then has the epsilon whose rho is what bins leave. Values of open columns
 * are found with epsilon, and do not mix with this.
 */
static DpStatus
pay_with_rho(DpPlan *plan, uint32_t n, int64_t share_nano)
{
	int64_t delta_atto = plan->remaining.delta_atto;
	int64_t rho_pico = dp_rho_of_budget(
		(DpBudget){.epsilon_nano = plan->remaining.epsilon_nano, .delta_atto = delta_atto});

	rho_pico = rho_pico < DP_RHO_PICO_MAX ? rho_pico : DP_RHO_PICO_MAX;
	plan->range.concentrated = true;
	divide_price(plan, n, dp_share_floor(rho_pico, share_nano));
	plan->remaining.epsilon_nano =
		epsilon_for(rho_pico - dp_share_floor(rho_pico, share_nano), delta_atto);
	return DP_OK;
}

static DpStatus
pay_with_epsilon(DpPlan *plan, uint32_t n, int64_t share_nano)
{
	int64_t all = dp_share_floor(plan->remaining.epsilon_nano, share_nano);

	divide_price(plan, n, all);
	return dp_budget_left(plan->remaining, dp_cost_pure(all), &plan->remaining);
}

static DpStatus
plan_tree(DpPlan *plan, uint32_t n, DpError *error)
{
	DpPrivTree goal = tree_goal(plan);
	DpStage stage = {.name = FIND_BINS, .mechanism = "PrivTree", .tables = n, .finds_bins = true};
	DpPrivTreeRule rule;

	if (dp_privtree_rule(&goal, &rule) != DP_OK)
		return dp_refuse_budget(FIND_BINS, error);
	stage.each = dp_privtree_cost(&goal);
	stage.noise_stddev_rows = tree_stddev(&rule);
	DP_TRY(dp_budget_multiply(stage.each, n, &stage.total));
	return dp_plan_stage(plan, &stage, error);
}

DpStatus
dp_ranges_plan(DpPlan *plan, int64_t share_nano, DpError *error)
{
	uint32_t n = dp_requested_ranges(plan->request->domain);
	bool concentrated = plan->method->gaussian && plan->remaining.delta_atto >= 1 &&
						dp_open_attributes(plan->request->domain) == 0;
	DpPrivacyMeasure privacy_measure;

	if (n == 0)
		return DP_OK;
	DP_TRY(concentrated ? pay_with_rho(plan, n, share_nano)
						: pay_with_epsilon(plan, n, share_nano));
	DP_TRY(plan_tree(plan, n, error));
	privacy_measure = leaf_privacy_measure(plan);
	DP_TRY(dp_privacy_measure_plan(
		plan, &privacy_measure,
		&(DpPrivacyMeasureStage){"count leaves of bins", n, plan->range.leaves}, error));
	if (plan->range.edge > 0)
		DP_TRY(dp_edges_plan(plan, &privacy_measure, plan->range.edge, error));
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

static uint32_t
split_nodes(const void *context, uint32_t low, uint32_t high)
{
	return dp_hierarchy_split(context, low, high);
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

/* Where the range has a hierarchy, each place in the list is a cell. */
static DpStatus
find_leaves(const DpMeasurement *m, const DpRange *range, const int64_t *counts,
			const DpGridCells *cells, uint32_t *leaf, uint32_t *leaves)
{
	DpPrivTree goal = tree_goal(m->plan);
	DpPublicTree tree = {cells->n, split_cells, cells};

	if (range->boundary != NULL)
		tree = (DpPublicTree){cells->n, split_nodes, range->boundary};
	return dp_privtree_release(&m->noise, &goal, &tree, counts, leaf, leaves, m->arena);
}

/*
 * Cuts leaves at changes of scale. A leaf of the tree can cover values from cents to billions; the
 * sum of its rows depends on how many have which scale. Where leaves are cut is public, and each
 * row is still in one leaf. leaf: has space for all cells.
 */
static DpStatus
cut_scales(const DpGridCells *cells, uint32_t *leaf, uint32_t *leaves, DpArena *arena)
{
	uint32_t *of_tree = dp_memdup(arena, leaf, *leaves * sizeof(*leaf));
	uint32_t n = *leaves;

	DP_TRY_ALLOC(of_tree);
	*leaves = 0;
	for (uint32_t i = 0; i < n; i++)
	{
		uint32_t end = i + 1 < n ? of_tree[i + 1] : cells->n;

		for (uint32_t c = of_tree[i]; c < end; c = dp_grid_scale_end(cells, c))
			leaf[(*leaves)++] = c;
	}
	dp_free(arena, of_tree, n, sizeof(*of_tree));
	return DP_OK;
}

/*
 * Takes the rows of marks out of the cells: each mark is a leaf of its own, whatever the tree
 * finds, so a row is still in one leaf. The tree does not look for what is found anyway.
 */
static void
take_marks(const DpGridCells *cells, int64_t *counts, int64_t *taken)
{
	for (uint32_t i = 0; i < cells->marks; i++)
	{
		uint32_t cell = dp_grid_cell(cells, cells->mark[i]);

		taken[i] = counts[cell];
		counts[cell] = 0;
	}
}

static DpStatus
find_range(const DpMeasurement *m, int64_t *counts, DpAttribute *attribute)
{
	DpRange *range = dp_memdup(m->arena, attribute->range, sizeof(*range));
	DpPrivacyMeasure privacy_measure = leaf_privacy_measure(m->plan);
	uint32_t capacity = dp_boundaries_capacity(m->plan, attribute);
	DpGridCells cells;
	uint32_t *leaf, leaves;
	int64_t *sums, *noisy, *first, marks[DP_GRID_MARKS_MAX];
	double stddev_rows, rare_rows;

	DP_TRY_ALLOC(range);
	dp_grid_cells(&range->grid, &cells);
	if (range->listed != NULL)
		cells.marks = 0; /* they are no numbers */
	leaf = dp_alloc(m->arena, cells.n, sizeof(*leaf));
	DP_TRY_ALLOC(leaf);
	take_marks(&cells, counts, marks);
	DP_TRY(find_leaves(m, range, counts, &cells, leaf, &leaves));
	DP_TRY(cut_scales(&cells, leaf, &leaves, m->arena));
	sums = dp_alloc(m->arena, leaves + cells.marks, sizeof(*sums));
	first = dp_alloc(m->arena, leaves, sizeof(*first));
	noisy = dp_alloc(m->arena, leaves + cells.marks, sizeof(*noisy));
	DP_TRY_ALLOC(sums && noisy && first);
	for (uint32_t i = 0; i < leaves; i++)
		first[i] = dp_grid_cell_first(&cells, leaf[i]);
	sum_leaves(counts, cells.n, leaf, leaves, sums);
	for (uint32_t i = 0; i < cells.marks; i++)
		sums[leaves + i] = marks[i];
	DP_TRY(dp_privacy_measure_release(&m->noise, &privacy_measure, privacy_measure.all, sums,
									  leaves + cells.marks, noisy));
	stddev_rows = dp_privacy_measure_stddev(&privacy_measure, privacy_measure.all);
	rare_rows = stddev_rows * (privacy_measure.concentrated ? RARE_GAUSSIAN : RARE_LAPLACE);
	range->bins_max -= capacity;
	DP_TRY(dp_range_find(&(DpNoisyLeaves){leaves, first, noisy, stddev_rows, rare_rows, cells.marks,
										  cells.mark, noisy + leaves},
						 range, m->noise.tick, m->arena));
	range->bins_max += capacity;
	dp_free(m->arena, leaf, cells.n, sizeof(*leaf));
	attribute->range = range;
	return dp_attribute_label_bins(attribute, m->arena);
}

/* A domain in which the levels of the ranges without bins are their finest cells. */
static DpStatus
domain_of_cells(const DpDomain *domain, DpDomain *cells, DpArena *arena)
{
	*cells = *domain;
	cells->attribute =
		dp_memdup(arena, domain->attribute, domain->attributes * sizeof(*cells->attribute));
	DP_TRY_ALLOC(cells->attribute);
	for (uint32_t a = 0; a < cells->attributes; a++)
	{
		DpAttribute *attribute = &cells->attribute[a];
		DpRange *range;

		if (attribute->range == NULL || !dp_range_is_unknown(attribute->range))
			continue;
		range = dp_memdup(arena, attribute->range, sizeof(*range));
		DP_TRY_ALLOC(range);
		range->state = DP_RANGE_CELLS;
		attribute->range = range;
		dp_attribute_count_levels(attribute);
	}
	return DP_OK;
}

/* Counts the finest cells of all asked ranges, in one scan. */
static DpStatus
count_cells(const DpMeasurement *m, const uint32_t *requested, uint32_t n, DpMarginal *exact,
			DpError *error)
{
	DpMarginal **each = dp_alloc(m->arena, n, sizeof(DpMarginal *));
	DpDomain cells;

	DP_TRY_ALLOC(each);
	DP_TRY(domain_of_cells(m->domain, &cells, m->arena));
	for (uint32_t i = 0; i < n; i++)
	{
		uint32_t *attribute = dp_memdup(m->arena, &requested[i], sizeof(*attribute));

		DP_TRY_ALLOC(attribute);
		DP_TRY(dp_marginal_init(&exact[i], &cells, &(DpAttributeSet){1, attribute}, DP_DENSE,
								m->arena, error));
		each[i] = &exact[i];
	}
	return m->counter->count(m->counter->context, &cells, each, n, error);
}

static DpStatus
place_boundaries(const DpMeasurement *m, DpDomain *found, DpError *error)
{
	DpPrivacyMeasure privacy_measure = leaf_privacy_measure(m->plan);

	if (m->plan->range.edge == 0)
		return DP_OK;
	return dp_edges_place(m, &privacy_measure, m->plan->range.edge, found, error);
}

DpStatus
dp_ranges_find(const DpMeasurement *m, DpDomain *found, DpError *error)
{
	uint32_t requested[DP_ATTRIBUTES_MAX], n = 0;
	DpMarginal *exact;

	DP_TRY(dp_domain_copy(m->domain, found, m->arena));
	for (uint32_t a = 0; a < found->attributes; a++)
		if (is_requested(&found->attribute[a]))
			requested[n++] = a;
	if (n == 0)
		return DP_OK;
	exact = dp_alloc(m->arena, n, sizeof(*exact));
	DP_TRY_ALLOC(exact);
	DP_TRY(count_cells(m, requested, n, exact, error));
	for (uint32_t i = 0; i < n; i++)
	{
		DP_TRY(find_range(m, exact[i].dense, &found->attribute[requested[i]]));
		dp_marginal_free(&exact[i]);
	}
	return place_boundaries(m, found, error);
}

/* The attribute whose bins an attribute takes; NULL: it takes none. */
static const DpAttribute *
taken_from(const DpMeasurement *m, const DpDomain *found, uint32_t a)
{
	const DpRange *range = found->attribute[a].range;
	const int32_t *known = m->plan->request->known;

	if (range == NULL || range->state != DP_RANGE_TAKEN)
		return NULL;
	return known[a] >= 0 ? &found->attribute[known[a]] : m->taken[a];
}

void
dp_ranges_take(const DpMeasurement *m, DpDomain *found)
{
	for (uint32_t a = 0; a < found->attributes; a++)
	{
		const DpAttribute *from = taken_from(m, found, a);

		if (from == NULL)
			continue;
		found->attribute[a].range = from->range;
		found->attribute[a].labels = from->labels;
		found->attribute[a].labels_n = from->labels_n;
		dp_attribute_count_levels(&found->attribute[a]);
	}
}
