/*
 * test_graphical.c -- junction trees, belief propagation and the fit of noisy
 * tables, each against the joint distribution written out.
 */
#include "core/graphical/graphical.h"
#include "core/base/prng.h"

#include <math.h>
#include <string.h>

#include "unit.h"

#define ATTRIBUTES 6
#define JOINT_MAX 2000

/* ---- junction trees ---- */

static bool
tree_holds(const DpJunctionTree *tree, const uint32_t *attribute, uint32_t n)
{
	const DpAttributeSet set = {n, attribute};

	return dp_junction_tree_find(tree, &set) < tree->cliques;
}

static bool
clique_has(const DpClique *clique, uint32_t attribute)
{
	const DpAttributeSet set = {1, &attribute};

	return dp_set_within(&set, &clique->set);
}

/* Each attribute is shared along every edge between cliques that have it: one top clique each. */
static bool
runs_through(const DpJunctionTree *tree, uint32_t attribute)
{
	uint32_t tops = 0;

	for (uint32_t i = 0; i < tree->cliques; i++)
	{
		const DpClique *clique = &tree->clique[i];
		const DpAttributeSet set = {1, &attribute};

		if (clique_has(clique, attribute))
			tops += !dp_set_within(&set, &clique->separator);
		else if (dp_set_within(&set, &clique->separator))
			return false;
	}
	return tops == 1;
}

static bool
is_junction_tree(const DpJunctionTree *tree, uint32_t attributes)
{
	uint64_t cells = 0;

	for (uint32_t i = 0; i < tree->cliques; i++)
	{
		const DpClique *clique = &tree->clique[i];

		cells += clique->cells;
		if (i > 0 && (clique->parent >= i ||
					  !dp_set_within(&clique->separator, &tree->clique[clique->parent].set)))
			return false;
		for (uint32_t k = 0; k < tree->cliques; k++)
			if (k != i && dp_set_within(&clique->set, &tree->clique[k].set))
				return false;
	}
	for (uint32_t a = 0; a < attributes; a++)
		if (!runs_through(tree, a))
			return false;
	return cells == tree->cells;
}

static void
test_junction_trees(DpArena *arena)
{
	uint32_t levels[70], wrong = 0, uncovered = 0, forecasts = 0;
	DpPrng prng;

	dp_prng_seed(&prng, (DpStream){8, 1, 1});
	for (int round = 0; round < 300; round++)
	{
		uint32_t n = 1 + (uint32_t) dp_prng_below(&prng, round % 10 == 0 ? 70 : 12);
		uint32_t edges = (uint32_t) dp_prng_below(&prng, n + n / 2 + 1);
		uint32_t edge[140][2];
		DpJunctionTree tree;
		DpGraph graph;

		for (uint32_t a = 0; a < n; a++)
			levels[a] = 1 + (uint32_t) dp_prng_below(&prng, 4);
		MUST(dp_graph_init(&graph, levels, n, arena));
		for (uint32_t i = 0; i < edges; i++)
		{
			DpAttributeSet set = {2, edge[i]};

			edge[i][0] = (uint32_t) dp_prng_below(&prng, n);
			edge[i][1] = (uint32_t) dp_prng_below(&prng, n);
			if (edge[i][0] != edge[i][1])
				dp_graph_join(&graph, &set);
		}
		forecasts += dp_graph_cost_estimate(&graph, NULL, UINT64_MAX) == UINT64_MAX;
		MUST(dp_junction_tree_build(&graph, UINT64_MAX, &tree, NULL, arena));
		forecasts += dp_graph_cost_estimate(&graph, NULL, UINT64_MAX) != tree.cells;
		wrong += !is_junction_tree(&tree, n);
		for (uint32_t i = 0; i < edges; i++)
		{
			uint32_t low = edge[i][0] < edge[i][1] ? edge[i][0] : edge[i][1];
			uint32_t high = edge[i][0] + edge[i][1] - low;
			uint32_t pair[2] = {low, high};

			uncovered += !tree_holds(&tree, pair, low == high ? 1 : 2);
		}
		dp_junction_tree_free(&tree, arena);
	}
	CHECK(wrong == 0, "300 random graphs: maximal cliques, running intersection");
	CHECK(uncovered == 0, "every edge lies in a clique");
	CHECK(forecasts == 0, "the forecast is what the tree has");
}

/* ---- the joint, written out ---- */

