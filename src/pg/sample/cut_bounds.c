/*
 * cut_bounds.c -- intervals of answers for which bins are cut; see cut_bounds.h.
 */
#include "pg/sample/cut_bounds.h"

#include <math.h>

#include "core/estimate/frechet_bounds.h"
#include "pg/server/bridge.h"

static bool
is_cut(const DpCondition *condition)
{
	for (uint32 a = 0; a < condition->given.attributes; a++)
		if (condition->prorated[a])
			return true;
	return false;
}

/* The condition with each bin that it cuts as a whole, or without it. */
static DpGiven
given_whole(const DpCondition *condition, bool with)
{
	DpGiven given = condition->given;

	given.weight = palloc(sizeof(*given.weight) * Max(given.attributes, 1));
	memcpy(given.weight, condition->given.weight, sizeof(*given.weight) * given.attributes);
	for (uint32 a = 0; a < given.attributes; a++)
	{
		uint32 levels = condition->domain->attribute[a].levels;

		if (!condition->prorated[a])
			continue;
		given.weight[a] = palloc(sizeof(double) * levels);
		for (uint32 i = 0; i < levels; i++)
		{
			double weight = condition->given.weight[a][i];

			given.weight[a][i] = with ? weight > 0 : weight >= 1;
		}
	}
	return given;
}

/* What is answered, and from which tables. */
typedef struct CutQuery
{
	DpStored *stored;
	const DpCondition *condition;
	const DpMarginalQuery *query;
	const DpMeasuredTable *table;
	const DpTick *tick;
} CutQuery;

static DpGroupAnswer *
answers_whole(const CutQuery *cut_query, bool with)
{
	DpGiven given = given_whole(cut_query->condition, with);
	DpMarginalQuery query = *cut_query->query;
	uint32 tables = cut_query->stored->model.tables;
	DpGroupAnswer *answer =
		palloc_extended(sizeof(DpGroupAnswer) * dp_marginal_query_groups(&query), MCXT_ALLOC_HUGE);
	DpError error = {0};
	DpStatus status;

	query.given = &given;
	if (query.measure == DP_MEASURE_RATE)
		query.measure = DP_MEASURE_COUNT;
	status = dp_measured_answer(&query, cut_query->table, tables, answer, cut_query->tick,
								&cut_query->stored->arena);
	if (status == DP_OK)
		status = dp_frechet_bounds(&query, cut_query->table, tables, answer, cut_query->tick,
								   &cut_query->stored->arena);
	if (status != DP_OK)
	{
		error.status = status;
		dp_raise(&error);
	}
	return answer;
}

/* A rate is of the rows that meet the condition, which themselves are known between two numbers. */
static void
widen_rate(const DpGroupAnswer *least, const DpGroupAnswer *most, const double sum[2],
		   DpGroupAnswer *answer)
{
	answer->basis = DP_BASIS_MODEL;
	answer->low = most->high > 0 ? fmin(fmax(least->low, 0) / sum[1], answer->low) : 0;
	answer->high = sum[0] > 0 ? fmax(fmin(most->high / sum[0], 1), answer->high) : 1;
}

void
dp_widen_cut(DpStored *stored, const DpCondition *condition, const DpMarginalQuery *query,
			 const DpMeasuredTable *table, const DpTick *tick, DpGroupAnswer *answer)
{
	CutQuery cut_query = {stored, condition, query, table, tick};
	uint64 groups = dp_marginal_query_groups(query);
	DpGroupAnswer *least, *most;
	double sum[2] = {0, 0};

	if (!is_cut(condition))
		return;
	least = answers_whole(&cut_query, false);
	most = answers_whole(&cut_query, true);
	for (uint64 b = 0; b < groups; b++)
	{
		sum[0] += isfinite(least[b].low) ? fmax(least[b].low, 0) : 0;
		sum[1] += most[b].high;
	}
	for (uint64 b = 0; b < groups; b++)
	{
		if (answer[b].basis == DP_BASIS_ZERO || answer[b].basis == DP_BASIS_PUBLIC)
			continue;
		if (query->measure == DP_MEASURE_RATE)
		{
			widen_rate(&least[b], &most[b], sum, &answer[b]);
			continue;
		}
		/* where no bin is whole, nothing is measured, and there may be no row */
		answer[b].low = isfinite(least[b].low) ? fmin(least[b].low, answer[b].low) : 0;
		answer[b].high =
			isfinite(most[b].high) ? fmax(most[b].high, answer[b].high) : answer[b].high;
	}
}
