/*
 * privtree.c -- PrivTree in discrete form.
 *
 * dp_privtree_release -- which nodes of a public binary tree are leaves
 *
 * Inputs:      counts[cells], rows per cell, each >= 0; a public binary tree over the cells
 * Output:      the first cells of the leaves, ascending
 * Algorithm:   a node of depth d with c rows has b = max(c - d dlt, -dlt). It is split iff it has
 *              two cells or more, b + Z > 0, and its parent was split. Z is discrete Laplace with
 *              a = exp(-1/lam), drawn anew for each node; dlt = level_rows >= lam ln 2.
 * Neighbours: the dataset's relation and unit, which set lam: with k = rows_max, lam = w k/epsilon,
 *              w = 73/28 where a unit is added or removed, and 1 more where it is replaced
 * Guarantee:   epsilon-DP, epsilon = epsilon_nano x 1e-9, exactly, and so rho-zCDP with
 *              rho = epsilon tanh(epsilon/2); it charges both, or rho alone
 * Why:         one row more raises c along one path. Up the path b grows by dlt a level, so all
 *              decisions to split together change their odds by exp((1 + 1 + 1/3 + 1/7 + ...)/lam)
 *              at most, which is less than exp(73/28/lam), and the decision not to split by
 *              exp(1/lam). A replaced row does both. docs/methods/ranges.md has the whole proof.
 * Source:      Zhang, Xiao, Xie, "PrivTree: a differentially private algorithm for hierarchical
 *              decompositions" (2016), algorithm 2 and theorem 3.1, with fanout 2 and theta 0.
 *              Departures: integer noise and counts. The theorem has 3 where there is 73/28 here,
 *              and for a replaced row twice that.
 * Numerics:    integers only; 1/lam is an exact fraction, and dlt is rounded up
 * Errors:      before the charge: DP_ERR_ARGUMENT, DP_ERR_RANGE, from public numbers alone.
 *              DP_ERR_OVERDRAW: nothing was drawn. After the charge: DP_ERR_RANDOM, DP_ERR_MEMORY
 */
#include "core/mechanism/privtree.h"

#include "core/mechanism/internal.h"
#include "core/noise/noise.h"

/* lam epsilon / k, in parts of PATH_UNIT, for a row that comes or goes: 1 and the sum of
 * 1/(2^i - 1), which is 2.60669516 (Erdos, Borwein). 73/28 is 2.60714. */
#define PATH_UNIT 28
#define PATH_ONE_ROW 73
#define LN2_NANO 693147181 /* rounded up */
#define TICK_NODES 1024
#define LAM_MAX (UINT64_C(1) << 55) /* in rows: P[|Z| > 2^62] is then at most exp(-128) */

/* 1/lam. */
static DpStatus
rate_of(const DpPrivTree *goal, DpFraction *rate)
{
	uint64_t path = PATH_ONE_ROW + (goal->unit.neighbours == DP_REPLACE_ONE ? PATH_UNIT : 0);
	uint64_t above = (uint64_t) goal->epsilon_nano * PATH_UNIT, rows = goal->unit.rows_max;
	uint64_t below = (uint64_t) DP_EPSILON_ONE * path, common;

	if (!dp_epsilon_valid(goal->epsilon_nano) || !dp_unit_valid(&goal->unit))
		return DP_ERR_ARGUMENT;
	common = dp_common_divisor(above, below);
	above /= common;
	below /= common;
	common = dp_common_divisor(above, rows);
	rate->numerator = above / common;
	if (__builtin_mul_overflow(below, rows / common, &rate->denominator) ||
		rate->denominator / rate->numerator >= LAM_MAX)
		return DP_ERR_RANGE;
	return DP_OK;
}

