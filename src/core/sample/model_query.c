/*
 * model_query.c -- what all queries of models share.
 */
#include "core/sample/model_query.h"

DpStatus
dp_fail_impossible(DpError *error)
{
	(void) dp_fail(error, DP_ERR_ARGUMENT, "the model gives no row such values");
	dp_fail_detail(error, "By what was released, no row meets the condition.");
	dp_fail_hint(error, "Give fewer columns, or wider ranges.");
	return DP_ERR_ARGUMENT;
}

DpStatus
dp_measured_tables(const DpSampler *sampler, const DpModel *model, DpMeasuredTable **out,
				   DpArena *arena, DpError *error)
{
	DpMeasuredTable *table = dp_alloc(arena, model->tables, sizeof(*table));
	uint32_t sets = model->replicates > 0 ? model->replicates : 1;
	DpModel view;

	DP_TRY_ALLOC(table);
	for (uint32_t t = 0; t < model->tables; t++)
		table[t].table = &model->table[t];
	*out = table;
	for (uint32_t set = 1; set <= sets && sampler->measured != NULL; set++)
	{
		DP_TRY(dp_model_view(model, set, &view));
		DP_TRY(sampler->measured(&view, table + (view.table - model->table), arena, error));
	}
	return DP_OK;
}
