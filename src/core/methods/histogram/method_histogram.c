/*
 * method_histogram.c -- histograms as such: one over some columns together
 * (histogram), or one for each column, to draw rows from (cathist).
 *
 * histogram, cathist
 *
 * Inputs:      columns with levels, or open ones with a universe or without
 * Output:      noisy counts: of the cells that reach a threshold (cathist, stability), or of all
 *              cells of the domain (laplace)
 * Neighbours:  the dataset's
 * Guarantee:   histogram: (epsilon, 0)-DP, with stability (epsilon, delta)-DP. cathist: (epsilon,
 *              0)-DP, basic composition over columns with epsilon/p each, or one table of all.
 * Why:         see dp_cells_release, sparse_histogram.c, dp_stability_delta
 * Source:      Algorithms 1 and 2 of the SBHG paper (laplace, stability); the CatHist paper,
 *              corrected: the number of empty cells that pass is random, these are drawn from
 *              empty cells alone, and everything is an integer (docs/methods/cathist.md)
 */
#include <math.h>

#include "core/methods/registry.h"
#include "core/model/noisy_table.h"
#include "core/plan/method.h"
#include "core/plan/release_cells.h"
#include "core/plan/release_table.h"
#include "core/sample/sampler.h"

#define HISTOGRAM "histogram"
#define STAGES_BY_COLUMN 32 /* with more columns, all share a line of dp_explain */

#define SPEC_DOMAIN                                                                                \
	{                                                                                              \
		.name = "domain", .type = DP_OPTION_DOMAIN,                                                \
		.summary = "The public domain of each column that has none, or of which another one is "   \
				   "wanted: a table, a range, a list, an alphabet, a product."                     \
	}

static const DpOptionSpec histogram_specs[] = {
	{
		.name = "mechanism",
		.type = DP_OPTION_CHOICE,
		.fallback = "cathist",
		.choices = "cathist|laplace|stability",
		.summary = "Noise on every value that there could be, of which those that reach a "
				   "threshold are released; on every value of a small domain, all are released; or "
				   "on values "
				   "that occur, with a delta.",
	},
	SPEC_DOMAIN,
	DP_SPEC_NO_FALSE_POSITIVES,
};

static const DpOptionSpec cathist_specs[] = {
	SPEC_DOMAIN,
	DP_SPEC_NO_FALSE_POSITIVES,
	{
		.name = "joint",
		.type = DP_OPTION_BOOLEAN,
		.fallback = "false",
		.summary = "Whether one histogram is of all columns together, or each column has its own, "
				   "with an equal part of epsilon.",
	},
};

/* Tables that divide the attributes among them. */
typedef struct HistogramPlan
{
	DpCellRelease release; /* how each table is released */
	uint32_t tables;
	uint32_t width;      /* attributes of each table */
	bool total;          /* no column is asked for: the number of rows alone is released */
	uint32_t *attribute; /* 0, 1, 2, ... */
} HistogramPlan;

static DpStatus
shape_create(DpPlan *plan, bool joint, HistogramPlan **out, DpArena *arena, DpError *error)
{
	uint32_t n = plan->request->domain->attributes;
	HistogramPlan *shape = dp_alloc(arena, 1, sizeof(*shape));

	*out = shape;
	DP_TRY_ALLOC(shape);
	shape->tables = joint ? 1 : n;
	shape->width = joint ? n : 1;
	shape->release.stage = HISTOGRAM;
	DP_TRY(dp_plan_no_false_positives(plan, "no_false_positives",
									  dp_plan_option(plan, "no_false_positives"),
									  &shape->release.no_false_positives_nano, error));
	shape->attribute = dp_alloc(arena, n, sizeof(*shape->attribute));
	DP_TRY_ALLOC(shape->attribute);
	for (uint32_t i = 0; i < n; i++)
		shape->attribute[i] = i;
	plan->private_data = shape;
	return DP_OK;
}

