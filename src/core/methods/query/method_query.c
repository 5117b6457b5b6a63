/*
 * method_query.c -- aggregates of groups of rows: counts, sums, means, variances, quantiles.
 *
 * query
 *
 * Inputs:      measures of some columns, the columns that rows are grouped by, a filter
 * Output:      noisy statistics for each group, from which all measures are computed: numbers of
 *              rows, sums and sums of squares of clamped values, and for each quantile the part of
 *              the range that was chosen for it, and numbers of rows around that
 * Neighbours:  the dataset's
 * Guarantee: (epsilon, 0)-DP with discrete Laplace noise and choices by permute-and-flip, (epsilon,
 *              delta)-DP by way of zCDP with discrete Gaussian noise and the exponential mechanism:
 *              basic or zCDP composition over statistics; groups divide the rows, so one statistic
 *              costs once for all of them
 * Why: docs/methods/query.md bounds what one unit changes (dp_statistic_l1), quantile_score.h
 *              what a row does to a score
 * Source:      clamped sums: Google's differential privacy library; quantiles by the exponential
 * mechanism: Smith, "Privacy-preserving statistical estimation with optimal convergence
 *              rates" (2011). Departures: exact integers, sums about the middle of the range for
 *              means, noise of the kind that is less, candidates that are parts of a public grid, a
 *              score that keeps quantiles on a value that many rows have
 * Errors:      those that data cannot cause come before the debit; sums do not overflow (sums.h)
 */
#include "core/mechanism/disjoint.h"
#include "core/methods/query_plan.h"
#include "core/methods/registry.h"
#include "core/methods/unit_bound.h"
#include "core/model/query_layout.h"
#include "core/plan/measurement.h"
#include "core/plan/method.h"
#include "core/plan/refuse.h"
#include "core/methods/query/quantile_score.h"

static const DpOptionSpec specs[] = {
	{
		.name = "measures",
		.type = DP_OPTION_NAMES,
		.summary = "What to tell of each group: count(*), count(x), count(distinct x), sum(x), "
				   "avg(x), var(x), stddev(x), median(x), quantile(x, 0.9).",
	},
	{
		.name = "by",
		.type = DP_OPTION_NAMES,
		.summary = "The columns whose values make the groups; none: one group of all rows.",
	},
	{
		.name = "filter",
		.type = DP_OPTION_DOMAIN,
		.summary = "Which rows count: a level or a list of levels of a column, [from, to] of a "
				   "column with bins, or null for NULL.",
	},
	{
		.name = "question",
		.type = DP_OPTION_DOMAIN,
		.summary = "Measures, groups and filter as expressions, over relations that are joined; "
				   "written by dp_sql.",
	},
	{
		.name = DP_OPTION_MAX_ROWS,
		.type = DP_OPTION_INTEGER,
		.minimum = 1,
		.maximum = 1000000000,
		.summary = "How many rows of a unit count at most, of those that pass the filter; left "
				   "out: a number that fits is found, at a tenth of the budget.",
	},
	{
		.name = DP_OPTION_MAX_SUM,
		.type = DP_OPTION_SHARE,
		.minimum = 1,
		.maximum = INT64_C(9000000000000000000),
		.example = "5000",
		.summary = "How much a unit adds to each sum at most, over all groups; left out: an "
				   "amount that fits is found in the same way, unless max_rows_per_unit is given.",
	},
	{
		.name = "narrow",
		.type = DP_OPTION_BOOLEAN,
		.fallback = "false",
		.summary =
			"Whether values are clamped to where bins find rows, and not to the whole range.",
	},
};

/* ---- measure ---- */

typedef struct Release
{
	const DpMeasurement *m;
	const DpQueryPlan *query;
	const DpSums *sums;
	DpModel *model;
	DpQueryLayout layout;
} Release;

/* Fills in what is public of a table over the groups: all but its values. */
static DpStatus
table_describe(const Release *release, uint32_t i, DpTable *table)
{
	const DpQuery *spec = release->m->plan->request->query;

	*table = dp_query_table(release->query, i);
	table->n = spec->by;
	table->cells = release->sums->cells;
	table->attribute = dp_alloc(release->m->arena, spec->by, sizeof(*table->attribute));
	DP_TRY_ALLOC(table->attribute);
	for (uint32_t k = 0; k < spec->by; k++)
		table->attribute[k] = spec->by_attribute[k];
	return DP_OK;
}

