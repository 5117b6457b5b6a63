/*
 * clique_growth.c -- a junction tree with one more pair.
 *
 * Let C_0, ..., C_k be the cliques on the way from the last one with attribute i to the first one
 * with j, and S_m the separator between C_m-1 and C_m. To join i and j it is enough that i is
 * joined to all separators: the clique C_m on the way gets a neighbour S_m + S_m+1 + i, and the
 * last one S_k + i + j. These are complete, and the cliques with i stay connected. The other
 * direction carries j. Where a separator is empty nothing is carried: the pair is a clique of its
 * own.
 */
#include "core/graphical/junction_tree.h"

#include "core/base/saturate.h"

DpStatus
dp_clique_growth_build(DpCliqueGrowth *growth, DpGraph *graph, const DpTick *tick, DpArena *arena)
{
	DpJunctionTree *tree = &growth->tree;

	dp_clique_growth_free(growth);
	growth->levels = graph->levels;
	growth->arena = arena;
	DP_TRY(dp_junction_tree_build(graph, UINT64_MAX, tree, tick, arena));
	growth->home = dp_alloc(arena, tree->attributes, sizeof(*growth->home));
	growth->path = dp_alloc(arena, tree->cliques, sizeof(*growth->path));
	DP_TRY_ALLOC(growth->home && growth->path);
	for (uint32_t i = 0; i < tree->cliques; i++)
		for (uint32_t k = 0; k < tree->clique[i].set.n; k++)
			growth->home[tree->clique[i].set.attribute[k]] = i;
	return DP_OK;
}

void
dp_clique_growth_free(DpCliqueGrowth *growth)
{
	if (growth->arena == NULL)
		return;
	dp_free(growth->arena, growth->home, growth->tree.attributes, sizeof(*growth->home));
	dp_free(growth->arena, growth->path, growth->tree.cliques, sizeof(*growth->path));
	dp_junction_tree_free(&growth->tree, growth->arena);
	*growth = (DpCliqueGrowth){0};
}

/* Writes the cliques from a to b to the path. A parent has a smaller number than its children. */
static uint32_t
find_path(const DpCliqueGrowth *growth, uint32_t a, uint32_t b)
{
	const DpClique *clique = growth->tree.clique;
	uint32_t n = 0, down = growth->tree.cliques;

	while (a != b)
		if (a > b)
		{
			growth->path[n++] = a;
			a = clique[a].parent;
		}
		else
		{
			growth->path[--down] = b;
			b = clique[b].parent;
		}
	growth->path[n++] = a;
	for (; down < growth->tree.cliques; down++)
		growth->path[n++] = growth->path[down];
	return n;
}

/* The separator between two neighbours: that of the child. */
static const DpAttributeSet *
separator(const DpCliqueGrowth *growth, uint32_t a, uint32_t b)
{
	return &growth->tree.clique[a > b ? a : b].separator;
}

/* The cells that the clique between two separators adds once it holds one attribute more. */
static uint64_t
passing(const DpCliqueGrowth *growth, uint32_t at, const DpAttributeSet *before,
		const DpAttributeSet *behind, uint32_t carried)
{
	const DpClique *clique = &growth->tree.clique[at];
	uint64_t cells = growth->levels[carried];
	uint32_t n = 0;

	for (uint32_t k = 0; k < clique->set.n; k++)
	{
		uint32_t attribute = clique->set.attribute[k];

		if (!dp_set_holds(before, attribute) && !dp_set_holds(behind, attribute))
			continue;
		cells = dp_multiply_saturated(cells, growth->levels[attribute]);
		n++;
	}
	return n == clique->set.n ? cells - clique->cells : cells; /* it grows, or has a neighbour */
}

static uint64_t
ending(const DpCliqueGrowth *growth, const DpAttributeSet *last, uint64_t pair)
{
	for (uint32_t k = 0; k < last->n; k++)
		pair = dp_multiply_saturated(pair, growth->levels[last->attribute[k]]);
	return pair;
}

/* The cells that are added where two attributes are to be in one clique. */
static uint64_t
added(const DpCliqueGrowth *growth, uint32_t i, uint32_t j)
{
	const DpClique *clique = growth->tree.clique;
	uint32_t n = find_path(growth, growth->home[i], growth->home[j]), first = 0, last = 0;
	uint64_t pair = dp_multiply_saturated(growth->levels[i], growth->levels[j]);
	const uint32_t *path = growth->path;
	uint64_t carry_i = 0, carry_j = 0;

	while (first + 1 < n && dp_set_holds(&clique[path[first + 1]].set, i))
		first++;
	for (last = first; !dp_set_holds(&clique[path[last]].set, j);)
		last++;
	if (first == last)
		return 0;
	for (uint32_t m = first; m < last; m++)
		if (separator(growth, path[m], path[m + 1])->n == 0)
			return pair;
	for (uint32_t m = first + 1; m < last; m++)
	{
		const DpAttributeSet *before = separator(growth, path[m - 1], path[m]);
		const DpAttributeSet *behind = separator(growth, path[m], path[m + 1]);

		carry_i = dp_add_saturated(carry_i, passing(growth, path[m], before, behind, i));
		carry_j = dp_add_saturated(carry_j, passing(growth, path[m], before, behind, j));
	}
	carry_i = dp_add_saturated(carry_i,
							   ending(growth, separator(growth, path[last - 1], path[last]), pair));
	carry_j = dp_add_saturated(
		carry_j, ending(growth, separator(growth, path[first], path[first + 1]), pair));
	return carry_i < carry_j ? carry_i : carry_j;
}

uint64_t
dp_clique_growth_cells(const DpCliqueGrowth *growth, const DpAttributeSet *set)
{
	uint64_t most = 0;

	for (uint32_t i = 0; i < set->n; i++)
		for (uint32_t k = i + 1; k < set->n; k++)
		{
			uint64_t cells = added(growth, set->attribute[i], set->attribute[k]);

			most = cells > most ? cells : most;
		}
	return dp_add_saturated(growth->tree.cells, most);
}
