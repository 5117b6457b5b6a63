/*
 * release_query.c -- answering a marginal query, and saying what the answer rests on.
 */
#include "pg/sample/release_query.h"

#include <math.h>

#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/memutils.h"
#include "utils/tuplestore.h"

#include "core/base/row_major.h"
#include "core/estimate/frechet_bounds.h"
#include "core/estimate/measured.h"
#include "pg/sample/cell_json.h"
#include "pg/sample/condition.h"
#include "pg/sample/store.h"
#include "pg/server/bridge.h"
#include "pg/server/compat.h"

#define ANSWER_COLUMNS 6

/* ---- what is request ---- */

double
dp_rows_public(const DpStored *stored)
{
	/* rows that are the release itself are as many as were request for */
	if (!dp_unit_rows_public(&stored->model.unit) || dp_model_holds_rows(&stored->model))
		return -1;
	return (double) stored->model.rows;
}

static void
raise_status(DpStatus status, DpError *error)
{
	error->status = status;
	dp_raise(error);
}

DpMeasuredTable *
dp_stored_tables(DpStored *stored)
{
	DpMeasuredTable *table;
	DpError error = {0};
	DpStatus status =
		dp_measured_tables(stored->method->sampler, &stored->model, &table, &stored->arena, &error);

	if (status != DP_OK)
		raise_status(status, &error);
	return table;
}

static int
compare_numbers(const void *a, const void *b)
{
	uint32 x = *(const uint32 *) a, y = *(const uint32 *) b;

	return x < y ? -1 : x > y;
}

void
dp_release_query_by(DpReleaseQuery *request, char **name, int n)
{
	const DpDomain *domain = &request->stored->model.domain;

	request->by = palloc(sizeof(uint32) * Max(n, 1));
	for (int k = 0; k < n; k++)
		request->by[k] = dp_released_column(domain, name[k]);
	qsort(request->by, n, sizeof(uint32), compare_numbers);
	for (int k = 1; k < n; k++)
		if (request->by[k] == request->by[k - 1])
			ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
							errmsg("column \"%s\" is given twice",
								   domain->attribute[request->by[k]].name)));
	request->marginal_query.by = (DpAttributeSet){(uint32) n, request->by};
}

/* ---- the answer ---- */

static const void *
quick_fit(const DpReleaseQuery *request, const DpFitted *fitted)
{
	const DpModelQuery *query = request->stored->method->sampler->query;
	bool zeros = request->stored->model.domain.zeros.sets > 0;

	/* rows obey all zeros, and so do shares of which the sampler says so */
	if (zeros && fitted->fitted != NULL &&
		(query->keeps_zeros == NULL || !query->keeps_zeros(fitted->fitted)))
		return NULL;
	return fitted->fitted;
}

bool
dp_release_query_is_quick(DpReleaseQuery *request)
{
	for (uint32 set = 1; set <= (uint32) request->stored->sets; set++)
		if (quick_fit(request, dp_fitted_get(request->stored, set, &request->progress.tick)) ==
			NULL)
			return dp_model_holds_rows(&request->stored->model) ||
				   dp_drawn_is_kept(request->stored);
	return true;
}

static DpModelSource
source_of_set(DpReleaseQuery *request, uint32 set, const DpTick *tick)
{
	const DpSampler *sampler = request->stored->method->sampler;
	const DpFitted *fitted;
	DpModelSource source;

	if (request->drawn != NULL)
		return (DpModelSource){
			.model = &request->drawn->model, .sampler = sampler, .drawn = &request->drawn->drawn};
	fitted = dp_fitted_get(request->stored, set, tick);
	source = (DpModelSource){.model = &fitted->model,
							 .sampler = sampler,
							 .fitted = quick_fit(request, fitted),
							 .rows_max = request->rows_max};
	if (source.fitted == NULL && !dp_model_holds_rows(&fitted->model) &&
		dp_drawn_is_kept(request->stored))
		source.drawn = &dp_drawn_get(request->stored, set, tick)->drawn;
	return source;
}

void
dp_release_query_model(DpReleaseQuery *request, const DpTick *tick)
{
	uint32 sets = (uint32) request->stored->sets;
	DpModelSource *source = palloc(sizeof(DpModelSource) * sets);
	DpArena arena = dp_arena_for(CurrentMemoryContext);
	DpError error = {0};
	DpStatus status;

	for (uint32 set = 1; set <= sets; set++)
		source[set - 1] = source_of_set(request, set, tick);
	status = dp_model_answer(&request->marginal_query, source, sets, request->answer, tick, &arena,
							 &error);
	if (status != DP_OK)
		raise_status(status, &error);
}