typedef struct Joint
{
	uint32_t n;
	uint32_t levels[ATTRIBUTES];
	uint64_t cells;
	double p[JOINT_MAX];
} Joint;

static uint64_t
cell_of(const Joint *joint, uint64_t index, const DpAttributeSet *set)
{
	uint32_t code[ATTRIBUTES];
	uint64_t cell = 0;

	for (uint32_t a = joint->n; a-- > 0; index /= joint->levels[a])
		code[a] = (uint32_t) (index % joint->levels[a]);
	for (uint32_t k = 0; k < set->n; k++)
		cell = cell * joint->levels[set->attribute[k]] + code[set->attribute[k]];
	return cell;
}

static uint64_t
cells_of(const Joint *joint, const DpAttributeSet *set)
{
	uint64_t cells = 1;

	for (uint32_t k = 0; k < set->n; k++)
		cells *= joint->levels[set->attribute[k]];
	return cells;
}

static void
margin_of(const Joint *joint, const DpAttributeSet *set, double *out)
{
	memset(out, 0, cells_of(joint, set) * sizeof(*out));
	for (uint64_t i = 0; i < joint->cells; i++)
		out[cell_of(joint, i, set)] += joint->p[i];
}

static Joint
random_joint(DpPrng *prng)
{
	Joint joint = {.n = ATTRIBUTES, .levels = {2, 3, 1, 4, 3, 2}, .cells = 144};
	double sum = 0;

	for (uint64_t i = 0; i < joint.cells; i++)
		sum += joint.p[i] = exp(3 * dp_prng_unit(prng));
	for (uint64_t i = 0; i < joint.cells; i++)
		joint.p[i] *= 1000 / sum;
	return joint;
}

/* ---- belief propagation ---- */

static const uint32_t sets_tree[][3] = {{0, 1, 9}, {1, 3, 9}, {3, 4, 9}, {1, 5, 9}};
static const uint32_t sets_loop[][3] = {{0, 1, 9}, {1, 3, 9}, {3, 4, 9}, {0, 4, 9}, {2, 5, 9}};
static const uint32_t sets_wide[][3] = {{0, 1, 3}, {1, 3, 4}, {0, 4, 5}, {2, 3, 9}, {5, 9, 9}};

static DpAttributeSet
set_of(const uint32_t *attribute)
{
	DpAttributeSet set = {0, attribute};

	while (set.n < 3 && attribute[set.n] != 9)
		set.n++;
	return set;
}

/* Largest difference of all margins of up to three attributes between the model and the joint. */
static double
compare_margins(const DpGraphical *model, const Joint *joint)
{
	double worst = 0, got[64], wanted[64];

	for (uint32_t mask = 1; mask < 1u << ATTRIBUTES; mask++)
	{
		uint32_t attribute[ATTRIBUTES], n = 0;
		DpAttributeSet set = {0, attribute};

		for (uint32_t a = 0; a < ATTRIBUTES; a++)
			if (mask >> a & 1)
				attribute[n++] = a;
		set.n = n;
		if (n > 3 || cells_of(joint, &set) > 64)
			continue;
		MUST(dp_graphical_marginal(model, &set, got));
		margin_of(joint, &set, wanted);
		for (uint64_t i = 0; i < cells_of(joint, &set); i++)
			worst = fmax(worst, fabs(got[i] - wanted[i]));
	}
	return worst;
}

/* The model's distribution as a joint: from its potentials. */
static void
write_out(const DpGraphical *model, Joint *joint)
{
	double sum = 0, most = -INFINITY;

	for (uint64_t i = 0; i < joint->cells; i++)
	{
		uint64_t at = 0;

		joint->p[i] = 0;
		for (uint32_t t = 0; t < model->measured.n; at += model->measured.table[t++]->cells)
			joint->p[i] +=
				model->potentials.value[at + cell_of(joint, i, &model->measured.table[t]->set)];
		for (uint32_t t = 0; t < model->impossible.n; t++)
			joint->p[i] += model->impossible.table[t]
							   .potential[cell_of(joint, i, &model->impossible.table[t].set)];
		most = fmax(most, joint->p[i]);
	}
	for (uint64_t i = 0; i < joint->cells; i++)
		sum += joint->p[i] = exp(joint->p[i] - most);
	for (uint64_t i = 0; i < joint->cells; i++)
		joint->p[i] *= model->total / sum;
}

