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
 * Why:         see dp_cells_release, mechanism_sparse.c, dp_stability_delta
 * Source:      Algorithms 1 and 2 of the SBHG paper (laplace, stability); the CatHist paper,
 *              corrected: the number of empty cells that pass is random, they are drawn from empty
 *              cells alone, and everything is an integer (docs/methods/cathist.md)
 */
#include "methods.h"
#include "release_cells.h"
#include "release_table.h"
#include "table_sampler.h"

#define HISTOGRAM "histogram"
#define STAGES_BY_COLUMN 32 /* more columns share a line of dp_explain */

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
				   "threshold are told; on every value of a small domain, all told; or on values "
				   "that occur, with a delta.",
	},
	DP_SPEC_RHO,
	SPEC_DOMAIN,
};
#define HISTOGRAM_SPECS_N (sizeof(histogram_specs) / sizeof(histogram_specs[0]))

static const DpOptionSpec cathist_specs[] = {
	DP_SPEC_RHO,
	SPEC_DOMAIN,
	{
		.name = "joint",
		.type = DP_OPTION_BOOLEAN,
		.fallback = "false",
		.summary = "Whether one histogram is of all columns together, or each column has its own, "
				   "with an equal part of epsilon.",
	},
};
#define CATHIST_SPECS_N (sizeof(cathist_specs) / sizeof(cathist_specs[0]))

/* Tables that divide the attributes among them. */
typedef struct HistogramPlan
{
	DpCellRelease release; /* of each table */
	uint32_t tables;
	uint32_t width;      /* attributes of a table */
	uint32_t *attribute; /* 0, 1, 2, ... */
} HistogramPlan;

static int64_t
read_option(const DpPlan *plan, const char *name)
{
	return dp_option_integer(plan->request->options, plan->method->specs, plan->method->specs_n,
							 name);
}

static DpStatus
shape_create(DpPlan *plan, bool joint, DpArena *arena, HistogramPlan **out)
{
	uint32_t n = plan->request->domain->attributes;
	HistogramPlan *shape = dp_alloc(arena, 1, sizeof(*shape));

	*out = shape;
	if (shape == NULL)
		return DP_ERR_MEMORY;
	shape->tables = joint ? 1 : n;
	shape->width = joint ? n : 1;
	shape->release.rho_nano = read_option(plan, "rho");
	shape->attribute = dp_alloc(arena, n, sizeof(*shape->attribute));
	if (shape->attribute == NULL)
		return DP_ERR_MEMORY;
	for (uint32_t i = 0; i < n; i++)
		shape->attribute[i] = i;
	plan->private_data = shape;
	return DP_OK;
}

/* Each set would find levels of its own. */
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

static DpStatus
histogram_plan(DpPlan *plan, DpArena *arena, DpError *error)
{
	const DpDomain *domain = plan->request->domain;
	HistogramPlan *shape;

	DP_TRY(shape_create(plan, true, arena, &shape));
	DP_TRY(check_sets(plan, shape, error));
	shape->release.mechanism = (DpCellMechanism) read_option(plan, "mechanism");
	shape->release.cost =
		shape->release.mechanism == DP_CELLS_STABILITY
			? dp_cost_approximate(plan->remaining.epsilon_nano, plan->remaining.delta_atto)
			: dp_cost_pure(plan->remaining.epsilon_nano);
	plan->scans += scans_of(domain, shape);
	return dp_plan_cells(plan, HISTOGRAM, &shape->release, shape->attribute, domain->attributes,
						 arena, error);
}

static const uint32_t *
table_attributes(const HistogramPlan *shape, uint32_t t)
{
	return shape->attribute + t * shape->width;
}

/* One line for all columns: of tables without a size, the first is refused as it would be alone. */
static DpStatus
plan_together(DpPlan *plan, const HistogramPlan *shape, DpArena *arena, DpError *error)
{
	uint64_t *sizes = dp_alloc(arena, shape->tables, sizeof(*sizes));

	if (sizes == NULL)
		return DP_ERR_MEMORY;
	for (uint32_t t = 0; t < shape->tables; t++)
	{
		sizes[t] = dp_cells_size(plan->request->domain, table_attributes(shape, t), shape->width);
		if (sizes[t] == UINT64_MAX)
			return dp_plan_cells(plan, HISTOGRAM, &shape->release, table_attributes(shape, t),
								 shape->width, arena, error);
		dp_plan_cells_memory(plan, table_attributes(shape, t), shape->width);
	}
	return dp_plan_cathist(plan, HISTOGRAM, shape->release.cost, shape->release.rho_nano, sizes,
						   shape->tables, arena, error);
}

/* One line for each column, unless they are many. */
static DpStatus
plan_columns(DpPlan *plan, const HistogramPlan *shape, DpArena *arena, DpError *error)
{
	if (shape->tables > STAGES_BY_COLUMN)
		return plan_together(plan, shape, arena, error);
	for (uint32_t t = 0; t < shape->tables; t++)
		DP_TRY(dp_plan_cells(plan, HISTOGRAM, &shape->release, table_attributes(shape, t),
							 shape->width, arena, error));
	return DP_OK;
}

