/*
 * risk.c -- dp_evaluate_risk: what an intruder with some columns learns about another, and the
 * distance of synthetic rows to the closest original one, beside that of original rows that are
 * held out.
 */
#include "postgres.h"

#include <math.h>

#include "funcapi.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

#include "core/base/prng.h"
#include "core/evaluate/intruder.h"
#include "core/exact/count_kernel.h"
#include "pg/evaluate/evaluation_options.h"
#include "pg/evaluate/two_tables.h"
#include "pg/server/arguments.h"
#include "pg/server/bridge.h"
#include "pg/server/catalog.h"

#define REFERENCE_FACTOR 50 /* rows to compare with, for each row that is compared */
#define MEMORY_SHARE 4

/* ---- drawing rows ---- */

/* Codes of rows that were drawn: code[column][row]. */
typedef struct Drawn
{
	uint32 rows;
	uint32 **code;
} Drawn;

/* Whether the next of `left` things is among the `wanted` ones: Knuth's selection sampling. */
static bool
selected(DpPrng *prng, uint64 left, uint64 wanted)
{
	return dp_prng_below(prng, left) < wanted;
}

static Drawn
drawn_create(const DpTwoTables *tables, uint32 rows)
{
	Drawn drawn = {.code = palloc(sizeof(uint32 *) * tables->columns)};

	for (uint32 c = 0; c < tables->columns; c++)
		drawn.code[c] = palloc_extended(sizeof(uint32) * Max(rows, 1), MCXT_ALLOC_HUGE);
	return drawn;
}

/* Draws `wanted` rows, each with the same probability; they stay in their order. */
static Drawn
draw_rows(const DpTwoTables *tables, DpSide side, uint32 wanted, DpPrng *prng)
{
	Drawn drawn = drawn_create(tables, wanted);
	uint64 left = (uint64) tables->rows[side];
	uint32 code[DP_BATCH_ROWS];
	bool chosen[DP_BATCH_ROWS];
	uint32 n;

	dp_code_rows_rewind(tables->codes[side]);
	while ((n = dp_code_rows_next(tables->codes[side])) > 0)
	{
		uint32 first = drawn.rows;

		for (uint32 i = 0; i < n; i++)
		{
			chosen[i] = selected(prng, left--, wanted - drawn.rows);
			drawn.rows += chosen[i];
		}
		for (uint32 c = 0; c < tables->columns; c++)
		{
			uint32 to = first;

			dp_code_rows_read(tables->codes[side], c, code);
			for (uint32 i = 0; i < n; i++)
				if (chosen[i])
					drawn.code[c][to++] = code[i];
		}
	}
	return drawn;
}

/* Takes `wanted` rows of those that were drawn away from them. */
static Drawn
hold_out(const DpTwoTables *tables, Drawn *drawn, uint32 wanted, DpPrng *prng)
{
	Drawn held = drawn_create(tables, wanted);
	uint32 kept = 0;

	for (uint32 i = 0; i < drawn->rows; i++)
	{
		bool taken = selected(prng, drawn->rows - i, wanted - held.rows);

		for (uint32 c = 0; c < tables->columns; c++)
		{
			if (taken)
				held.code[c][held.rows] = drawn->code[c][i];
			else
				drawn->code[c][kept] = drawn->code[c][i];
		}
		held.rows += taken;
		kept += !taken;
	}
	drawn->rows = kept;
	return held;
}

/* ---- records ---- */

/* The range of the original's finite numbers; 0 where the column is not one of numbers. */
static double
width_of(const DpComparedColumn *column)
{
	double low = NAN;
	double high = NAN;

	for (uint32 i = 0; column->kind == DP_KIND_NUMBER && i < column->values.n - 1; i++)
	{
		double number = column->values.number[column->order[i]];

		if (column->values.rows[DP_ORIGINAL][column->order[i]] == 0 || !isfinite(number))
			continue;
		low = isnan(low) ? number : low;
		high = number;
	}
	return isnan(low) ? 0 : high - low;
}