/* The exact cells of all tables of a statistic, one table after another. */
static void
read_exact(const Release *release, uint32_t i, int64_t *exact)
{
	const DpStatistic *statistic = &release->query->statistic[i];
	int choice;

	if (statistic->kind != DP_STATISTIC_ZONES)
	{
		dp_sums_read(release->sums, i, exact);
		return;
	}
	choice = dp_statistic_find_quantile(release->query->statistic, release->query->n,
										DP_STATISTIC_CHOICE, statistic->column,
										statistic->quantile_nano);
	dp_sums_zones(release->sums, i, release->layout.choice[choice], exact);
}

/* The tables of a statistic are one vector of integers, which gets its noise at once. */
static DpStatus
release_tables(const Release *release, uint32_t i, DpTable *table)
{
	uint32_t tables = dp_statistic_tables(&release->query->statistic[i]);
	uint64_t groups = release->sums->cells, cells = groups * tables;
	DpArena *arena = release->m->arena;
	int64_t *exact = dp_alloc(arena, cells, sizeof(*exact));
	int64_t *noisy = dp_alloc(arena, cells, sizeof(*noisy));

	DP_TRY_ALLOC(exact && noisy);
	read_exact(release, i, exact);
	DP_TRY(dp_query_add_noise(&release->m->noise, release->query, i, exact, cells, noisy));
	dp_free(arena, exact, cells, sizeof(*exact));
	for (uint32_t t = 0; t < tables; t++)
	{
		DP_TRY(table_describe(release, i, &table[t]));
		table[t].value = noisy + t * groups;
	}
	return DP_OK;
}

/* Chooses a leaf in each group. */
static DpStatus
release_choice(const Release *release, uint32_t i)
{
	const DpQueryPlan *query = release->query;
	const DpStatistic *statistic = &query->statistic[i];
	const DpMeasurement *m = release->m;
	const int64_t *leaf = dp_sums_leaves(release->sums, i);
	DpQuantileRank rank = {.quantile_nano = statistic->quantile_nano,
						   .margin_rows = dp_choice_margin_rows(statistic)};
	uint64_t groups = release->sums->cells, leaves = UINT64_C(1) << statistic->height;
	int64_t *score = dp_alloc(m->arena, groups * leaves, sizeof(*score));
	uint32_t *chosen = dp_alloc(m->arena, groups, sizeof(*chosen));
	DpDisjointScores scores = {.score = score,
							   .groups = groups,
							   .candidates = leaves,
							   .row_sensitivity = dp_choice_row_sensitivity(statistic)};

	DP_TRY_ALLOC(score && chosen);
	for (uint64_t g = 0; g < groups; g++)
		dp_quantile_scores(leaf + g * leaves, leaves, &rank, score + g * leaves);
	release->layout.choice[i] = chosen;
	if (query->privacy_measure.concentrated)
		DP_TRY(dp_select_disjoint_concentrated(&m->noise, &scores, query->each[i],
											   query->privacy_measure.unit, chosen));
	else
		DP_TRY(dp_select_disjoint(&m->noise, &scores, query->each[i], query->privacy_measure.unit,
								  chosen));
	dp_free(m->arena, score, groups * leaves, sizeof(*score));
	return DP_OK;
}

static DpStatus
release_all(const Release *release)
{
	DpTable *table = release->model->table;

	for (uint32_t i = 0; i < release->query->n; i++)
	{
		if (dp_query_is_choice(release->query, i))
			DP_TRY(release_choice(release, i));
		else
			DP_TRY(release_tables(release, i, table));
		table += dp_statistic_tables(&release->query->statistic[i]);
	}
	return DP_OK;
}

static DpStatus
layout_start(const DpMeasurement *m, const DpQueryPlan *query, uint64_t groups,
			 DpQueryLayout *layout)
{
	const DpQuery *spec = m->plan->request->query;

	*layout = (DpQueryLayout){.by = spec->by,
							  .by_attribute = spec->by_attribute,
							  .cells = groups,
							  .statistics = query->n,
							  .statistic = (DpStatistic *) query->statistic,
							  .measures = spec->measures,
							  .measure = spec->measure};
	layout->choice = dp_alloc(m->arena, query->n, sizeof(*layout->choice));
	layout->grid = dp_alloc(m->arena, query->n, sizeof(*layout->grid));
	DP_TRY_ALLOC(layout->choice && layout->grid);
	for (uint32_t i = 0; i < query->n; i++)
		layout->grid[i] = dp_statistic_grid(spec, &query->statistic[i]);
	return DP_OK;
}

static DpStatus
check_groups(const DpQueryPlan *query, uint64_t groups, DpError *error)
{
	if (dp_query_cells(query, groups) <= 2 * DP_QUERY_CELLS_MAX)
		return DP_OK;
	return dp_refuse_cells("query", 2 * DP_QUERY_CELLS_MAX, "group by columns with fewer values",
						   error);
}

