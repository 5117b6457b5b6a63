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
 * Guarantee:   (epsilon, 0)-DP with discrete Laplace noise and choices by permute-and-flip, (epsilon,
 *              delta)-DP by way of zCDP with discrete Gaussian noise and the exponential mechanism:
 *              basic or zCDP composition over statistics; groups divide the rows, so one statistic
 *              costs once for all of them
 * Why:         docs/methods/query.md bounds what one unit changes (dp_statistic_l1), quantile_score.h
 *              what a row does to a score
 * Source:      clamped sums: Google's differential privacy library; quantiles by the exponential
 *              mechanism: Smith, "Privacy-preserving statistical estimation with optimal convergence
 *              rates" (2011). Departures: exact integers, sums about the middle of the range for
 *              means, noise of the kind that is less, candidates that are parts of a public grid, a
 *              score that keeps quantiles on a value that many rows have
 * Errors:      those that data cannot cause come before the debit; sums do not overflow (sums.h)
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/base/decimal.h"
#include "core/base/saturate.h"
#include "core/mechanism/disjoint.h"
#include "core/methods/registry.h"
#include "core/model/query_layout.h"
#include "core/release/currency.h"
#include "core/release/measurement.h"
#include "core/release/method.h"
#include "core/release/refuse.h"
#include "core/rows/query_sampler.h"
#include "core/select/quantile_score.h"

#define OPEN_LEVELS_GUESS 1000
#define LEAVES_MAX UINT64_C(4000000) /* of one column, in all groups */
#define CELLS_MAX UINT64_C(20000000) /* groups, times numbers and the leaves of choices */
#define BITS_MAX 36                  /* of what a row adds */
#define BITS_LEAST 12
#define STAGE_BYTES 160

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
		.summary = "Which rows count: a level or a list of levels of a column, or [from, to] of a "
				   "column with bins.",
	},
	{
		.name = "narrow",
		.type = DP_OPTION_BOOLEAN,
		.fallback = "false",
		.summary =
			"Whether values are clamped to where bins find rows, and not to the whole range.",
	},
};

typedef struct QueryPlan
{
	DpCurrency currency;
	DpCellFacts facts;
	uint32_t n;
	DpStatistic statistic[DP_STATISTICS_MAX];
	int64_t each[DP_STATISTICS_MAX]; /* amount of a statistic */
} QueryPlan;

/* ---- noise ---- */

static DpLaplace
laplace_of(const QueryPlan *query, uint32_t i)
{
	return (DpLaplace){query->each[i],
					   dp_statistic_l1(&query->statistic[i], &query->currency.unit, query->facts)};
}

static DpGaussian
gaussian_of(const QueryPlan *query, uint32_t i)
{
	return (DpGaussian){
		query->each[i],
		dp_statistic_l2_squared(&query->statistic[i], &query->currency.unit, query->facts)};
}

static bool
is_choice(const QueryPlan *query, uint32_t i)
{
	return query->statistic[i].kind == DP_STATISTIC_CHOICE;
}

/* The epsilon of a choice in one group, for a row that joins or leaves it. */
static int64_t
choice_nano_of(const QueryPlan *query, uint32_t i)
{
	if (query->currency.concentrated)
		return dp_select_epsilon(dp_disjoint_rho(query->each[i], query->currency.unit));
	return dp_disjoint_epsilon(query->each[i], query->currency.unit);
}

/*
 * In the unit of what a row adds. Of a choice, that of its distance in rows from the quantile where
 * rows lie evenly: that falls as exp(-rate |d|), on both sides.
 */
static double
stddev_of(const QueryPlan *query, uint32_t i)
{
	const DpStatistic *statistic = &query->statistic[i];

	if (is_choice(query, i))
		return sqrt(2) * dp_choice_rows(statistic);
	return query->currency.concentrated ? dp_gaussian_stddev(gaussian_of(query, i))
										: dp_laplace_stddev(laplace_of(query, i));
}

