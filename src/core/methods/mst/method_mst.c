/*
 * method_mst.c -- a spanning tree of pairs, chosen privately.
 *
 * mst
 *
 * Inputs:      p attributes
 * Output:      the table of each attribute and those of the p - 1 pairs of a tree, which grows
 *              by what each pair explains; all have noise on every cell
 * Neighbours:  the dataset's
 * Guarantee:   with a delta, rho-zCDP for the rho that epsilon and delta buy, and so
 *              (epsilon, delta)-DP. The attributes, p - 1 selections by the exponential
 *              mechanism, and the pairs have shares of rho. Without a delta, epsilon-DP by
 *              basic composition of the same shares. The composition is adaptive: the scores
 *              compare exact pairs with what released tables tell about them.
 * Source:      McKenna, Miklau, Sheldon, "Winning the NIST contest: a scalable and general
 *              approach to differentially private synthetic data" (2021), algorithm 1. Departures:
 *              docs/methods/mst.md.
 */
#include <math.h>
#include <string.h>

#include "core/base/index_list.h"
#include "core/base/saturate.h"
#include "core/graphical/noisy_measurement.h"
#include "core/mechanism/mechanism.h"
#include "core/methods/registry.h"
#include "core/plan/graphical_options.h"
#include "core/plan/graphical_plan.h"
#include "core/plan/graphical_score.h"
#include "core/plan/method.h"
#include "core/plan/refuse.h"
#include "core/sample/graphical_fit.h"
#include "core/methods/mst/tree_growth.h"

#define ONE_WAY "tables of one column"
#define SELECTION "select pairs"
#define PAIRS "tables of pairs"
#define PAIR_DAMPING 1 /* pairs of a tree do not overlap: what they say is taken over */
#define SCORE_GAIN 0   /* first choice of option "score" */
/*
 * Where the noise of a pair's table is small relative to the rows, the single tree limits accuracy.
 * Then the budget of its selections and pairs is divided among the largest number of trees with
 * which the mean L1 noise of a pair's table is at most this fraction of the rows.
 */
#define NOISE_OF_TREES 0.08
#define TREES_COLUMNS_MAX 64 /* with more, checking which pairs still fit takes seconds */
/* As a share of all rows: the scale of a selection's noise up to which a weight is one. */
#define NOISE_OF_WEIGHT 0.003

static const DpOptionSpec specs[] = {
	DP_SPEC_SHARE("margin_share", "0.45", "Share of the budget for the tables of one column."),
	DP_SPEC_SHARE("selection_share", "0.12", "Share of the budget for choosing the pairs."),
	DP_SPEC_PREDICT,
	{
		.name = "score",
		.type = DP_OPTION_CHOICE,
		.fallback = "gain",
		.choices = "gain|distance",
		.summary =
			"What a pair is chosen by: its distance from what was expected and what it gains "
			"for other pairs, or its distance alone, which teaches classifiers more.",
	},
	{
		.name = "trees",
		.type = DP_OPTION_INTEGER,
		.fallback = "8",
		.minimum = 1,
		.maximum = 16,
		.summary = "Trees of pairs, at most: as many are measured as keep the noise small beside "
				   "the rows; one without a delta.",
	},
	DP_SPEC_GROUP_RARE("true"),
	DP_SPEC_GENERATION,
	DP_SPEC_EFFORT,
	DP_SPEC_MODEL_MEMORY,
};

typedef struct MstPlan
{
	DpPrivacyMeasure privacy_measure;
	uint64_t cells_max;
	int64_t one, select, pair; /* amounts of one table, one selection, one pair */
	uint32_t predicted;
	uint32_t trees_max; /* largest number of trees */
	bool weigh;         /* whether scores include gains through the tree */
	DpGroupingOf group;
	bool systematic;
} MstPlan;

/* ---- further trees ---- */

/*
 * Further trees of pairs, over dependence that the model lacks so far.
 *
 * The score is aim's (graphical_score.h), with its sensitivity: the expected reduction of the
 * model's error on the pair. If one attribute is to be predicted, the score of a pair without it is
 * divided by DP_PREDICT_OTHERS, which does not increase the sensitivity. Which candidates may be
 * drawn depends on public sizes and on pairs that were released.
 */

#define CELLS_PART 8 /* divides the model's cells, so that fits stay fast */

typedef struct MoreTrees
{
	DpGraphicalMeasure *measure;
	uint32_t predicted;   /* an attribute, or DP_PREDICT_NONE */
	int64_t select, pair; /* rho of one selection, of one pair */
} MoreTrees;