/* From the first to the last leaf with weight; all of it, if no leaf has any. Two values at least:
 * of one alone a row could change nothing, and there would be no noise to speak of. */
static void
narrow_range(const DpRange *range, DpStatistic *statistic)
{
	uint32_t first = 0, last = range->leaves - 1;

	while (first < last && range->weight[first] == 0)
		first++;
	while (last > first && range->weight[last] == 0)
		last--;
	if (range->weight[first] == 0)
		return;
	statistic->first = range->leaf[first];
	statistic->last = dp_range_leaf_last(range, last);
	if (statistic->first < statistic->last)
		return;
	if (statistic->last < range->grid.last)
		statistic->last++;
	else
		statistic->first--;
}

/* The plan with each range narrowed to the bins that the release has found; it may depend on them,
 * as they are released. A row adds less then, so the same budget gives less noise. */
static void
narrow_plan(const DpMeasurement *m, uint64_t groups, DpQueryPlan *query)
{
	if (dp_plan_option(m->plan, "narrow") == 0)
		return;
	for (uint32_t i = 0; i < query->n; i++)
	{
		DpStatistic *statistic = &query->statistic[i];
		const DpRange *range;

		if (statistic->kind < DP_STATISTIC_SUM)
			continue;
		range = m->domain->attribute[statistic->column].range;
		if (range == NULL)
			continue;
		narrow_range(range, statistic);
		if (statistic->kind >= DP_STATISTIC_CHOICE)
			statistic->height = dp_query_leaves_height(statistic, groups);
	}
	dp_query_divide(query);
}

/* The contribution bounds of a query, found from noisy numbers of units. Behind the wall. */

#define SUM_WEIGHT 1.5 /* weight of the amount cut off a sum: intervals do not cover it */

/* Releases noisy numbers of units, and fills in the fit that a bound is chosen by. */
static DpStatus
release_units(const DpMeasurement *m, const DpQueryPlan *query, const int64_t *exact,
			  DpUnitFit *fit)
{
	uint32_t classes = dp_unit_classes(fit->sizes);
	double *units = dp_alloc(m->arena, classes, sizeof(*units));
	int64_t noisy[DP_UNIT_CLASSES_MAX];

	DP_TRY_ALLOC(units);
	DP_TRY(dp_query_add_unit_noise(&m->noise, query, exact, classes, noisy));
	for (uint32_t i = 0; i < classes; i++)
		units[i] = (double) noisy[i];
	fit->units = units;
	fit->units_stddev = dp_query_unit_stddev(query);
	return DP_OK;
}

static int64_t
units_over(const DpUnitFit *fit, int64_t bound)
{
	return (int64_t) (dp_units_over(fit, bound) + 0.5);
}

static DpStatus
find_rows(const DpMeasurement *m, uint64_t groups, DpQueryPlan *query, int64_t *rows_over,
		  DpError *error)
{
	DpUnit *unit = &query->privacy_measure.unit;
	DpUnitFit fit = {
		.sizes = {1, unit->rows_max}, .hidden = 1, .cut_weight = 1, .groups = (double) groups};
	uint32_t last[DP_UNIT_CLASSES_MAX], classes = dp_unit_classes(fit.sizes);
	int64_t exact[DP_UNIT_CLASSES_MAX];

	for (uint32_t i = 0; i < classes; i++)
		last[i] = (uint32_t) dp_unit_class_last(fit.sizes, i);
	dp_announce(m, "units by their number of rows");
	DP_TRY(m->counter->units(m->counter->context, m->domain, m->plan->request->query, last, classes,
							 exact, error));
	DP_TRY(release_units(m, query, exact, &fit));
	fit.noise_stddev = dp_query_rows_stddev(query);
	unit->rows_max = (uint32_t) dp_unit_bound(&fit);
	*rows_over = units_over(&fit, unit->rows_max);
	dp_query_divide(query);
	m->counter->bound(m->counter->context, unit->rows_max);
	return DP_OK;
}

/* If noise hides the number of units, the bound of a sum is the largest value of one row. */
static DpStatus
find_sum(const DpMeasurement *m, uint64_t groups, DpQueryPlan *query, uint32_t i,
		 const int64_t *exact)
{
	DpStatistic *statistic = &query->statistic[i];
	DpUnitFit fit = {.sizes = dp_query_sum_sizes(query, i),
					 .hidden = dp_statistic_most(statistic),
					 .noise_stddev = dp_query_sum_stddev(query, i),
					 .cut_weight = SUM_WEIGHT,
					 .groups = (double) groups};

	DP_TRY(release_units(m, query, exact, &fit));
	statistic->unit_max = dp_unit_bound(&fit);
	statistic->units_over = units_over(&fit, statistic->unit_max);
	return DP_OK;
}

