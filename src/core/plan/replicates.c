/*
 * replicates.c -- planning and taking independent measurements.
 *
 * Sets that are drawn from one noisy release cost nothing extra, and share its noise: they differ
 * by sampling alone. The combining rules of the literature want sets whose noise is independent.
 * Such sets are made by m runs of the method with 1/m of the budget each, by basic composition.
 * Values of open attributes are discovered once for all, so the sets are independent given these
 * values.
 */
#include "core/plan/replicates.h"

#include <string.h>

#include "core/base/saturate.h"
#include "core/plan/method.h"

DpStatus
dp_replicates_divide(DpPlan *plan, bool independent, DpError *error)
{
	plan->sets = independent && plan->request->sets > 1 ? plan->request->sets : 1;
	if (plan->sets > DP_REPLICATES_MAX)
	{
		(void) dp_fail(error, DP_ERR_ARGUMENT, "there are too many independent sets");
		dp_fail_detail(error, "The limit is %d.", DP_REPLICATES_MAX);
		dp_fail_hint(error, "Sets that are drawn from one measurement have no such limit.");
		return DP_ERR_ARGUMENT;
	}
	plan->remaining = dp_budget_divide(plan->remaining, plan->sets);
	return DP_OK;
}

/* Turns a stage of one set into that of all sets. plan->cost has the cost of one set already. */
static DpStatus
multiply_stage(DpPlan *plan, DpStage *stage)
{
	DpBudget once = stage->total;
	DpBudget more;

	DP_TRY(dp_budget_multiply(once, plan->sets, &stage->total));
	DP_TRY(dp_budget_subtract(stage->total, once, &more));
	DP_TRY(dp_budget_add(plan->cost, more, &plan->cost));
	stage->tables = dp_multiply_saturated(stage->tables, plan->sets);
	stage->cells = dp_multiply_saturated(stage->cells, plan->sets);
	stage->false_positives *= plan->sets;
	return DP_OK;
}

/* Whether a stage releases tables with noise on every cell, which the model keeps. */
static bool
keeps_tables(const DpStage *stage)
{
	return stage->noise_stddev_rows > 0;
}

static bool
is_dense(const DpStage *stage)
{
	return keeps_tables(stage) && stage->threshold_rows == 0;
}

/* Checks before the debit that the model can hold all sets, as far as sizes are public, and adds up
 * the memory. */
static DpStatus
check_together(DpPlan *plan, uint32_t first_stage, DpError *error)
{
	uint64_t tables = 0, cells = 0;

	for (uint32_t i = first_stage; i < plan->stages; i++)
	{
		if (keeps_tables(&plan->stage[i]))
			tables = dp_add_saturated(tables, plan->stage[i].tables);
		if (is_dense(&plan->stage[i]))
			cells = dp_add_saturated(cells, plan->stage[i].cells);
	}
	plan->memory_bytes =
		dp_add_saturated(plan->memory_bytes, dp_multiply_saturated(cells, sizeof(int64_t)));
	if (tables <= DP_MODEL_TABLES_MAX && cells <= DP_MODEL_CELLS_MAX)
		return DP_OK;
	(void) dp_fail(error, DP_ERR_LIMIT,
				   "the tables of all independent sets are too many or too large");
	dp_fail_detail(error, "The limits are %d tables and %llu cells.", DP_MODEL_TABLES_MAX,
				   (unsigned long long) DP_MODEL_CELLS_MAX);
	dp_fail_hint(error, "Ask for fewer sets, or draw them from one measurement.");
	return DP_ERR_LIMIT;
}

DpStatus
dp_replicates_plan(DpPlan *plan, DpArena *arena, DpError *error)
{
	uint32_t stages = plan->stages;
	uint32_t scans = plan->scans;

	DP_TRY(plan->method->plan(plan, arena, error));
	plan->scans = scans + (plan->scans - scans) * plan->sets;
	if (plan->sets <= 1)
		return DP_OK;
	for (uint32_t i = stages; i < plan->stages; i++)
		DP_TRY(multiply_stage(plan, &plan->stage[i]));
	return check_together(plan, stages, error);
}

/* ---- measuring ---- */

/* Joins the parts, one after the other. Parameters are public settings, which are the same in
 * all. */
static DpStatus
join(const DpMeasurement *m, const DpModel *part, DpModel *model)
{
	uint64_t tables = 0;
	uint64_t structure = 0;

	for (uint32_t i = 0; i < model->replicates; i++)
	{
		model->replicate[i] = (DpReplicate){
			.rows = part[i].rows, .tables = part[i].tables, .structure = part[i].structure_n};
		tables += part[i].tables;
		structure += part[i].structure_n;
	}
	if (tables > DP_MODEL_TABLES_MAX || structure > DP_MODEL_STRUCTURE_MAX)
		return DP_ERR_LIMIT;
	model->table = dp_alloc(m->arena, tables, sizeof(*model->table));
	model->structure = dp_alloc(m->arena, structure, sizeof(*model->structure));
	DP_TRY_ALLOC(model->table && model->structure);
	for (uint32_t i = 0; i < model->replicates; i++)
	{
		if (part[i].tables > 0) /* a release that holds rows has none */
			memcpy(model->table + model->tables, part[i].table,
				   part[i].tables * sizeof(*model->table));
		model->tables += part[i].tables;
		for (uint32_t k = 0; k < part[i].structure_n; k++)
			model->structure[model->structure_n++] = part[i].structure[k];
	}
	model->rows = part[0].rows;
	model->parameters = part[0].parameters;
	model->parameter = part[0].parameter;
	return DP_OK;
}

/* Checks sizes that are known only once values are discovered or columns selected, so that no
 * more is kept than a model can hold. */
static DpStatus
check_so_far(const DpModel *part, uint64_t *tables, uint64_t *cells)
{
	*tables += part->tables;
	for (uint32_t t = 0; t < part->tables; t++)
		*cells += part->table[t].storage == DP_DENSE ? part->table[t].cells : 0;
	return *tables > DP_MODEL_TABLES_MAX || *cells > DP_MODEL_CELLS_MAX ? DP_ERR_LIMIT : DP_OK;
}

DpStatus
dp_replicates_measure(const DpMeasurement *m, DpModel *model, DpError *error)
{
	const DpMethod *method = m->plan->method;
	uint64_t tables = 0, cells = 0;
	DpModel *part;

	if (m->plan->sets <= 1)
		return method->measure(m, model, error);
	model->replicates = m->plan->sets;
	model->replicate = dp_alloc(m->arena, model->replicates, sizeof(*model->replicate));
	part = dp_alloc(m->arena, model->replicates, sizeof(*part));
	DP_TRY_ALLOC(model->replicate && part);
	for (uint32_t i = 0; i < model->replicates; i++)
	{
		part[i] = (DpModel){.method = model->method, .unit = model->unit, .domain = model->domain};
		DP_TRY(method->measure(m, &part[i], error));
		DP_TRY(check_so_far(&part[i], &tables, &cells));
	}
	return join(m, part, model);
}