static bool
any_open(const DpReleaseQuery *request)
{
	for (uint64 b = 0; b < request->groups; b++)
		if (request->answer[b].basis == DP_BASIS_NONE)
			return true;
	return false;
}

/*
 * Intervals of answers for which bins are cut.
 *
 * Post-processing: runs in the caller's backend, on what was released.
 */

static bool
is_cut(const DpCondition *condition)
{
	for (uint32 a = 0; a < condition->given.attributes; a++)
		if (condition->prorated[a] || condition->between[a] != NULL)
			return true;
	return false;
}

/* Whether a condition takes a part of a bin. */
static bool
is_bin_cut(const DpCondition *condition, uint32 attribute, uint32 bin)
{
	double weight = condition->given.weight[attribute][bin];

	return (weight > 0 && weight < 1) ||
		   (condition->between[attribute] != NULL && condition->between[attribute][bin]);
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

		if (!condition->prorated[a] && condition->between[a] == NULL)
			continue;
		given.weight[a] = palloc(sizeof(double) * levels);
		for (uint32 i = 0; i < levels; i++)
		{
			given.weight[a][i] =
				is_bin_cut(condition, a, i) ? with : condition->given.weight[a][i] > 0;
		}
	}
	return given;
}

/* A query, and the tables that answer it. */
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

/*
 * A bin of which a condition takes a part is counted in proportion. How its rows lie inside of it is
 * not known: all of them may meet the condition, or none. Makes the interval of each answer of a
 * query reach from the least, as if no row of such a bin did, to the most, as if all did. Does
 * nothing where no bin is cut. table: [stored->model.tables].
 */
static void
widen_cut(DpStored *stored, const DpCondition *condition, const DpMarginalQuery *query,
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

/* Answers from noisy tables what they hold, and bounds the rest by them. */
static void
answer_measured(DpReleaseQuery *request)
{
	DpStored *stored = request->stored;
	const DpTick *tick = &request->progress.tick;
	DpMeasuredTable *table = dp_stored_tables(stored);
	DpStatus status;
	DpError error = {0};

	dp_progress_start(&request->progress, "reading tables");
	status = dp_measured_answer(&request->marginal_query, table, stored->model.tables,
								request->answer, tick, &stored->arena);
	if (status == DP_OK && any_open(request))
		status = dp_frechet_bounds(&request->marginal_query, table, stored->model.tables,
								   request->answer, tick, &stored->arena);
	if (status != DP_OK)
		raise_status(status, &error);
	widen_cut(stored, &request->condition, &request->marginal_query, table, tick, request->answer);
}

/* Tables of rows that belong to other rows do not count each of them alike. */
static void
answer_nothing(DpReleaseQuery *request)
{
	for (uint64 b = 0; b < request->groups; b++)
		request->answer[b] = (DpGroupAnswer){
			.basis = DP_BASIS_NONE, .estimate = NAN, .std_error = NAN, .low = NAN, .high = NAN};
}

void
dp_release_query_answer(DpReleaseQuery *request)
{
	request->groups = dp_marginal_query_groups(&request->marginal_query);
	if (request->groups > DP_ANSWER_CELLS_MAX)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("there are too many groups to answer"),
						errdetail("The limit is %d.", DP_ANSWER_CELLS_MAX),
						errhint("Group by fewer columns, or draw rows with dp_sample.")));
	request->answer =
		palloc_extended(sizeof(DpGroupAnswer) * request->groups, MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	if (request->drawn != NULL)
		answer_nothing(request);
	else
		answer_measured(request);
	if (any_open(request))
	{
		dp_progress_start(&request->progress, "answering");
		dp_release_query_model(request, &request->progress.tick);
	}
}

/* ---- what it rests on ---- */

static const char *
basis_word(const DpGroupAnswer *answer)
{
	switch (answer->basis)
	{
		case DP_BASIS_MEASURED:
			return "measured";
		case DP_BASIS_ZERO:
			return "zero";
		case DP_BASIS_PUBLIC:
			return "public";
		case DP_BASIS_SIMULATED:
			return "model (simulated)";
		case DP_BASIS_ROW_RELEASE:
			return "model (rows of the release)";
		default:
			return "model";
	}
}

static bool
is_of_group(const DpReleaseQuery *request, uint32 attribute, const uint32 *code, uint32 level)
{
	for (uint32 k = 0; k < request->marginal_query.by.n; k++)
		if (request->by[k] == attribute && code[k] != level)
			return false;
	return true;
}