/* Independent sets are refused with open columns, since each would find levels of its own. */
static DpStatus
check_sets(const DpPlan *plan, const HistogramPlan *shape, DpError *error)
{
	const DpDomain *domain = plan->request->domain;

	if (plan->sets <= 1 || !dp_cells_any_open(domain, shape->attribute, domain->attributes))
		return DP_OK;
	(void) dp_fail(error, DP_ERR_ARGUMENT, "independent sets need columns with categories or bins");
	dp_fail_hint(error, "Draw the sets from one measurement, or ask for several releases.");
	return DP_ERR_ARGUMENT;
}

/* Columns with levels are counted in one scan, open ones in another. */
static uint32_t
scans_of(const DpDomain *domain, const HistogramPlan *shape)
{
	bool scan[2] = {false, false};

	for (uint32_t t = 0; t < shape->tables; t++)
		scan[dp_cells_any_open(domain, shape->attribute + t * shape->width, shape->width)] = true;
	return (uint32_t) scan[0] + scan[1];
}

/* Whether the list of columns was given, and is empty. */
static bool
asks_total(const DpPlan *plan)
{
	const DpOption *names = dp_option_lists(plan->request->options, "columns");

	return names != NULL && names->kind == DP_VALUE_LIST && names->list[0].n == 0;
}

/* One row changes the total as it changes a cell, so one count with Laplace noise costs what a
 * histogram costs. Its exact value is the sum of the cells of some column. */
static DpStatus
total_plan(DpPlan *plan, HistogramPlan *shape, DpError *error)
{
	shape->total = true;
	shape->width = 1;
	plan->scans++;
	return dp_plan_laplace(plan, "row count", 1, shape->release.cost, 1, error);
}

static DpStatus
histogram_plan(DpPlan *plan, DpArena *arena, DpError *error)
{
	const DpDomain *domain = plan->request->domain;
	HistogramPlan *shape;

	DP_TRY(shape_create(plan, true, &shape, arena, error));
	DP_TRY(check_sets(plan, shape, error));
	shape->release.mechanism = (DpCellMechanism) dp_plan_option(plan, "mechanism");
	if (asks_total(plan))
	{
		shape->release.cost = dp_cost_pure(plan->remaining.epsilon_nano);
		return total_plan(plan, shape, error);
	}
	shape->release.cost = shape->release.mechanism == DP_CELLS_STABILITY
							  ? dp_cost_approximate(plan->remaining)
							  : dp_cost_pure(plan->remaining.epsilon_nano);
	plan->scans += scans_of(domain, shape);
	return dp_plan_cells(plan, &shape->release, shape->attribute, domain->attributes, arena, error);
}

static const uint32_t *
table_attributes(const HistogramPlan *shape, uint32_t t)
{
	return shape->attribute + t * shape->width;
}

/* One line stands for all columns. If there are tables of unknown size, the first is refused as
 * it would be alone. */
static DpStatus
plan_together(DpPlan *plan, const HistogramPlan *shape, DpArena *arena, DpError *error)
{
	uint64_t *sizes = dp_alloc(arena, shape->tables, sizeof(*sizes));

	DP_TRY_ALLOC(sizes);
	for (uint32_t t = 0; t < shape->tables; t++)
	{
		sizes[t] = dp_cells_size(plan->request->domain, table_attributes(shape, t), shape->width);
		if (sizes[t] == UINT64_MAX)
			return dp_plan_cells(plan, &shape->release, table_attributes(shape, t), shape->width,
								 arena, error);
		dp_plan_cells_memory(plan, table_attributes(shape, t), shape->width);
	}
	return dp_plan_cathist(plan, &shape->release, sizes, shape->tables, arena, error);
}

/* Each column has a line, unless there are many. */
static DpStatus
plan_columns(DpPlan *plan, const HistogramPlan *shape, DpArena *arena, DpError *error)
{
	if (shape->tables > STAGES_BY_COLUMN)
		return plan_together(plan, shape, arena, error);
	for (uint32_t t = 0; t < shape->tables; t++)
		DP_TRY(dp_plan_cells(plan, &shape->release, table_attributes(shape, t), shape->width, arena,
							 error));
	return DP_OK;
}

