/*
 * explain.c -- dp_explain: what a release would do and cost, and how wide the intervals of a query
 * would be. It reads no data and spends nothing.
 */
#include "pg/server/compat.h"

#include <math.h>

#include "funcapi.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/jsonb.h"
#include "utils/lsyscache.h"
#include "utils/numeric.h"
#include "utils/tuplestore.h"

#include "core/domain/query.h"
#include "core/methods/noise_allocation.h"
#include "core/methods/registry.h"
#include "core/plan/planner.h"
#include "pg/release/choose.h"
#include "pg/release/expected.h"
#include "pg/release/preview.h"
#include "pg/release/request_rights.h"
#include "pg/release/several.h"
#include "pg/server/arguments.h"
#include "pg/server/bridge.h"
#include "pg/server/catalog.h"

PG_FUNCTION_INFO_V1(dp_explain);

#define EXPLAIN_COLUMNS 22

/* ---- a line in words ---- */

#define LINE_LENGTH 98

static char *
number_words(Datum number)
{
	return DatumGetCString(
		DirectFunctionCall1(numeric_out, DirectFunctionCall1(numeric_trim_scale, number)));
}

/* "12 rows", "1.3 rows", "0.071 in age": two digits below 10. */
static char *
spread_words(double spread, const char *unit)
{
	bool counts = strncmp(unit, "rows", 4) == 0 || strncmp(unit, "levels", 6) == 0;
	int digits = spread >= 10 || spread <= 0 ? 0 : spread >= 1 ? 1 : 1 - (int) floor(log10(spread));
	Datum number = DirectFunctionCall2(numeric_round,
									   DirectFunctionCall1(float8_numeric, Float8GetDatum(spread)),
									   Int32GetDatum(digits));

	return psprintf("%s%s%s",
					digits == 1 ? DatumGetCString(DirectFunctionCall1(numeric_out, number))
								: number_words(number),
					counts ? " " : " in ", unit);
}

/* Without an epsilon where the cost is in rho, and without a delta of 0. */
static char *
cost_words(DpBudget cost)
{
	StringInfoData words;

	initStringInfo(&words);
	if (cost.epsilon_nano > 0 || cost.rho_pico == 0)
		appendStringInfo(&words, "epsilon %s",
						 number_words(dp_epsilon_to_numeric(cost.epsilon_nano)));
	if (cost.delta_atto > 0)
		appendStringInfo(&words, "%sdelta %s", words.len > 0 ? " and " : "",
						 number_words(dp_delta_to_numeric(cost.delta_atto)));
	if (words.len == 0)
		appendStringInfo(&words, "rho %s", number_words(dp_rho_to_numeric(cost.rho_pico)));
	return words.data;
}

/* Two lines where it is long. */
static Datum
line_of(const char *head, const char *separator, const char *tail)
{
	if (tail[0] == '\0')
		return CStringGetTextDatum(head);
	if (strlen(head) + strlen(tail) > LINE_LENGTH)
		separator = separator[0] == ':' ? ":\n   " : ";\n   ";
	return CStringGetTextDatum(psprintf("%s%s%s", head, separator, tail));
}

static Datum
stage_line(int step, const DpStage *stage)
{
	const char *unit = stage->unit != NULL ? stage->unit : "rows";
	StringInfoData head, tail;

	initStringInfo(&head);
	initStringInfo(&tail);
	appendStringInfo(
		&head, "%d. %c%s: %llu %s%s", step, pg_ascii_toupper((unsigned char) stage->name[0]),
		stage->name + 1, (unsigned long long) stage->tables,
		stage->noise_stddev_rows == 0 ? "step" : "table", stage->tables > 1 ? "s" : "");
	if (stage->cells > 0)
		appendStringInfo(&head, " of %llu cell%s", (unsigned long long) stage->cells,
						 stage->cells > 1 ? "s" : "");
	appendStringInfo(&head, ", for %s", cost_words(stage->total));
	if (stage->noise_stddev_rows != 0)
		appendStringInfo(&tail, "noise of %s", spread_words(stage->noise_stddev_rows, unit));
	if (stage->threshold_rows != 0)
		appendStringInfo(&tail, "%scounts below %lld are left out", tail.len > 0 ? "; " : "",
						 (long long) stage->threshold_rows);
	return line_of(head.data, "; ", tail.data);
}

