/*
 * noise_allocation.c -- how wide the intervals of a query will be. The noise is that of the plan,
 * so tables without any cell stand for those of the release.
 */
#include "core/methods/noise_allocation.h"

#include "core/estimate/query_answer.h"
#include "core/methods/query_plan.h"

DpStatus
dp_query_half_widths(const DpPlan *plan, double confidence, double *half, DpArena *arena)
{
	const DpQuery *spec = plan->request->query;
	const DpQueryPlan *query = plan->private_data;
	DpTable *table = dp_alloc(arena, query->n, sizeof(*table));
	uint32_t *place = dp_alloc(arena, query->n, sizeof(*place));
	DpGrid *grid = dp_alloc(arena, query->n, sizeof(*grid));
	DpModel model = {.tables = query->n, .table = table};
	DpQueryLayout layout = {.statistics = query->n,
							.statistic = (DpStatistic *) query->statistic,
							.table = place,
							.grid = grid,
							.measures = spec->measures,
							.measure = spec->measure};
	DpAnswerer *answerer;

	DP_TRY_ALLOC(table && place && grid);
	for (uint32_t i = 0; i < query->n; i++)
	{
		if (!dp_query_is_choice(query, i))
			table[i] = dp_query_table(query, i);
		place[i] = i;
		grid[i] = dp_statistic_grid(spec, &query->statistic[i]);
	}
	DP_TRY(dp_answerer_create(&model, &layout, confidence, &answerer, plan->request->tick, arena));
	for (uint32_t m = 0; m < spec->measures; m++)
		half[m] = dp_answer_half_width(answerer, m);
	return DP_OK;
}

bool
dp_query_finds_bounds(const DpPlan *plan)
{
	const DpQueryPlan *query = plan->private_data;

	return query->bounds > 0;
}
