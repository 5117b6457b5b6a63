/*
 * question_explain.c -- a question's plan in words: what is counted, by whom, with which noise, and
 * what it costs. Nothing is spent, and no data is read.
 */
#include "pg/sql/question_plan.h"

#include <math.h>

#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"
#include "utils/timestamp.h"

#include "core/methods/noise_allocation.h"
#include "pg/budget/payer.h"
#include "pg/server/bridge.h"
#include "pg/server/catalog.h"

static char *
epsilon_words(int64 epsilon_nano)
{
	return DatumGetCString(DirectFunctionCall1(
		numeric_out, DirectFunctionCall1(numeric_trim_scale, dp_epsilon_to_numeric(epsilon_nano))));
}

static char *
rows_line(const DpQuestionPlan *plan, const DpPrepared *prepared, double max_sum)
{
	const char *label = dp_relation_label(plan->dataset.relation);

	if (plan->dataset.unit_column == NULL)
		return psprintf("rows of %s are counted", label);
	return psprintf(
		"rows of %s are counted, %u of a unit at most%s", label, prepared->request.unit.rows_max,
		max_sum > 0 ? psprintf("; a unit adds %.15g to a sum at most", max_sum)
		: dp_query_finds_bounds(&prepared->plan)
			? "; how many, and how much a unit adds to a sum, is found at a tenth of the cost"
			: "");
}

static char *
join_line(const DpAskedRelation *of)
{
	if (of->is_public)
		return psprintf("%s%s gives them columns: public, %s", of->outer ? "if there is one, " : "",
						dp_relation_label(of->relation),
						of->on == NULL ? "each row of it" : dp_x_words(of->on));
	if (of->units != NULL)
		return psprintf("%srows of %s give them columns: all those of the same person",
						of->outer ? "if there are any, " : "", dp_relation_label(of->relation));
	return psprintf("%s gives them columns: they belong to its rows",
					dp_relation_label(of->relation));
}

static char *
range_line(const DpAttribute *attribute, const DpColumn *column)
{
	if (attribute->kind == DP_BINS && attribute->labels_n == 2)
		return psprintf("%s: from %s to %s, clamped", attribute->name, attribute->labels[0],
						attribute->labels[1]);
	if (attribute->open)
		return psprintf("%s: values are discovered", attribute->name);
	if (attribute->labels_n == 0)
		return NULL;
	return psprintf("%s: %u values%s", attribute->name, attribute->labels_n,
					attribute->has_other ? ", and NULL or unlisted ones" : "");
}

static char *
stage_line(const DpStage *stage)
{
	return psprintf("%s: %s noise, standard deviation %.3g %s", stage->name, stage->mechanism,
					stage->noise_stddev_rows, stage->unit != NULL ? stage->unit : "rows");
}

static List *
measure_lines(const DpPrepared *prepared, double confidence, List *lines)
{
	const DpQuery *query = prepared->request.query;
	double *half = palloc0(sizeof(double) * query->measures);

	if (dp_query_half_widths(&prepared->plan, confidence, half,
							 unconstify(DpArena *, &prepared->arena)) != DP_OK)
		return lines;
	for (uint32 m = 0; m < query->measures; m++)
		if (!isnan(half[m]) && !isinf(half[m]) && query->measure[m].kind <= DP_SUM)
			lines = lappend(lines, psprintf("measure %u: half of its %g %% interval is %.3g", m + 1,
											confidence * 100, half[m]));
	return lines;
}

static char *
budget_line(const DpPrepared *prepared)
{
	const DpPayer *payer = &prepared->payer;
	int64 left =
		prepared->dataset.amounts.epsilon_nano - prepared->dataset.ledger.spent.epsilon_nano;

	if (!payer->custodian)
		left = Min(left, payer->allowed.epsilon_nano - payer->spent.epsilon_nano);
	return psprintf("it costs epsilon %s, of %s that is left",
					epsilon_words(prepared->plan.cost.epsilon_nano), epsilon_words(Max(left, 0)));
}

List *
dp_question_explain(DpQuestionPlan *plan, const DpAskFor *ask)
{
	DpReleaseRequest request = dp_question_request(plan, ask);
	DpPrepared *prepared;
	const char *basis;
	TimestampTz asked;
	List *lines = NIL;
	ListCell *cell;

	if (plan->measures == NIL)
		return list_make1("public values alone, which cost nothing");
	prepared = dp_prepare_request(&request);
	lines = lappend(lines, rows_line(plan, prepared, ask->max_sum_per_unit));
	foreach (cell, plan->asked->relations)
		if (cell != list_head(plan->asked->relations))
			lines = lappend(lines, join_line(lfirst(cell)));
	if (plan->asked->where != NULL)
		lines = lappend(lines, psprintf("those with %s", dp_x_words(plan->asked->where)));
	for (uint32 a = 0; a < plan->relation->domain.attributes; a++)
	{
		char *line = range_line(&plan->relation->domain.attribute[a], &plan->relation->column[a]);

		if (line != NULL)
			lines = lappend(lines, line);
	}
	for (uint32 i = 0; i < prepared->plan.stages; i++)
		lines = lappend(lines, stage_line(&prepared->plan.stage[i]));
	lines = measure_lines(prepared, ask->confidence, lines);
	basis = dp_question_stored_basis(plan, ask, &asked);
	if (basis == NULL)
		return lappend(lines, budget_line(prepared));
	return lappend(lines, psprintf("it costs nothing: the answer of %s is read again: %s",
								   timestamptz_to_str(asked), basis));
}
