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
#include "core/model/query_layout.h"
#include "core/plan/measurement.h"
#include "core/plan/method.h"
#include "core/plan/refuse.h"
#include "core/sample/query/query_sampler.h"
#include "core/methods/query/quantile_score.h"
#include "core/methods/query/query_bound.h"

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
	if (table->attribute == NULL)
		return DP_ERR_MEMORY;
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

	if (exact == NULL || noisy == NULL)
		return DP_ERR_MEMORY;
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

	if (score == NULL || chosen == NULL)
		return DP_ERR_MEMORY;
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
	if (layout->choice == NULL || layout->grid == NULL)
		return DP_ERR_MEMORY;
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

/* The plan with ranges as narrow as the bins that the release has found, which it may depend on.
 * What a row adds is bounded by them, so that the same budget buys less noise. */
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
	DP_TRY(dp_query_find_bounds(m, groups, &narrowed, &model->unit, &rows_over, error));
	for (uint32_t i = 0; i < query->n; i++)
		model->tables += dp_statistic_tables(&query->statistic[i]);
	model->table = dp_alloc(m->arena, model->tables, sizeof(*model->table));
	if (model->table == NULL)
		return DP_ERR_MEMORY;
	DP_TRY(layout_start(m, query, groups, &release.layout));
	release.layout.rows_over = rows_over;
	DP_TRY(dp_sums_init(&sums, query->statistic, query->n, m->domain, groups, m->arena));
	dp_announce(m, "query");
	DP_TRY(m->counter->sums(m->counter->context, m->domain, spec, &sums, error));
	release.sums = &sums;
	DP_TRY(release_all(&release));
	return dp_query_layout_store(&release.layout, model, m->arena);
}

const DpMethod dp_method_query = {
	.name = "query",
	.summary = "Answers: counts, sums, means, variances and quantiles of groups, with intervals.",
	.guarantee = "epsilon-DP; (epsilon, delta)-DP with Gaussian noise",
	.source = "clamped sums, and quantiles by private choice",
	DP_SPECS(specs),
	.plan = dp_query_plan,
	.measure = query_measure,
	.sampler = &dp_query_sampler,
	.gaussian = true,
};