static DpStatus
find_sums(const DpMeasurement *m, uint64_t groups, DpQueryPlan *query, DpError *error)
{
	DpUnitSizes sizes[DP_STATISTICS_MAX];
	DpSums sums;

	for (uint32_t i = 0; i < query->n; i++)
		sizes[i] = dp_query_sum_sizes(query, i);
	DP_TRY(dp_sums_init_sizes(&sums, query->statistic, query->n, sizes, groups, m->arena));
	dp_announce(m, "units by their sums");
	DP_TRY(m->counter->sums(m->counter->context, m->domain, m->plan->request->query, &sums, error));
	for (uint32_t i = 0; i < query->n; i++)
		if (query->statistic[i].by_unit)
			DP_TRY(find_sum(m, groups, query, i, sums.of[i].units));
	return DP_OK;
}

/*
 * Finds the contribution bounds that the plan asks for: first the number of rows of a unit that are
 * counted, then the bound of each sum, each with the amount that the plan has for it. Stores them
 * in the plan, the counter (which then reads that many rows of a unit), the model and the layout.
 */
static DpStatus
query_find_bounds(const DpMeasurement *m, uint64_t groups, DpQueryPlan *query, DpUnit *unit,
				  int64_t *rows_over, DpError *error)
{
	*rows_over = -1;
	if (query->finds_rows)
		DP_TRY(find_rows(m, groups, query, rows_over, error));
	else if (query->all_rows)
		m->counter->bound(m->counter->context, UINT32_MAX);
	if (query->bounds > (query->finds_rows ? 1 : 0))
		DP_TRY(find_sums(m, groups, query, error));
	unit->rows_max = query->privacy_measure.unit.rows_max;
	return DP_OK;
}

static DpStatus
query_measure(const DpMeasurement *m, DpModel *model, DpError *error)
{
	const DpQuery *spec = m->plan->request->query;
	DpQueryPlan narrowed = *(const DpQueryPlan *) m->plan->private_data;
	const DpQueryPlan *query = &narrowed;
	uint64_t groups = dp_domain_cells(m->domain, spec->by_attribute, spec->by);
	Release release = {.m = m, .query = query, .model = model};
	int64_t rows_over;
	DpSums sums;

	narrow_plan(m, groups, &narrowed);
	DP_TRY(check_groups(query, groups, error));
	DP_TRY(query_find_bounds(m, groups, &narrowed, &model->unit, &rows_over, error));
	for (uint32_t i = 0; i < query->n; i++)
		model->tables += dp_statistic_tables(&query->statistic[i]);
	model->table = dp_alloc(m->arena, model->tables, sizeof(*model->table));
	DP_TRY_ALLOC(model->table);
	DP_TRY(layout_start(m, query, groups, &release.layout));
	release.layout.rows_over = rows_over;
	DP_TRY(dp_sums_init(&sums, query->statistic, query->n, m->domain, groups, m->arena));
	dp_announce(m, "query");
	DP_TRY(m->counter->sums(m->counter->context, m->domain, spec, &sums, error));
	release.sums = &sums;
	DP_TRY(release_all(&release));
	return dp_query_layout_store(&release.layout, model, m->arena);
}

/* ---- answers are no rows ---- */

static DpStatus
query_prepare(const DpModel *model, void **state, const DpTick *tick, DpArena *arena,
			  DpError *error)
{
	(void) model;
	(void) state;
	(void) tick;
	(void) arena;
	(void) dp_fail(error, DP_ERR_ARGUMENT, "the release holds answers, and no rows can be drawn");
	dp_fail_hint(error, "dp_query(release) reads the answers again, at no cost.");
	return DP_ERR_ARGUMENT;
}

static bool
query_fetch(const void *state, uint64_t row, uint32_t *codes)
{
	(void) state;
	(void) row;
	(void) codes;
	return false;
}

static uint64_t
query_draw_cost(const DpModel *model, const void *state)
{
	(void) state;
	(void) model;
	return 1;
}

static const DpSampler query_sampler = {
	.prepare = query_prepare,
	.fetch = query_fetch,
	.draw_cost = query_draw_cost,
};

const DpMethod dp_method_query = {
	.name = "query",
	.summary = "Answers: counts, sums, means, variances and quantiles of groups, with intervals.",
	.guarantee = "epsilon-DP; (epsilon, delta)-DP with Gaussian noise",
	.source = "clamped sums, and quantiles by private choice",
	DP_SPECS(specs),
	.plan = dp_query_plan,
	.measure = query_measure,
	.sampler = &query_sampler,
	.gaussian = true,
};