DpStatus
dp_privtree_rule(const DpPrivTree *goal, DpPrivTreeRule *rule)
{
	unsigned __int128 above, below;
	DpFraction rate;

	DP_TRY(rate_of(goal, &rate));
	above = (unsigned __int128) rate.denominator * LN2_NANO;
	below = (unsigned __int128) rate.numerator * DP_EPSILON_ONE;
	rule->noise_numerator = rate.numerator;
	rule->noise_denominator = rate.denominator;
	rule->level_rows = (int64_t) ((above + below - 1) / below); /* below 2^55, as lam is */
	return DP_OK;
}

DpBudget
dp_privtree_cost(const DpPrivTree *goal)
{
	if (goal->concentrated)
		return dp_cost_concentrated(dp_rho_of_epsilon(goal->epsilon_nano));
	return dp_cost_pure(goal->epsilon_nano);
}

typedef struct Node
{
	uint32_t low;
	uint32_t high;
	int depth;
} Node;

/* before[i] is the number of rows in the cells before i. */
static DpStatus
sum_counts(const int64_t *counts, uint32_t cells, int64_t *before)
{
	before[0] = 0;
	for (uint32_t i = 0; i < cells; i++)
		if (counts[i] < 0 || __builtin_add_overflow(before[i], counts[i], &before[i + 1]))
			return DP_ERR_RANGE;
	return DP_OK;
}

static DpStatus
is_split(DpRng *rng, DpFraction rate, int64_t level_rows, const Node *node, const int64_t *before,
		 bool *out)
{
	int64_t biased = before[node->high] - before[node->low] - node->depth * level_rows;
	int64_t noise;

	if (biased < -level_rows)
		biased = -level_rows;
	DP_TRY(dp_discrete_laplace(rng, rate.numerator, rate.denominator, &noise));
	*out = noise > -biased;
	return DP_OK;
}

static DpStatus
grow(const DpNoiseSource *noise, const DpPublicTree *tree, DpFraction rate, int64_t level_rows,
	 const int64_t *before, uint32_t *leaf, uint32_t *leaves)
{
	Node stack[DP_PRIVTREE_DEPTH_MAX + 1] = {{0, tree->cells, 0}};
	int waiting = 1;
	uint64_t nodes = 0;

	*leaves = 0;
	while (waiting > 0)
	{
		Node node = stack[--waiting];
		bool splits = false;
		uint32_t middle;

		if (nodes++ % TICK_NODES == 0)
			dp_tick(noise->tick, -1.0);
		if (node.high - node.low >= 2)
			DP_TRY(is_split(noise->rng, rate, level_rows, &node, before, &splits));
		if (!splits)
		{
			leaf[(*leaves)++] = node.low;
			continue;
		}
		middle = tree->split(tree->context, node.low, node.high);
		if (middle <= node.low || middle >= node.high || node.depth >= DP_PRIVTREE_DEPTH_MAX - 1)
			return DP_ERR_INTERNAL;
		stack[waiting++] = (Node){middle, node.high, node.depth + 1};
		stack[waiting++] = (Node){node.low, middle, node.depth + 1};
	}
	return DP_OK;
}

DpStatus
dp_privtree_release(const DpNoiseSource *noise, const DpPrivTree *goal, const DpPublicTree *tree,
					const int64_t *counts, uint32_t *leaf, uint32_t *leaves, DpArena *arena)
{
	DpPrivTreeRule rule;
	DpFraction rate;
	int64_t *before;
	DpStatus status;

	if (tree->cells < 1)
		return DP_ERR_ARGUMENT;
	DP_TRY(dp_privtree_rule(goal, &rule));
	rate = (DpFraction){rule.noise_numerator, rule.noise_denominator};
	DP_TRY(dp_meter_charge(noise->meter, dp_privtree_cost(goal)));
	before = dp_alloc(arena, (size_t) tree->cells + 1, sizeof(*before));
	DP_TRY_ALLOC(before);
	status = sum_counts(counts, tree->cells, before);
	if (status == DP_OK)
		status = grow(noise, tree, rate, rule.level_rows, before, leaf, leaves);
	dp_free(arena, before, (size_t) tree->cells + 1, sizeof(*before));
	return status;
}
