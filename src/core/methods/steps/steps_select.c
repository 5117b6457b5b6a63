/*
 * steps_select.c -- private choice of the order in which a tree splits.
 *
 * dp_steps_select_order, dp_steps_select_branches
 *
 * Inputs:      exact scores: minus AIC or BIC of an attribute's one-way table (public number of
 *              levels), or the sum of its dependence scores n R with all attributes that are left
 * Output:      the attributes of the layers above the last, without replacement on a path
 * Neighbours:  the dataset's, by dp_aic_sensitivity, dp_bic_sensitivity and
 * dp_dependence_sensitivity; the sum over c others moves by at most c times one of them Guarantee:
 * order: choices x epsilon_each, basic composition of permute-and-flip. Branches:
 *              the nodes of a layer hold different rows, so all of them choose for one
 *              epsilon_each (dp_select_disjoint), which adds up over the layers.
 * Source:      the STEPS paper, algorithm 1. Departures: K is public (otherwise the sensitivity
 *              is twice as large); L choices take L shares (the paper's loop makes L + 1); the
 *              order is chosen once for all sets; a node has half of epsilon under replacement
 */
#include "core/methods/steps/steps_plan.h"

#include "core/base/saturate.h"
#include "core/mechanism/disjoint.h"
#include "core/mechanism/mechanism.h"
#include "core/model/steps/layer_tables.h"
#include "core/select/aic.h"
#include "core/select/pairs.h"
#include "core/methods/steps/steps_clusters.h"

uint32_t
dp_steps_choices(const DpLayerWidths *widths, uint32_t attributes)
{
	return widths->layers == 0 ? 0 : dp_layout_depth(widths, attributes, widths->layers - 1);
}

/* The sensitivity of the score when `left` attributes are candidates. */
static int64_t
score_sensitivity(const DpStepsSelection *selection, const DpUnit *unit, uint32_t left)
{
	if (selection->dependence)
		return dp_dependence_sensitivity(unit) * (left > 1 ? left - 1 : 1);
	return selection->bic ? dp_bic_sensitivity(unit) : dp_aic_sensitivity(unit);
}

bool
dp_steps_selectable(const DpStepsSelection *selection, DpUnit unit, uint32_t attributes)
{
	int64_t sensitivity = selection->clusters
							  ? dp_steps_cluster_sensitivity(selection, &unit, attributes)
							  : score_sensitivity(selection, &unit, attributes);

	return sensitivity <= DP_SELECT_SENSITIVITY_MAX;
}

/* ---- one order ---- */

/* Takes candidate[i] out. The others stay in order. */
static void
take_out(uint32_t *candidate, uint32_t left, size_t i)
{
	for (; i + 1 < left; i++)
		candidate[i] = candidate[i + 1];
}

static DpStatus
choose_order(const DpMeasurement *m, const DpStepsSelection *selection, const DpStepsScores *scores,
			 uint32_t *order)
{
	const DpUnit *unit = &m->plan->request->unit;
	uint32_t p = m->domain->attributes;
	uint32_t choices = dp_steps_choices(&selection->widths, p);
	uint32_t candidate[DP_ATTRIBUTES_MAX];
	int64_t score[DP_ATTRIBUTES_MAX];

	for (uint32_t a = 0; a < p; a++)
		candidate[a] = a;
	for (uint32_t k = 0; k < choices; k++)
	{
		uint32_t left = p - k;
		size_t chosen;

		dp_tick(m->noise.tick, -1.0);
		dp_steps_score_left(scores, candidate, left, score);
		DP_TRY(dp_select(&m->noise,
						 &(DpScores){.score = score,
									 .n = left,
									 .sensitivity = score_sensitivity(selection, unit, left)},
						 selection->epsilon_each_nano, &chosen));
		order[k] = candidate[chosen];
		take_out(candidate, left, chosen);
	}
	for (uint32_t k = choices; k < p; k++)
		order[k] = candidate[k - choices];
	return DP_OK;
}

DpStatus
dp_steps_select_order(const DpMeasurement *m, const DpStepsSelection *selection, uint32_t *order,
					  DpError *error)
{
	DpStepsScores scores;

	DP_TRY(dp_steps_scores(m, selection, &scores, error));
	DP_TRY(choose_order(m, selection, &scores, order));
	dp_steps_scores_free(m, &scores);
	return DP_OK;
}

/* ---- a choice at each node ---- */

/*
 * The tables for the choice of one layer. Each set of attributes on the paths to its nodes
 * has tables over that set and one candidate (a criterion) or two (dependence). The set comes
 * first, so that the counts of a node stand together.
 */
