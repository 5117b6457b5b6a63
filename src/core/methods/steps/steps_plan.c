/*
 * steps_plan.c -- stages, costs and memory of a hierarchical release.
 */
#include "core/methods/steps/steps_plan.h"

#include <stdio.h>

#include "core/base/index_list.h"
#include "core/base/saturate.h"
#include "core/base/sort.h"
#include "core/plan/refuse.h"
#include "core/plan/release_table.h"
#include "core/select/pairs.h"
#include "core/methods/steps/steps_clusters.h"

#define SELECTION "select order"
#define OPEN_LEVELS (UINT64_C(1) << 20) /* assumed by a plan for an open attribute */
#define NODE_BYTES 48                   /* exact, noisy, as released, and those of the tree */

/* What is known about the sizes of layers before anything is selected or discovered. */
typedef struct Sizes
{
	uint32_t attributes;
	bool any_open;
	uint64_t levels[DP_ATTRIBUTES_MAX];     /* levels in the public order; otherwise descending */
	uint64_t descending[DP_ATTRIBUTES_MAX]; /* the same, sorted */
} Sizes;

static uint64_t
levels_of(const DpAttribute *attribute)
{
	return attribute->open ? OPEN_LEVELS : attribute->levels;
}

static bool
more_levels(const void *context, uint64_t a, uint64_t b)
{
	const DpAttribute *attribute = context;

	return levels_of(&attribute[a]) > levels_of(&attribute[b]);
}

static DpStatus
measure_sizes(const DpDomain *domain, const uint32_t *order, Sizes *sizes, DpArena *arena)
{
	uint64_t index[DP_ATTRIBUTES_MAX];

	sizes->attributes = domain->attributes;
	sizes->any_open = false;
	for (uint32_t a = 0; a < domain->attributes; a++)
	{
		index[a] = a;
		sizes->any_open |= domain->attribute[a].open;
	}
	DP_TRY(dp_sort_indexes(index, domain->attributes, more_levels, domain->attribute, arena));
	for (uint32_t a = 0; a < domain->attributes; a++)
	{
		sizes->descending[a] = levels_of(&domain->attribute[index[a]]);
		sizes->levels[a] =
			order != NULL ? levels_of(&domain->attribute[order[a]]) : sizes->descending[a];
	}
	return DP_OK;
}

static uint64_t
cells_of(const Sizes *sizes, uint32_t depth)
{
	uint64_t cells = 1;

	for (uint32_t k = 0; k < depth; k++)
		cells = dp_multiply_saturated(cells, sizes->levels[k]);
	return cells;
}

/* The cells of layer l at most. A group of columns that is selected leaves its layer dense. */
static uint64_t
layer_cells(const DpStepsShape *shape, const Sizes *sizes, uint32_t l)
{
	uint64_t all = cells_of(sizes, sizes->attributes);

	if (shape->clusters && l < shape->widths.layers)
		return all < shape->layer.dense_cells ? all : shape->layer.dense_cells;
	return cells_of(sizes, dp_layout_depth(&shape->widths, sizes->attributes, l));
}

static DpStatus
too_many_branches(DpError *error)
{
	(void) dp_fail(error, DP_ERR_LIMIT, "a tree with branches of its own could be too large");
	dp_fail_detail(error,
				   "The tables of its layers above the last may have at most dense_cells "
				   "cells each, and %llu that are counted at once.",
				   (unsigned long long) DP_BRANCH_CELLS_MAX);
	dp_fail_hint(error, "Use fewer layers, or \"branches\": \"common\".");
	return DP_ERR_LIMIT;
}

/* With branches the layers above the last one must be dense, whatever is chosen. */
static DpStatus
check_branches(const DpPlan *plan, const DpStepsPlan *steps, DpError *error)
{
	if (steps->shape.branches && !dp_steps_branches_fit(&steps->selection, plan->request->domain))
		return too_many_branches(error);
	return DP_OK;
}

