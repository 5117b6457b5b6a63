/*
 * test_tree.c -- least squares on trees of any shape against a dense solve of
 * the normal equations, and nonnegativity.
 */
#include "core/base/prng.h"
#include "core/sample/steps/steps_sampler.h"

#include "unit.h"
#include "unit_solve.h"

#define NODES_MAX 128
#define LEAVES_MAX 96

/* A tree with children at random, also none; variance by layer. */
typedef struct Shape
{
	DpTree tree;
	DpTreeLayer layer[4];
	uint64_t first[4][LEAVES_MAX + 2];
	double value[4][LEAVES_MAX];
	uint32_t nodes; /* of all layers */
} Shape;

static void
make_shape(Shape *shape, DpPrng *prng, uint32_t layers, bool childless)
{
	uint64_t above = 1;

	memset(shape, 0, sizeof(*shape));
	shape->tree = (DpTree){.layers = layers, .layer = shape->layer};
	for (uint32_t l = 0; l < layers; l++)
	{
		uint64_t *first = shape->first[l];

		for (uint64_t v = 0; v < above; v++)
		{
			uint64_t least = l == 0 || !childless ? 1 : 0;

			first[v + 1] = first[v] + least + dp_prng_below(prng, 4);
		}
		if (first[above] == 0)
			first[above] = 1;
		shape->layer[l] = (DpTreeLayer){.nodes = first[above],
										.first = first,
										.value = shape->value[l],
										.variance = 0.5 + 4 * dp_prng_unit(prng)};
		for (uint64_t v = 0; v < first[above]; v++)
			shape->value[l][v] = 20 * dp_prng_unit(prng) - 5;
		above = first[above];
		shape->nodes += (uint32_t) above;
	}
}

static bool
is_leaf(const Shape *shape, uint32_t l, uint64_t v)
{
	return l + 1 == shape->tree.layers || shape->first[l + 1][v] == shape->first[l + 1][v + 1];
}

/* design[node][leaf]: 1 where the leaf is under the node. */
typedef struct Dense
{
	int nodes;
	int leaves;
	double design[NODES_MAX][LEAVES_MAX];
	double weight[NODES_MAX];
	double noisy[NODES_MAX];
} Dense;

static int
mark_leaves(const Shape *shape, Dense *dense, uint32_t l, uint64_t v, int *leaf_of_next,
			const int *offset)
{
	int node = offset[l] + (int) v;

	if (is_leaf(shape, l, v))
	{
		dense->design[node][(*leaf_of_next)++] = 1;
		return node;
	}
	for (uint64_t u = shape->first[l + 1][v]; u < shape->first[l + 1][v + 1]; u++)
	{
		int child = mark_leaves(shape, dense, l + 1, u, leaf_of_next, offset);

		for (int i = 0; i < LEAVES_MAX; i++)
			dense->design[node][i] += dense->design[child][i];
	}
	return node;
}

static void
make_dense(const Shape *shape, Dense *dense, int *offset)
{
	memset(dense, 0, sizeof(*dense));
	for (uint32_t l = 0; l < shape->tree.layers; l++)
	{
		offset[l] = dense->nodes;
		for (uint64_t v = 0; v < shape->layer[l].nodes; v++, dense->nodes++)
		{
			dense->weight[dense->nodes] = 1 / shape->layer[l].variance;
			dense->noisy[dense->nodes] = shape->value[l][v];
		}
	}
	for (uint64_t v = 0; v < shape->layer[0].nodes; v++)
		mark_leaves(shape, dense, 0, v, &dense->leaves, offset);
}

/* Normal equations; total, if known, by a Lagrange multiplier. x: leaves. */
static void
dense_solution(const Dense *dense, double total, double *x)
{
	int n = dense->leaves + (isnan(total) ? 0 : 1);
	double *a = calloc((size_t) n * (size_t) n, sizeof(*a));

	for (int i = 0; i < dense->leaves; i++)
	{
		x[i] = 0;
		for (int v = 0; v < dense->nodes; v++)
		{
			x[i] += dense->design[v][i] * dense->weight[v] * dense->noisy[v];
			for (int k = 0; k < dense->leaves; k++)
				a[i * n + k] += dense->design[v][i] * dense->weight[v] * dense->design[v][k];
		}
	}
	for (int i = 0; i < dense->leaves && !isnan(total); i++)
		a[i * n + dense->leaves] = a[dense->leaves * n + i] = 1;
	if (!isnan(total))
		x[dense->leaves] = total;
	unit_solve(a, x, n);
	free(a);
}