typedef struct Scan
{
	uint32_t depth; /* attributes of a set */
	uint32_t left;  /* candidates */
	DpLayerTables above;
	uint32_t *candidate; /* [sets x left] */
	uint32_t tables_each;
	uint64_t tables;   /* initialised so far */
	DpMarginal *table; /* [sets x tables_each] */
} Scan;

static uint32_t
sets_of(const DpPartition *partition, const Scan *scan)
{
	return partition->layers == 0 ? 1 : scan->above.n;
}

static DpStatus
init_table(const DpMeasurement *m, Scan *scan, uint32_t set, uint32_t first, uint32_t second,
		   DpError *error)
{
	uint32_t attributes[DP_ATTRIBUTES_MAX];
	uint32_t n = scan->depth;

	for (uint32_t k = 0; k < scan->depth; k++)
		attributes[k] = scan->above.attribute[set * scan->depth + k];
	attributes[n++] = scan->candidate[set * scan->left + first];
	if (second != first)
		attributes[n++] = scan->candidate[set * scan->left + second];
	return dp_marginal_init(&scan->table[scan->tables++], m->domain,
							&(DpAttributeSet){n, attributes}, DP_DENSE, m->arena, error);
}

static void
list_candidates(const DpMeasurement *m, Scan *scan, uint32_t set)
{
	const uint32_t *path = scan->depth > 0 ? scan->above.attribute + set * scan->depth : NULL;
	uint32_t n = 0;

	for (uint32_t a = 0; a < m->domain->attributes; a++)
	{
		bool taken = false;

		for (uint32_t k = 0; k < scan->depth; k++)
			taken |= path[k] == a;
		if (!taken)
			scan->candidate[set * scan->left + n++] = a;
	}
}

static DpStatus
init_set(const DpMeasurement *m, const DpStepsSelection *selection, Scan *scan, uint32_t set,
		 DpError *error)
{
	list_candidates(m, scan, set);
	for (uint32_t i = 0; i < scan->left; i++)
	{
		if (!selection->dependence)
			DP_TRY(init_table(m, scan, set, i, i, error));
		for (uint32_t k = i + 1; selection->dependence && k < scan->left; k++)
			DP_TRY(init_table(m, scan, set, i, k, error));
	}
	return DP_OK;
}

static DpStatus
count_scan(const DpMeasurement *m, const DpStepsSelection *selection, const DpPartition *partition,
		   Scan *scan, DpError *error)
{
	uint32_t sets = sets_of(partition, scan);
	uint64_t n = (uint64_t) sets * scan->tables_each;

	scan->table = dp_alloc(m->arena, n, sizeof(*scan->table));
	scan->candidate = dp_alloc(m->arena, sets, scan->left * sizeof(*scan->candidate));
	DP_TRY_ALLOC(scan->table && scan->candidate);
	for (uint32_t set = 0; set < sets; set++)
		DP_TRY(init_set(m, selection, scan, set, error));
	return dp_count_marginals(m, scan->table, n, error);
}

static void
free_scan(const DpMeasurement *m, const DpPartition *partition, Scan *scan)
{
	uint32_t sets = sets_of(partition, scan);
	uint64_t n = (uint64_t) sets * scan->tables_each;

	for (uint64_t i = 0; i < n; i++)
		dp_marginal_free(&scan->table[i]);
	dp_free(m->arena, scan->table, n, sizeof(*scan->table));
	dp_free(m->arena, scan->candidate, sets, scan->left * sizeof(*scan->candidate));
	if (partition->layers > 0)
		dp_layer_tables_free(partition, partition->layers - 1, &scan->above);
}

/* Scores the two-way table of one node, which is borrowed from the table of its set. */
static DpStatus
node_dependence(const DpMeasurement *m, const DpMarginal *table, uint64_t cell, int64_t *score)
{
	DpMarginal pair = {.arena = m->arena, .n = 2, .storage = DP_DENSE};

	pair.attribute = table->attribute + (table->n - 2);
	pair.levels = table->levels + (table->n - 2);
	pair.cells = (uint64_t) pair.levels[0] * pair.levels[1];
	pair.dense = table->dense + cell * pair.cells;
	for (uint64_t i = 0; i < pair.cells; i++)
		pair.total += pair.dense[i];
	return dp_marginal_dependence(&pair, score, m->arena);
}