static DpRecords
records_of(const DpTwoTables *tables, const Drawn *drawn)
{
	DpRecordColumn *record = palloc0(sizeof(DpRecordColumn) * tables->domain.attributes);

	for (uint32 a = 0; a < tables->domain.attributes; a++)
	{
		const DpComparedColumn *column = &tables->column[tables->column_of[a]];
		const uint32 *code = drawn->code[tables->column_of[a]];
		double width = width_of(column);
		double *number;

		record[a].code = code;
		if (width == 0)
			continue;
		number = palloc_extended(sizeof(double) * Max(drawn->rows, 1), MCXT_ALLOC_HUGE);
		for (uint32 i = 0; i < drawn->rows; i++)
			number[i] = code[i] == DP_CODE_NULL ? NAN : column->values.number[code[i]] / width;
		record[a].number = number;
	}
	return (DpRecords){tables->domain.attributes, record, drawn->rows};
}

/* ---- answers ---- */

static int
compare_doubles(const void *a, const void *b)
{
	double first = *(const double *) a;
	double second = *(const double *) b;

	return (first > second) - (first < second);
}

typedef struct Distances
{
	double mean;
	double low;  /* the 5 % quantile, interpolated */
	double same; /* the share of rows that some record equals */
} Distances;

static Distances
distances_of(const DpRecords *from, const DpRecords *to)
{
	double *distance = palloc(sizeof(double) * from->rows);
	double place = 0.05 * (from->rows - 1);
	uint32 rank = (uint32) place;
	Distances found = {0};

	dp_closest_records(from, to, distance, &dp_interrupt_tick);
	qsort(distance, from->rows, sizeof(double), compare_doubles);
	for (uint32 i = 0; i < from->rows; i++)
	{
		found.mean += distance[i] / from->rows;
		found.same += distance[i] == 0;
	}
	found.same /= from->rows;
	found.low = distance[rank];
	if (place > rank)
		found.low += (place - rank) * (distance[rank + 1] - distance[rank]);
	return found;
}

/*
 * What dp_evaluate_risk is asked for, and its answers.
 *
 * Runs in the caller's backend.
 */

typedef struct Risk
{
	DpTwoTables tables;
	FunctionCallInfo fcinfo; /* takes the answers */
	uint32 known;            /* how many columns the intruder knows */
	uint32 *column;          /* [known + 1] those, and the secret one */
	uint32 sample;           /* rows whose closest record is sought */
	int64 seed;
} Risk;

typedef struct RiskRow
{
	const char *measure;
	double value; /* NaN: NULL */
	double baseline;
	const char *detail;
} RiskRow;

PG_FUNCTION_INFO_V1(dp_evaluate_risk);

#define RISK_COLUMNS 4

static const DpOptionSpec risk_options[] = {
	{.name = "columns",
	 .type = DP_OPTION_NAMES,
	 .summary = "the columns that the distance of records is over; known and secret are added"},
	{.name = "sample",
	 .type = DP_OPTION_INTEGER,
	 .fallback = "1000",
	 .minimum = 1,
	 .maximum = 100000,
	 .summary = "rows whose closest record is sought"},
	DP_EVALUATION_SEED("which rows are drawn"),
	DP_EVALUATION_MEMORY,
};

static void
risk_put(const Risk *risk, const RiskRow *row)
{
	ReturnSetInfo *result = (ReturnSetInfo *) risk->fcinfo->resultinfo;
	Datum values[RISK_COLUMNS] = {CStringGetTextDatum(row->measure), Float8GetDatum(row->value),
								  Float8GetDatum(row->baseline), (Datum) 0};
	bool nulls[RISK_COLUMNS] = {false, isnan(row->value), isnan(row->baseline),
								row->detail == NULL};

	if (row->detail != NULL)
		values[3] = CStringGetTextDatum(row->detail);
	tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
}

/* ---- the request ---- */

