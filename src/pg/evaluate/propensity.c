/*
 * propensity.c -- dp_propensity: SPECKS and pMSE, beside their values for rows that are drawn from
 * the original itself.
 */
#include "pg/evaluate/two_tables.h"

#include <math.h>

#include "funcapi.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

#include "core/evaluate/propensity.h"
#include "pg/evaluate/evaluation_options.h"
#include "pg/server/arguments.h"
#include "pg/server/bridge.h"

PG_FUNCTION_INFO_V1(dp_propensity);

#define PROPENSITY_COLUMNS 4

static const DpOptionSpec propensity_options[] = {
	{.name = "columns", .type = DP_OPTION_NAMES, .summary = "the columns to compare"},
	{.name = "pairs",
	 .type = DP_OPTION_BOOLEAN,
	 .fallback = "false",
	 .summary = "terms for all pairs of columns, too"},
	DP_EVALUATION_BINS,
	{.name = "null_draws",
	 .type = DP_OPTION_INTEGER,
	 .fallback = "10",
	 .minimum = 0,
	 .maximum = 10000,
	 .summary = "how often rows are drawn from the original for the null expectation"},
	DP_EVALUATION_SEED("which rows are drawn"),
	DP_EVALUATION_MEMORY,
};

typedef struct Propensity
{
	FunctionCallInfo fcinfo;
	DpTwoTables tables;
	bool pairs;
	uint32 draws;
	int64 seed;
	DpStackedCells cells;
	DpPropensity found;
	DpPropensity mean, deviation; /* of the draws */
} Propensity;

static void
read_options(Jsonb *json, Propensity *propensity)
{
	const DpOptionSpec *spec = propensity_options;
	const uint32 n = lengthof(propensity_options);
	DpOptions options;

	dp_evaluation_options(&(DpEvaluationOptions){"dp_propensity", n, spec}, json, &options);
	propensity->pairs = dp_option_integer(&options, spec, n, "pairs") != 0;
	propensity->draws = (uint32) dp_option_integer(&options, spec, n, "null_draws");
	propensity->seed = dp_option_integer(&options, spec, n, "seed");
	propensity->tables.bins_max = (uint32) dp_option_integer(&options, spec, n, "bins");
	propensity->tables.memory = dp_evaluation_memory(&options);
	propensity->tables.wanted = dp_evaluation_columns(&options);
}

/* ---- the work ---- */

static void
stack(Propensity *propensity)
{
	DpTwoTables *tables = &propensity->tables;
	DpCodedRows rows[2] = {dp_two_tables_rows(tables, DP_ORIGINAL),
						   dp_two_tables_rows(tables, DP_SYNTHETIC)};
	DpArena arena = dp_arena_for(CurrentMemoryContext);
	DpStatus status = dp_stack_cells(&tables->domain, rows, dp_two_tables_memory_left(tables),
									 &propensity->cells, &dp_interrupt_tick, &arena);

	if (status == DP_ERR_LIMIT)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("there are too many distinct rows for the memory there is"),
				 errhint("Choose fewer columns or fewer bins, or raise the option memory.")));
	if (status != DP_OK)
		dp_raise(&(DpError){.status = status});
}

static void
fit(const Propensity *propensity, const DpStackedCells *cells, DpPropensity *out, DpArena *arena)
{
	const DpDomain *domain = &propensity->tables.domain;
	DpStatus status =
		dp_propensity_fit(domain, cells, propensity->pairs, out, &dp_interrupt_tick, arena);

	if (status == DP_ERR_LIMIT)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("the regression has too many terms"),
				 errdetail("There may be %d. Each level of a column but one is a term, and so is "
						   "each combination of two with pairs.",
						   10 * DP_REGRESSION_TERMS_MAX),
				 errhint("Choose fewer columns or fewer bins, or leave out pairs.")));
	if (status != DP_OK)
		dp_raise(&(DpError){.status = status});
}

/* Welford's update of mean and sum of squares. */
static void
add(double value, uint32 n, double *mean, double *squares)
{
	double change = value - *mean;

	*mean += change / n;
	*squares += change * (value - *mean);
}