typedef struct Tree
{
	const MoreTrees *of;
	uint32_t *component; /* [attributes] those with the same number are connected */
	double *expected;    /* [measure->largest] scratch */
	bool *refused;       /* [marginals] scratch of a selection */
	uint32_t *candidate; /* [marginals] */
	int64_t *score;      /* [marginals] SECRET */
	size_t n;
} Tree;

/* The largest number of cells that a model with further trees may have. */
static uint64_t
more_trees_cells(uint64_t cells_max)
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
	const MoreTrees *of = tree->of;
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
	uint64_t limit = more_trees_cells(measure->cells_max);

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

	return dp_graphical_fits(measure, tree->candidate[at], more_trees_cells(measure->cells_max));
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

/*
 * Chooses and releases one more tree, with at most attributes - 1 pairs. All of them are scored by
 * the model of the last fit. A pair is a candidate if it is not released yet, if no other pairs of
 * this tree connect its attributes, and if it fits the model's limit of cells.
 */
static DpStatus
more_trees_add(const MoreTrees *trees)
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

/* ---- plan ---- */

/* Lists the sets of one attribute, then all pairs. */
static DpStatus
list_sets(uint32_t p, DpAttributeSet **out, uint32_t *n, DpArena *arena)
{
	uint64_t pairs = (uint64_t) p * (p - 1) / 2;
	uint32_t *member = dp_alloc(arena, p + 2 * pairs, sizeof(*member));
	DpAttributeSet *set = dp_alloc(arena, p + pairs, sizeof(*set));

	*n = 0;
	if (member == NULL || set == NULL)
		return DP_ERR_MEMORY;
	for (uint32_t a = 0; a < p; a++, member++)
	{
		*member = a;
		set[(*n)++] = (DpAttributeSet){1, member};
	}
	for (uint32_t a = 0; a < p; a++)
		for (uint32_t b = a + 1; b < p; b++, member += 2)
		{
			member[0] = a;
			member[1] = b;
			set[(*n)++] = (DpAttributeSet){2, member};
		}
	*out = set;
	return DP_OK;
}

/* A bound of the cells of the largest pair. A pair with more than cells_max cells is not
 * counted. */
static uint64_t
find_largest(const DpDomain *domain, uint64_t cells_max)
{
	uint64_t first = 1, second = 1;

	for (uint32_t a = 0; a < domain->attributes; a++)
	{
		uint64_t levels = domain->attribute[a].levels;

		second = levels > first ? first : levels > second ? levels : second;
		first = levels > first ? levels : first;
	}
	return first > cells_max / second ? cells_max : first * second;
}

/* The most cells of all cliques. Those of a tree are its pairs. */
static uint64_t
find_clique_cells(const DpDomain *estimate, bool is_connected, uint64_t cells_max)
{
	uint64_t pairs = dp_graphical_pair_cells(estimate);
	uint64_t tree = dp_multiply_saturated(find_largest(estimate, cells_max), estimate->attributes);
	uint64_t most = pairs < tree ? pairs : tree;

	if (estimate->attributes == 1)
		most = estimate->attribute[0].levels;
	return is_connected || most > cells_max ? cells_max : most;
}

/* The cells of cliques, of released tables and of queries. */
static void
size_model(const MstPlan *mst, const DpDomain *estimate, bool is_connected, DpGraphicalSizes *sizes)
{
	uint64_t joint = dp_graphical_joint_cells(estimate);
	uint64_t most = joint < mst->cells_max ? joint : mst->cells_max;
	uint64_t trees = more_trees_cells(mst->cells_max);

	sizes->clique_cells = find_clique_cells(estimate, is_connected, mst->cells_max);
	sizes->released = sizes->clique_cells;
	sizes->queried = is_connected ? dp_graphical_query_cells(mst->cells_max) : sizes->clique_cells;
	if (mst->trees_max == 1)
		return;
	sizes->clique_cells = dp_add_saturated(sizes->clique_cells, trees < joint ? trees : joint);
	sizes->released = sizes->counted; /* no pair is released twice */
	if (!is_connected)
		sizes->queried = dp_graphical_query_cells(most);
}

/* The mean L1 noise of a pair's table of so many cells, with a given number of trees, in rows. */
static double
noise_of_pair(const MstPlan *mst, uint32_t trees, double cells)
{
	return DP_ABSOLUTE_OF_NORMAL *
		   dp_privacy_measure_stddev(&mst->privacy_measure, mst->pair / trees) * cells;
}