static void
read_options(Jsonb *json, Risk *risk)
{
	const uint32 n = lengthof(risk_options);
	DpOptions options;

	dp_evaluation_options(&(DpEvaluationOptions){"dp_evaluate_risk", n, risk_options}, json,
						  &options);
	risk->sample = (uint32) dp_option_integer(&options, risk_options, n, "sample");
	risk->seed = dp_option_integer(&options, risk_options, n, "seed");
	risk->tables.memory = dp_evaluation_memory(&options);
	risk->tables.wanted = dp_evaluation_columns(&options);
}

/* The names that the intruder knows, with the secret one behind them. ERROR for one that is there
 * twice. */
static List *
names_of(FunctionCallInfo fcinfo)
{
	int n;
	Datum *element = dp_elements(PG_GETARG_DATUM(2), NULL, &n);
	List *names = NIL;

	if (n == 0)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("known must name at least one column"),
						errhint("Name the columns that an intruder may know of a person.")));
	for (int i = 0; i <= n; i++)
	{
		char *name = NameStr(*(i < n ? DatumGetName(element[i]) : PG_GETARG_NAME(3)));
		ListCell *cell;

		foreach (cell, names)
			if (strcmp(lfirst(cell), name) == 0)
				ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
								errmsg("column \"%s\" is named twice", name),
								errhint("The columns that are known and the secret one are all "
										"different.")));
		names = lappend(names, name);
	}
	return names;
}

static uint32
column_find(const DpTwoTables *tables, const char *name)
{
	ListCell *cell;

	for (uint32 c = 0; c < tables->columns; c++)
		if (strcmp(tables->column[c].name, name) == 0)
			return c;
	foreach (cell, tables->skipped)
	{
		const DpSkipped *skipped = lfirst(cell);

		if (strcmp(skipped->column, name) == 0)
			ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
							errmsg("column \"%s\" cannot be compared: %s", name, skipped->why)));
	}
	dp_no_such_column(name, tables->relation[DP_ORIGINAL], NULL);
}

static void
find_columns(Risk *risk, List *names)
{
	ListCell *cell;
	uint32 n = 0;

	risk->known = (uint32) list_length(names) - 1;
	risk->column = palloc(sizeof(uint32) * (risk->known + 1));
	foreach (cell, names)
		risk->column[n++] = column_find(&risk->tables, lfirst(cell));
}

/* Values of these columns that do not fit memory cannot be left out. */
static void
check_kept(const Risk *risk)
{
	for (uint32 i = 0; i <= risk->known; i++)
	{
		const DpComparedColumn *column = &risk->tables.column[risk->column[i]];

		if (column->left_out != NULL)
			ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
							errmsg("column \"%s\" cannot be compared", column->name),
							errdetail("Too many different values: %s.", column->left_out)));
	}
}

/* ---- the intruder ---- */

typedef struct IntruderJob
{
	const Risk *risk;
	DpIntruder found;
	double *number; /* of the levels of the secret; NULL: they are none */
	MemoryContext pass;
	DpArena arena;
} IntruderJob;

static DpArena *
fresh_arena(void *context)
{
	IntruderJob *job = context;

	MemoryContextReset(job->pass);
	job->arena = dp_arena_for(job->pass);
	return &job->arena;
}

static DpStatus
take_table(void *context, uint32 set, const DpTablePair *pair)
{
	IntruderJob *job = context;

	return dp_intruder(&(DpIntruderTask){pair, job->number}, &job->found, &job->arena);
}

static void
leave_out(void *context, uint32 set, uint64 bytes)
{
	ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
					errmsg("the table of what is known and the secret does not fit memory"),
					errdetail("It may take " UINT64_FORMAT " kB.", bytes / 1024),
					errhint("Raise the option memory.")));
}

static double *
numbers_of_levels(const DpComparedColumn *secret)
{
	double *number;

	if (secret->kind != DP_KIND_NUMBER)
		return NULL;
	number = palloc_extended(sizeof(double) * secret->levels, MCXT_ALLOC_HUGE);
	number[secret->levels - 1] = NAN; /* NULL, where there is any */
	for (uint32 i = 0; i < secret->values.n - 1; i++)
		number[secret->level[secret->order[i]]] = secret->values.number[secret->order[i]];
	return number;
}

