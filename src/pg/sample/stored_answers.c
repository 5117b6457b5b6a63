/*
 * stored_answers.c -- reading the answers of a stored release.
 */
#include "pg/sample/stored_answers.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"

#include "core/base/row_major.h"
#include "pg/server/bridge.h"
#include "pg/server/catalog.h"
#include "pg/server/dpsyn.h"

/* ---- finding them ---- */

static bool
same_levels(const DpAttribute *stored, const DpAttribute *asked)
{
	return asked->open || asked->kind != DP_CATEGORIES || dp_attribute_same_labels(stored, asked);
}

/* Whether a release answers a question by the values and ranges that are declared now. */
static bool
is_of_domain(int64 release, const DpDomain *domain, const DpQuery *query)
{
	DpArena arena = dp_arena_for(CurrentMemoryContext);
	const DpStored *stored = dp_stored_get(release);
	DpQueryLayout layout;
	DpError error = {0};

	if (dp_query_layout_load(&stored->model, &layout, &arena, &error) != DP_OK)
		dp_raise(&error);
	if (layout.by != query->by || stored->model.domain.attributes != domain->attributes)
		return false;
	for (uint32 i = 0; i < query->by; i++)
		if (!same_levels(&stored->model.domain.attribute[layout.by_attribute[i]],
						 &domain->attribute[query->by_attribute[i]]))
			return false;
	for (uint32 i = 0; i < layout.statistics; i++)
	{
		const DpStatistic *statistic = &layout.statistic[i];
		DpGrid grid = dp_statistic_grid(query, statistic);

		if (!dp_grid_same(&layout.grid[i], &grid) ||
			(statistic->kind == DP_STATISTIC_DISTINCT &&
			 !same_levels(&stored->model.domain.attribute[statistic->column],
						  &domain->attribute[statistic->column])))
			return false;
	}
	return true;
}

static void *
answered_read(uint64 row)
{
	DpAnswered *answered = palloc(sizeof(DpAnswered));
	bool isnull;

	answered->release = dp_spi_int64(row, 1);
	answered->at = DatumGetTimestampTz(dp_spi_value(row, 2, &isnull));
	return answered;
}

DpAnswered
dp_stored_answers_find(const DpReleaseRequest *request, int32 dataset, const DpDomain *domain,
					   const DpQuery *query, int64 epsilon_nano)
{
	Datum options = DirectFunctionCall1(jsonb_in, CStringGetDatum(request->options));
	ListCell *cell;
	List *found = dp_catalog_list(
		"SELECT id, released_at FROM dp_catalog.dp_release_store"
		" WHERE dataset = $1 AND method = $2 AND options = $3 AND epsilon_nano >= $4"
		" ORDER BY id DESC LIMIT 100",
		DP_ARGUMENTS(DP_INT32(dataset), dp_text_argument(DP_QUERY_METHOD),
					 {JSONBOID, options, false}, DP_INT64(epsilon_nano)),
		answered_read);

	foreach (cell, found)
	{
		const DpAnswered *answered = lfirst(cell);

		if (dp_stored_may_draw(answered->release) && is_of_domain(answered->release, domain, query))
			return *answered;
	}
	return (DpAnswered){0};
}

bool
dp_stored_answers_old(TimestampTz at, TimestampTz now)
{
	return dpsyn_query_refresh >= 0 && now - at >= dpsyn_query_refresh * USECS_PER_SEC;
}

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
