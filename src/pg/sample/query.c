/*
 * query.c -- dp_release_query and dp_query: asking for aggregates, and the answers of a
 * stored release as rows, which are post-processing of what was paid for.
 */
#include "pg/server/compat.h"

#include <math.h>

#include "funcapi.h"
#include "utils/builtins.h"
#include "utils/jsonb.h"
#include "utils/memutils.h"
#include "utils/tuplestore.h"

#include "core/domain/query.h"
#include "pg/release/request.h"
#include "pg/release/request_rights.h"
#include "pg/sample/cell_json.h"
#include "pg/sample/sample.h"
#include "pg/sample/stored_answers.h"
#include "pg/server/arguments.h"
#include "pg/server/bridge.h"

PG_FUNCTION_INFO_V1(dp_release_query);
PG_FUNCTION_INFO_V1(dp_query);

#define RESULT_COLUMNS 6

/* The answer to what means the same, be it of a SELECT; 0: it is to be asked. */
static int64
find_stored(DpReleaseRequest *request)
{
	const DpPrepared *prepared;
	DpAnswered stored;

	request->options =
		dp_options_with_settings(request); /* the filter's times are of this session */
	prepared = dp_prepare_request(request);
	if (!dp_request_as_question(request, prepared))
		return 0;
	prepared = dp_prepare_request(request);
	stored = dp_stored_answers_find(request, prepared->dataset.id, prepared->request.domain,
									prepared->request.query, request->epsilon_nano);
	if (stored.release == 0 || dp_stored_answers_old(stored.at, GetCurrentTimestamp()))
		return 0;
	ereport(NOTICE,
			(errmsg("release " INT64_FORMAT " answers this, and nothing is spent", stored.release),
			 errhint("With a larger epsilon, or with dpsyn.query_refresh = 0, it is asked anew.")));
	return stored.release;
}

Datum
dp_release_query(PG_FUNCTION_ARGS)
{
	DpReleaseRequest request = {.method = pstrdup(DP_QUERY_METHOD), .sets = 1, .rows = -1};
	int64 stored;

	for (int i = 1; i <= 3; i++)
		if (PG_ARGISNULL(i))
			ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
							errmsg("epsilon, delta and options must not be null")));
	(void) dp_confidence_argument(fcinfo, 4); /* a typo must cost nothing */
	dp_check_question_rights(PG_GETARG_JSONB_P(3));
	request.options = dp_options_argument(fcinfo, 3);
	dp_request_target(fcinfo, 1, &request);
	stored = find_stored(&request);
	PG_RETURN_INT64(stored != 0 ? stored : dp_release_requested(&request, "dp_query"));
}

/* ---- the answers ---- */

typedef struct Answers
{
	DpStoredAnswers stored;
	DpCellWriter *writer;
	const char **measure; /* [measures] as words */
} Answers;

static void
put_answer(ReturnSetInfo *result, const Answers *answers, uint32 measure, uint64 cell)
{
	Datum values[RESULT_COLUMNS];
	bool nulls[RESULT_COLUMNS] = {false};
	DpAnswerValue value = dp_stored_answers_value(&answers->stored, measure, cell);

	values[0] = JsonbPGetDatum(dp_cell_json(answers->writer, answers->stored.codes, NULL));
	values[1] = CStringGetTextDatum(answers->measure[measure]);
	values[2] = Float8GetDatum(value.estimate);
	values[3] = Float8GetDatum(value.std_error);
	values[4] = Float8GetDatum(value.low);
	values[5] = Float8GetDatum(value.high);
	nulls[2] = isnan(value.estimate);
	nulls[3] = isnan(value.std_error);
	tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
}

static void
put_answers(ReturnSetInfo *result, const Answers *answers)
{
	const DpQueryLayout *layout = &answers->stored.layout;
	MemoryContext each =
		AllocSetContextCreate(CurrentMemoryContext, "dpsyn answer", ALLOCSET_DEFAULT_SIZES);

	for (uint64 cell = 0; cell < layout->cells; cell++)
	{
		MemoryContext caller;

		if (!dp_stored_answers_group(&answers->stored, cell))
			continue;
		caller = MemoryContextSwitchTo(each);
		for (uint32 m = 0; m < layout->measures; m++)
			put_answer(result, answers, m, cell);
		MemoryContextSwitchTo(caller);
		MemoryContextReset(each);
	}
}

static void
answers_prepare(const DpStored *stored, double confidence, Answers *answers, DpArena *arena)
{
	const DpDomain *domain = &stored->model.domain;
	const DpQueryLayout *layout = &answers->stored.layout;

	dp_stored_answers_open(&answers->stored, stored, confidence, arena);
	answers->writer = dp_cell_writer(
		domain, &(DpAttributeSet){.n = layout->by, .attribute = layout->by_attribute});
	answers->measure = palloc0(sizeof(char *) * (layout->measures + 1));
	for (uint32 m = 0; m < layout->measures; m++)
	{
		const DpMeasure *measure = &layout->measure[m];
		const char *column =
			measure->kind == DP_COUNT_ROWS ? NULL : domain->attribute[measure->column].name;

		if (dp_measure_write(measure, column, &answers->measure[m], arena) != DP_OK)
			ereport(ERROR, (errcode(ERRCODE_OUT_OF_MEMORY), errmsg("out of memory")));
	}
}

static void
tell_bounds(const DpStoredAnswers *answers)
{
	char *words = dp_stored_answers_bounds(answers);

	if (words != NULL)
		ereport(NOTICE, (errmsg("what a unit adds is bounded"), errdetail("It is %s.", words)));
}

/* Tells where values of a column were clamped, if that is not at the ends of its range. */
static void
tell_narrowed(const DpQueryLayout *layout, const DpDomain *domain)
{
	for (uint32 i = 0; i < layout->statistics; i++)
	{
		const DpStatistic *statistic = &layout->statistic[i];
		const DpAttribute *attribute;
		char low[DP_GRID_TEXT_BYTES], high[DP_GRID_TEXT_BYTES];
		bool noted = statistic->kind < DP_STATISTIC_SUM;

		for (uint32 k = 0; k < i && !noted; k++)
			noted = layout->statistic[k].kind >= DP_STATISTIC_SUM &&
					layout->statistic[k].column == statistic->column;
		if (noted)
			continue;
		attribute = &domain->attribute[statistic->column];
		if (attribute->range != NULL && (statistic->first != attribute->range->grid.first ||
										 statistic->last != attribute->range->grid.last))
			ereport(NOTICE, (errmsg("column \"%s\" was narrowed to [%s, %s]", attribute->name,
									dp_range_text(attribute->range, statistic->first, low),
									dp_range_text(attribute->range, statistic->last, high)),
							 errdetail("Values beyond count as these.")));
	}
}

Datum
dp_query(PG_FUNCTION_ARGS)
{
	DpArena arena = dp_arena_for(CurrentMemoryContext);
	Answers answers = {0};
	double confidence;

	dp_check_not_null(fcinfo, 0, "release");
	confidence = dp_confidence_argument(fcinfo, 1);
	answers_prepare(dp_stored_get(PG_GETARG_INT64(0)), confidence, &answers, &arena);
	tell_narrowed(&answers.stored.layout, &answers.stored.model->domain);
	tell_bounds(&answers.stored);
	InitMaterializedSRF(fcinfo, 0);
	put_answers((ReturnSetInfo *) fcinfo->resultinfo, &answers);
	return (Datum) 0;
}
