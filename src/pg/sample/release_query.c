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
#include "pg/sample/cell_json.h"
#include "pg/sample/cut_bounds.h"

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
	dp_widen_cut(stored, &request->condition, &request->marginal_query, table, tick,
				 request->answer);
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
touches(const DpReleaseQuery *request, uint32 attribute, const uint32 *code, uint32 level)
{
	for (uint32 k = 0; k < request->marginal_query.by.n; k++)
		if (request->by[k] == attribute && code[k] != level)
			return false;
	return dp_given_weight(&request->condition.given, attribute, level) > 0;
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
	for (uint32 i = 0; i <= last && request->condition.prorated[number]; i++)
		cut |= touches(request, number, code, i) &&
			   dp_given_weight(&request->condition.given, number, i) < 1;
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