static void
draw_nulls(Propensity *propensity)
{
	MemoryContext work =
		AllocSetContextCreate(CurrentMemoryContext, "dpsyn draw", ALLOCSET_DEFAULT_SIZES);
	MemoryContext caller = MemoryContextSwitchTo(work);
	DpPropensity *mean = &propensity->mean, *deviation = &propensity->deviation;

	for (uint32 i = 1; i <= propensity->draws; i++)
	{
		DpArena arena = dp_arena_for(work);
		DpStackedCells drawn;
		DpPropensity found;
		DpPrng prng;

		CHECK_FOR_INTERRUPTS();
		dp_prng_seed(&prng, (DpStream){.seed = (uint64) propensity->seed, .block = i});
		if (dp_stack_null(&propensity->cells, &prng, &drawn, &arena) != DP_OK)
			dp_raise(&(DpError){.status = DP_ERR_MEMORY});
		fit(propensity, &drawn, &found, &arena);
		add(found.ks, i, &mean->ks, &deviation->ks);
		add(found.pmse, i, &mean->pmse, &deviation->pmse);
		MemoryContextReset(work);
	}
	MemoryContextSwitchTo(caller);
	MemoryContextDelete(work);
	if (propensity->draws > 1)
	{
		deviation->ks = sqrt(deviation->ks / (propensity->draws - 1));
		deviation->pmse = sqrt(deviation->pmse / (propensity->draws - 1));
	}
}

/* ---- the answer ---- */

/* NaN is NULL. */
static void
put(const Propensity *propensity, const char *measure, double value, double expectation,
	const char *detail)
{
	ReturnSetInfo *result = (ReturnSetInfo *) propensity->fcinfo->resultinfo;
	Datum values[PROPENSITY_COLUMNS] = {CStringGetTextDatum(measure), Float8GetDatum(value),
										Float8GetDatum(expectation), (Datum) 0};
	bool nulls[PROPENSITY_COLUMNS] = {false, isnan(value), isnan(expectation), detail == NULL};

	if (detail != NULL)
		values[3] = CStringGetTextDatum(detail);
	tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
}

static void
put_answer(const Propensity *propensity)
{
	const DpPropensity *found = &propensity->found, *mean = &propensity->mean;
	const DpPropensity *deviation = &propensity->deviation;
	double formula = dp_pmse_expected(&propensity->cells, found->terms);
	bool drawn = propensity->draws > 0;
	double expected = drawn ? mean->pmse : formula;
	ListCell *cell;

	put(propensity, "specks", found->ks, drawn ? mean->ks : NAN,
		psprintf(
			"Kolmogorov-Smirnov distance of the scores, %u terms%s", found->terms,
			propensity->draws > 1
				? psprintf("; null: mean of %u draws from the original, standard deviation %.3g",
						   propensity->draws, deviation->ks)
				: ""));
	put(propensity, "pmse", found->pmse, expected,
		psprintf(
			"mean squared difference of the scores from the share of synthetic rows%s; "
			"by the formula %.6g",
			propensity->draws > 1
				? psprintf("; null: mean of the draws, standard deviation %.3g", deviation->pmse)
				: "",
			formula));
	put(propensity, "pmse_ratio", expected > 0 ? found->pmse / expected : NAN, 1,
		"pmse divided by its null expectation");
	put(propensity, "pmse_standardised",
		deviation->pmse > 0 ? (found->pmse - expected) / deviation->pmse : NAN, 0,
		"standard deviations of the null above its expectation");
	foreach (cell, propensity->tables.skipped)
	{
		const DpSkipped *skipped = lfirst(cell);

		put(propensity, "skipped", NAN, NAN, psprintf("%s: %s", skipped->column, skipped->why));
	}
}

/* dp_propensity(original regclass, synthetic regclass, options jsonb) */
Datum
dp_propensity(PG_FUNCTION_ARGS)
{
	Propensity propensity = {.fcinfo = fcinfo};
	DpTwoTables *tables = &propensity.tables;
	DpArena arena = dp_arena_for(CurrentMemoryContext);

	dp_two_tables_arguments(fcinfo, tables);
	dp_check_not_null(fcinfo, 2, "options");
	read_options(PG_GETARG_JSONB_P(2), &propensity);
	InitMaterializedSRF(fcinfo, 0);
	dp_two_tables_columns(tables);
	dp_two_tables_read(tables);
	dp_two_tables_levels(tables);
	stack(&propensity);
	dp_two_tables_end(tables);
	fit(&propensity, &propensity.cells, &propensity.found, &arena);
	draw_nulls(&propensity);
	put_answer(&propensity);
	return (Datum) 0;
}