static DpStatus
add_noise(const DpNoiseSource *noise, const QueryPlan *query, uint32_t i, const int64_t *exact,
		  uint64_t cells, int64_t *out)
{
	if (query->currency.concentrated)
		return dp_gaussian_release(noise, gaussian_of(query, i), exact, cells, out);
	return dp_laplace_release(noise, laplace_of(query, i), exact, cells, out);
}

/* A run over no cells checks all arguments and draws nothing. */
static bool
can_calibrate(const QueryPlan *query, uint32_t i)
{
	DpMeter meter;

	if (query->each[i] < 1)
		return false;
	if (is_choice(query, i))
		return choice_nano_of(query, i) >= 1;
	dp_meter_init(&meter, dp_currency_cost(&query->currency, query->each[i]));
	return add_noise(&(DpNoiseSource){.meter = &meter}, query, i, NULL, 0, NULL) == DP_OK;
}

/* ---- plan ---- */

static uint64_t
groups_at_most(const DpDomain *domain, const DpQuery *asked)
{
	uint64_t cells = 1;

	for (uint32_t k = 0; k < asked->by; k++)
	{
		const DpAttribute *attribute = &domain->attribute[asked->by_attribute[k]];

		cells =
			dp_multiply_saturated(cells, attribute->open ? OPEN_LEVELS_GUESS : attribute->levels);
	}
	return cells;
}

/* 2^height leaves: as many as the range has values, and the groups leave room. */
static uint32_t
height_of(const DpStatistic *statistic, uint64_t groups)
{
	unsigned __int128 size =
		(unsigned __int128) ((__int128) statistic->last - statistic->first) + 1;
	uint32_t height = 1;

	while (height < DP_LEAVES_HEIGHT_MAX && ((unsigned __int128) 1 << height) < size &&
		   dp_multiply_saturated(groups, UINT64_C(2) << height) <= LEAVES_MAX)
		height++;
	return height;
}

/* Keeps as many bits of what a row adds as the noise has room for. */
static void
choose_shift(QueryPlan *query, uint32_t i)
{
	DpStatistic *statistic = &query->statistic[i];

	for (uint32_t bits = BITS_MAX; bits >= BITS_LEAST; bits--)
	{
		statistic->shift = dp_statistic_shift(statistic, bits);
		if (can_calibrate(query, i))
			return;
	}
}

/* Divides the currency among the statistics, and makes what a row adds small enough for it. */
static void
divide(QueryPlan *query)
{
	uint32_t shares = 0;

	for (uint32_t i = 0; i < query->n; i++)
		shares += query->statistic[i].share;
	for (uint32_t i = 0; i < query->n; i++)
	{
		DpStatistic *statistic = &query->statistic[i];

		query->each[i] = (int64_t) ((__int128) query->currency.all * statistic->share / shares);
		if (is_choice(query, i))
			statistic->choice_nano = choice_nano_of(query, i);
		if (statistic->kind >= DP_STATISTIC_SUM && statistic->kind <= DP_STATISTIC_SQUARES)
			choose_shift(query, i);
	}
}

/* The sum of the logarithms of the noise of all statistics, in the unit of coordinates. */
static double
log_noise(const QueryPlan *query)
{
	double sum = 0;

	for (uint32_t i = 0; i < query->n; i++)
	{
		if (!can_calibrate(query, i))
			return INFINITY;
		sum += log(stddev_of(query, i)) + query->statistic[i].shift * log(2);
	}
	return sum;
}

/* With a delta, Gaussian noise where it is less, else Laplace noise, which leaves delta alone. Where
 * bins were found at a part of rho, all is paid in rho. */
