/*
 * evaluate.c -- dp_evaluate: how much like the original rows the synthetic ones are.
 */
#include "pg/evaluate/table_measures.h"

#include <math.h>

#include "funcapi.h"
#include "lib/stringinfo.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

#include "pg/evaluate/compared_tables.h"
#include "pg/evaluate/evaluation_options.h"
#include "pg/server/arguments.h"

PG_FUNCTION_INFO_V1(dp_evaluate);

#define SKIPPED_NAMED 10 /* columns that a NOTICE names */

static const DpOptionSpec evaluate_options[] = {
	{.name = "columns", .type = DP_OPTION_NAMES, .summary = "the columns to compare"},
	{.name = "ways",
	 .type = DP_OPTION_INTEGER,
	 .fallback = "3",
	 .minimum = 1,
	 .maximum = 8,
	 .summary = "tables of 1 to so many columns"},
	{.name = "each",
	 .type = DP_OPTION_BOOLEAN,
	 .fallback = "false",
	 .summary = "list every set of columns, not the worst alone"},
	{.name = "sample",
	 .type = DP_OPTION_INTEGER,
	 .fallback = "10000",
	 .minimum = 1,
	 .maximum = 1000000,
	 .summary = "where there are more sets of one size, so many are drawn"},
	DP_EVALUATION_SEED("which sets are drawn"),
	DP_EVALUATION_BINS,
	DP_EVALUATION_LEVEL,
	{.name = "cost",
	 .type = DP_OPTION_INTEGER,
	 .minimum = 1,
	 .maximum = PG_INT64_MAX,
	 .summary = "how many cells the synthetic rows were made from"},
	DP_EVALUATION_MEMORY,
};

static void
read_options(Jsonb *json, DpEvaluation *evaluation)
{
	const DpOptionSpec *spec = evaluate_options;
	const uint32 n = lengthof(evaluate_options);
	DpTwoTables *tables = &evaluation->tables;
	DpOptions options;

	dp_evaluation_options(&(DpEvaluationOptions){"dp_evaluate", n, spec}, json, &options);
	evaluation->ways = (uint32) dp_option_integer(&options, spec, n, "ways");
	evaluation->each = dp_option_integer(&options, spec, n, "each") != 0;
	evaluation->sets_max = (uint32) dp_option_integer(&options, spec, n, "sample");
	evaluation->seed = dp_option_integer(&options, spec, n, "seed");
	evaluation->level = (double) dp_option_integer(&options, spec, n, "level") * 1e-9;
	if (dp_option_given(&options, "cost"))
		evaluation->cost_cells = dp_option_integer(&options, spec, n, "cost");
	tables->bins_max = (uint32) dp_option_integer(&options, spec, n, "bins");
	tables->memory = dp_evaluation_memory(&options);
	tables->wanted = dp_evaluation_columns(&options);
}

/* Says what is not compared, before any mean of the others is read. */
static void
notice_skipped(const DpTwoTables *tables)
{
	uint32 left = tables->domain.attributes, out = (uint32) list_length(tables->skipped);
	StringInfoData names;
	ListCell *cell;

	if (out == 0)
		return;
	initStringInfo(&names);
	foreach (cell, tables->skipped)
		if (foreach_current_index(cell) < SKIPPED_NAMED)
			appendStringInfo(&names, "%s%s: %s", names.len > 0 ? "; " : "",
							 quote_identifier(((DpSkipped *) lfirst(cell))->column),
							 ((DpSkipped *) lfirst(cell))->why);
	if (out > SKIPPED_NAMED)
		appendStringInfo(&names, "; and %u more", out - SKIPPED_NAMED);
	ereport(NOTICE, (errmsg("%u of %u columns are not compared", out, left + out),
					 errdetail("%s.", names.data)));
}

static void
put_rows(DpEvaluation *evaluation)
{
	const DpTwoTables *tables = &evaluation->tables;
	double original = (double) tables->rows[DP_ORIGINAL];
	double synthetic = (double) tables->rows[DP_SYNTHETIC];
	ListCell *cell;

	dp_measured_put(&evaluation->sink, &(DpMeasured){.measure = "rows",
													 .value = synthetic - original,
													 .original = original,
													 .synthetic = synthetic});
	foreach (cell, tables->skipped)
	{
		const DpSkipped *skipped = lfirst(cell);

		dp_measured_put(&evaluation->sink, &(DpMeasured){.measure = "skipped",
														 .column = &skipped->column,
														 .columns = 1,
														 .value = NAN,
														 .original = NAN,
														 .synthetic = NAN,
														 .detail = skipped->why});
	}
}

void
dp_evaluate_rows(DpEvaluation *evaluation)
{
	DpTwoTables *tables = &evaluation->tables;

	dp_two_tables_columns(tables);
	dp_two_tables_read(tables);
	if (tables->rows[DP_ORIGINAL] == 0 || tables->rows[DP_SYNTHETIC] == 0)
		put_rows(evaluation);
	else
	{
		dp_two_tables_levels(tables);
		notice_skipped(tables);
		put_rows(evaluation);
		dp_evaluate_values(evaluation);
		dp_evaluate_tables(evaluation);
		dp_evaluate_correlations(evaluation);
	}
	dp_two_tables_end(tables);
}

/* dp_evaluate(original, synthetic, options jsonb), each a regclass, a regclass[], or a text that is
 * written as either, or names a schema */
Datum
dp_evaluate(PG_FUNCTION_ARGS)
{
	DpEvaluation evaluation = {0};
	List *original, *synthetic;
	bool several;

	dp_check_not_null(fcinfo, 0, "original");
	dp_check_not_null(fcinfo, 1, "synthetic");
	dp_check_not_null(fcinfo, 2, "options");
	several = dp_compared_arguments(fcinfo, &original, &synthetic);
	read_options(PG_GETARG_JSONB_P(2), &evaluation);
	InitMaterializedSRF(fcinfo, 0);
	evaluation.sink = dp_measured_result(fcinfo);
	if (several)
	{
		dp_evaluate_tree(&evaluation, original, synthetic);
		return (Datum) 0;
	}
	dp_two_tables_take(&evaluation.tables, linitial_oid(original), linitial_oid(synthetic));
	dp_evaluate_rows(&evaluation);
	return (Datum) 0;
}
