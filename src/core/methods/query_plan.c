/*
 * query_plan.c -- stages, costs, noise and memory of a query.
 */
#include "core/methods/query_plan.h"

#include <math.h>
#include <stdio.h>

#include "core/base/decimal.h"
#include "core/base/saturate.h"
#include "core/exact/sums.h"
#include "core/mechanism/disjoint.h"
#include "core/methods/unit_bound.h"
#include "core/model/query_layout.h"
#include "core/plan/method.h"
#include "core/plan/refuse.h"

#define OPEN_LEVELS_ESTIMATE 1000
#define LEAVES_MAX UINT64_C(4000000) /* of one column, in all groups */
#define BITS_MAX 36                  /* of what a row adds */
#define BITS_LEAST 12
#define STAGE_BYTES 160
#define BOUND_SHARE 10 /* part of the budget that finds the contribution bounds */
#define DECIMAL 1e9    /* as options hold decimals */
#define ROW_PARTS 32   /* divides the largest value of a row: the smallest class of sums */

/* ---- noise ---- */

static DpLaplace
laplace_of(const DpQueryPlan *query, uint32_t i)
{
	return (DpLaplace){query->each[i], dp_statistic_l1(&query->statistic[i],
													   &query->privacy_measure.unit, query->facts)};
}

static DpGaussian
gaussian_of(const DpQueryPlan *query, uint32_t i)
{
	return (DpGaussian){
		query->each[i],
		dp_statistic_l2_squared(&query->statistic[i], &query->privacy_measure.unit, query->facts)};
}

bool
dp_query_is_choice(const DpQueryPlan *query, uint32_t i)
{
	return query->statistic[i].kind == DP_STATISTIC_CHOICE;
}

/* The epsilon of a choice in one group, for a row that joins or leaves it. */
static int64_t
choice_nano_of(const DpQueryPlan *query, uint32_t i)
{
	if (query->privacy_measure.concentrated)
		return dp_select_epsilon(dp_disjoint_rho(query->each[i], query->privacy_measure.unit));
	return dp_disjoint_epsilon(query->each[i], query->privacy_measure.unit);
}

/*
 * Standard deviation of statistic i, in the unit of what a row adds. For a private choice: that of
 * its distance in rows from the quantile, if rows are spread evenly; its density falls as exp(-rate
 * |d|) on both sides.
 */
static double
stddev_of(const DpQueryPlan *query, uint32_t i)
{
	const DpStatistic *statistic = &query->statistic[i];

	if (dp_query_is_choice(query, i))
		return sqrt(2) * dp_choice_rows(statistic);
	return query->privacy_measure.concentrated ? dp_gaussian_stddev(gaussian_of(query, i))
											   : dp_laplace_stddev(laplace_of(query, i));
}

DpTable
dp_query_table(const DpQueryPlan *query, uint32_t i)
{
	bool gaussian = query->privacy_measure.concentrated;

	return (DpTable){
		.storage = DP_DENSE,
		.noise = gaussian ? DP_NOISE_GAUSSIAN : DP_NOISE_LAPLACE,
		.cost = dp_privacy_measure_cost(&query->privacy_measure, query->each[i]),
		.sensitivity_l1 = laplace_of(query, i).sensitivity_l1,
		.sensitivity_l2_squared = gaussian ? gaussian_of(query, i).sensitivity_l2_squared : 0,
	};
}

DpStatus
dp_query_add_noise(const DpNoiseSource *noise, const DpQueryPlan *query, uint32_t i,
				   const int64_t *exact, uint64_t cells, int64_t *out)
{
	if (query->privacy_measure.concentrated)
		return dp_gaussian_release(noise, gaussian_of(query, i), exact, cells, out);
	return dp_laplace_release(noise, laplace_of(query, i), exact, cells, out);
}

/* A run over no cells checks all arguments and draws nothing. */
static bool
can_calibrate(const DpQueryPlan *query, uint32_t i)
{
	DpMeter meter;

	if (query->each[i] < 1)
		return false;
	if (dp_query_is_choice(query, i))
		return choice_nano_of(query, i) >= 1;
	dp_meter_init(&meter, dp_privacy_measure_cost(&query->privacy_measure, query->each[i]));
	return dp_query_add_noise(&(DpNoiseSource){.meter = &meter}, query, i, NULL, 0, NULL) == DP_OK;
}

/* ---- plan ---- */

static uint64_t
groups_at_most(const DpDomain *domain, const DpQuery *spec)
{
	uint64_t cells = 1;

	for (uint32_t k = 0; k < spec->by; k++)
	{
		const DpAttribute *attribute = &domain->attribute[spec->by_attribute[k]];

		cells = dp_multiply_saturated(cells,
									  attribute->open ? OPEN_LEVELS_ESTIMATE : attribute->levels);
	}
	return cells;
}