static void
test_beliefs(DpArena *arena, const char *name, const uint32_t (*sets)[3], uint32_t n, double spread)
{
	const DpFitRule nothing = {.ridge = 0.01, .tolerance = 1e9, .evaluations_max = 1};
	DpPrng prng;
	Joint joint;
	DpGraphical model;
	double noisy[64];

	dp_prng_seed(&prng, (DpStream){8, 2, n});
	joint = random_joint(&prng);
	MUST(dp_graphical_init(
		&model,
		&(DpGraphicalStart){
			.attributes = joint.n, .levels = joint.levels, .total = 1000, .cells_max = 1000000},
		arena));
	for (uint32_t t = 0; t < n; t++)
	{
		DpAttributeSet set = set_of(sets[t]);

		margin_of(&joint, &set, noisy);
		MUST(dp_graphical_add(&model, &set, noisy, 1));
	}
	for (uint64_t i = 0; i < model.potentials.n; i++)
		model.potentials.value[i] = spread * (dp_prng_unit(&prng) - 0.5);
	MUST(dp_graphical_fit(&model, &nothing, NULL));
	write_out(&model, &joint);
	CHECK(compare_margins(&model, &joint) < 1e-8 && is_junction_tree(&model.tree, joint.n),
		  "%s, potentials to %g: margins in cliques and across them", name, spread / 2);
}

/* ---- the fit ---- */

/* Iterative proportional fitting of the joint: the distribution of largest entropy. */
static void
proportional_fit(Joint *joint, const uint32_t (*sets)[3], uint32_t n, double target[][64])
{
	double margin[64];

	for (uint64_t i = 0; i < joint->cells; i++)
		joint->p[i] = 1000.0 / (double) joint->cells;
	for (int pass = 0; pass < 3000; pass++)
		for (uint32_t t = 0; t < n; t++)
		{
			DpAttributeSet set = set_of(sets[t]);

			margin_of(joint, &set, margin);
			for (uint64_t i = 0; i < joint->cells; i++)
				joint->p[i] *= target[t][cell_of(joint, i, &set)] / margin[cell_of(joint, i, &set)];
		}
}

static void
test_entropy(DpArena *arena, const char *name, const uint32_t (*sets)[3], uint32_t n)
{
	const DpFitRule exact = {.ridge = 1e-12, .tolerance = 1e-10, .evaluations_max = 2000};
	double target[8][64];
	DpGraphical model;
	Joint joint;
	DpPrng prng;
	double worst;

	dp_prng_seed(&prng, (DpStream){8, 3, n});
	joint = random_joint(&prng);
	MUST(dp_graphical_init(
		&model,
		&(DpGraphicalStart){
			.attributes = joint.n, .levels = joint.levels, .total = 1000, .cells_max = 1000000},
		arena));
	for (uint32_t t = 0; t < n; t++)
	{
		DpAttributeSet set = set_of(sets[t]);

		margin_of(&joint, &set, target[t]);
		MUST(dp_graphical_add(&model, &set, target[t], 1));
	}
	MUST(dp_graphical_fit(&model, &exact, NULL));
	proportional_fit(&joint, sets, n, target);
	worst = compare_margins(&model, &joint) / 1000;
	CHECK(worst < 1e-6,
		  "%s, without noise: the largest entropy, margins within %.1e of N (%u runs)", name, worst,
		  model.evaluations);
}

/* ---- attributes that are numbered anew ---- */

static void
fit_noisy(DpGraphical *model, const Joint *joint, const uint32_t (*sets)[3], uint32_t n, bool fast,
		  double *potential, DpArena *arena)
{
	const DpFitRule exact = {.ridge = 0.1, .tolerance = 1e-9, .evaluations_max = 2000};
	const uint32_t pair[2] = {1, 4};
	const uint64_t cell[2] = {1, 5};
	double noisy[64];
	DpPrng prng;

	dp_prng_seed(&prng, (DpStream){8, 6, n});
	MUST(dp_graphical_init(model,
						   &(DpGraphicalStart){.attributes = joint->n,
											   .levels = joint->levels,
											   .total = DP_TOTAL_UNKNOWN,
											   .cells_max = 1000000,
											   .fast = fast},
						   arena));
	for (uint32_t t = 0; t < 2 * n; t++) /* each of them twice */
	{
		DpAttributeSet set = set_of(sets[t % n]);

		margin_of(joint, &set, noisy);
		for (uint64_t i = 0; i < cells_of(joint, &set); i++)
			noisy[i] += 10 * (dp_prng_unit(&prng) - 0.5);
		MUST(dp_graphical_add(model, &set, noisy, 1 + t));
	}
	MUST(dp_graphical_forbid(model, &(DpAttributeSet){2, pair}, cell, 2));
	MUST(dp_graphical_fit(model, &exact, NULL));
	MUST(dp_graphical_potentials(model, potential));
}

