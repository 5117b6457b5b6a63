/*
 * graphical_fit.c -- shares and conditional rows of a distribution on a junction tree.
 *
 * The tree knows groups of levels. Within its group a level has a fixed share (DpLevelSplit).
 */
#include "core/sample/graphical_fit.h"

#include <math.h>
#include <string.h>

#define LOG_NOTHING (-1e200) /* impossible cells are far below, all others far above */

/* ---- a condition ---- */

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

	DP_TRY_ALLOC(potential);
	take_logarithms(potential, levels);
	DP_TRY(dp_walk_init(&walk, belief->levels, &belief->tree->clique[clique].set, &set));
	dp_walk_add(&walk, belief->clique[clique].cell, potential);
	dp_free(arena, potential, levels, sizeof(*potential));
	return DP_OK;
}

/*
 * Makes the distribution that is proportional to that of a calibrated belief times weight[a][level]
 * for each attribute a, over the same tree and with the same total. weight[a] is NULL where nothing
 * is said of a. The caller frees it with dp_belief_free. *share: the expected weight of a row.
 * DP_ERR_ARGUMENT: that is 0; *out need not be freed then.
 *
 * Why: with the counts n_C of the cliques and n_S of the separators, the joint distribution is
 * prod n_C / prod n_S (Lauritzen and Spiegelhalter 1988). So log(n_C / n_S) are potentials of it,
 * and the logarithm of a weight is one more potential, in any clique that holds its attribute.
 */