static Datum
total_line(const DpPlan *plan, const char *root)
{
	Datum memory = DirectFunctionCall1(
		pg_size_pretty, Int64GetDatum((int64) Min(plan->memory_bytes, (uint64) PG_INT64_MAX)));

	return line_of(psprintf("In all%s%s: %s", root != NULL ? " of " : "", root != NULL ? root : "",
							cost_words(plan->cost)),
				   "; ",
				   psprintf("%s; in at most %s",
							plan->scans == 1 ? "reads the relation once"
											 : psprintf("reads the relation %u times", plan->scans),
							TextDatumGetCString(memory)));
}

/* ---- the lines ---- */

static void
put_stage(FunctionCallInfo fcinfo, int step, const DpStage *stage)
{
	Datum values[EXPLAIN_COLUMNS] = {0};
	bool nulls[EXPLAIN_COLUMNS] = {false};

	values[0] = Int32GetDatum(step);
	values[1] = CStringGetTextDatum(stage->name);
	values[2] = CStringGetTextDatum(stage->mechanism);
	values[3] = Int64GetDatum((int64) stage->tables);
	values[4] = dp_epsilon_to_numeric(stage->each.epsilon_nano);
	values[5] = dp_delta_to_numeric(stage->each.delta_atto);
	values[6] = dp_epsilon_to_numeric(stage->total.epsilon_nano);
	values[7] = dp_delta_to_numeric(stage->total.delta_atto);
	/* what is paid in rho has no epsilon of its own: the total says what all stages cost
	 * together */
	nulls[4] = nulls[6] = stage->total.rho_pico > 0 && stage->total.epsilon_nano == 0;
	values[8] = Float8GetDatum(stage->noise_stddev_rows);
	nulls[8] = stage->noise_stddev_rows == 0;
	values[9] = Int64GetDatum(stage->threshold_rows);
	nulls[9] = stage->threshold_rows == 0;
	values[10] = Int64GetDatum((int64) Min(stage->cells, (uint64) PG_INT64_MAX));
	nulls[10] = stage->cells == 0;
	nulls[11] = nulls[12] = true;
	values[13] = dp_rho_to_numeric(stage->total.rho_pico);
	values[14] = Float8GetDatum(stage->false_positives);
	nulls[14] = stage->false_positives == 0;
	nulls[15] = nulls[16] = nulls[17] = nulls[18] = nulls[20] = true;
	nulls[19] = nulls[8];
	values[19] = CStringGetTextDatum(stage->unit != NULL ? stage->unit : "rows");
	values[21] = stage_line(step, stage);
	dp_put_row(fcinfo, values, nulls);
}

static double
membership_advantage(DpBudget cost)
{
	return dp_membership_advantage((double) cost.epsilon_nano / (double) DP_EPSILON_ONE,
								   (double) cost.delta_atto / (double) DP_DELTA_ONE);
}

/* root: whose budget pays, where several trees are released; NULL: one is. */
static void
put_total(FunctionCallInfo fcinfo, const DpReleaseRequest *request, const DpPrepared *prepared,
		  const char *root)
{
	const DpPlan *plan = &prepared->plan;
	bool unprotected = plan->method->unprotected;
	Datum values[EXPLAIN_COLUMNS] = {0};
	bool nulls[EXPLAIN_COLUMNS];

	memset(nulls, true, sizeof(nulls));
	values[1] = CStringGetTextDatum(root != NULL ? psprintf("%s: total", root) : "total");
	values[6] = dp_epsilon_to_numeric(plan->cost.epsilon_nano);
	values[7] = dp_delta_to_numeric(plan->cost.delta_atto);
	values[11] = Int32GetDatum((int32) plan->scans);
	values[12] = Int64GetDatum((int64) Min(plan->memory_bytes, (uint64) PG_INT64_MAX));
	values[13] = dp_rho_to_numeric(plan->cost.rho_pico);
	values[15] = Float8GetDatum(unprotected ? 1 : membership_advantage(plan->cost));
	values[16] = Float8GetDatum(dp_cost_estimate_seconds(request, prepared));
	values[17] = Int64GetDatum(
		(int64) Min(dp_cost_estimate_bytes(request, prepared), (uint64) PG_INT64_MAX));
	values[20] = Float8GetDatum(dp_cost_estimate_draw_seconds(request, prepared));
	values[21] = total_line(plan, root);
	nulls[16] = nulls[17] = nulls[20] = nulls[21] = false;
	nulls[1] = nulls[6] = nulls[7] = nulls[11] = nulls[12] = nulls[13] = nulls[15] = false;
	dp_put_row(fcinfo, values, nulls);
}

