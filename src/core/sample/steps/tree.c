/*
 * tree.c -- exact least squares and nonnegativity on a tree.
 *
 * dp_tree_solve -- generalised least squares in two passes
 *
 * Inputs:      independent noisy counts n~_v of all nodes but the root, with variance s2 by
 *              layer; any shape of tree
 * Output:      x_v, the unique minimum of sum (x_v - n~_v)^2 / s2_v subject to x_v = sum of x_u
 *              over the children u of v: the best linear unbiased estimate of every count
 * Why:         up: a node with children is measured twice, by n~_v (variance s2) and by the sum
 *              of what its subtrees say (csum, variance cvar; subtrees are independent). The
 *              best estimate from the subtree alone is the mean weighted by inverse variance,
 *                  z = (cvar n~ + s2 csum)/(s2 + cvar),  s = 1/(1/s2 + 1/cvar).
 *              down: given what the parent turned out to be, the residual is shared in
 *              proportion to variance, x_u = z_u + s_u/cvar (x_v - csum), which is the
 *              projection on the constraint in the metric of the noise.
 * Source:      Hay, Rastogi, Miklau, Suciu, "Boosting the accuracy of differentially private
 *              histograms through consistency" (2010), theorem 3, for equal fan-out; here for
 *              any tree and any variances. The STEPS paper pads with phantom categories
 *              and then uses equal fan-out, which is neither unbiased nor consistent.
 * Numerics:    O(nodes); each step is an average, so errors do not grow
 */
#include "core/sample/steps/steps_sampler.h"

#include <math.h>

#include "core/estimate/weights.h"

static double
sum_of(const double *value, uint64_t first, uint64_t end)
{
	double sum = 0;

	for (uint64_t u = first; u < end; u++)
		sum += value[u];
	return sum;
}

/* Replaces n~ in layer[l] by z; spread[l][v] is s. */
static void
pass_up(const DpTree *tree, double **spread)
{
	for (uint32_t l = tree->layers; l-- > 0;)
	{
		DpTreeLayer *layer = &tree->layer[l];
		const DpTreeLayer *below = l + 1 < tree->layers ? &tree->layer[l + 1] : NULL;

		for (uint64_t v = 0; v < layer->nodes; v++)
		{
			uint64_t first = below == NULL ? 0 : below->first[v];
			uint64_t end = below == NULL ? 0 : below->first[v + 1];
			double sum, variance;

			spread[l][v] = layer->variance;
			if (first == end)
				continue;
			sum = sum_of(below->value, first, end);
			variance = sum_of(spread[l + 1], first, end);
			layer->value[v] =
				(variance * layer->value[v] + layer->variance * sum) / (layer->variance + variance);
			spread[l][v] = layer->variance * variance / (layer->variance + variance);
		}
	}
}

/* Gives the siblings first..end-1 the wanted sum. */
static void
share_residual(double *value, const double *spread, uint64_t first, uint64_t end, double wanted)
{
	double residual = wanted - sum_of(value, first, end);
	double variance = sum_of(spread, first, end);

	for (uint64_t u = first; u < end; u++)
		value[u] += spread[u] / variance * residual;
}

static void
pass_down(const DpTree *tree, double **spread, double total)
{
	if (!isnan(total))
		share_residual(tree->layer[0].value, spread[0], 0, tree->layer[0].nodes, total);
	for (uint32_t l = 1; l < tree->layers; l++)
	{
		const DpTreeLayer *above = &tree->layer[l - 1];
		DpTreeLayer *layer = &tree->layer[l];

		for (uint64_t v = 0; v < above->nodes; v++)
			share_residual(layer->value, spread[l], layer->first[v], layer->first[v + 1],
						   above->value[v]);
	}
}

DpStatus
dp_tree_solve(const DpTree *tree, double total, DpArena *arena)
{
	double **spread = dp_alloc(arena, tree->layers, sizeof(*spread));

	DP_TRY_ALLOC(spread);
	for (uint32_t l = 0; l < tree->layers; l++)
	{
		spread[l] = dp_alloc(arena, tree->layer[l].nodes, sizeof(**spread));
		DP_TRY_ALLOC(spread[l]);
	}
	pass_up(tree, spread);
	pass_down(tree, spread, total);
	for (uint32_t l = 0; l < tree->layers; l++)
		dp_free(arena, spread[l], tree->layer[l].nodes, sizeof(**spread));
	dp_free(arena, spread, tree->layers, sizeof(*spread));
	return DP_OK;
}

/* ---- nonnegativity ---- */

/* Projects siblings on the total of their parent. Where it is 0, all are 0, whatever the noise
 * says. */
static void
project_siblings(double *value, uint64_t n, double total, double *work)
{
	if (n == 0)
		return;
	if (total > 0)
		dp_simplex_project(value, n, work, total);
	else
		for (uint64_t u = 0; u < n; u++)
			value[u] = 0;
}

static uint64_t
widest_family(const DpTree *tree)
{
	uint64_t widest = tree->layer[0].nodes;

	for (uint32_t l = 1; l < tree->layers; l++)
	{
		const DpTreeLayer *layer = &tree->layer[l];

		for (uint64_t v = 0; v < tree->layer[l - 1].nodes; v++)
			if (layer->first[v + 1] - layer->first[v] > widest)
				widest = layer->first[v + 1] - layer->first[v];
	}
	return widest;
}

/*
 * dp_tree_project -- works from the top, so that the accurate upper layers survive. Each family
 * moves to the nearest point of the simplex with the value of its parent. This also takes up the
 * move of the parent itself.
 */
DpStatus
dp_tree_project(const DpTree *tree, double total, DpArena *arena)
{
	uint64_t widest = widest_family(tree);
	double *work = dp_alloc(arena, widest, sizeof(*work));

	DP_TRY_ALLOC(work);
	project_siblings(tree->layer[0].value, tree->layer[0].nodes, total, work);
	for (uint32_t l = 1; l < tree->layers; l++)
	{
		const DpTreeLayer *layer = &tree->layer[l];

		for (uint64_t v = 0; v < tree->layer[l - 1].nodes; v++)
			project_siblings(layer->value + layer->first[v], layer->first[v + 1] - layer->first[v],
							 tree->layer[l - 1].value[v], work);
	}
	dp_free(arena, work, widest, sizeof(*work));
	return DP_OK;
}
