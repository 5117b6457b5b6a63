/*
 * public.c -- structural zeros and priors in a graphical model.
 *
 * A cell over groups is impossible if all cells of its levels are. Where only some of them are,
 * rejection takes care of them (draw.h).
 */
#include "core/graphical/noisy_measurement.h"

#include <math.h>

#include "core/domain/priors.h"

#define VARIANCE_LEAST 0.01 /* rows^2: a prior with less counts as exact */
#define SHARE 16            /* public sets may add one in so many clique cells */

/* The cells that are left for public sets. */
typedef struct Capacity
{
	uint64_t cliques; /* cells that the cliques may have */
	uint64_t tables;  /* cells that public tables may still have */
} Capacity;

bool
dp_graphical_is_connected(const DpDomain *domain)
{
	return domain->zeros.sets > 0 || domain->priors > 0;
}

uint64_t
dp_graphical_public_cells(bool is_connected, uint64_t cells_max)
{
	return is_connected ? cells_max / SHARE : 0;
}

uint64_t
dp_graphical_public_parts(const DpDomain *domain)
{
	uint64_t parts = 0;

	for (uint32_t i = 0; i < domain->priors; i++)
		parts += dp_interactions_parts(domain->prior[i].n);
	return parts;
}

/* Whether a set fits; if so, takes its cells. cells is over groups. */
static bool
take_capacity(DpGraphical *model, const DpAttributeSet *set, uint64_t cells, Capacity *capacity)
{
	if (cells > capacity->tables)
		return false;
	if (!dp_graph_joins(&model->graph, set) &&
		dp_graphical_cost_estimate(model, set, capacity->cliques + 1) > capacity->cliques)
		return false;
	capacity->tables -= cells;
	return true;
}

static uint64_t
cell_of(const DpGrouping *grouping, const DpAttributeSet *set, const uint32_t *code)
{
	uint64_t cell = 0;

	for (uint32_t k = 0; k < set->n; k++)
		cell = cell * grouping->levels[set->attribute[k]] +
			   grouping->group[set->attribute[k]][code[k]];
	return cell;
}

/* Counts in levels[cell] the cells over levels that make up each cell over groups. Row-major,
 * attribute by attribute. */
static DpStatus
count_levels(const DpGrouping *grouping, const DpAttributeSet *set, uint64_t cells,
			 uint64_t *levels, DpArena *arena)
{
	uint64_t step = cells;

	for (uint64_t i = 0; i < cells; i++)
		levels[i] = 1;
	for (uint32_t k = 0; k < set->n; k++)
	{
		uint32_t a = set->attribute[k], groups = grouping->levels[a];
		uint32_t *size = dp_alloc(arena, groups, sizeof(*size));

		DP_TRY_ALLOC(size);
		for (uint32_t i = 0; i < grouping->domain->attribute[a].levels; i++)
			size[grouping->group[a][i]]++;
		step /= groups;
		for (uint64_t i = 0; i < cells; i++)
			levels[i] *= size[i / step % groups];
		dp_free(arena, size, groups, sizeof(*size));
	}
	return DP_OK;
}

static DpStatus
forbid(DpGraphical *model, const DpGrouping *grouping, const DpZeroSet *zeros,
	   const DpAttributeSet *set, uint64_t cells)
{
	uint64_t *left = dp_alloc(model->arena, cells, sizeof(*left));
	uint64_t *cell = dp_alloc(model->arena, cells, sizeof(*cell));
	uint64_t n = 0;

	DP_TRY_ALLOC(left && cell);
	DP_TRY(count_levels(grouping, set, cells, left, model->arena));
	for (uint64_t i = 0; i < zeros->tuples; i++)
	{
		uint64_t at = cell_of(grouping, set, zeros->code + i * set->n);

		if (--left[at] == 0)
			cell[n++] = at;
	}
	if (n > 0)
		DP_TRY(dp_graphical_forbid(model, set, cell, n));
	dp_free(model->arena, left, cells, sizeof(*left));
	dp_free(model->arena, cell, cells, sizeof(*cell));
	return DP_OK;
}

/* Adds a prior as a table. A cell over groups is the sum of the cells of its levels. All get the
 * mean of their variances. */
static DpStatus
add_prior(DpGraphical *model, const DpGrouping *grouping, const DpPrior *prior,
		  const DpAttributeSet *set, uint64_t cells, double rows)
{
	double *expected = dp_alloc(model->arena, prior->cells, sizeof(*expected));
	double *grouped = dp_alloc(model->arena, cells, sizeof(*grouped));
	uint32_t code[DP_PRIOR_WIDTH_MAX] = {0};
	double variance = dp_prior_variance(prior, rows) * (double) prior->cells / (double) cells;

	DP_TRY_ALLOC(expected && grouped);
	dp_prior_expected(prior, rows, expected);
	for (uint64_t i = 0; i < prior->cells; i++)
	{
		grouped[cell_of(grouping, set, code)] += expected[i];
		for (uint32_t k = set->n; k-- > 0;)
		{
			if (++code[k] < grouping->domain->attribute[set->attribute[k]].levels)
				break;
			code[k] = 0;
		}
	}
	DP_TRY(dp_graphical_add_shares(model, set, grouped, fmax(variance, VARIANCE_LEAST)));
	dp_free(model->arena, expected, prior->cells, sizeof(*expected));
	dp_free(model->arena, grouped, cells, sizeof(*grouped));
	return DP_OK;
}

DpStatus
dp_graphical_add_public(DpGraphical *model, const DpGrouping *grouping, double rows)
{
	const DpDomain *domain = grouping->domain;
	uint64_t share = dp_graphical_public_cells(dp_graphical_is_connected(domain), model->cells_max);
	uint64_t now = share > 0 ? dp_graphical_cost_estimate(model, NULL, model->cells_max) : 0;
	Capacity capacity = {.cliques = model->cells_max, .tables = share};

	if (model->cells_max - now > share)
		capacity.cliques = now + share;
	for (uint32_t s = 0; s < domain->zeros.sets; s++)
	{
		const DpZeroSet *zeros = &domain->zeros.set[s];
		const DpAttributeSet set = {zeros->n, zeros->attribute};
		uint64_t cells = dp_grouping_cells(grouping, &set);

		if (take_capacity(model, &set, cells, &capacity))
			DP_TRY(forbid(model, grouping, zeros, &set, cells));
	}
	for (uint32_t i = 0; i < domain->priors; i++)
	{
		const DpPrior *prior = &domain->prior[i];
		const DpAttributeSet set = {prior->n, prior->attribute};
		uint64_t cells = dp_grouping_cells(grouping, &set);

		if (take_capacity(model, &set, cells, &capacity))
			DP_TRY(add_prior(model, grouping, prior, &set, cells, rows > 1 ? rows : 1));
	}
	return DP_OK;
}
