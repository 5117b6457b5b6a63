/*
 * query_plan.h -- what a query will measure and with how much noise, from public facts. Serves the
 * method query alone.
 */
#ifndef DP_QUERY_PLAN_H
#define DP_QUERY_PLAN_H

#include "core/domain/query.h"
#include "core/domain/unit_sizes.h"
#include "core/plan/privacy_measure.h"

#define DP_QUERY_CELLS_MAX UINT64_C(20000000) /* groups, times numbers and the leaves of choices */

typedef struct DpQueryPlan
{
	DpPrivacyMeasure privacy_measure;
	DpCellFacts facts;
	const DpQuery *spec; /* what is asked for */
	/* all rows of a unit count: its contribution to each statistic is clipped */
	bool all_rows;
	bool finds_rows;      /* the number of rows that a unit may have is found */
	double sum_max;       /* given bound of a sum, as a number; 0: none is given */
	uint32_t bounds;      /* number of bounds that are found, of rows and of sums */
	int64_t bound_amount; /* of the noise that finds each bound */
	uint32_t n;
	DpStatistic statistic[DP_STATISTICS_MAX];
	int64_t each[DP_STATISTICS_MAX]; /* amount of a statistic */
} DpQueryPlan;

/* Appends the stages; plan->private_data is the DpQueryPlan, from arena. */
extern DpStatus dp_query_plan(DpPlan *plan, DpArena *arena, DpError *error) DP_MUST_USE;

extern bool dp_query_is_choice(const DpQueryPlan *query, uint32_t i);
/* 2^height leaves: as many as the range has values, and the groups allow. */
extern uint32_t dp_query_leaves_height(const DpStatistic *statistic, uint64_t groups);
/* Divides the privacy budget among the statistics, and makes what a row adds small enough for
 * it. */
extern void dp_query_divide(DpQueryPlan *query);
/* Adds the noise of numbers of units by size, where the query finds a bound. */
extern DpStatus dp_query_add_unit_noise(const DpNoiseSource *noise, const DpQueryPlan *query,
										const int64_t *exact, uint32_t classes,
										int64_t *out) DP_MUST_USE;
extern double dp_query_unit_stddev(const DpQueryPlan *query);
/* The standard deviation, in rows, of the noise of a group if one row of a unit is counted,
 * averaged over the statistics whose rows are bounded. */
extern double dp_query_rows_stddev(const DpQueryPlan *query);
/* The same for one statistic if a unit adds at most 1. */
extern double dp_query_sum_stddev(const DpQueryPlan *query, uint32_t i);
/* The classes of units by what they add to a statistic. */
extern DpUnitSizes dp_query_sum_sizes(const DpQueryPlan *query, uint32_t i);
/* Numbers, and leaves that choices are made among: the work and the memory. */
extern uint64_t dp_query_cells(const DpQueryPlan *query, uint64_t groups);
/* A table of a statistic that is no choice, as far as its noise goes: the distribution, the cost
 * and the sensitivities. */
extern DpTable dp_query_table(const DpQueryPlan *query, uint32_t i);
/* Adds the noise of a statistic that is no choice to all cells of its tables. */
extern DpStatus dp_query_add_noise(const DpNoiseSource *noise, const DpQueryPlan *query, uint32_t i,
								   const int64_t *exact, uint64_t cells, int64_t *out) DP_MUST_USE;

#endif