/* The tables with the columns that matter alone, the secret one last. */
static DpTwoTables
tables_of_intruder(const Risk *risk)
{
	DpTwoTables tables = risk->tables;
	uint32 n = risk->known + 1;

	tables.domain = (DpDomain){.attributes = n, .attribute = palloc0(sizeof(DpAttribute) * n)};
	tables.column_of = risk->column;
	for (uint32 a = 0; a < n; a++)
		tables.domain.attribute[a] = (DpAttribute){.name = tables.column[risk->column[a]].name,
												   .kind = DP_CATEGORIES,
												   .levels = tables.column[risk->column[a]].levels};
	return tables;
}

static void
intrude(IntruderJob *job)
{
	DpTwoTables tables = tables_of_intruder(job->risk);
	DpCodedRows rows[2] = {dp_two_tables_rows(&tables, DP_ORIGINAL),
						   dp_two_tables_rows(&tables, DP_SYNTHETIC)};
	uint32 *all = palloc(sizeof(uint32) * tables.domain.attributes);
	DpAttributeSet set = {tables.domain.attributes, all};
	DpSetCounting counting = {.domain = &tables.domain,
							  .sets = 1,
							  .set = &set,
							  .rows = rows,
							  .bytes_max = dp_two_tables_memory_left(&tables),
							  .tick = &dp_interrupt_tick};
	DpPairTaker taker = {job, take_table, leave_out};
	DpArena kept = dp_arena_for(CurrentMemoryContext);
	DpArenaSource memory = {job, fresh_arena, &kept};
	DpError error = {0};

	for (uint32 a = 0; a < tables.domain.attributes; a++)
		all[a] = a;
	job->number = numbers_of_levels(&tables.column[job->risk->column[job->risk->known]]);
	if (dp_count_sets(&counting, &taker, &memory, &error) != DP_OK)
		dp_raise(&error);
}

static double
share(int64 part, int64 whole)
{
	return whole > 0 ? (double) part / (double) whole : NAN;
}

static void
put_uniqueness(const Risk *risk, const DpIntruder *found)
{
	int64 original = risk->tables.rows[DP_ORIGINAL];
	int64 synthetic = risk->tables.rows[DP_SYNTHETIC];
	double unique = share(found->unique[0], original);

	risk_put(risk, &(RiskRow){"unique_original", unique, NAN,
							  psprintf(INT64_FORMAT " of " INT64_FORMAT " rows", found->unique[0],
									   original)});
	risk_put(risk, &(RiskRow){"unique_synthetic", share(found->unique[1], synthetic), NAN,
							  psprintf(INT64_FORMAT " of " INT64_FORMAT " rows", found->unique[1],
									   synthetic)});
	risk_put(risk,
			 &(RiskRow){"meets_unique", (double) found->meets_unique, unique * (double) synthetic,
						"synthetic rows that agree with a unique person in what is "
						"known; the baseline is of rows drawn from the original"});
	risk_put(risk, &(RiskRow){"unique_met", share(found->unique_met, found->unique[0]),
							  found->unique[0] == 0
								  ? NAN
								  : -expm1((double) synthetic * log1p(-1 / (double) original)),
							  "share of the unique persons that a synthetic row agrees with; "
							  "the baseline is of rows drawn from the original"});
}

static void
put_guesses(const Risk *risk, const DpGuesses *guesses, const char *suffix, const char *who)
{
	risk_put(
		risk,
		&(RiskRow){psprintf("intruder_right%s", suffix), share(guesses->right, guesses->persons),
				   share(guesses->right_baseline, guesses->persons),
				   psprintf("share of %s whose secret is the commonest value of the synthetic "
							"rows that agree with them; the baseline guesses the commonest value "
							"of the original",
							who)});
	if (guesses->numbers > 0)
		risk_put(risk,
				 &(RiskRow){psprintf("intruder_error%s", suffix), guesses->error,
							guesses->error_baseline,
							psprintf("mean absolute error, for %s, of the mean of the synthetic "
									 "rows that agree with them; the baseline guesses the mean "
									 "of the original",
									 who)});
}