/* A fast model says what the other does, and gives its potentials as tables were handed to it. */
static void
test_fast(DpArena *arena, const char *name, const uint32_t (*sets)[3], uint32_t n)
{
	double potential[2][300], worst = 0, sum[2], apart;
	DpGraphical model[2];
	Joint joint;
	DpPrng prng;

	dp_prng_seed(&prng, (DpStream){8, 7, n});
	joint = random_joint(&prng);
	for (int fast = 0; fast < 2; fast++)
		fit_noisy(&model[fast], &joint, sets, n, fast == 1, potential[fast], arena);
	write_out(&model[0], &joint);
	for (uint64_t i = 0; i < joint.cells; i++)
		joint.p[i] *= dp_graphical_total(&model[1]) / model[0].total;
	apart = compare_margins(&model[1], &joint);
	for (uint64_t i = 0; i < model[0].potentials.n; i++)
		worst = fmax(worst, fabs(potential[0][i] - potential[1][i]));
	sum[0] = dp_graphical_total(&model[0]);
	sum[1] = dp_graphical_total(&model[1]);
	CHECK(model[1].renumbering.levels[0] == 1 && model[0].potentials.n == model[1].potentials.n &&
			  sum[0] == sum[1],
		  "%s: attributes are numbered anew", name);
	CHECK(apart < 1e-5 && worst < 1e-6, "%s: the same margins (%.1e) and potentials (%.1e)", name,
		  apart, worst);
	for (int fast = 0; fast < 2; fast++)
		dp_graphical_free(&model[fast]);
}

/*
 * The problem is strictly convex in p > 0: a distribution is the solution iff the
 * derivative of the objective is the same for all cells of the joint.
 */
static double
condition_left(const DpGraphical *model, const Joint *joint, double lambda, uint32_t n,
			   const uint32_t (*sets)[3], double *const *agreed, const double *variance)
{
	double margin[8][64], low = INFINITY, high = -INFINITY;

	for (uint32_t t = 0; t < n; t++)
	{
		DpAttributeSet set = set_of(sets[t]);

		margin_of(joint, &set, margin[t]);
	}
	for (uint64_t i = 0; i < joint->cells; i++)
	{
		double slope = lambda * log(joint->p[i] / model->total);

		for (uint32_t t = 0; t < n; t++)
		{
			DpAttributeSet set = set_of(sets[t]);
			uint64_t cell = cell_of(joint, i, &set);

			slope += (margin[t][cell] - agreed[t][cell]) /
					 (variance[t] * model->measured.table[t]->damping);
		}
		if (joint->p[i] < 1e-250)
			continue; /* it underflows; the others determine the solution */
		low = fmin(low, slope);
		high = fmax(high, slope);
	}
	return high - low;
}

/* The tables agree as least squares have it iff what they differ by, over its variance, adds up to
 * the same in all cells of the joint. */
static double
agreement_left(const Joint *joint, uint32_t n, const uint32_t (*sets)[3], double (*observed)[64],
			   double *const *agreed, const double *variance)
{
	double low = INFINITY, high = -INFINITY;

	for (uint64_t i = 0; i < joint->cells; i++)
	{
		double sum = 0;

		for (uint32_t t = 0; t < n; t++)
		{
			DpAttributeSet set = set_of(sets[t]);
			uint64_t cell = cell_of(joint, i, &set);

			sum += (observed[t][cell] - agreed[t][cell]) / variance[t];
		}
		low = fmin(low, sum);
		high = fmax(high, sum);
	}
	return high - low;
}

