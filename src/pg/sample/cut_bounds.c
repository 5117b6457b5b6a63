/*
 * cut_bounds.c -- intervals of answers for which bins are cut; see cut_bounds.h.
 */
#include "pg/sample/cut_bounds.h"

#include <math.h>

#include "core/estimate/frechet_bounds.h"

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

static DpGroupAnswer *
answers_whole(DpReleaseQuery *request, const DpMeasuredTable *table, bool with)
{
	DpStored *stored = request->stored;
	DpGiven given = given_whole(&request->condition, with);
	DpMarginalQuery query = request->marginal_query;
	DpGroupAnswer *answer =
		palloc_extended(sizeof(DpGroupAnswer) * request->groups, MCXT_ALLOC_HUGE);
	DpError error = {0};
	DpStatus status;

	query.given = &given;
	if (query.measure == DP_MEASURE_RATE)
		query.measure = DP_MEASURE_COUNT;
	status = dp_measured_answer(&query, table, stored->model.tables, answer,
								&request->progress.tick, &stored->arena);
	if (status == DP_OK)
		status = dp_frechet_bounds(&query, table, stored->model.tables, answer,
								   &request->progress.tick, &stored->arena);
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
dp_widen_cut(DpReleaseQuery *request, const DpMeasuredTable *table)
{
	DpGroupAnswer *least, *most;
	double sum[2] = {0, 0};

	if (!is_cut(&request->condition))
		return;
	least = answers_whole(request, table, false);
	most = answers_whole(request, table, true);
	for (uint64 b = 0; b < request->groups; b++)
	{
		sum[0] += isfinite(least[b].low) ? fmax(least[b].low, 0) : 0;
		sum[1] += most[b].high;
	}
	for (uint64 b = 0; b < request->groups; b++)
	{
		DpGroupAnswer *answer = &request->answer[b];

		if (answer->basis == DP_BASIS_ZERO || answer->basis == DP_BASIS_PUBLIC)
			continue;
		if (request->marginal_query.measure == DP_MEASURE_RATE)
		{
			widen_rate(&least[b], &most[b], sum, answer);
			continue;
		}
		/* where no bin is whole, nothing is measured, and there may be no row */
		answer->low = isfinite(least[b].low) ? fmin(least[b].low, answer->low) : 0;
		answer->high = isfinite(most[b].high) ? fmax(most[b].high, answer->high) : answer->high;
	}
}