static DpStatus
cathist_plan(DpPlan *plan, DpArena *arena, DpError *error)
{
	HistogramPlan *shape;

	DP_TRY(shape_create(plan, read_option(plan, "joint"), arena, &shape));
	DP_TRY(check_sets(plan, shape, error));
	shape->release.mechanism = DP_CELLS_CATHIST;
	shape->release.cost = dp_cost_pure(plan->remaining.epsilon_nano / shape->tables);
	plan->scans += scans_of(plan->request->domain, shape);
	return plan_columns(plan, shape, arena, error);
}

/* ---- measuring ---- */

static int64_t
total_of(const DpTable *table)
{
	double total = 0;

	for (uint64_t i = 0; i < table->cells; i++)
		total += (double) table->value[i];
	return total <= 0 ? 0 : total >= 0x1p62 ? INT64_C(1) << 62 : (int64_t) total;
}

/* Every table misses what stayed below its threshold: the largest total misses least. */
static int64_t
largest_total(const DpModel *model)
{
	int64_t rows = 0;

	for (uint32_t t = 0; t < model->tables; t++)
		rows = total_of(&model->table[t]) > rows ? total_of(&model->table[t]) : rows;
	return rows;
}

static DpStatus
histogram_measure(const DpMeasurement *m, DpModel *model, DpError *error)
{
	const HistogramPlan *shape = m->plan->private_data;
	DpSettledCells *exact = dp_alloc(m->arena, shape->tables, sizeof(*exact));

	model->tables = shape->tables;
	model->table = dp_alloc(m->arena, shape->tables, sizeof(*model->table));
	if (exact == NULL || model->table == NULL)
		return DP_ERR_MEMORY;
	dp_announce(m, HISTOGRAM);
	for (uint32_t t = 0; t < shape->tables; t++)
	{
		exact[t].cells.n = shape->width;
		exact[t].cells.attribute = shape->attribute + t * shape->width;
	}
	DP_TRY(dp_cells_count(m, exact, shape->tables, error));
	for (uint32_t t = 0; t < shape->tables; t++)
		DP_TRY(dp_cells_release(m, &exact[t], &shape->release, &model->domain, &model->table[t]));
	model->rows = dp_unit_rows_public(&model->unit) ? exact[0].cells.rows : largest_total(model);
	return DP_OK;
}

/* ---- drawing ---- */

typedef struct HistogramSampler
{
	uint32_t tables;
	DpTableSampler *table;
} HistogramSampler;

/* Each attribute is in one table: nothing of a row is drawn twice, nothing is left out. */
static bool
divides_domain(const DpModel *model, bool *seen)
{
	uint32_t placed = 0;

	for (uint32_t t = 0; t < model->tables; t++)
		for (uint32_t k = 0; k < model->table[t].n; k++, placed++)
		{
			if (seen[model->table[t].attribute[k]])
				return false;
			seen[model->table[t].attribute[k]] = true;
		}
	return placed == model->domain.attributes;
}

static DpStatus
histogram_prepare(const DpModel *model, DpArena *arena, const DpTick *tick, void **out,
				  DpError *error)
{
	HistogramSampler *sampler = dp_alloc(arena, 1, sizeof(*sampler));
	bool *seen = dp_alloc(arena, model->domain.attributes, sizeof(*seen));

	if (sampler == NULL || seen == NULL)
		return DP_ERR_MEMORY;
	if (!divides_domain(model, seen))
		return dp_fail(error, DP_ERR_CORRUPT,
					   "stored model: its tables do not divide the columns among them");
	sampler->tables = model->tables;
	sampler->table = dp_alloc(arena, model->tables, sizeof(*sampler->table));
	if (sampler->table == NULL)
		return DP_ERR_MEMORY;
	for (uint32_t t = 0; t < model->tables; t++)
	{
		dp_tick(tick, (double) t / model->tables);
		DP_TRY(dp_table_sampler_prepare(model, t, NULL, model->rows, arena, &sampler->table[t],
										error));
	}
	*out = sampler;
	return DP_OK;
}

static void
histogram_draw(const void *sampler_in, DpPrng *prng, uint32_t *codes)
{
	const HistogramSampler *sampler = sampler_in;

	for (uint32_t t = 0; t < sampler->tables; t++)
		dp_table_sampler_draw(&sampler->table[t], prng, codes);
}

static uint64_t
histogram_draw_cost(const DpModel *model)
{
	return 1 + model->tables + model->domain.attributes / 8;
}

const DpMethod dp_method_histogram = {
	.name = "histogram",
	.summary = "Noisy counts of the values of some columns together, of any domain.",
	.guarantee = "epsilon-DP; (epsilon, delta)-DP with mechanism stability",
	.source = "CatHist; SBHG, algorithms 1 and 2",
	.specs = histogram_specs,
	.specs_n = HISTOGRAM_SPECS_N,
	.keeps_open = true,
	.plan = histogram_plan,
	.measure = histogram_measure,
	.prepare = histogram_prepare,
	.draw = histogram_draw,
	.draw_cost = histogram_draw_cost,
};

const DpMethod dp_method_cathist = {
	.name = "cathist",
	.summary = "Each column by its own histogram over a domain that may be huge: independent "
			   "columns.",
	.guarantee = "epsilon-DP",
	.source = "CatHist, corrected",
	.specs = cathist_specs,
	.specs_n = CATHIST_SPECS_N,
	.keeps_open = true,
	.plan = cathist_plan,
	.measure = histogram_measure,
	.prepare = histogram_prepare,
	.draw = histogram_draw,
	.draw_cost = histogram_draw_cost,
};
