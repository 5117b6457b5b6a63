/*
 * condition.c -- potentials of a conditional distribution.
 */
#include "core/graphical/condition.h"

#include <math.h>
#include <string.h>

#define LOG_NOTHING (-1e200) /* what is impossible is far below, and what is possible far above */

static void
take_logarithms(double *x, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++)
		x[i] = x[i] > 0 ? log(x[i]) : DP_LOG_ZERO;
}

/* The potentials log(n_C / n_S) of one clique. */
static void
fill_potentials(const DpBeliefClique *from, bool root, DpBeliefClique *to)
{
	memcpy(to->cell, from->cell, from->cells * sizeof(double));
	take_logarithms(to->cell, to->cells);
	if (root)
		return;
	dp_walk_sum(&from->own, from->cell, to->message);
	for (uint64_t i = 0; i < to->separator_cells; i++)
		to->message[i] = to->message[i] > 0 ? log(to->message[i]) : 0;
	dp_walk_subtract(&to->own, to->cell, to->message);
}

static DpStatus
add_weight(DpBelief *belief, uint32_t attribute, const double *weight, DpArena *arena)
{
	const DpAttributeSet set = {1, &attribute};
	uint32_t clique = dp_junction_tree_find(belief->tree, &set);
	uint32_t levels = belief->levels[attribute];
	double *potential = dp_memdup(arena, weight, levels * sizeof(*weight));
	DpWalk walk;

	if (potential == NULL)
		return DP_ERR_MEMORY;
	take_logarithms(potential, levels);
	DP_TRY(dp_walk_init(&walk, belief->levels, &belief->tree->clique[clique].set, &set));
	dp_walk_add(&walk, belief->clique[clique].cell, potential);
	dp_free(arena, potential, levels, sizeof(*potential));
	return DP_OK;
}

DpStatus
dp_belief_condition(const DpBelief *from, const double *const *weight, DpBelief *out, double *share,
					DpArena *arena)
{
	const DpJunctionTree *tree = from->tree;
	double log_sum;

	DP_TRY(dp_belief_init(out, tree, from->levels, from->total, arena));
	for (uint32_t i = 0; i < tree->cliques; i++)
		fill_potentials(&from->clique[i], i == 0, &out->clique[i]);
	for (uint32_t a = 0; a < tree->attributes; a++)
		if (weight[a] != NULL)
			DP_TRY(add_weight(out, a, weight[a], arena));
	log_sum = dp_belief_calibrate(out);
	*share = log_sum > LOG_NOTHING ? exp(log_sum) / from->total : 0;
	if (log_sum > LOG_NOTHING)
		return DP_OK;
	dp_belief_free(out, arena);
	return DP_ERR_ARGUMENT;
}