/* ---- the closest record ---- */

static uint32
reference_rows(const Risk *risk)
{
	uint64 row_bytes = (uint64) risk->tables.columns * (sizeof(uint32) + sizeof(double));
	uint64 fit = risk->tables.memory / MEMORY_SHARE / row_bytes;

	return (uint32) Max(Min((uint64) risk->sample * REFERENCE_FACTOR, fit), 1);
}

/* How far synthetic rows are from the original ones, beside rows of the original itself. */
static void
risk_closest_records(Risk *risk)
{
	DpTwoTables *tables = &risk->tables;
	uint64 original_rows = (uint64) tables->rows[DP_ORIGINAL];
	uint32 row_release = (uint32) Min((uint64) risk->sample, original_rows / 2);
	uint32 synthetic_rows =
		(uint32) Min((uint64) risk->sample, (uint64) tables->rows[DP_SYNTHETIC]);
	uint32 monte_carlo = (uint32) Min(original_rows, (uint64) row_release + reference_rows(risk));
	Drawn reference, held, synthetic;
	DpRecords records[3];
	Distances of_held, of_synthetic;
	DpPrng prng;
	char *detail;

	if (row_release == 0)
		return;
	dp_prng_seed(&prng, (DpStream){(uint64) risk->seed, 0, 0});
	reference = draw_rows(tables, DP_ORIGINAL, monte_carlo, &prng);
	held = hold_out(tables, &reference, row_release, &prng);
	synthetic = draw_rows(tables, DP_SYNTHETIC, synthetic_rows, &prng);
	records[0] = records_of(tables, &reference);
	records[1] = records_of(tables, &held);
	records[2] = records_of(tables, &synthetic);
	of_held = distances_of(&records[1], &records[0]);
	of_synthetic = distances_of(&records[2], &records[0]);
	detail = psprintf("of %u synthetic rows to the closest of %u original rows, over %u columns; "
					  "the baseline is of %u original rows that are held out",
					  synthetic.rows, reference.rows, tables->domain.attributes, held.rows);
	risk_put(risk, &(RiskRow){"closest_record_mean", of_synthetic.mean, of_held.mean, detail});
	risk_put(risk, &(RiskRow){"closest_record_5_percent", of_synthetic.low, of_held.low, detail});
	risk_put(risk, &(RiskRow){"closest_record_same", of_synthetic.same, of_held.same,
							  "share of these rows that equal one of the original rows"});
}

/* dp_evaluate_risk(original regclass, synthetic regclass, known name[], secret name, options
 * jsonb) */
Datum
dp_evaluate_risk(PG_FUNCTION_ARGS)
{
	static const char *const argument[] = {"known", "secret", "options"};
	Risk risk = {.fcinfo = fcinfo};
	DpTwoTables *tables = &risk.tables;
	IntruderJob job = {.risk = &risk};
	List *names;

	dp_two_tables_arguments(fcinfo, tables);
	for (int i = 0; i < (int) lengthof(argument); i++)
		dp_check_not_null(fcinfo, 2 + i, argument[i]);
	tables->each_value = true;
	names = names_of(fcinfo);
	read_options(PG_GETARG_JSONB_P(4), &risk);
	if (tables->wanted != NIL)
		tables->wanted = list_concat(tables->wanted, names);
	InitMaterializedSRF(fcinfo, 0);
	dp_two_tables_columns(tables);
	find_columns(&risk, names);
	dp_two_tables_read(tables);
	dp_two_tables_levels(tables);
	check_kept(&risk);
	job.pass = AllocSetContextCreate(CurrentMemoryContext, "dpsyn tables", ALLOCSET_DEFAULT_SIZES);
	intrude(&job);
	put_uniqueness(&risk, &job.found);
	put_guesses(&risk, &job.found.all, "", "the persons");
	put_guesses(&risk, &job.found.of_unique, "_unique", "the unique persons");
	MemoryContextDelete(job.pass);
	risk_closest_records(&risk);
	dp_two_tables_end(tables);
	return (Datum) 0;
}