static DpStatus
cathist_plan(DpPlan *plan, DpArena *arena, DpError *error)
{
	HistogramPlan *shape;

	DP_TRY(shape_create(plan, dp_plan_option(plan, "joint"), &shape, arena, error));
	DP_TRY(check_sets(plan, shape, error));
	shape->release.mechanism = DP_CELLS_CATHIST;
	shape->release.cost = dp_cost_pure(plan->remaining.epsilon_nano / shape->tables);
	plan->scans += scans_of(plan->request->domain, shape);
	return plan_columns(plan, shape, arena, error);
}

/* ---- measuring ---- */

/* Every table misses what stayed below its threshold. The largest total misses least. */
static int64_t
largest_total(const DpModel *model)
{
	double rows = 0;

	for (uint32_t t = 0; t < model->tables; t++)
		rows = fmax(rows, dp_table_total(&model->table[t]));
	return dp_rows_whole(rows);
}

/* Only the number of rows is measured, and no column. A column whose values were not discovered
 * becomes one level "other", as where no value was found. */
static void
close_columns(DpDomain *domain)
{
	for (uint32_t a = 0; a < domain->attributes; a++)
	{
		DpAttribute *attribute = &domain->attribute[a];

		if (!attribute->open)
			continue;
		attribute->open = false;
		attribute->universe = NULL;
		attribute->labels_n = 0;
		dp_attribute_count_levels(attribute);
	}
}

static DpStatus
histogram_measure(const DpMeasurement *m, DpModel *model, DpError *error)
{
	const HistogramPlan *shape = m->plan->private_data;
	DpFinalCells *exact = dp_alloc(m->arena, shape->tables, sizeof(*exact));

	model->tables = shape->tables;
	model->table = dp_alloc(m->arena, shape->tables, sizeof(*model->table));
	DP_TRY_ALLOC(exact && model->table);
	dp_announce(m, HISTOGRAM);
	for (uint32_t t = 0; t < shape->tables; t++)
	{
		exact[t].cells.n = shape->width;
		exact[t].cells.attribute = shape->attribute + t * shape->width;
	}
	DP_TRY(dp_cells_count(m, exact, shape->tables, error));
	for (uint32_t t = 0; t < shape->tables && shape->total; t++)
		DP_TRY(dp_rows_release(m, exact[t].cells.rows, shape->release.cost, &model->table[t]));
	if (shape->total)
		close_columns(&model->domain);
	for (uint32_t t = 0; t < shape->tables && !shape->total; t++)
		DP_TRY(dp_cells_release(m, &exact[t], &shape->release, &model->domain, &model->table[t]));
	model->rows = dp_unit_rows_public(&model->unit) ? exact[0].cells.rows : largest_total(model);
	return DP_OK;
}

/* ---- drawing ---- */

const DpMethod dp_method_histogram = {
	.name = "histogram",
	.summary = "Noisy counts of the values of some columns together, of any domain.",
	.guarantee = "epsilon-DP; (epsilon, delta)-DP with mechanism stability",
	.source = "CatHist; SBHG, algorithms 1 and 2",
	DP_SPECS(histogram_specs),
	.keeps_open = true,
	.plan = histogram_plan,
	.measure = histogram_measure,
	.sampler = &dp_histogram_sampler,
};

const DpMethod dp_method_cathist = {
	.name = "cathist",
	.summary = "Each column by its own histogram over a domain that may be huge: independent "
			   "columns.",
	.guarantee = "epsilon-DP",
	.source = "CatHist, corrected",
	DP_SPECS(cathist_specs),
	.keeps_open = true,
	.plan = cathist_plan,
	.measure = histogram_measure,
	.sampler = &dp_histogram_sampler,
};