static void
choose_currency(const DpPlan *plan, QueryPlan *query)
{
	QueryPlan pure = *query;

	query->currency = dp_currency_of(plan);
	pure.currency = (DpCurrency){.unit = plan->request->unit, .all = plan->remaining.epsilon_nano};
	divide(query);
	divide(&pure);
	if (query->currency.concentrated && !plan->range.concentrated &&
		log_noise(&pure) <= log_noise(query))
		*query = pure;
}

/* ---- the stages ---- */

static const char *
stage_name(const DpPlan *plan, const DpStatistic *statistic, DpArena *arena)
{
	static const char *const words[] = {
		[DP_STATISTIC_ROWS] = "rows",
		[DP_STATISTIC_PRESENT] = "rows with",
		[DP_STATISTIC_DISTINCT] = "distinct",
		[DP_STATISTIC_SUM] = "sum of",
		[DP_STATISTIC_CENTRED] = "sum about the middle of",
		[DP_STATISTIC_SQUARES] = "sum of squares of",
	};
	char name[STAGE_BYTES], share[32];

	if (statistic->column == DP_NO_COLUMN)
		return words[DP_STATISTIC_ROWS];
	if (statistic->kind >= DP_STATISTIC_CHOICE)
		(void) snprintf(name, sizeof(name), "%squantile %s of %.64s",
						statistic->kind == DP_STATISTIC_ZONES ? "rows around " : "",
						dp_decimal_print(statistic->quantile_nano, 9, share),
						plan->request->domain->attribute[statistic->column].name);
	else
		(void) snprintf(name, sizeof(name), "%s %.64s", words[statistic->kind],
						plan->request->domain->attribute[statistic->column].name);
	return dp_strdup(arena, name);
}

/* What the integer that a row adds is worth as a number. */
static double
unit_of(const DpPlan *plan, const DpStatistic *statistic)
{
	double unit;

	if (statistic->kind < DP_STATISTIC_SUM || statistic->kind > DP_STATISTIC_SQUARES)
		return 1;
	unit = dp_coordinate_unit(&plan->request->query->grid[statistic->column]);
	return ldexp(statistic->kind == DP_STATISTIC_SQUARES ? unit * unit : unit,
				 (int) statistic->shift);
}

static const char *
mechanism_of(const QueryPlan *query, uint32_t i)
{
	if (is_choice(query, i))
		return query->currency.concentrated ? "exponential mechanism" : "permute-and-flip";
	return query->currency.concentrated ? "discrete Gaussian" : "discrete Laplace";
}

static DpStatus
plan_statistic(DpPlan *plan, QueryPlan *query, uint32_t i, uint64_t groups, DpArena *arena,
			   DpError *error)
{
	const DpStatistic *statistic = &query->statistic[i];
	double unit = unit_of(plan, statistic);
	DpStage stage = {
		.name = stage_name(plan, statistic, arena),
		.mechanism = mechanism_of(query, i),
		.tables = 1,
		.each = dp_currency_cost(&query->currency, query->each[i]),
		.cells =
			dp_multiply_saturated(groups, is_choice(query, i) ? 1 : dp_statistic_tables(statistic)),
	};

	if (stage.name == NULL)
		return DP_ERR_MEMORY;
	if (!can_calibrate(query, i))
		return dp_refuse_budget(stage.name, error);
	stage.noise_stddev_rows = unit * stddev_of(query, i);
	stage.total = stage.each;
	return dp_plan_stage(plan, &stage, error);
}

static DpStatus
check_asked(const DpPlan *plan, DpError *error)
{
	const DpQuery *asked = plan->request->query;

	if (asked == NULL || asked->measures == 0)
	{
		(void) dp_fail(error, DP_ERR_ARGUMENT, "method \"query\" needs option \"measures\"");
		dp_fail_hint(error, "dp_query takes them as an argument.");
		return DP_ERR_ARGUMENT;
	}
	if (plan->sets > 1)
		return dp_fail(error, DP_ERR_ARGUMENT, "answers have no independent sets");
	return DP_OK;
}