/* Whether a plan at this epsilon has no noise with a larger standard deviation. */
static bool
noise_is_within(DpPrepared *prepared, const DpMethod *method, int64 epsilon_nano, double stddev)
{
	DpError error = {0};
	double least, largest;
	DpPlan plan;

	CHECK_FOR_INTERRUPTS();
	prepared->request.budget.epsilon_nano = epsilon_nano;
	if (dp_plan(method, &prepared->request, &plan, &prepared->arena, &error) != DP_OK)
		return false;
	dp_plan_noise(&plan, &least, &largest);
	return largest <= stddev;
}

/* The least epsilon, but for a millionth of it, at which all noise has this standard deviation at
 * most. */
static int64
epsilon_of_stddev(const DpReleaseRequest *request, double stddev)
{
	const DpMethod *method = dp_method_called(request->method);
	DpReleaseRequest trial = *request;
	int64 low = 0, high = DP_EPSILON_NANO_MAX;
	DpPrepared *prepared;

	if (method->unprotected)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("method \"%s\" has no noise for a std_error", method->name)));
	if (!(stddev > 0))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("std_error must be above 0")));
	trial.epsilon_nano = high;
	prepared = dp_prepare_facts(&trial, method);
	if (!noise_is_within(prepared, method, high, stddev))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("no epsilon gives so small a standard error"),
						errhint("Ask for a larger one; with an epsilon dp_explain says what is "
								"wrong with the options.")));
	while (high - low > 1 + high / 1000000)
	{
		int64 middle = low + (high - low) / 2;

		if (middle > 0 && noise_is_within(prepared, method, middle, stddev))
			high = middle;
		else
			low = middle;
	}
	return high;
}

/* ---- how wide the intervals of a query will be ---- */

/* What half of the interval of a measure is counted in. */
static const char *
width_unit(const DpMeasure *measure, const char *column)
{
	switch (measure->kind)
	{
		case DP_COUNT_ROWS:
		case DP_COUNT:
			return "rows";
		case DP_COUNT_DISTINCT:
			return "levels";
		case DP_SUM:
			return column;
		case DP_AVG:
			return psprintf("%s, divided by the rows of the group", column);
		case DP_VAR:
			return psprintf("%s^2, divided by the rows of the group", column);
		case DP_STDDEV:
			return psprintf("%s^2, divided by the rows of the group and twice the deviation",
							column);
		case DP_QUANTILE:
			return "rows, and on to the next edge";
	}
	return NULL;
}

static void
put_width(FunctionCallInfo fcinfo, const DpMeasure *measure, const char *column, double half,
		  DpArena *arena)
{
	Datum values[EXPLAIN_COLUMNS] = {0};
	bool nulls[EXPLAIN_COLUMNS];
	const char *words;

	if (dp_measure_write(measure, column, &words, arena) != DP_OK)
		ereport(ERROR, (errcode(ERRCODE_OUT_OF_MEMORY), errmsg("out of memory")));
	memset(nulls, true, sizeof(nulls));
	values[1] = CStringGetTextDatum(words);
	values[18] = Float8GetDatum(half);
	values[19] = CStringGetTextDatum(width_unit(measure, column));
	values[21] = line_of(
		psprintf("%s %% interval of %s",
				 number_words(DirectFunctionCall1(
					 float8_numeric, Float8GetDatum(100 * dp_confidence_argument(fcinfo, 7)))),
				 words),
		": ", psprintf("+- %s", spread_words(half, width_unit(measure, column))));
	nulls[1] = nulls[18] = nulls[19] = nulls[21] = false;
	dp_put_row(fcinfo, values, nulls);
}

/* A line for each measure of a query; none of another method. */
static void
put_widths(FunctionCallInfo fcinfo, DpPrepared *prepared, double confidence)
{
	const DpQuery *spec = prepared->request.query;
	double *half;

	if (spec == NULL)
		return;
	half = palloc(sizeof(double) * spec->measures);
	if (dp_query_half_widths(&prepared->plan, confidence, half, &prepared->arena) != DP_OK)
		ereport(ERROR, (errcode(ERRCODE_OUT_OF_MEMORY), errmsg("out of memory")));
	for (uint32 m = 0; m < spec->measures; m++)
	{
		const DpMeasure *measure = &spec->measure[m];
		const char *column = measure->kind == DP_COUNT_ROWS
								 ? NULL
								 : prepared->request.domain->attribute[measure->column].name;

		put_width(fcinfo, measure, column, half[m], &prepared->arena);
	}
}