static void
test_noisy(DpArena *arena, const char *name, const uint32_t (*sets)[3], uint32_t n, double sigma,
		   double damping)
{
	const DpFitRule rule = {.ridge = 0.02, .tolerance = 1e-9, .evaluations_max = 5000};
	double observed[8][64], *agreed[8], variance[8], most = 0, left;
	DpGraphical model;
	Joint joint;
	DpPrng prng;

	dp_prng_seed(&prng, (DpStream){8, 4, n});
	joint = random_joint(&prng);
	MUST(dp_graphical_init(&model,
						   &(DpGraphicalStart){.attributes = joint.n,
											   .levels = joint.levels,
											   .total = 1000,
											   .cells_max = 1000000,
											   .damping = damping},
						   arena));
	for (uint32_t t = 0; t < n; t++)
	{
		DpAttributeSet set = set_of(sets[t]);

		variance[t] = sigma * sigma * (1 + t % 3);
		most = fmax(most, variance[t]);
		margin_of(&joint, &set, observed[t]);
		for (uint64_t i = 0; i < cells_of(&joint, &set); i++)
			observed[t][i] += sqrt(12 * variance[t]) * (dp_prng_unit(&prng) - 0.5);
		/* in two halves, which are to count as one */
		MUST(dp_graphical_add(&model, &set, observed[t], 3 * variance[t]));
		MUST(dp_graphical_add(&model, &set, observed[t], 1.5 * variance[t]));
	}
	MUST(dp_graphical_fit(&model, &rule, NULL));
	write_out(&model, &joint);
	for (uint32_t t = 0; t < n; t++)
		agreed[t] = model.measured.table[t]->agreed;
	left = condition_left(&model, &joint, rule.ridge / sqrt(most), n, sets, agreed, variance);
	CHECK(left * sigma < 1e-6,
		  "%s, noise %g: the optimality condition of the joint, %.1e (%u runs)", name, sigma,
		  left * sigma, model.evaluations);
	left = agreement_left(&joint, n, sets, observed, agreed, variance);
	CHECK(left * sigma < 1e-6, "%s, noise %g: what tables agree on is least squares, %.1e", name,
		  sigma, left * sigma);
}

static void
test_forbidden(DpArena *arena)
{
	const DpFitRule exact = {.ridge = 1e-9, .tolerance = 1e-9, .evaluations_max = 2000};
	uint32_t levels[] = {2, 3}, pair[] = {0, 1};
	const DpAttributeSet both = {2, pair}, first = {1, pair}, second = {1, pair + 1};
	const double a[] = {600, 400}, b[] = {300, 300, 400};
	const uint64_t never[] = {0, 5};
	double got[6];
	DpGraphical model;

	MUST(dp_graphical_init(
		&model,
		&(DpGraphicalStart){.attributes = 2, .levels = levels, .total = 1000, .cells_max = 1000},
		arena));
	MUST(dp_graphical_add(&model, &first, a, 1));
	MUST(dp_graphical_add(&model, &second, b, 1));
	MUST(dp_graphical_forbid(&model, &both, never, 2));
	MUST(dp_graphical_fit(&model, &exact, NULL));
	MUST(dp_graphical_marginal(&model, &both, got));
	/* what is left has to be: 0 200 400 / 300 100 0 */
	CHECK(got[0] == 0 && got[5] == 0 && fabs(got[1] - 200) < 1e-4 && fabs(got[3] - 300) < 1e-4,
		  "impossible cells are empty, and the margins hold");
}

int
main(void)
{
	DpArena arena = dp_arena_malloc();

	test_junction_trees(&arena);
	test_beliefs(&arena, "tree", sets_tree, 4, 4);
	test_beliefs(&arena, "loop", sets_loop, 5, 4);
	test_beliefs(&arena, "wide", sets_wide, 5, 4);
	test_beliefs(&arena, "loop", sets_loop, 5, 3000);
	test_entropy(&arena, "tree", sets_tree, 4);
	test_entropy(&arena, "loop", sets_loop, 5);
	test_entropy(&arena, "wide", sets_wide, 5);
	test_fast(&arena, "tree", sets_tree, 4);
	test_fast(&arena, "loop", sets_loop, 5);
	test_fast(&arena, "wide", sets_wide, 5);
	test_noisy(&arena, "tree", sets_tree, 4, 3, 0);
	test_noisy(&arena, "loop", sets_loop, 5, 3, 0);
	test_noisy(&arena, "loop", sets_loop, 5, 3, 1);
	test_noisy(&arena, "wide", sets_wide, 5, 3, 0);
	test_noisy(&arena, "wide", sets_wide, 5, 60, 0);
	test_forbidden(&arena);
	dp_arena_malloc_free(&arena);
	return unit_finish();
}
