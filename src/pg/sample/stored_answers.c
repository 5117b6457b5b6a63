/*
 * stored_answers.c -- reading the answers of a stored release.
 */
#include "pg/sample/stored_answers.h"

#include <math.h>

#include "lib/stringinfo.h"
#include "miscadmin.h"

#include "core/base/row_major.h"
#include "pg/domain/query.h"
#include "pg/server/bridge.h"

void
dp_stored_answers_open(DpStoredAnswers *answers, const DpStored *stored, double confidence,
					   DpArena *arena)
{
	const DpModel *model = &stored->model;
	DpError error = {0};
	DpStatus status;

	if (strcmp(model->method, DP_QUERY_METHOD) != 0)
		ereport(ERROR, (errcode(ERRCODE_WRONG_OBJECT_TYPE),
						errmsg("release " INT64_FORMAT " holds no answers", stored->id),
						errhint("dp_query makes them; dp_sample draws rows from other releases.")));
	*answers = (DpStoredAnswers){.model = model};
	if (dp_query_layout_load(model, &answers->layout, arena, &error) != DP_OK)
		dp_raise(&error);
	status = dp_answerer_create(model, &answers->layout, confidence, &answers->answerer,
								&dp_interrupt_tick, arena);
	if (status == DP_OK)
		status = dp_zero_test_build(&answers->zeros, &model->domain, answers->layout.by_attribute,
									answers->layout.by, arena);
	if (status != DP_OK)
	{
		(void) dp_fail(&error, status, "stored model: its answers cannot be computed");
		dp_raise(&error);
	}
	answers->codes = palloc0(sizeof(uint32) * (answers->layout.by + 1));
}

bool
dp_stored_answers_group(const DpStoredAnswers *answers, uint64 cell)
{
	const DpQueryLayout *layout = &answers->layout;
	uint32 levels[DP_ATTRIBUTES_MAX];

	CHECK_FOR_INTERRUPTS();
	dp_domain_levels(&answers->model->domain, layout->by_attribute, layout->by, levels);
	dp_row_major_codes(levels, layout->by, cell, answers->codes);
	return answers->zeros.n == 0 || !dp_zero_test_forbids(&answers->zeros, answers->codes);
}

DpAnswerValue
dp_stored_answers_value(const DpStoredAnswers *answers, uint32 measure, uint64 cell)
{
	DpAnswerValue value;

	if (dp_answer_value(answers->answerer, measure, cell, &value) != DP_OK)
		ereport(ERROR, (errcode(ERRCODE_OUT_OF_MEMORY), errmsg("out of memory")));
	return value;
}

/* ---- bounds in words ---- */

static void
append_sum(const DpStoredAnswers *answers, uint32 i, StringInfo words)
{
	const DpStatistic *statistic = &answers->layout.statistic[i];

	if (statistic->unit_max == 0)
		return;
	appendStringInfo(words, "%sa unit adds %.4g to the sum of %s at most", words->len ? "; " : "",
					 ldexp((double) statistic->unit_max, (int) statistic->shift) *
						 dp_coordinate_unit(&answers->layout.grid[i]),
					 answers->model->domain.attribute[statistic->column].name);
	if (statistic->units_over >= 0)
		appendStringInfo(words, ", and about " INT64_FORMAT " units may have more",
						 statistic->units_over);
}

char *
dp_stored_answers_bounds(const DpStoredAnswers *answers)
{
	uint32 rows = answers->model->unit.rows_max;
	StringInfoData words;

	initStringInfo(&words);
	if (answers->layout.rows_over >= 0)
		appendStringInfo(
			&words, "%u row%s of a unit at most, and about " INT64_FORMAT " units may have more",
			rows, rows == 1 ? "" : "s", answers->layout.rows_over);
	for (uint32 i = 0; i < answers->layout.statistics; i++)
		append_sum(answers, i, &words);
	return words.len > 0 ? words.data : NULL;
}
