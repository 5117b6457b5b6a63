/*
 * graphical_fit.c -- shares and conditional rows of a distribution on a junction tree.
 *
 * The tree knows groups of levels. Within its group a level has a fixed share (DpLevelSplit).
 */
#include "core/sample/graphical_fit.h"

#include "core/graphical/condition.h"

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
	if (fit->share == NULL)
		return DP_ERR_MEMORY;
	for (uint32_t a = 0; a < domain->attributes; a++)
	{
		fit->share[a] = dp_alloc(arena, domain->attribute[a].levels, sizeof(double));
		if (fit->share[a] == NULL)
			return DP_ERR_MEMORY;
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

	if (split == NULL)
		return DP_ERR_MEMORY;
	for (uint32_t a = 0; a < domain->attributes; a++)
	{
		uint32_t levels = domain->attribute[a].levels;
		uint32_t *level = dp_alloc(arena, levels, sizeof(*level));

		split[a] = dp_alloc(arena, levels, sizeof(**split));
		if (split[a] == NULL || level == NULL)
			return DP_ERR_MEMORY;
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

	if (code == NULL)
		return DP_ERR_MEMORY;
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
	if (groups == NULL)
		return DP_ERR_MEMORY;
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
	if (to->level == NULL || to->cumulative == NULL)
		return DP_ERR_MEMORY;
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
	if (*groups == NULL || *split == NULL)
		return DP_ERR_MEMORY;
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
	if (split == NULL || groups == NULL)
		return DP_ERR_MEMORY;
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
		status = dp_belief_condition(&fit->graphical.belief, (const double *const *) groups,
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