static DpCellFacts
facts_of(const DpRequest *request)
{
	const DpQuery *asked = request->query;
	DpCellFacts facts = {.single = asked->by == 0,
						 .always = asked->filters == 0 && dp_unit_rows_public(&request->unit)};

	for (uint32_t i = 0; i < asked->measures; i++)
		if (asked->measure[i].column != DP_NO_COLUMN && asked->nullable[asked->measure[i].column])
			facts.always = false;
	return facts;
}

/* Numbers, and leaves that choices are made among: the work and the memory. */
static uint64_t
cells_of(const QueryPlan *query, uint64_t groups)
{
	uint64_t cells = 0;

	for (uint32_t i = 0; i < query->n; i++)
		cells = dp_add_saturated(
			cells, dp_multiply_saturated(groups, is_choice(query, i)
													 ? UINT64_C(1) << query->statistic[i].height
													 : dp_statistic_tables(&query->statistic[i])));
	return cells;
}

static DpStatus
query_plan(DpPlan *plan, DpArena *arena, DpError *error)
{
	const DpQuery *asked = plan->request->query;
	QueryPlan *query = dp_alloc(arena, 1, sizeof(*query));
	uint64_t groups;

	if (query == NULL)
		return DP_ERR_MEMORY;
	DP_TRY(check_asked(plan, error));
	plan->private_data = query;
	groups = groups_at_most(plan->request->domain, asked);
	query->facts = facts_of(plan->request);
	query->n = dp_query_statistics(asked, query->statistic);
	for (uint32_t i = 0; i < query->n; i++)
		if (query->statistic[i].kind >= DP_STATISTIC_CHOICE)
			query->statistic[i].height = height_of(&query->statistic[i], groups);
	if (cells_of(query, groups) > CELLS_MAX)
		return dp_refuse_cells("query", CELLS_MAX, "ask for fewer measures at once", error);
	choose_currency(plan, query);
	plan->scans++;
	plan->memory_bytes = dp_add_saturated(
		plan->memory_bytes,
		dp_add_saturated(dp_sums_bytes(query->statistic, query->n, plan->request->domain, groups),
						 dp_multiply_saturated(groups, query->n * 2 * sizeof(int64_t))));
	for (uint32_t i = 0; i < query->n; i++)
		DP_TRY(plan_statistic(plan, query, i, groups, arena, error));
	return DP_OK;
}

/* ---- measure ---- */

typedef struct Release
{
	const DpMeasurement *m;
	const QueryPlan *query;
	const DpSums *sums;
	DpModel *model;
	DpQueryLayout layout;
} Release;

/* Fills in what is public of a table over the groups: all but its values. */
static DpStatus
table_describe(const Release *release, uint32_t i, DpTable *table)
{
	const DpQuery *asked = release->m->plan->request->query;
	const QueryPlan *query = release->query;
	DpArena *arena = release->m->arena;
	bool gaussian = query->currency.concentrated;

	*table = (DpTable){
		.n = asked->by,
		.storage = DP_DENSE,
		.cells = release->sums->cells,
		.noise = gaussian ? DP_NOISE_GAUSSIAN : DP_NOISE_LAPLACE,
		.cost = dp_currency_cost(&query->currency, query->each[i]),
		.sensitivity_l1 = laplace_of(query, i).sensitivity_l1,
		.sensitivity_l2_squared = gaussian ? gaussian_of(query, i).sensitivity_l2_squared : 0,
	};
	table->attribute = dp_alloc(arena, asked->by, sizeof(*table->attribute));
	if (table->attribute == NULL)
		return DP_ERR_MEMORY;
	for (uint32_t k = 0; k < asked->by; k++)
		table->attribute[k] = asked->by_attribute[k];
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
	DP_TRY(add_noise(&release->m->noise, release->query, i, exact, cells, noisy));
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
	const QueryPlan *query = release->query;
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
	if (query->currency.concentrated)
		DP_TRY(dp_select_disjoint_concentrated(&m->noise, &scores, query->each[i],
											   query->currency.unit, chosen));
	else
		DP_TRY(
			dp_select_disjoint(&m->noise, &scores, query->each[i], query->currency.unit, chosen));
	dp_free(m->arena, score, groups * leaves, sizeof(*score));
	return DP_OK;
}

