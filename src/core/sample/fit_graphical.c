/*
 * fit_graphical.c -- the solver "graphical": graphical.c applied to given noisy tables.
 *
 * Zeros and priors of the domain are added after the tables, as far as they fit (public.h).
 * Rows are drawn independently of each other.
 */
#include "core/sample/fit_graphical.h"

#include <math.h>

#include "core/base/saturate.h"
#include "core/estimate/joint.h"
#include "core/graphical/noisy_measurement.h"
#include "core/graphical/public.h"

#define VARIANCE_LEAST 1e-6 /* rows^2: noise that is all but absent */

static uint64_t
cells_limit(const DpFitInput *input)
{
	return input->cell_limit < DP_JOINT_CELLS_MAX ? input->cell_limit : DP_JOINT_CELLS_MAX;
}

static DpStatus
fail_cells(const DpFitInput *input, DpError *error)
{
	(void) dp_fail(error, DP_ERR_LIMIT, "the cliques of these tables have too many cells");
	dp_fail_detail(error, "Option \"cell_limit\" is %llu.", (unsigned long long) input->cell_limit);
	dp_fail_hint(error,
				 "Take smaller sets of columns, or fewer that overlap, coarser bins, or raise "
				 "\"cell_limit\", to at most %llu.",
				 (unsigned long long) DP_JOINT_CELLS_MAX);
	return DP_ERR_LIMIT;
}

/* The parts into which a fit takes the tables apart (interactions.h). */
static uint64_t
parts_of(const DpFitInput *input)
{
	uint64_t parts = dp_graphical_public_parts(input->domain);

	for (uint32_t t = 0; t < input->tables; t++)
		parts += dp_interactions_parts(input->table[t].of.n);
	return parts;
}

static DpStatus
check_parts(const DpFitInput *input, DpError *error)
{
	uint64_t parts = parts_of(input);

	if (parts <= DP_INTERACTION_PARTS_MAX)
		return DP_OK;
	(void) dp_fail(error, DP_ERR_LIMIT, "there are too many tables over sets so large");
	dp_fail_detail(error, "Their columns have %llu subsets, and the limit is %d.",
				   (unsigned long long) parts, DP_INTERACTION_PARTS_MAX);
	dp_fail_hint(error, "Take fewer or smaller sets of columns, or another solver.");
	return DP_ERR_LIMIT;
}

/* Counts the cells of all cliques, up to one more than the limit. */
static DpStatus
clique_cells(const DpFitInput *input, const uint32_t *levels, uint64_t *cells, DpArena *arena)
{
	DpGraph graph;

	DP_TRY(dp_graph_init(&graph, levels, input->domain->attributes, arena));
	for (uint32_t t = 0; t < input->tables; t++)
	{
		const DpAttributeSet set = input->table[t].of;

		dp_graph_join(&graph, &set);
	}
	*cells = dp_graph_cost_estimate(&graph, NULL, cells_limit(input) + 1);
	return DP_OK;
}

DpStatus
dp_fit_graphical_check(const DpFitInput *input, DpArena *arena, DpError *error)
{
	DpGrouping grouping;
	uint64_t cells;

	if (input->domain->attributes < 1)
		return dp_fail(error, DP_ERR_ARGUMENT, "there is nothing to fit");
	DP_TRY(check_parts(input, error));
	DP_TRY(dp_grouping_init(&grouping, input->domain, arena));
	DP_TRY(clique_cells(input, grouping.levels, &cells, arena));
	return cells > cells_limit(input) ? fail_cells(input, error) : DP_OK;
}

/* Public sets may add a share of the limit to the cliques, but never exceed it. */
DpStatus
dp_fit_graphical_memory(const DpFitInput *input, uint64_t *bytes, DpArena *arena)
{
	uint64_t more =
		dp_graphical_public_cells(dp_graphical_is_connected(input->domain), cells_limit(input));
	uint64_t cells, tables = more;
	DpGrouping grouping;

	DP_TRY(dp_grouping_init(&grouping, input->domain, arena));
	DP_TRY(clique_cells(input, grouping.levels, &cells, arena));
	for (uint32_t t = 0; t < input->tables; t++)
		tables = dp_add_saturated(tables, input->table[t].cells);
	*bytes = dp_graphical_bytes(cells + more, tables);
	*bytes = dp_add_saturated(*bytes, dp_multiply_saturated(cells + more, sizeof(double)));
	/* each table also has a place in its clique and one between, neither larger than a part */
	*bytes = dp_add_saturated(*bytes,
							  dp_interactions_bytes(parts_of(input) + UINT64_C(2) * input->tables));
	return DP_OK;
}

/* ---- the fit ---- */

static DpStatus
add_table(DpGraphical *model, const DpFitTable *table, DpArena *arena)
{
	const DpAttributeSet set = table->of;
	double *observed = dp_alloc(arena, table->cells, sizeof(*observed));

	if (observed == NULL)
		return DP_ERR_MEMORY;
	for (uint64_t i = 0; i < table->cells; i++)
		observed[i] = table->count != NULL ? (double) table->count[i] : table->value[i];
	DP_TRY(dp_graphical_add(model, &set, observed, fmax(table->variance, VARIANCE_LEAST)));
	dp_free(arena, observed, table->cells, sizeof(*observed));
	return DP_OK;
}

DpStatus
dp_fit_graphical(const DpFitInput *input, DpGraphicalFit **out, const DpTick *tick, DpArena *arena,
				 DpError *error)
{
	DpGraphicalFit *fit = dp_alloc(arena, 1, sizeof(*fit));
	double rows = fmax(input->rows, 1);
	DpGrouping grouping;
	DpStatus status;

	if (fit == NULL)
		return DP_ERR_MEMORY;
	DP_TRY(dp_fit_graphical_check(input, arena, error));
	DP_TRY(dp_grouping_init(&grouping, input->domain, arena));
	DP_TRY(dp_graphical_init(&fit->graphical,
							 &(DpGraphicalStart){.attributes = input->domain->attributes,
												 .levels = grouping.levels,
												 .total = rows,
												 .cells_max = cells_limit(input)},
							 arena));
	for (uint32_t t = 0; t < input->tables; t++)
	{
		dp_tick(tick, -1.0);
		if (input->table[t].of.n > 0)
			DP_TRY(add_table(&fit->graphical, &input->table[t], arena));
	}
	DP_TRY(dp_graphical_add_public(&fit->graphical, &grouping, rows));
	status = dp_graphical_fit(&fit->graphical, &dp_graphical_final_rule, tick);
	if (status != DP_OK)
		return status == DP_ERR_LIMIT ? fail_cells(input, error) : status;
	dp_belief_forget(&fit->graphical.belief);
	fit->domain = input->domain;
	fit->rows = (uint64_t) rows;
	DP_TRY(dp_graphical_single_splits(fit->domain, &fit->split, arena));
	*out = fit;
	return DP_OK;
}