uint32_t
dp_query_leaves_height(const DpStatistic *statistic, uint64_t groups)
{
	unsigned __int128 size =
		(unsigned __int128) ((__int128) statistic->last - statistic->first) + 1;
	uint32_t height = 1;

	while (height < DP_LEAVES_HEIGHT_MAX && ((unsigned __int128) 1 << height) < size &&
		   dp_multiply_saturated(groups, UINT64_C(2) << height) <= LEAVES_MAX)
		height++;
	return height;
}

/* The given bound of a sum, in units of the statistic; at most what the rows of a unit can add. */
static int64_t
given_sum(const DpQueryPlan *query, uint32_t i)
{
	const DpStatistic *statistic = &query->statistic[i];
	double unit = dp_coordinate_unit(&query->spec->grid[statistic->column]);
	double sum = floor(ldexp(query->sum_max / unit, -(int) statistic->shift));
	int64_t most = dp_query_sum_sizes(query, i).most;

	return sum < 1 ? 1 : sum < (double) most ? (int64_t) sum : most;
}

/* Keeps as many bits of the value that a row adds as the noise leaves significant. */
static void
choose_shift(DpQueryPlan *query, uint32_t i)
{
	DpStatistic *statistic = &query->statistic[i];

	for (uint32_t bits = BITS_MAX; bits >= BITS_LEAST; bits--)
	{
		statistic->shift = dp_statistic_shift(statistic, bits);
		if (statistic->by_unit && query->sum_max > 0)
			statistic->unit_max = given_sum(query, i);
		if (can_calibrate(query, i))
			return;
	}
}

void
dp_query_divide(DpQueryPlan *query)
{
	int64_t all = query->privacy_measure.all;
	uint32_t shares = 0;

	query->bound_amount = query->bounds > 0 ? all / BOUND_SHARE / query->bounds : 0;
	all -= query->bound_amount * query->bounds;
	for (uint32_t i = 0; i < query->n; i++)
		shares += query->statistic[i].share;
	for (uint32_t i = 0; i < query->n; i++)
	{
		DpStatistic *statistic = &query->statistic[i];

		query->each[i] = (int64_t) ((__int128) all * statistic->share / shares);
		if (dp_query_is_choice(query, i))
			statistic->choice_nano = choice_nano_of(query, i);
		if (statistic->kind >= DP_STATISTIC_SUM && statistic->kind <= DP_STATISTIC_SQUARES)
			choose_shift(query, i);
	}
}

/* The sum of the logarithms of the noise of all statistics, in the unit of coordinates. */
static double
log_noise(const DpQueryPlan *query)
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

/* With a delta, Gaussian noise where it is less, else Laplace noise, which leaves delta alone.
 * Where bins were found at a part of rho, all is paid in rho. */
