/*
 * query_bound.c -- the contribution bounds of a query.
 *
 * Neighbours:  the dataset's
 * Guarantee:   that of the noise on the numbers of units by size (unit_bound.h). The bounds are
 *              chosen by post-processing, and the noise of the statistics may depend on them
 * Why:         docs/methods/sql.md
 */
#include "core/methods/query/query_bound.h"

#include "core/methods/unit_bound.h"

#define SUM_WEIGHT 1.5 /* weight of the amount cut off a sum: intervals do not cover it */

/* Releases noisy numbers of units, and fills in the fit that a bound is chosen by. */
static DpStatus
release_units(const DpMeasurement *m, const DpQueryPlan *query, const int64_t *exact,
			  DpUnitFit *fit)
{
	uint32_t classes = dp_unit_classes(fit->sizes);
	double *units = dp_alloc(m->arena, classes, sizeof(*units));
	int64_t noisy[DP_UNIT_CLASSES_MAX];

	if (units == NULL)
		return DP_ERR_MEMORY;
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

DpStatus
dp_query_find_bounds(const DpMeasurement *m, uint64_t groups, DpQueryPlan *query, DpUnit *unit,
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