/* The first layer has a group, which tells the number of rows. */
static DpStatus
check_clusters(const DpPlan *plan, const DpStepsPlan *steps, DpError *error)
{
	if (!steps->shape.clusters || dp_steps_clusters_fit(&steps->selection, plan->request->domain))
		return DP_OK;
	(void) dp_fail(error, DP_ERR_LIMIT, "no column is small enough for a group");
	dp_fail_detail(error, "The table of a group may have at most dense_cells cells, and columns "
						  "that are open do not count.");
	dp_fail_hint(error, "Raise \"dense_cells\", or leave out \"branches\".");
	return DP_ERR_LIMIT;
}

static uint64_t
selection_memory(const DpPlan *plan, const DpStepsPlan *steps, const Sizes *sizes)
{
	uint64_t cells = 0;

	if (steps->shape.branches)
		return DP_BRANCH_CELLS_MAX * sizeof(int64_t);
	if (steps->shape.dependence)
		return dp_pairs_memory(plan->request->domain);
	for (uint32_t a = 0; a < sizes->attributes; a++)
		cells = dp_add_saturated(cells, sizes->descending[a]);
	return dp_multiply_saturated(cells, sizeof(int64_t));
}

/* Of the groups that one is chosen from. */
static uint64_t
clusters_memory(const DpStepsPlan *steps, const Sizes *sizes)
{
	return !steps->shape.clusters
			   ? 0
			   : dp_multiply_saturated(DP_CLUSTERS_MAX, 4 * sizes->attributes + 12);
}

/* Gives all choices one share. *left_nano gets smaller by what they cost. */
static DpStatus
plan_selection(DpPlan *plan, DpStepsPlan *steps, const Sizes *sizes, int64_t *left_nano,
			   DpError *error)
{
	const DpLayerWidths *widths = &steps->shape.widths;
	uint32_t choices = dp_steps_choices(widths, sizes->attributes);
	int64_t share = dp_share_floor(plan->remaining.epsilon_nano, steps->shape.selection_share_nano);
	DpStage stage = {
		.name = SELECTION,
		.mechanism = steps->shape.branches ? "permute-and-flip in each node" : "permute-and-flip",
		.tables = choices,
	};

	if (steps->shape.order != NULL || choices == 0)
		return DP_OK;
	stage.each = dp_cost_pure(share / (int64_t) choices);
	steps->selection = (DpStepsSelection){.dependence = steps->shape.dependence,
										  .bic = steps->shape.bic,
										  .clusters = steps->shape.clusters,
										  .widths = *widths,
										  .epsilon_each_nano = stage.each.epsilon_nano,
										  .nodes_max = steps->shape.layer.dense_cells};
	DP_TRY(check_branches(plan, steps, error));
	DP_TRY(check_clusters(plan, steps, error));
	if (stage.each.epsilon_nano < dp_unit_l1(&plan->request->unit))
		return dp_refuse_budget(SELECTION, error);
	if (!dp_steps_selectable(&steps->selection, plan->request->unit, sizes->attributes))
		return dp_refuse_unit(SELECTION, error);
	DP_TRY(dp_budget_multiply(stage.each, choices, &stage.total));
	*left_nano -= stage.total.epsilon_nano;
	plan->scans += steps->shape.branches ? widths->layers : 1;
	if (steps->shape.dependence && !steps->shape.branches)
		dp_expect_tables(&plan->estimate, dp_combinations(sizes->attributes, 2), 2);
	plan->memory_bytes = dp_add_saturated(plan->memory_bytes, selection_memory(plan, steps, sizes));
	plan->memory_bytes = dp_add_saturated(plan->memory_bytes, clusters_memory(steps, sizes));
	dp_plan_counts(plan, selection_memory(plan, steps, sizes));
	return dp_plan_stage(plan, &stage, error);
}

/* A dense first layer tells the number of rows. A public number needs no telling. An open
 * attribute may turn out to have more levels than a plan assumes, which can make the layer
 * sparse. */