static DpStatus
condition_belief(const DpBelief *from, const double *const *weight, DpBelief *out, double *share,
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

static double
split_share(const DpLevelSplit *split, uint32_t i)
{
	if (split->n == 1)
		return 1;
	return split->cumulative[i] - (i > 0 ? split->cumulative[i - 1] : 0);
}

DpStatus
dp_graphical_fit_shares(DpGraphicalFit *fit, DpArena *arena)
{
	const DpDomain *domain = fit->domain;

	fit->share = NULL;
	if (fit->group == NULL)
		return DP_OK;
	fit->share = dp_alloc(arena, domain->attributes, sizeof(*fit->share));
	DP_TRY_ALLOC(fit->share);
	for (uint32_t a = 0; a < domain->attributes; a++)
	{
		fit->share[a] = dp_alloc(arena, domain->attribute[a].levels, sizeof(double));
		DP_TRY_ALLOC(fit->share[a]);
		for (uint32_t g = 0; g < fit->graphical.levels[a]; g++)
			for (uint32_t i = 0; i < fit->split[a][g].n; i++)
				fit->share[a][fit->split[a][g].level[i]] = split_share(&fit->split[a][g], i);
	}
	return DP_OK;
}

DpStatus
dp_graphical_single_splits(const DpDomain *domain, const DpLevelSplit *const **out, DpArena *arena)
{
	DpLevelSplit **split = dp_alloc(arena, domain->attributes, sizeof(*split));

	DP_TRY_ALLOC(split);
	for (uint32_t a = 0; a < domain->attributes; a++)
	{
		uint32_t levels = domain->attribute[a].levels;
		uint32_t *level = dp_alloc(arena, levels, sizeof(*level));

		split[a] = dp_alloc(arena, levels, sizeof(**split));
		DP_TRY_ALLOC(split[a] && level);
		for (uint32_t i = 0; i < levels; i++)
		{
			level[i] = i;
			split[a][i] = (DpLevelSplit){.n = 1, .level = &level[i]};
		}
	}
	*out = (const DpLevelSplit *const *) split;
	return DP_OK;
}

/* ---- shares ---- */

/* Spreads a table over groups to one over levels. */
static DpStatus
spread_levels(const DpGraphicalFit *fit, const DpAttributeSet *set, const double *groups,
			  double *out, const DpTick *tick, DpArena *arena)
{
	uint64_t cells = dp_domain_cells(fit->domain, set->attribute, set->n);
	uint32_t *code = dp_alloc(arena, set->n, sizeof(*code));

	DP_TRY_ALLOC(code);
	for (uint64_t i = 0; i < cells; i++)
	{
		uint64_t cell = 0;
		double share = 1 / fit->graphical.belief.total;

		if (i % 65536 == 0)
			dp_tick(tick, -1.0);
		for (uint32_t k = 0; k < set->n; k++)
		{
			uint32_t a = set->attribute[k];

			cell = cell * fit->graphical.levels[a] +
				   (fit->group == NULL ? code[k] : fit->group[a][code[k]]);
			share *= fit->share == NULL ? 1 : fit->share[a][code[k]];
		}
		out[i] = groups[cell] * share;
		for (uint32_t k = set->n; k-- > 0; code[k] = 0)
			if (++code[k] < fit->domain->attribute[set->attribute[k]].levels)
				break;
	}
	dp_free(arena, code, set->n, sizeof(*code));
	return DP_OK;
}

DpStatus
dp_graphical_fit_marginal(const void *fit_in, const DpAttributeSet *set, double *out,
						  const DpTick *tick, DpArena *arena)
{
	const DpGraphicalFit *fit = fit_in;
	uint64_t cells = 1;
	double *groups;
	DpStatus status;

	for (uint32_t k = 0; k < set->n; k++)
		cells *= fit->graphical.levels[set->attribute[k]];
	groups = dp_alloc(arena, cells, sizeof(*groups));
	DP_TRY_ALLOC(groups);
	if (set->n == 0)
		groups[0] = fit->graphical.belief.total;
	status = set->n == 0 ? DP_OK
						 : dp_belief_marginal(&fit->graphical.belief, set,
											  DP_GRAPHICAL_ANSWER_CELLS, groups, arena);
	if (status == DP_OK)
		status = spread_levels(fit, set, groups, out, tick, arena);
	dp_free(arena, groups, cells, sizeof(*groups));
	return status;
}

/* ---- conditional rows ---- */

/* The split of one group of which only a part counts. */
static DpStatus
weigh_split(const DpLevelSplit *from, const double *weight, double mass, DpLevelSplit *to,
			DpArena *arena)
{
	double so_far = 0;

	*to = *from;
	if (from->n == 1 || mass <= 0)
		return DP_OK;
	to->level = dp_alloc(arena, from->n, sizeof(*to->level));
	to->cumulative = dp_alloc(arena, from->n, sizeof(*to->cumulative));
	DP_TRY_ALLOC(to->level && to->cumulative);
	to->n = 0;
	for (uint32_t i = 0; i < from->n; i++)
	{
		double own = split_share(from, i) * weight[from->level[i]];

		if (own <= 0)
			continue;
		so_far += own / mass;
		to->level[to->n] = from->level[i];
		to->cumulative[to->n++] = so_far;
	}
	to->cumulative[to->n - 1] = 1;
	return DP_OK;
}

/* The weights of the groups of one attribute, and its splits. */
static DpStatus
weigh_groups(const DpGraphicalFit *fit, uint32_t attribute, const double *weight, double **groups,
			 DpLevelSplit **split, DpArena *arena)
{
	uint32_t n = fit->graphical.levels[attribute];

	*groups = dp_alloc(arena, n, sizeof(**groups));
	*split = dp_alloc(arena, n, sizeof(**split));
	DP_TRY_ALLOC(*groups && *split);
	for (uint32_t g = 0; g < n; g++)
	{
		const DpLevelSplit *from = &fit->split[attribute][g];

		for (uint32_t i = 0; i < from->n; i++)
			(*groups)[g] += split_share(from, i) * weight[from->level[i]];
		DP_TRY(weigh_split(from, weight, (*groups)[g], &(*split)[g], arena));
	}
	return DP_OK;
}

DpStatus
dp_graphical_fit_compile(const void *fit_in, const DpGiven *given, void **state, const DpTick *tick,
						 DpArena *arena, DpError *error)
{
	const DpGraphicalFit *fit = fit_in;
	uint32_t p = fit->graphical.attributes;
	DpGraphical conditional = fit->graphical;
	const DpLevelSplit **split;
	DpGraphicalSampler *sampler;
	double **groups, share;
	DpStatus status;

	dp_tick(tick, -1.0);
	split = dp_memdup(arena, fit->split, p * sizeof(*split));
	groups = dp_alloc(arena, p, sizeof(*groups));
	DP_TRY_ALLOC(split && groups);
	for (uint32_t a = 0; a < p && given != NULL; a++)
	{
		DpLevelSplit *own;

		if (given->weight[a] == NULL)
			continue;
		DP_TRY(weigh_groups(fit, a, given->weight[a], &groups[a], &own, arena));
		split[a] = own;
	}
	if (given != NULL)
	{
		status = condition_belief(&fit->graphical.belief, (const double *const *) groups,
								  &conditional.belief, &share, arena);
		if (status == DP_ERR_ARGUMENT)
			return dp_fail_impossible(error);
		DP_TRY(status);
	}
	DP_TRY(dp_graphical_sampler_build(&conditional, fit->rows, split,
									  fit->systematic && !(given != NULL && given->one_row),
									  &sampler, arena));
	if (given != NULL)
		dp_belief_free(&conditional.belief, arena);
	*state = sampler;
	return DP_OK;
}
