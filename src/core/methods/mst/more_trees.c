/*
 * more_trees.c -- pairs of a further tree: their scores, and the choice.
 *
 * The score is aim's (graphical_score.h), with its sensitivity: the expected reduction of the
 * model's error on the pair. If one attribute is to be predicted, the score of a pair without it is
 * divided by DP_PREDICT_OTHERS, which does not increase the sensitivity. Which candidates may be
 * drawn depends on public sizes and on pairs that were released.
 */
#include "core/methods/mst/tree_growth.h"

#include <string.h>

#include "core/mechanism/mechanism.h"
#include "core/plan/graphical_options.h"
#include "core/plan/graphical_score.h"

#define CELLS_PART 8 /* divides the model's cells, so that fits stay fast */

typedef struct Tree
{
	const DpMoreTrees *of;
	uint32_t *component; /* [attributes] those with the same number are connected */
	double *expected;    /* [measure->largest] scratch */
	bool *refused;       /* [marginals] scratch of a selection */
	uint32_t *candidate; /* [marginals] */
	int64_t *score;      /* [marginals] SECRET */
	size_t n;
} Tree;

uint64_t
dp_more_trees_cells(uint64_t cells_max)
{
	return cells_max / CELLS_PART;
}

static DpStatus
allocate(Tree *tree)
{
	const DpGraphicalMeasure *measure = tree->of->measure;
	DpArena *arena = measure->m->arena;
	uint32_t p = measure->m->domain->attributes;

	tree->component = dp_alloc(arena, p, sizeof(*tree->component));
	tree->expected = dp_alloc(arena, measure->largest, sizeof(*tree->expected));
	tree->refused = dp_alloc(arena, measure->marginals, sizeof(*tree->refused));
	tree->candidate = dp_alloc(arena, measure->marginals, sizeof(*tree->candidate));
	tree->score = dp_alloc(arena, measure->marginals, sizeof(*tree->score));
	if (tree->component == NULL || tree->expected == NULL || tree->refused == NULL ||
		tree->candidate == NULL || tree->score == NULL)
		return DP_ERR_MEMORY;
	for (uint32_t a = 0; a < p; a++)
		tree->component[a] = a;
	return DP_OK;
}

static void
free_tree(Tree *tree)
{
	const DpGraphicalMeasure *measure = tree->of->measure;
	DpArena *arena = measure->m->arena;

	dp_free(arena, tree->component, measure->m->domain->attributes, sizeof(*tree->component));
	dp_free(arena, tree->expected, measure->largest, sizeof(*tree->expected));
	dp_free(arena, tree->refused, measure->marginals, sizeof(*tree->refused));
	dp_free(arena, tree->candidate, measure->marginals, sizeof(*tree->candidate));
	dp_free(arena, tree->score, measure->marginals, sizeof(*tree->score));
}

/* ---- candidates ---- */

static bool
is_released(const DpGraphicalMeasure *measure, const DpAttributeSet *set)
{
	for (uint32_t t = 0; t < measure->model->tables; t++)
	{
		const DpTable *table = &measure->model->table[t];

		if (dp_set_equal(&(DpAttributeSet){table->n, table->attribute}, set))
			return true;
	}
	return false;
}

static DpStatus
append(Tree *tree, uint32_t i)
{
	const DpMoreTrees *of = tree->of;
	double stddev = dp_privacy_measure_stddev(&of->measure->privacy_measure, of->pair);
	DpStatus status =
		dp_graphical_gain(of->measure, i, stddev, tree->expected, &tree->score[tree->n]);

	if (status == DP_ERR_LIMIT) /* depends on public sizes and released pairs */
		return DP_OK;
	DP_TRY(status);
	if (of->predicted != DP_PREDICT_NONE &&
		!dp_set_holds(&of->measure->exact[i].set, of->predicted))
		tree->score[tree->n] /= DP_PREDICT_OTHERS;
	tree->candidate[tree->n++] = i;
	return DP_OK;
}

static DpStatus
list_pairs(Tree *tree)
{
	DpGraphicalMeasure *measure = tree->of->measure;
	uint64_t limit = dp_more_trees_cells(measure->cells_max);

	DP_TRY(dp_graphical_query(measure));
	for (uint32_t i = 0; i < measure->marginals; i++)
	{
		const DpAttributeSet *set = &measure->exact[i].set;

		dp_tick(measure->m->noise.tick, -1.0);
		if (set->n == 2 && dp_graphical_can_hold(measure, i) &&
			dp_graphical_grows(measure, i, limit) && !is_released(measure, set))
			DP_TRY(append(tree, i));
	}
	return DP_OK;
}

/* ---- the choice ---- */

static bool
fits(void *context, size_t at)
{
	const Tree *tree = context;
	DpGraphicalMeasure *measure = tree->of->measure;

	return dp_graphical_fits(measure, tree->candidate[at], dp_more_trees_cells(measure->cells_max));
}

static void
connect(Tree *tree, const DpAttributeSet *set)
{
	uint32_t from = tree->component[set->attribute[0]], to = tree->component[set->attribute[1]];

	for (uint32_t a = 0; a < tree->of->measure->m->domain->attributes; a++)
		if (tree->component[a] == from)
			tree->component[a] = to;
}

/* Drops the candidates whose attributes are connected in this tree. */
static void
drop_connected(Tree *tree)
{
	for (size_t at = tree->n; at-- > 0;)
	{
		const uint32_t *a = tree->of->measure->exact[tree->candidate[at]].set.attribute;

		if (tree->component[a[0]] != tree->component[a[1]])
			continue;
		tree->candidate[at] = tree->candidate[--tree->n];
		tree->score[at] = tree->score[tree->n];
	}
}

/* Chooses a candidate and releases its table. *more: whether a candidate that fits was left. */
static DpStatus
add_pair(Tree *tree, bool *more)
{
	DpGraphicalMeasure *measure = tree->of->measure;
	const DpAllowed allowed = {.test = fits, .context = tree, .refused = tree->refused};
	const DpScores scores = {.score = tree->score,
							 .n = tree->n,
							 .sensitivity =
								 dp_unit_l1(&measure->privacy_measure.unit) * DP_SCORE_UNIT};
	size_t at;

	*more = false;
	if (tree->n == 0)
		return DP_OK;
	DP_TRY(dp_graphical_query(measure));
	memset(tree->refused, 0, tree->n * sizeof(*tree->refused));
	DP_TRY(dp_select_allowed(&measure->m->noise, &scores, &allowed, tree->of->select, &at));
	if (at == tree->n)
		return DP_OK;
	*more = true;
	connect(tree, &measure->exact[tree->candidate[at]].set);
	DP_TRY(dp_graphical_release(measure, tree->candidate[at], tree->of->pair));
	drop_connected(tree);
	return DP_OK;
}

DpStatus
dp_more_trees_add(const DpMoreTrees *trees)
{
	Tree tree = {.of = trees};
	bool more = true;

	DP_TRY(allocate(&tree));
	DP_TRY(list_pairs(&tree));
	while (more)
		DP_TRY(add_pair(&tree, &more));
	free_tree(&tree);
	return DP_OK;
}