static DpStatus
release_all(const Release *release)
{
	DpTable *table = release->model->table;

	for (uint32_t i = 0; i < release->query->n; i++)
	{
		if (is_choice(release->query, i))
			DP_TRY(release_choice(release, i));
		else
			DP_TRY(release_tables(release, i, table));
		table += dp_statistic_tables(&release->query->statistic[i]);
	}
	return DP_OK;
}

static DpStatus
layout_start(const DpMeasurement *m, const QueryPlan *query, uint64_t groups, DpQueryLayout *layout)
{
	const DpQuery *asked = m->plan->request->query;

	*layout = (DpQueryLayout){.by = asked->by,
							  .by_attribute = asked->by_attribute,
							  .cells = groups,
							  .statistics = query->n,
							  .statistic = (DpStatistic *) query->statistic,
							  .measures = asked->measures,
							  .measure = asked->measure};
	layout->choice = dp_alloc(m->arena, query->n, sizeof(*layout->choice));
	layout->grid = dp_alloc(m->arena, query->n, sizeof(*layout->grid));
	if (layout->choice == NULL || layout->grid == NULL)
		return DP_ERR_MEMORY;
	for (uint32_t i = 0; i < query->n; i++)
		layout->grid[i] = query->statistic[i].kind >= DP_STATISTIC_SUM
							  ? asked->grid[query->statistic[i].column]
							  : (DpGrid){.step = 1};
	return DP_OK;
}

static DpStatus
check_groups(const QueryPlan *query, uint64_t groups, DpError *error)
{
	if (cells_of(query, groups) <= 2 * CELLS_MAX)
		return DP_OK;
	return dp_refuse_cells("query", 2 * CELLS_MAX, "group by columns with fewer values", error);
}

/* From the first to the last leaf with weight; all of it, if no leaf has any. Two values at least: of
 * one alone a row could change nothing, and there would be no noise to speak of. */
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

/* The plan with ranges as narrow as the bins that the release has found, which it may depend on. What
 * a row adds is bounded by them, so that the same budget buys less noise. */
static void
narrow_plan(const DpMeasurement *m, uint64_t groups, QueryPlan *query)
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
			statistic->height = height_of(statistic, groups);
	}
	divide(query);
}

static DpStatus
query_measure(const DpMeasurement *m, DpModel *model, DpError *error)
{
	const DpQuery *asked = m->plan->request->query;
	QueryPlan narrowed = *(const QueryPlan *) m->plan->private_data;
	const QueryPlan *query = &narrowed;
	uint64_t groups = dp_domain_cells(m->domain, asked->by_attribute, asked->by);
	Release release = {.m = m, .query = query, .model = model};
	DpSums sums;

	narrow_plan(m, groups, &narrowed);
	DP_TRY(check_groups(query, groups, error));
	for (uint32_t i = 0; i < query->n; i++)
		model->tables += dp_statistic_tables(&query->statistic[i]);
	model->table = dp_alloc(m->arena, model->tables, sizeof(*model->table));
	if (model->table == NULL)
		return DP_ERR_MEMORY;
	DP_TRY(layout_start(m, query, groups, &release.layout));
	DP_TRY(dp_sums_init(&sums, query->statistic, query->n, m->domain, groups, m->arena));
	dp_announce(m, "query");
	DP_TRY(m->counter->sums(m->counter->context, m->domain, asked, &sums, error));
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
	.plan = query_plan,
	.measure = query_measure,
	.sampler = &dp_query_sampler,
	.gaussian = true,
};