static bool
needs_row_count(const DpPlan *plan, const DpStepsPlan *steps, const Sizes *sizes)
{
	bool clusters = steps->shape.clusters && steps->shape.widths.layers > 0;

	return !dp_unit_rows_public(&plan->request->unit) && !clusters &&
		   (layer_cells(&steps->shape, sizes, 0) > steps->shape.layer.dense_cells ||
			(sizes->any_open && steps->shape.layer.dense_cells > OPEN_LEVELS));
}

/* Adds the memory of layer l to the plan. Returns the bytes of its exact tables. */
static uint64_t
plan_layer_memory(DpPlan *plan, const DpStepsShape *shape, const Sizes *sizes, uint32_t l)
{
	uint32_t depth = dp_layout_depth(&shape->widths, sizes->attributes, l);
	uint64_t cells = layer_cells(shape, sizes, l);
	uint32_t all[DP_ATTRIBUTES_MAX] = {0};
	uint64_t bytes, exact;

	for (uint32_t a = 0; a < depth; a++)
		all[a] = shape->order != NULL ? shape->order[a] : a;
	dp_expect_table(&plan->estimate, plan->request->domain, &(DpAttributeSet){depth, all},
					cells <= shape->layer.dense_cells ? DP_DENSE : DP_SPARSE);
	if (cells <= shape->layer.dense_cells)
	{
		exact = dp_multiply_saturated(cells, sizeof(int64_t));
		bytes = dp_multiply_saturated(cells, NODE_BYTES);
	}
	else
	{
		exact = dp_table_counted(plan->request->domain, all, depth, DP_SPARSE);
		bytes = dp_table_memory(plan->request->domain, all, depth, DP_SPARSE);
	}
	plan->memory_bytes = dp_add_saturated(plan->memory_bytes, bytes);
	return exact;
}

static DpStatus
plan_layer(DpPlan *plan, const DpStepsShape *shape, const Sizes *sizes, uint32_t l, DpArena *arena,
		   DpError *error)
{
	uint32_t depth = dp_layout_depth(&shape->widths, sizes->attributes, l);
	bool certain = !sizes->any_open && (shape->order != NULL || l == shape->widths.layers ||
										(!shape->clusters && depth == sizes->attributes));
	char text[32];
	const char *name;

	snprintf(text, sizeof(text), "layer %u", l + 1);
	name = dp_strdup(arena, text);
	DP_TRY_ALLOC(name);
	return dp_plan_pure(plan, name, &shape->layer, layer_cells(shape, sizes, l), certain, error);
}

DpStatus
dp_steps_plan(DpPlan *plan, const DpStepsShape *shape, DpStepsPlan **out, DpArena *arena,
			  DpError *error)
{
	uint32_t p = plan->request->domain->attributes;
	uint32_t layers = dp_layout_layers(&shape->widths, p);
	int64_t left_nano = plan->remaining.epsilon_nano;
	uint64_t counted = 0;
	DpStepsPlan *steps = dp_alloc(arena, 1, sizeof(*steps));
	Sizes *sizes = dp_alloc(arena, 1, sizeof(*sizes));

	DP_TRY_ALLOC(steps && sizes);
	*out = steps;
	steps->shape = *shape;
	DP_TRY(measure_sizes(plan->request->domain, shape->order, sizes, arena));
	DP_TRY(plan_selection(plan, steps, sizes, &left_nano, error));
	if (needs_row_count(plan, steps, sizes))
	{
		DP_TRY(dp_plan_rows(plan, shape->count_share_nano, &steps->epsilon_rows_nano, error));
		left_nano -= steps->epsilon_rows_nano;
	}
	steps->shape.layer.epsilon_nano =
		dp_budget_divide(dp_cost_pure(left_nano > 0 ? left_nano : 0), layers).epsilon_nano;
	plan->scans++;
	for (uint32_t l = 0; l < layers; l++)
	{
		counted = dp_add_saturated(counted, plan_layer_memory(plan, shape, sizes, l));
		DP_TRY(plan_layer(plan, &steps->shape, sizes, l, arena, error));
	}
	dp_plan_counts(plan, counted);
	dp_free(arena, sizes, 1, sizeof(*sizes));
	return DP_OK;
}