/* ---- dp_explain ---- */

/* Either epsilon or std_error is given. */
static void
explain_epsilon(FunctionCallInfo fcinfo, DpReleaseRequest *request)
{
	if (PG_ARGISNULL(2) == PG_ARGISNULL(6))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("either epsilon or std_error must be given")));
	if (PG_ARGISNULL(6))
		request->epsilon_nano = dp_epsilon_argument(fcinfo, 2, true, "epsilon");
	else
		request->epsilon_nano = epsilon_of_stddev(request, PG_GETARG_FLOAT8(6));
}

static void
explain_arguments(FunctionCallInfo fcinfo)
{
	static const struct
	{
		int argument;
		const char *name;
	} needed[] = {{0, "relation"}, {1, "method"}, {3, "delta"}, {4, "options"}, {5, "sets"}};

	for (size_t i = 0; i < lengthof(needed); i++)
		dp_check_not_null(fcinfo, needed[i].argument, needed[i].name);
}

/* Of several relations, with the name of each. root: as for put_total. Returns the last step. */
static uint32
put_stages(FunctionCallInfo fcinfo, const DpPrepared *prepared, const char *root, uint32 step)
{
	int tables = prepared->tree != NULL ? prepared->tree->tables : 1;

	for (int t = 0; t < tables; t++)
	{
		const DpPlan *plan = t == 0 ? &prepared->plan : &prepared->part[t]->plan;

		for (uint32 i = 0; i < plan->stages; i++)
		{
			DpStage stage = plan->stage[i];

			if (tables > 1)
				stage.name = psprintf("%s: %s", prepared->tree->table[t].name, stage.name);
			else if (root != NULL)
				stage.name = psprintf("%s: %s", root, stage.name);
			put_stage(fcinfo, ++step, &stage);
		}
	}
	return step;
}

/* Of several trees each has a total of its own, which its root's budget pays. */
static void
put_forest(FunctionCallInfo fcinfo, const DpReleaseForest *forest, DpPrepared **prepared,
		   double confidence)
{
	uint32 step = 0;

	for (int i = 0; i < forest->trees; i++)
	{
		const DpReleaseRequest *request = &forest->tree[i];
		const char *root = forest->trees > 1 ? get_rel_name(request->relation) : NULL;

		step = put_stages(fcinfo, prepared[i], root, step);
		put_widths(fcinfo, prepared[i], confidence);
		put_total(fcinfo, request, prepared[i], root);
	}
	dp_forest_add_costs(prepared, forest->trees);
	for (int i = 0; i < forest->trees; i++)
	{
		dp_preview(&forest->tree[i], prepared[i]);
		dp_check_minimum(&prepared[i]->dataset, prepared[i]->plan.cost, NOTICE);
	}
}

Datum
dp_explain(PG_FUNCTION_ARGS)
{
	DpReleaseRequest request = {.row_type = "", .user = GetUserId()};
	List *relations;
	DpReleaseForest *forest;
	DpPrepared **prepared;
	double confidence;
	Jsonb *options;

	explain_arguments(fcinfo);
	confidence = dp_confidence_argument(fcinfo, 7);
	options = PG_GETARG_JSONB_P(4);
	request.method = text_to_cstring(PG_GETARG_TEXT_PP(1));
	relations = dp_relations_argument(fcinfo, 0);
	request.relation = linitial_oid(relations);
	dp_check_question_rights(options);
	request.options = JsonbToCString(NULL, &options->root, VARSIZE_ANY_EXHDR(options));
	request.delta_atto = dp_delta_argument(fcinfo, 3, true);
	request.sets = PG_GETARG_INT32(5);
	dp_take_table_rows(&request);
	explain_epsilon(fcinfo, &request);
	forest = dp_forest_of(&request, relations);
	dp_forest_resolve_methods(forest);
	prepared = palloc(sizeof(DpPrepared *) * forest->trees);
	for (int i = 0; i < forest->trees; i++)
	{
		forest->tree[i].options = dp_options_with_settings(&forest->tree[i]);
		prepared[i] = dp_prepare_request(&forest->tree[i]);
	}
	InitMaterializedSRF(fcinfo, 0);
	put_forest(fcinfo, forest, prepared, confidence);
	return (Datum) 0;
}