static void
choose_privacy_measure(const DpPlan *plan, DpQueryPlan *query)
{
	DpQueryPlan pure = *query;

	query->privacy_measure = dp_privacy_measure_of(plan);
	pure.privacy_measure =
		(DpPrivacyMeasure){.unit = plan->request->unit, .all = plan->remaining.epsilon_nano};
	dp_query_divide(query);
	dp_query_divide(&pure);
	if (query->privacy_measure.concentrated && !plan->range.concentrated &&
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

/* The same in words. NULL: rows. */
static const char *
unit_words(const DpPlan *plan, const DpStatistic *statistic, DpArena *arena)
{
	const char *column = statistic->column == DP_NO_COLUMN
							 ? ""
							 : plan->request->domain->attribute[statistic->column].name;
	char words[STAGE_BYTES];

	if (statistic->kind == DP_STATISTIC_DISTINCT)
		return "levels";
	if (statistic->kind < DP_STATISTIC_SUM || statistic->kind > DP_STATISTIC_SQUARES)
		return NULL;
	(void) snprintf(words, sizeof(words), "%.64s%s", column,
					statistic->kind == DP_STATISTIC_SQUARES ? "^2" : "");
	return dp_strdup(arena, words);
}

static const char *
mechanism_of(const DpQueryPlan *query, uint32_t i)
{
	if (dp_query_is_choice(query, i))
		return query->privacy_measure.concentrated ? "exponential mechanism" : "permute-and-flip";
	return query->privacy_measure.concentrated ? "discrete Gaussian" : "discrete Laplace";
}

static DpStatus
plan_statistic(DpPlan *plan, DpQueryPlan *query, uint32_t i, uint64_t groups, DpArena *arena,
			   DpError *error)
{
	const DpStatistic *statistic = &query->statistic[i];
	double unit = unit_of(plan, statistic);
	DpStage stage = {
		.name = stage_name(plan, statistic, arena),
		.unit = unit_words(plan, statistic, arena),
		.mechanism = mechanism_of(query, i),
		.tables = 1,
		.each = dp_privacy_measure_cost(&query->privacy_measure, query->each[i]),
		.cells = dp_multiply_saturated(
			groups, dp_query_is_choice(query, i) ? 1 : dp_statistic_tables(statistic)),
	};

	DP_TRY_ALLOC(stage.name);
	if (!can_calibrate(query, i))
		return dp_refuse_budget(stage.name, error);
	stage.noise_stddev_rows = unit * stddev_of(query, i);
	stage.total = stage.each;
	return dp_plan_stage(plan, &stage, error);
}

DpStatus
dp_query_add_unit_noise(const DpNoiseSource *noise, const DpQueryPlan *query, const int64_t *exact,
						uint32_t classes, int64_t *out)
{
	const DpPrivacyMeasure *privacy_measure = &query->privacy_measure;

	if (privacy_measure->concentrated)
		return dp_gaussian_release(noise, dp_units_gaussian(privacy_measure, query->bound_amount),
								   exact, classes, out);
	return dp_laplace_release(noise, dp_units_laplace(privacy_measure, query->bound_amount), exact,
							  classes, out);
}

double
dp_query_unit_stddev(const DpQueryPlan *query)
{
	const DpPrivacyMeasure *privacy_measure = &query->privacy_measure;

	return privacy_measure->concentrated
			   ? dp_gaussian_stddev(dp_units_gaussian(privacy_measure, query->bound_amount))
			   : dp_laplace_stddev(dp_units_laplace(privacy_measure, query->bound_amount));
}

/* A run over no cells checks all arguments and draws nothing. */
static bool
can_find_bound(const DpQueryPlan *query)
{
	DpMeter meter;

	if (query->bound_amount < 1)
		return false;
	dp_meter_init(&meter, dp_privacy_measure_cost(&query->privacy_measure, query->bound_amount));
	return dp_query_add_unit_noise(&(DpNoiseSource){.meter = &meter}, query, NULL, 0, NULL) ==
		   DP_OK;
}

double
dp_query_rows_stddev(const DpQueryPlan *query)
{
	double squares = 0;
	uint32_t n = 0;

	for (uint32_t i = 0; i < query->n; i++)
	{
		DpQueryPlan one = *query;
		double stddev;

		if (query->statistic[i].by_unit)
			continue;
		n++;
		one.privacy_measure.unit.rows_max = 1;
		one.statistic[i].kind =
			dp_query_is_choice(query, i) ? DP_STATISTIC_CHOICE : DP_STATISTIC_ROWS;
		if (dp_query_is_choice(query, i))
			one.statistic[i].choice_nano = choice_nano_of(&one, i);
		stddev = stddev_of(&one, i);
		squares += stddev * stddev;
	}
	return sqrt(squares / (n > 0 ? n : 1));
}

double
dp_query_sum_stddev(const DpQueryPlan *query, uint32_t i)
{
	DpQueryPlan one = *query;

	one.statistic[i].unit_max = 1;
	return stddev_of(&one, i);
}

/* Whether the bound of a sum is found. */
static bool
finds_sum(const DpQueryPlan *query, uint32_t i)
{
	return query->statistic[i].by_unit && query->sum_max == 0;
}

DpUnitSizes
dp_query_sum_sizes(const DpQueryPlan *query, uint32_t i)
{
	int64_t row = dp_statistic_most(&query->statistic[i]);
	__int128 most = (__int128) row * query->privacy_measure.unit.rows_max;

	return (DpUnitSizes){.least = row > ROW_PARTS ? row / ROW_PARTS : 1,
						 .most = most < INT64_MAX ? (int64_t) most : INT64_MAX};
}

static DpStatus
plan_bound(DpPlan *plan, DpQueryPlan *query, DpUnitSizes sizes, const char *name, DpError *error)
{
	DpStage stage = {
		.name = name,
		.unit = "units",
		.mechanism = query->privacy_measure.concentrated ? "discrete Gaussian" : "discrete Laplace",
		.tables = 1,
		.each = dp_privacy_measure_cost(&query->privacy_measure, query->bound_amount),
		.cells = dp_unit_classes(sizes),
	};

	DP_TRY_ALLOC(name);
	if (!can_find_bound(query))
		return dp_refuse_budget(stage.name, error);
	stage.noise_stddev_rows = dp_query_unit_stddev(query);
	stage.total = stage.each;
	return dp_plan_stage(plan, &stage, error);
}

/* One scan counts units by their rows, and one counts them by all of their sums. */
static DpStatus
plan_bounds(DpPlan *plan, DpQueryPlan *query, DpArena *arena, DpError *error)
{
	DpUnitSizes rows = {1, query->privacy_measure.unit.rows_max};

	plan->scans += (query->finds_rows ? 1 : 0) + (query->bounds > query->finds_rows ? 1 : 0);
	if (query->finds_rows)
		DP_TRY(plan_bound(plan, query, rows, "units by their number of rows", error));
	for (uint32_t i = 0; i < query->n; i++)
	{
		char name[STAGE_BYTES];

		if (!finds_sum(query, i))
			continue;
		(void) snprintf(name, sizeof(name), "units by their %s",
						stage_name(plan, &query->statistic[i], arena));
		DP_TRY(
			plan_bound(plan, query, dp_query_sum_sizes(query, i), dp_strdup(arena, name), error));
	}
	return DP_OK;
}

/* A sum is clipped per unit instead of bounding the rows of units, unless a number of rows is given
 * alone. So its noise depends on the amounts that units add, and not on the largest amount that so
 * many rows could add. What is given is not found. */
static void
bound_units(const DpPlan *plan, DpQueryPlan *query)
{
	bool rows_given = dp_option_given(plan->request->options, DP_OPTION_MAX_ROWS);

	query->all_rows = !rows_given;
	query->sum_max = (double) dp_plan_option(plan, DP_OPTION_MAX_SUM) / DECIMAL;
	for (uint32_t i = 0; i < query->n; i++)
	{
		DpStatistic *statistic = &query->statistic[i];

		statistic->by_unit =
			statistic->kind == DP_STATISTIC_SUM && (query->sum_max > 0 || !rows_given);
		statistic->units_over = statistic->by_unit && query->sum_max > 0 ? -1 : 0;
		query->all_rows &= statistic->by_unit;
		query->bounds += finds_sum(query, i);
	}
	query->finds_rows = !query->all_rows && !rows_given && plan->request->unit.rows_max > 1;
	query->bounds += query->finds_rows;
}

static DpStatus
check_query(const DpPlan *plan, DpError *error)
{
	const DpQuery *spec = plan->request->query;

	if (spec == NULL || spec->measures == 0)
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
	const DpQuery *spec = request->query;
	DpCellFacts facts = {.single = spec->by == 0,
						 .always = !spec->selects && dp_unit_rows_public(&request->unit)};

	for (uint32_t i = 0; i < spec->measures; i++)
		if (spec->measure[i].column != DP_NO_COLUMN && spec->nullable[spec->measure[i].column])
			facts.always = false;
	return facts;
}

uint64_t
dp_query_cells(const DpQueryPlan *query, uint64_t groups)
{
	uint64_t cells = 0;

	for (uint32_t i = 0; i < query->n; i++)
		cells = dp_add_saturated(
			cells, dp_multiply_saturated(groups, dp_query_is_choice(query, i)
													 ? UINT64_C(1) << query->statistic[i].height
													 : dp_statistic_tables(&query->statistic[i])));
	return cells;
}

DpStatus
dp_query_plan(DpPlan *plan, DpArena *arena, DpError *error)
{
	const DpQuery *spec = plan->request->query;
	DpQueryPlan *query = dp_alloc(arena, 1, sizeof(*query));
	uint64_t groups;

	DP_TRY_ALLOC(query);
	DP_TRY(check_query(plan, error));
	plan->private_data = query;
	groups = groups_at_most(plan->request->domain, spec);
	query->spec = spec;
	query->facts = facts_of(plan->request);
	query->n = dp_query_statistics(spec, query->statistic);
	if (spec->has_units && (plan->request->unit.rows_max > 1 ||
							dp_option_given(plan->request->options, DP_OPTION_MAX_SUM)))
		bound_units(plan, query);
	for (uint32_t i = 0; i < query->n; i++)
		if (query->statistic[i].kind >= DP_STATISTIC_CHOICE)
			query->statistic[i].height = dp_query_leaves_height(&query->statistic[i], groups);
	if (dp_query_cells(query, groups) > DP_QUERY_CELLS_MAX)
		return dp_refuse_cells("query", DP_QUERY_CELLS_MAX, "ask for fewer measures at once",
							   error);
	choose_privacy_measure(plan, query);
	plan->scans++;
	plan->memory_bytes = dp_add_saturated(
		plan->memory_bytes,
		dp_add_saturated(dp_sums_bytes(query->statistic, query->n, plan->request->domain, groups),
						 dp_multiply_saturated(groups, query->n * 2 * sizeof(int64_t))));
	DP_TRY(plan_bounds(plan, query, arena, error));
	for (uint32_t i = 0; i < query->n; i++)
		DP_TRY(plan_statistic(plan, query, i, groups, arena, error));
	return DP_OK;
}
