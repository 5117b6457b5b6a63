/*
 * belief.c -- messages up and down a junction tree.
 */
#include "core/graphical/belief.h"

#include <math.h>
#include <string.h>

#include "core/base/saturate.h"

uint64_t
dp_belief_bytes(uint64_t cells)
{
	/* The potentials, and two tables for each separator, which is no larger than its clique. */
	return dp_multiply_saturated(cells, 3 * sizeof(double));
}

static DpStatus
init_clique(DpBeliefClique *clique, const DpJunctionTree *tree, uint32_t number,
			const uint32_t *levels, DpArena *arena)
{
	const DpClique *of = &tree->clique[number];
	const DpAttributeSet *parent = &tree->clique[of->parent].set;

	clique->cells = of->cells;
	clique->separator_cells = of->separator_cells;
	clique->cell = dp_alloc(arena, of->cells, sizeof(double));
	clique->message = dp_alloc(arena, of->separator_cells, sizeof(double));
	clique->total = dp_alloc(arena, of->separator_cells, sizeof(double));
	DP_TRY_ALLOC(clique->cell && clique->message && clique->total);
	DP_TRY(dp_walk_init(&clique->own, levels, &of->set, &of->separator));
	return dp_walk_init(&clique->parents, levels, parent, &of->separator);
}

DpStatus
dp_belief_init(DpBelief *belief, const DpJunctionTree *tree, const uint32_t *levels, double total,
			   DpArena *arena)
{
	*belief = (DpBelief){.tree = tree, .levels = levels, .total = total};
	belief->clique = dp_alloc(arena, tree->cliques, sizeof(*belief->clique));
	DP_TRY_ALLOC(belief->clique);
	for (uint32_t i = 0; i < tree->cliques; i++)
		DP_TRY(init_clique(&belief->clique[i], tree, i, levels, arena));
	return DP_OK;
}

void
dp_belief_free(DpBelief *belief, DpArena *arena)
{
	dp_belief_forget(belief);
	for (uint32_t i = 0; belief->clique != NULL && i < belief->tree->cliques; i++)
	{
		DpBeliefClique *clique = &belief->clique[i];

		dp_free(arena, clique->cell, clique->cells, sizeof(double));
		dp_free(arena, clique->message, clique->separator_cells, sizeof(double));
		dp_free(arena, clique->total, clique->separator_cells, sizeof(double));
	}
	if (belief->clique != NULL)
		dp_free(arena, belief->clique, belief->tree->cliques, sizeof(*belief->clique));
	belief->clique = NULL;
}

void
dp_belief_clear(DpBelief *belief)
{
	dp_belief_forget(belief);
	for (uint32_t i = 0; i < belief->tree->cliques; i++)
		memset(belief->clique[i].cell, 0, belief->clique[i].cells * sizeof(double));
}

/*
 * Normalises a clique when all its children have sent their messages. A slice is the cells that
 * share a cell of the separator. Slices become exp(potential - largest of the slice), their sums go
 * to total, and the logarithm of what a slice holds goes to message.
 */
static void
normalise(DpBeliefClique *clique)
{
	dp_walk_maximum(&clique->own, clique->cell, clique->message);
	dp_walk_subtract(&clique->own, clique->cell, clique->message);
	dp_exp_all(clique->cell, clique->cells);
	dp_walk_sum(&clique->own, clique->cell, clique->total);
	for (uint64_t i = 0; i < clique->separator_cells; i++)
		clique->message[i] += log(clique->total[i]); /* total >= 1, since it includes the largest */
}

/* Spreads over each slice the mass of its separator cell. */
static void
spread(DpBeliefClique *clique, const double *mass)
{
	for (uint64_t i = 0; i < clique->separator_cells; i++)
		clique->total[i] = mass[i] / clique->total[i];
	dp_walk_multiply(&clique->own, clique->cell, clique->total);
}

double
dp_belief_calibrate(DpBelief *belief)
{
	DpBeliefClique *root = &belief->clique[0];
	double log_sum;

	for (uint32_t i = belief->tree->cliques; i-- > 1;)
	{
		DpBeliefClique *clique = &belief->clique[i];

		normalise(clique);
		dp_walk_add(&clique->parents, belief->clique[belief->tree->clique[i].parent].cell,
					clique->message);
	}
	normalise(root);
	log_sum = root->message[0];
	root->message[0] = belief->total;
	spread(root, root->message);
	for (uint32_t i = 1; i < belief->tree->cliques; i++)
	{
		DpBeliefClique *clique = &belief->clique[i];

		dp_walk_sum(&clique->parents, belief->clique[belief->tree->clique[i].parent].cell,
					clique->message);
		spread(clique, clique->message);
	}
	return log_sum;
}