static double
worst_difference(const Shape *shape, const Dense *dense, const double *x, const int *offset)
{
	double worst = 0;

	for (uint32_t l = 0; l < shape->tree.layers; l++)
		for (uint64_t v = 0; v < shape->layer[l].nodes; v++)
		{
			double wanted = 0;

			for (int i = 0; i < dense->leaves; i++)
				wanted += dense->design[offset[l] + (int) v][i] * x[i];
			worst = fmax(worst, fabs(wanted - shape->value[l][v]));
		}
	return worst;
}

/* How far families are from their parents, and the smallest value. */
static double
family_gap(const Shape *shape, double total, double *smallest)
{
	double gap = 0, sum = 0;

	*smallest = 0;
	for (uint64_t v = 0; v < shape->layer[0].nodes; v++)
		sum += shape->value[0][v];
	gap = fabs(sum - total);
	for (uint32_t l = 0; l < shape->tree.layers; l++)
		for (uint64_t v = 0; v < shape->layer[l].nodes; v++)
		{
			*smallest = fmin(*smallest, shape->value[l][v]);
			if (is_leaf(shape, l, v))
				continue;
			sum = 0;
			for (uint64_t u = shape->first[l + 1][v]; u < shape->first[l + 1][v + 1]; u++)
				sum += shape->value[l + 1][u];
			gap = fmax(gap, fabs(sum - shape->value[l][v]));
		}
	return gap;
}

static void
test_shapes(uint32_t layers, bool childless, bool constrained)
{
	static Shape shape;
	static Dense dense;
	double x[LEAVES_MAX + 1], worst = 0, gap = 0, lowest = 0, smallest;
	int trees = 0;
	DpPrng prng;

	dp_prng_seed(&prng, (DpStream){layers, childless, constrained});
	while (trees < 25)
	{
		double total = constrained ? 30 : NAN;
		int offset[4];
		DpArena arena;

		make_shape(&shape, &prng, layers, childless);
		if (shape.nodes > NODES_MAX || shape.layer[layers - 1].nodes > LEAVES_MAX)
			continue;
		arena = dp_arena_malloc();
		make_dense(&shape, &dense, offset);
		dense_solution(&dense, total, x);
		MUST(dp_tree_solve(&shape.tree, total, &arena));
		worst = fmax(worst, worst_difference(&shape, &dense, x, offset));
		MUST(dp_tree_project(&shape.tree, 30, &arena));
		gap = fmax(gap, family_gap(&shape, 30, &smallest));
		lowest = fmin(lowest, smallest);
		dp_arena_malloc_free(&arena);
		trees++;
	}
	CHECK(worst < 1e-9, "%u layers%s%s: the dense least-squares solution, within %.1e", layers,
		  childless ? ", some nodes without children" : "", constrained ? ", known total" : "",
		  worst);
	CHECK(gap < 1e-9 && lowest >= 0, "nonnegative, and every parent keeps its total: %.1e", gap);
}

static void
test_empty(void)
{
	uint64_t first[] = {0, 2}, below[] = {0, 2, 3};
	double top[] = {-4, 1}, leaves[] = {1, 2, 3};
	DpTreeLayer layer[] = {{2, first, top, 1}, {3, below, leaves, 1}};
	DpTree tree = {2, layer};
	DpArena arena = dp_arena_malloc();

	MUST(dp_tree_project(&tree, 0, &arena));
	CHECK(top[0] == 0 && top[1] == 0 && leaves[0] == 0 && leaves[2] == 0, "nobody has no children");
	dp_arena_malloc_free(&arena);
}

int
main(void)
{
	for (uint32_t layers = 1; layers <= 4; layers++)
		for (int kind = 0; kind < 4; kind++)
			test_shapes(layers, kind & 1, kind & 2);
	test_empty();
	return unit_finish();
}