static DpStatus
plan_memory(DpPlan *plan, const MstPlan *mst, DpArena *arena, DpError *error)
{
	bool is_connected = dp_graphical_plan_is_connected(plan->request);
	DpGraphicalSizes sizes = {0};
	uint64_t one_way = 0;
	DpDomain estimate;

	DP_TRY(dp_graphical_estimate(plan->request->domain, &estimate, arena));
	DP_TRY(dp_graphical_check_one_way(plan, &estimate, mst->cells_max, error));
	sizes.counted = dp_graphical_pair_cells(&estimate);
	if (sizes.counted > DP_MODEL_CELLS_MAX)
		return dp_refuse_cells(SELECTION, DP_MODEL_CELLS_MAX, "declare coarser levels", error);
	for (uint32_t a = 0; a < estimate.attributes; a++)
		one_way += estimate.attribute[a].levels;
	size_model(mst, &estimate, is_connected, &sizes);
	sizes.margin_cells = dp_add_saturated(sizes.counted, one_way);
	sizes.released = dp_add_saturated(sizes.released, one_way);
	sizes.queried = dp_add_saturated(
		dp_add_saturated(one_way, dp_tree_growth_cells(estimate.attributes,
													   find_largest(&estimate, mst->cells_max))),
		sizes.queried);
	sizes.parts = 4 * (uint64_t) estimate.attributes * mst->trees_max +
				  dp_graphical_plan_public_parts(plan->request);
	dp_graphical_plan_memory(plan, &sizes);
	plan->estimate.levels = dp_graphical_mean_levels(&estimate);
	dp_expect_tables(&plan->estimate, dp_combinations(estimate.attributes, 2), 2);
	dp_expect_counts(&plan->estimate, sizes.counted);
	dp_expect_scores(&plan->estimate, (mst->trees_max - 1) * sizes.counted);
	dp_expect_tree(&plan->estimate, estimate.attributes,
				   mst->weigh && estimate.attributes <= DP_TREE_ATTRIBUTES_MAX);
	if (mst->trees_max > 1)
		plan->estimate.pairs = (DpCostPairs){
			.columns = estimate.attributes,
			.joint_cells = dp_graphical_joint_cells(&estimate),
			.noise_stddev = dp_privacy_measure_stddev(&mst->privacy_measure, mst->pair),
			.rows_least = noise_of_pair(mst, 2,
										(double) sizes.counted /
											(double) dp_combinations(estimate.attributes, 2)) /
						  NOISE_OF_TREES};
	return DP_OK;
}

/* A relation with a parent has one tree: its model also contains that of the ancestors. */
static bool
may_have_trees(const DpPlan *plan, const DpPrivacyMeasure *privacy_measure)
{
	uint32_t p = plan->request->domain->attributes;

	return privacy_measure->concentrated && plan->request->known == NULL && p > 2 &&
		   p <= TREES_COLUMNS_MAX;
}