/* Computes score[left] of the node that is number `cell` among the cells of its set. */
static DpStatus
score_node(const DpMeasurement *m, const DpStepsSelection *selection, const Scan *scan,
		   uint32_t set, uint64_t cell, int64_t *score)
{
	const DpMarginal *table = scan->table + (uint64_t) set * scan->tables_each;

	for (uint32_t i = 0; i < scan->left; i++)
	{
		score[i] = 0;
		if (!selection->dependence)
			score[i] = dp_steps_score_counts(selection,
											 table[i].dense + cell * table[i].levels[scan->depth],
											 table[i].levels[scan->depth]);
	}
	for (uint32_t i = 0; selection->dependence && i < scan->left; i++)
	{
		for (uint32_t k = i + 1; k < scan->left; k++, table++)
		{
			int64_t both;

			DP_TRY(node_dependence(m, table, cell, &both));
			score[i] += both;
			score[k] += both;
		}
	}
	return DP_OK;
}

static void
place_of(const DpPartition *partition, const Scan *scan, uint64_t node, uint64_t node_above,
		 uint32_t *set, uint64_t *cell)
{
	*set = partition->layers == 0 ? 0 : dp_layer_table_of(&scan->above, node_above);
	*cell = partition->layers == 0 || scan->above.cell == NULL ? node : scan->above.cell[node];
}

/* What the nodes of a layer choose from, and the groups of attributes that they have chosen. */
typedef struct Choice
{
	uint64_t nodes;
	uint32_t width;      /* attributes of a group */
	uint32_t left;       /* candidates of a node */
	int64_t *score;      /* [nodes x left] SECRET */
	uint32_t *candidate; /* [nodes x left] */
	uint32_t *chosen;    /* [nodes] scratch */
	uint32_t *group;     /* [nodes x width] */
} Choice;

static DpStatus
score_layer(const DpMeasurement *m, const DpStepsSelection *selection, const DpPartition *partition,
			const Scan *scan, Choice *choice)
{
	uint64_t above = 0;

	for (uint64_t v = 0; v < choice->nodes; v++)
	{
		uint32_t set;
		uint64_t cell;

		dp_tick(m->noise.tick, -1.0);
		while (partition->layers > 0 &&
			   partition->split[partition->layers - 1].first[above + 1] <= v)
			above++;
		place_of(partition, scan, v, above, &set, &cell);
		for (uint32_t i = 0; i < scan->left; i++)
			choice->candidate[v * scan->left + i] = scan->candidate[set * scan->left + i];
		DP_TRY(score_node(m, selection, scan, set, cell, choice->score + v * scan->left));
	}
	return DP_OK;
}

/* Chooses one more attribute for the group of each node. The chosen candidates leave no gaps:
 * rows of `left` become rows of left - 1. */
static DpStatus
choose_slot(const DpMeasurement *m, const DpStepsSelection *selection, Choice *choice,
			uint32_t slot)
{
	const DpUnit one_row = {.neighbours = DP_ADD_REMOVE, .rows_max = 1};
	const uint32_t left = choice->left--;
	DpDisjointScores scores = {.score = choice->score,
							   .groups = choice->nodes,
							   .candidates = left,
							   .row_sensitivity = selection->bic ? dp_bic_row_sensitivity()
																 : dp_aic_row_sensitivity()};
	uint64_t to = 0;

	if (selection->dependence)
		scores.row_sensitivity = score_sensitivity(selection, &one_row, left + slot);
	DP_TRY(dp_select_disjoint(&m->noise, &scores, selection->epsilon_each_nano,
							  m->plan->request->unit, choice->chosen));
	for (uint64_t v = 0; v < choice->nodes; v++)
	{
		choice->group[v * choice->width + slot] = choice->candidate[v * left + choice->chosen[v]];
		for (uint32_t i = 0; i < left; i++)
		{
			if (i == choice->chosen[v])
				continue;
			choice->score[to] = choice->score[v * left + i];
			choice->candidate[to++] = choice->candidate[v * left + i];
		}
	}
	return DP_OK;
}

static DpStatus
choose_groups(const DpMeasurement *m, const DpStepsSelection *selection, DpPartition *partition,
			  Scan *scan, uint32_t width)
{
	uint64_t nodes = dp_partition_nodes(partition);
	Choice choice = {.nodes = nodes, .width = width, .left = scan->left};

	choice.score = dp_alloc(m->arena, nodes, scan->left * sizeof(*choice.score));
	choice.candidate = dp_alloc(m->arena, nodes, scan->left * sizeof(*choice.candidate));
	choice.chosen = dp_alloc(m->arena, nodes, sizeof(*choice.chosen));
	choice.group = dp_alloc(m->arena, nodes, width * sizeof(*choice.group));
	DP_TRY_ALLOC(choice.score && choice.candidate && choice.chosen && choice.group);
	DP_TRY(score_layer(m, selection, partition, scan, &choice));
	free_scan(m, partition, scan);
	for (uint32_t slot = 0; slot < width; slot++)
		DP_TRY(choose_slot(m, selection, &choice, slot));
	dp_free(m->arena, choice.score, nodes, scan->left * sizeof(*choice.score));
	dp_free(m->arena, choice.candidate, nodes, scan->left * sizeof(*choice.candidate));
	dp_free(m->arena, choice.chosen, nodes, sizeof(*choice.chosen));
	DP_TRY(dp_partition_split(partition, true, width, choice.group, selection->nodes_max));
	dp_free(m->arena, choice.group, nodes, width * sizeof(*choice.group));
	return DP_OK;
}