static bool
touches(const DpReleaseQuery *request, uint32 attribute, const uint32 *code, uint32 level)
{
	return is_of_group(request, attribute, code, level) &&
		   dp_given_weight(&request->condition.given, attribute, level) > 0;
}

/* Names what was done to the rows before they were counted, where it touches this group. */
static void
note_column(const DpReleaseQuery *request, uint32 number, const uint32 *code, StringInfo words)
{
	const DpAttribute *attribute = &request->stored->model.domain.attribute[number];
	uint32 last = attribute->labels_n - 2;
	bool cut = false;

	if (attribute->kind != DP_BINS)
		return;
	if ((attribute->range == NULL || attribute->range->listed == NULL) &&
		touches(request, number, code, 0) != touches(request, number, code, last))
		appendStringInfo(words, "; %s: the %s bin holds what lies beyond", attribute->name,
						 touches(request, number, code, 0) ? "first" : "last");
	for (uint32 i = 0; i <= last && request->condition.given.weight[number] != NULL; i++)
		cut |= is_of_group(request, number, code, i) && is_bin_cut(&request->condition, number, i);
	if (cut)
		appendStringInfo(words, "; %s: bins are cut in proportion", attribute->name);
}

static char *
basis_text(const DpReleaseQuery *request, const DpGroupAnswer *answer, const uint32 *code)
{
	const DpStored *stored = request->stored;
	StringInfoData words;

	initStringInfo(&words);
	appendStringInfoString(&words, basis_word(answer));
	if (stored->units_bounded && request->drawn == NULL)
		appendStringInfo(&words, "; at most %u row%s a unit", stored->model.unit.rows_max,
						 stored->model.unit.rows_max == 1 ? "" : "s");
	if (answer->basis == DP_BASIS_ZERO || answer->basis == DP_BASIS_PUBLIC)
		return words.data;
	if (answer->other > 0)
		appendStringInfo(&words, "; with NULL or unlisted values, at most %.0f rows",
						 answer->other);
	for (uint32 a = 0; a < stored->model.domain.attributes; a++)
	{
		bool named = request->condition.given.weight[a] != NULL;

		for (uint32 k = 0; k < request->marginal_query.by.n; k++)
			named |= request->by[k] == a;
		if (named)
			note_column(request, a, code, &words);
	}
	return words.data;
}

/* ---- the result ---- */

static void
put_answer(const DpReleaseQuery *request, const DpCellWriter *writer, const DpGroupAnswer *answer,
		   const uint32 *code, ReturnSetInfo *result)
{
	double number[] = {answer->estimate, answer->std_error, answer->low, answer->high};
	Datum values[ANSWER_COLUMNS];
	bool nulls[ANSWER_COLUMNS] = {false};

	values[0] = JsonbPGetDatum(dp_cell_json(writer, code, NULL));
	if (request->also != NULL)
		values[0] = DirectFunctionCall2(jsonb_concat, values[0], JsonbPGetDatum(request->also));
	for (int i = 0; i < 4; i++)
	{
		values[i + 1] = Float8GetDatum(number[i]);
		nulls[i + 1] = !isfinite(number[i]);
	}
	values[5] = CStringGetTextDatum(basis_text(request, answer, code));
	tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
}

void
dp_release_query_return(DpReleaseQuery *request, ReturnSetInfo *result)
{
	const DpAttributeSet *by = &request->marginal_query.by;
	const DpDomain *domain = &request->stored->model.domain;
	DpCellWriter *writer = dp_cell_writer(domain, by);
	uint32 *code = palloc0(sizeof(uint32) * Max(by->n, 1));
	uint32 *levels = palloc(sizeof(uint32) * Max(by->n, 1));
	MemoryContext row =
		AllocSetContextCreate(CurrentMemoryContext, "dpsyn cell", ALLOCSET_DEFAULT_SIZES);
	MemoryContext caller = MemoryContextSwitchTo(row);

	dp_domain_levels(domain, by->attribute, by->n, levels);
	for (uint64 b = 0; b < request->groups; b++)
	{
		bool wanted = true;

		CHECK_FOR_INTERRUPTS();
		dp_row_major_codes(levels, by->n, b, code);
		for (uint32 k = 0; k < by->n; k++)
			wanted &= dp_given_weight(&request->condition.given, by->attribute[k], code[k]) > 0;
		if (wanted)
			put_answer(request, writer, &request->answer[b], code, result);
		MemoryContextReset(row);
	}
	MemoryContextSwitchTo(caller);
}