static DpStatus
mst_plan(DpPlan *plan, DpArena *arena, DpError *error)
{
	uint32_t p = plan->request->domain->attributes;
	MstPlan *mst = dp_alloc(arena, 1, sizeof(*mst));
	int64_t l1 = dp_unit_l1(&plan->request->unit), one_way, selections, sensitivity;

	if (mst == NULL)
		return DP_ERR_MEMORY;
	plan->private_data = mst;
	mst->privacy_measure = dp_privacy_measure_of(plan);
	mst->cells_max = dp_graphical_cells_of(dp_plan_option(plan, "max_model_memory"));
	mst->group = dp_graphical_grouping(plan, DP_GROUPING_ALL);
	mst->systematic = dp_plan_option(plan, "generation") == 0;
	if (dp_plan_option(plan, "margin_share") + dp_plan_option(plan, "selection_share") > 990000000)
	{
		(void) dp_fail(
			error, DP_ERR_ARGUMENT,
			"options \"margin_share\" and \"selection_share\" leave nothing for the pairs");
		dp_fail_hint(error, "Together they may be 0.99 at most.");
		return DP_ERR_ARGUMENT;
	}
	DP_TRY(dp_graphical_predicted(plan, &mst->predicted, error));
	mst->trees_max =
		may_have_trees(plan, &mst->privacy_measure) ? (uint32_t) dp_plan_option(plan, "trees") : 1;
	if (l1 > DP_SELECT_SENSITIVITY_MAX / DP_SCORE_UNIT)
		return dp_refuse_unit(SELECTION, error);
	sensitivity = dp_tree_growth_sensitivity(DP_TREE_WEIGHT_ONE, p - 1);
	mst->weigh = dp_plan_option(plan, "score") == SCORE_GAIN &&
				 sensitivity <= DP_SELECT_SENSITIVITY_MAX / l1;
	if (!mst->weigh)
		sensitivity = dp_tree_growth_sensitivity(0, p - 1);
	one_way = p == 1
				  ? mst->privacy_measure.all
				  : dp_share_floor(mst->privacy_measure.all, dp_plan_option(plan, "margin_share"));
	selections = dp_share_floor(mst->privacy_measure.all, dp_plan_option(plan, "selection_share"));
	mst->one = one_way / p;
	mst->select = p > 1 ? selections / (p - 1) : 0;
	mst->pair = p > 1 ? (mst->privacy_measure.all - one_way - selections) / (p - 1) : 0;
	DP_TRY(plan_memory(plan, mst, arena, error));
	plan->scans++;
	DP_TRY(dp_privacy_measure_plan(plan, &mst->privacy_measure,
								   &(DpPrivacyMeasureStage){ONE_WAY, p, mst->one}, error));
	DP_TRY(dp_privacy_measure_plan_selection(
		plan, &mst->privacy_measure, &(DpPrivacyMeasureStage){SELECTION, p - 1, mst->select},
		l1 * sensitivity, error));
	return dp_privacy_measure_plan(plan, &mst->privacy_measure,
								   &(DpPrivacyMeasureStage){PAIRS, p - 1, mst->pair}, error);
}

/* ---- measure ---- */

/* What the tables of single attributes leave of the model. The cliques of a forest are its
 * pairs, and attributes that are in none. */
static uint64_t
capacity_for_pairs(const DpGraphicalMeasure *measure)
{
	uint64_t one_way = 0;

	for (uint32_t a = 0; a < measure->m->domain->attributes; a++)
		one_way += measure->grouping.levels[a];
	return one_way < measure->cells_max ? measure->cells_max - one_way : 0;
}

/*
 * The weight is one where a selection tells pairs apart that differ by a small part of the
 * rows. It is less where noise is larger: gains are sums of many terms, and would choose at
 * random.
 */
static int64_t
choose_weight(const DpGraphicalMeasure *measure, const MstPlan *mst)
{
	double rows = fmax(dp_graphical_total(&measure->graphical), 1);
	double noise = 2 * (double) dp_unit_l1(&mst->privacy_measure.unit) /
				   dp_privacy_measure_selection_epsilon(&mst->privacy_measure, mst->select) / rows;
	double weight = NOISE_OF_WEIGHT / noise;

	return (int64_t) (fmin(weight * weight, 1) * DP_TREE_WEIGHT_ONE + 0.5);
}

/* The mean L1 noise of a pair's table with a given number of trees, as a fraction of the rows. */
static double
noise_of_trees(const DpGraphicalMeasure *measure, const MstPlan *mst, uint32_t trees)
{
	double cells = 0, pairs = 0;

	for (uint32_t i = 0; i < measure->marginals; i++)
	{
		if (measure->exact[i].set.n != 2)
			continue;
		cells += (double) measure->exact[i].cells;
		pairs++;
	}
	return noise_of_pair(mst, trees, cells / pairs) /
		   fmax(dp_graphical_total(&measure->graphical), 1);
}

/* How many trees are measured: a function of public and released numbers. */
static uint32_t
count_trees(const DpGraphicalMeasure *measure, const MstPlan *mst)
{
	uint32_t trees = mst->trees_max;

	while (trees > 1 && (mst->pair < trees || mst->select < trees ||
						 noise_of_trees(measure, mst, trees) > NOISE_OF_TREES))
		trees--;
	return trees;
}