DpStatus
dp_steps_select_branches(const DpMeasurement *m, const DpStepsSelection *selection,
						 DpPartition *partition, DpError *error)
{
	uint32_t p = m->domain->attributes;

	DP_TRY(
		dp_partition_init(partition, m->domain, dp_layout_layers(&selection->widths, p), m->arena));
	for (uint32_t l = 0; l < selection->widths.layers; l++)
	{
		Scan scan = {.depth = l == 0 ? 0 : dp_layout_depth(&selection->widths, p, l - 1)};

		scan.left = p - scan.depth;
		scan.tables_each = selection->dependence ? scan.left * (scan.left - 1) / 2 : scan.left;
		if (l > 0)
			DP_TRY(dp_layer_tables(partition, l - 1, &scan.above));
		DP_TRY(count_scan(m, selection, partition, &scan, error));
		DP_TRY(choose_groups(m, selection, partition, &scan, selection->widths.width[l]));
	}
	return DP_OK;
}

/* ---- how much a scan may need ---- */

static uint64_t
largest_product(const uint64_t *levels_descending, uint32_t n)
{
	uint64_t product = 1;

	for (uint32_t i = 0; i < n; i++)
		product = dp_multiply_saturated(product, levels_descending[i]);
	return product;
}

/* An upper bound of the number of distinct sets of attributes on the paths to the nodes of layer l:
 * the number of choices of the last group, or of all sets if that is less. */
static uint64_t
sets_bound(const DpLayerWidths *widths, uint32_t p, const uint64_t *levels_descending, uint32_t l)
{
	uint32_t depth = dp_layout_depth(widths, p, l);
	uint64_t choices =
		l == 0 ? 1 : largest_product(levels_descending, dp_layout_depth(widths, p, l - 1));
	uint64_t subsets = 1;

	for (uint32_t k = 0; k < depth; k++)
		subsets = dp_multiply_saturated(subsets, p - k) / (k + 1);
	choices = choices < subsets ? choices : subsets;
	return choices <= DP_LAYER_TABLES_MAX ? choices : UINT64_MAX;
}

static uint64_t
branch_cells(const DpStepsSelection *selection, const DpDomain *domain,
			 const uint64_t *levels_descending)
{
	uint32_t p = domain->attributes;
	uint64_t most = 0;
	uint64_t released = 0;

	for (uint32_t l = 0; l < selection->widths.layers; l++)
	{
		uint32_t depth = l == 0 ? 0 : dp_layout_depth(&selection->widths, p, l - 1);
		uint32_t left = p - depth;
		uint64_t sets = l == 0 ? 1 : sets_bound(&selection->widths, p, levels_descending, l - 1);
		uint64_t tables = selection->dependence ? (uint64_t) left * (left - 1) / 2 : left;
		uint64_t cells = dp_multiply_saturated(
			dp_multiply_saturated(sets, tables),
			largest_product(levels_descending, depth + (selection->dependence ? 2 : 1)));

		most = cells > most ? cells : most;
		released = dp_add_saturated(
			released,
			dp_multiply_saturated(
				sets_bound(&selection->widths, p, levels_descending, l),
				largest_product(levels_descending, dp_layout_depth(&selection->widths, p, l))));
	}
	return released > most ? released : most;
}

static void
sort_levels(const DpDomain *domain, uint64_t *descending)
{
	for (uint32_t a = 0; a < domain->attributes; a++)
	{
		uint64_t levels = domain->attribute[a].open ? 1 : domain->attribute[a].levels;
		uint32_t i = a;

		for (; i > 0 && descending[i - 1] < levels; i--)
			descending[i] = descending[i - 1];
		descending[i] = levels;
	}
}

bool
dp_steps_branches_fit(const DpStepsSelection *selection, const DpDomain *domain)
{
	uint64_t descending[DP_ATTRIBUTES_MAX];
	uint32_t choices = dp_steps_choices(&selection->widths, domain->attributes);

	sort_levels(domain, descending);
	return largest_product(descending, choices) <= selection->nodes_max &&
		   branch_cells(selection, domain, descending) <= DP_BRANCH_CELLS_MAX;
}