/* Runs rounds of a selection and its release, until no pair is left that could join anything. */
static DpStatus
grow_tree(DpGraphicalMeasure *measure, const MstPlan *mst, DpTreeGrowth *growth)
{
	const DpMeasurement *m = measure->m;
	uint64_t capacity = capacity_for_pairs(measure);
	int64_t *score = dp_alloc(m->arena, measure->marginals, sizeof(*score)), sensitivity;
	uint32_t *candidate = dp_alloc(m->arena, measure->marginals, sizeof(*candidate));
	DpScores scores;
	size_t n, at;

	if (score == NULL || candidate == NULL)
		return DP_ERR_MEMORY;
	for (uint32_t round = 1; round < m->domain->attributes; round++)
	{
		dp_tree_growth_list(growth, capacity, candidate, score, &n, &sensitivity);
		if (n == 0) /* the pairs that are left have too many cells */
			break;
		dp_announce(m, SELECTION);
		scores = (DpScores){.score = score,
							.n = n,
							.sensitivity = dp_unit_l1(&mst->privacy_measure.unit) * sensitivity};
		DP_TRY(
			dp_privacy_measure_select(&m->noise, &mst->privacy_measure, mst->select, &scores, &at));
		dp_announce(m, PAIRS);
		if (!dp_graphical_is_connected(
				m->domain) || /* the cliques of a forest are its pairs: they fit */
			dp_graphical_has_cliques(measure, candidate[at], measure->cells_max))
			DP_TRY(dp_graphical_release(measure, candidate[at], mst->pair));
		capacity -= measure->exact[candidate[at]].cells;
		if (growth->weight > 0)
			DP_TRY(dp_graphical_fit(&measure->graphical, &dp_graphical_round_rule, m->noise.tick));
		DP_TRY(dp_tree_growth_join(growth, candidate[at]));
	}
	dp_free(m->arena, score, measure->marginals, sizeof(*score));
	dp_free(m->arena, candidate, measure->marginals, sizeof(*candidate));
	return DP_OK;
}

/* The first tree. */
static DpStatus
measure_tree(DpGraphicalMeasure *measure, const MstPlan *mst)
{
	DpTreeGrowth growth;

	DP_TRY(dp_tree_growth_init(&growth, measure, mst->predicted,
							   mst->weigh ? choose_weight(measure, mst) : 0,
							   dp_privacy_measure_stddev(&mst->privacy_measure, mst->pair)));
	DP_TRY(grow_tree(measure, mst, &growth));
	dp_tree_growth_free(&growth);
	return DP_OK;
}

static DpStatus
measure_pairs(DpGraphicalMeasure *measure, const MstPlan *mst)
{
	const DpTick *tick = measure->m->noise.tick;
	MstPlan each = *mst; /* the amounts of one tree */
	uint32_t trees;

	dp_announce(measure->m, SELECTION);
	DP_TRY(dp_graphical_fit(&measure->graphical, &dp_graphical_final_rule, tick));
	trees = count_trees(measure, mst);
	each.select /= trees;
	each.pair /= trees;
	DP_TRY(measure_tree(measure, &each));
	for (uint32_t tree = 1; tree < trees; tree++)
	{
		DP_TRY(dp_graphical_fit(&measure->graphical, &dp_graphical_round_rule, tick));
		DP_TRY(more_trees_add(&(MoreTrees){.measure = measure,
										   .predicted = mst->predicted,
										   .select = each.select,
										   .pair = each.pair}));
	}
	return DP_OK;
}

static DpStatus
mst_measure(const DpMeasurement *m, DpModel *model, DpError *error)
{
	const MstPlan *mst = m->plan->private_data;
	uint32_t p = m->domain->attributes, n;
	DpGraphicalMeasure measure = {.m = m,
								  .privacy_measure = mst->privacy_measure,
								  .cells_max = mst->cells_max,
								  .model = model,
								  .tables_capacity = p + mst->trees_max * (p - 1),
								  .damping = PAIR_DAMPING};
	DpAttributeSet *set;

	dp_announce(m, ONE_WAY);
	DP_TRY(list_sets(p, &set, &n, m->arena));
	n = dp_graphical_feasible(m->domain, set, n, mst->cells_max);
	DP_TRY(dp_graphical_open(&measure, set, n, error));
	DP_TRY(dp_graphical_release_one_way(&measure, (DpOneAmounts){mst->one, mst->one}, mst->group));
	if (p > 1)
		DP_TRY(measure_pairs(&measure, mst));
	return dp_graphical_close(&measure, mst->systematic);
}

const DpMethod dp_method_mst = {
	.name = "mst",
	.summary = "A tree of pairs chosen privately, fitted as a graphical model.",
	.guarantee = "(epsilon, delta)-DP; epsilon-DP with delta 0",
	.source = "Winning the NIST contest, McKenna, Miklau, Sheldon 2021",
	DP_SPECS(specs),
	.plan = mst_plan,
	.measure = mst_measure,
	.gaussian = true,
	.chooses_tables = true,
	.sampler = &dp_graphical_sampler,
};
