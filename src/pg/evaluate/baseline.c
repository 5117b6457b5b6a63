/*
 * baseline.c -- dp_baseline: rows that are not private, from a table that the caller may read.
 */
#include "pg/evaluate/two_tables.h"

#include <math.h>

#include "executor/spi.h"
#include "executor/tuptable.h"
#include "funcapi.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "tcop/dest.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "core/evaluate/baseline.h"
#include "pg/evaluate/distinct_rows.h"
#include "pg/server/arguments.h"
#include "pg/server/bridge.h"
#include "pg/server/catalog.h"
#include "pg/server/numbers.h"
#include "pg/server/text_table.h"

PG_FUNCTION_INFO_V1(dp_baseline);

#define ROWS_FIRST 1024
#define BYTES_MAX (UINT64CONST(4) << 30)
#define BINS 20
#define CODE_NULL 0

/* ---- methods ---- */

typedef struct MethodName
{
	const char *name;
	DpBaselineMethod method;
} MethodName;

/* To draw from the full table of all columns is to draw rows of it. */
static const MethodName methods[] = {{"empirical", DP_BASELINE_EMPIRICAL},
									 {"full_table", DP_BASELINE_EMPIRICAL},
									 {"marginal", DP_BASELINE_MARGINAL},
									 {"gibbs", DP_BASELINE_GIBBS},
									 {"multiple_imputation", DP_BASELINE_IMPUTATION}};

static DpBaselineMethod
method_of(const char *name)
{
	for (size_t i = 0; i < lengthof(methods); i++)
		if (strcmp(methods[i].name, name) == 0)
			return methods[i].method;
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("there is no baseline \"%s\"", name),
			 errhint("Baselines are empirical, full_table, marginal, gibbs and "
					 "multiple_imputation. Private rows come from dp_synthesize.")));
}

/* ---- the table ---- */

typedef struct BaselineColumn
{
	AttrNumber target; /* its place in the row type, from 0 */
	Oid type;          /* base type */
	bool number;       /* binned by its values */
	FmgrInfo output;   /* of any other */
	text_table_hash *seen;
	double *value; /* [rows] of a number; NaN: NULL */
	uint32 levels;
} BaselineColumn;

typedef struct Baseline
{
	DestReceiver receiver; /* must be first */
	Oid relation;
	TupleDesc row;
	uint32 columns;
	BaselineColumn *column;
	TupleDesc read; /* of the tuples */
	MinimalTuple *tuple;
	uint32 *code; /* [rows x columns] */
	uint64 rows, allocated, bytes;
	MemoryContext keep, scratch;
} Baseline;

static void
baseline_columns(Baseline *baseline)
{
	TupleDesc row = baseline->row;

	baseline->column = palloc0(sizeof(BaselineColumn) * row->natts);
	for (int i = 0; i < row->natts; i++)
	{
		Form_pg_attribute form = TupleDescAttr(row, i);
		BaselineColumn *column = &baseline->column[baseline->columns];
		Oid function;
		bool varlena;

		if (form->attisdropped)
			continue;
		column->target = (AttrNumber) i;
		column->type = getBaseType(form->atttypid);
		column->number = dp_read_form(baseline->relation, NameStr(form->attname)) != DP_READ_TEXT;
		getTypeOutputInfo(form->atttypid, &function, &varlena);
		fmgr_info(function, &column->output);
		if (!column->number)
			column->seen = text_table_create(CurrentMemoryContext, 64, NULL);
		baseline->columns++;
	}
}

/* A number gets its code when all are known. */
static uint32
take_value(Baseline *baseline, BaselineColumn *column, Datum value, bool isnull)
{
	char *words;

	if (column->number)
	{
		column->value[baseline->rows] = isnull ? NAN : dp_number_as_stored(value, column->type);
		return CODE_NULL;
	}
	if (isnull)
		return CODE_NULL;
	words = OutputFunctionCall(&column->output, value);
	return (uint32) text_table_entry(column->seen, words, column->seen->members + 1, baseline->keep)
		->number;
}

static void *
grown(void *memory, size_t size, uint64 n, MemoryContext context)
{
	return memory == NULL ? MemoryContextAllocHuge(context, size * n)
						  : repalloc_huge(memory, size * n);
}

static void
check_size(const Baseline *baseline)
{
	uint64 a_row = baseline->columns * (sizeof(uint32) + sizeof(double) + 12) + sizeof(void *);

	if (baseline->bytes + a_row * baseline->allocated > BYTES_MAX)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("%s is too large for a baseline", dp_relation_label(baseline->relation)),
				 errdetail("Its rows take more than " UINT64_FORMAT " bytes of memory.",
						   (uint64) BYTES_MAX),
				 errhint("Use a table with a sample of its rows.")));
}

static void
grow(Baseline *baseline)
{
	uint64 n = baseline->allocated == 0 ? ROWS_FIRST : 2 * baseline->allocated;

	baseline->allocated = n;
	check_size(baseline);
	baseline->tuple = grown(baseline->tuple, sizeof(MinimalTuple), n, baseline->keep);
	baseline->code = grown(baseline->code, sizeof(uint32) * baseline->columns, n, baseline->keep);
	for (uint32 c = 0; c < baseline->columns; c++)
		if (baseline->column[c].number)
			baseline->column[c].value =
				grown(baseline->column[c].value, sizeof(double), n, baseline->keep);
}

static void
read_startup(DestReceiver *self, int operation, TupleDesc desc)
{
	Baseline *baseline = (Baseline *) self;
	MemoryContext caller = MemoryContextSwitchTo(baseline->keep);

	for (uint32 c = 0; c < baseline->columns; c++)
		if (getBaseType(TupleDescAttr(desc, c)->atttypid) != baseline->column[c].type)
			elog(ERROR, "dpsyn: a column has changed its type meanwhile");
	baseline->read = CreateTupleDescCopy(desc);
	MemoryContextSwitchTo(caller);
}

static void
read_end(DestReceiver *self)
{
}

static bool
read_row(TupleTableSlot *slot, DestReceiver *self)
{
	Baseline *baseline = (Baseline *) self;
	MemoryContext caller;

	CHECK_FOR_INTERRUPTS();
	if (baseline->rows == baseline->allocated)
		grow(baseline);
	slot_getallattrs(slot);
	caller = MemoryContextSwitchTo(baseline->keep);
	baseline->tuple[baseline->rows] = ExecCopySlotMinimalTuple(slot);
	baseline->bytes += baseline->tuple[baseline->rows]->t_len;
	MemoryContextSwitchTo(baseline->scratch);
	for (uint32 c = 0; c < baseline->columns; c++)
		baseline->code[baseline->rows * baseline->columns + c] =
			take_value(baseline, &baseline->column[c], slot->tts_values[c], slot->tts_isnull[c]);
	MemoryContextSwitchTo(caller);
	MemoryContextReset(baseline->scratch);
	if (++baseline->rows % ROWS_FIRST == 0)
		check_size(baseline);
	return true;
}

static void
read_table(Baseline *baseline)
{
	SPIExecuteOptions options = {.read_only = true, .dest = &baseline->receiver};
	StringInfoData sql;
	DpUserContext user_context;

	initStringInfo(&sql);
	for (uint32 c = 0; c < baseline->columns; c++)
		appendStringInfo(&sql, "%s%s", c == 0 ? "SELECT " : ", ",
						 quote_identifier(NameStr(
							 TupleDescAttr(baseline->row, baseline->column[c].target)->attname)));
	appendStringInfo(&sql, " FROM %s", dp_relation_label(baseline->relation));
	baseline->receiver = (DestReceiver){.receiveSlot = read_row,
										.rStartup = read_startup,
										.rShutdown = read_end,
										.rDestroy = read_end,
										.mydest = DestTuplestore};
	dp_caller_open(&user_context, list_make1_oid(baseline->relation));
	if (SPI_execute_extended(sql.data, &options) != SPI_OK_SELECT)
		elog(ERROR, "dpsyn: rows could not be read");
	dp_caller_close(&user_context);
}

/* ---- codes ---- */

static int
compare_numbers(const void *a, const void *b)
{
	double one = *(const double *) a, other = *(const double *) b;

	return one < other ? -1 : one > other;
}

/* The inner edges of at most BINS bins with about as many rows each. Returns how many. */
static uint32
edges_of(const double *sorted, uint64 n, double *edge)
{
	uint32 edges = 0;

	for (uint32 i = 1; i < BINS; i++)
	{
		double at = sorted[i * n / BINS];

		if (at > sorted[0] && (edges == 0 || at > edge[edges - 1]))
			edge[edges++] = at;
	}
	return edges;
}

static void
code_numbers(Baseline *baseline, uint32 c)
{
	BaselineColumn *column = &baseline->column[c];
	double *sorted = palloc_extended(sizeof(double) * baseline->rows, MCXT_ALLOC_HUGE);
	double edge[BINS];
	uint32 edges;
	uint64 n = 0;

	for (uint64 r = 0; r < baseline->rows; r++)
		if (!isnan(column->value[r]))
			sorted[n++] = column->value[r];
	qsort(sorted, n, sizeof(double), compare_numbers);
	edges = n == 0 ? 0 : edges_of(sorted, n, edge);
	for (uint64 r = 0; r < baseline->rows; r++)
	{
		uint32 bin = 0;

		while (bin < edges && column->value[r] >= edge[bin])
			bin++;
		baseline->code[r * baseline->columns + c] = isnan(column->value[r]) ? CODE_NULL : bin + 1;
	}
	column->levels = edges + 2;
	pfree(sorted);
	pfree(column->value);
}

static uint32 *
make_codes(Baseline *baseline)
{
	uint32 *levels = palloc(sizeof(uint32) * Max(baseline->columns, 1));

	for (uint32 c = 0; c < baseline->columns; c++)
	{
		if (baseline->column[c].number)
			code_numbers(baseline, c);
		else
			baseline->column[c].levels = baseline->column[c].seen->members + 1;
		levels[c] = baseline->column[c].levels;
	}
	return levels;
}

/* ---- rows ---- */

static void
prepare(const DpBaselineTask *task, DpBaseline **draws, DpArena *arena)
{
	DpStatus status = dp_baseline_prepare(task, draws, &dp_interrupt_tick, arena);

	if (status == DP_ERR_LIMIT)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("the columns have too many values for multiple_imputation"),
						errdetail("Its regressions would have more than %llu parameters.",
								  (unsigned long long) DP_BASELINE_PARAMETERS_MAX),
						errhint("Use gibbs, or a view without keys and free text.")));
	if (status != DP_OK)
		dp_raise(&(DpError){.status = status});
}

static void
return_rows(const Baseline *baseline, const DpBaselineTask *task, int64 rows, ReturnSetInfo *result)
{
	DpArena arena = dp_arena_for(CurrentMemoryContext);
	uint32 n = baseline->columns;
	uint32 *donor = palloc(sizeof(uint32) * n);
	TupleTableSlot **slot = palloc(sizeof(TupleTableSlot *) * n);
	Datum *values = palloc0(sizeof(Datum) * baseline->row->natts);
	bool *nulls = palloc(sizeof(bool) * baseline->row->natts);
	DpBaseline *draws;

	memset(nulls, true, sizeof(bool) * baseline->row->natts);
	prepare(task, &draws, &arena);
	for (uint32 c = 0; c < n; c++)
		slot[c] = MakeSingleTupleTableSlot(baseline->read, &TTSOpsMinimalTuple);
	for (int64 row = 0; row < rows; row++)
	{
		CHECK_FOR_INTERRUPTS();
		dp_baseline_draw(draws, (uint64) row, donor);
		for (uint32 c = 0; c < n; c++)
		{
			AttrNumber target = baseline->column[c].target;

			ExecStoreMinimalTuple(baseline->tuple[donor[c]], slot[c], false);
			values[target] = slot_getattr(slot[c], (int) c + 1, &nulls[target]);
		}
		tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
	}
	for (uint32 c = 0; c < n; c++)
		ExecDropSingleTupleTableSlot(slot[c]);
}

/* ---- arguments ---- */

static Oid
relation_of_target(FunctionCallInfo fcinfo)
{
	Oid type = get_fn_expr_argtype(fcinfo->flinfo, 0), relation = get_typ_typrelid(type);

	if (!OidIsValid(relation))
		dp_refuse_target(type);
	dp_check_readable(relation, "target");
	return relation;
}

static uint32
count_argument(FunctionCallInfo fcinfo, int argument, const char *name)
{
	int32 count;

	dp_check_not_null(fcinfo, argument, name);
	count = PG_GETARG_INT32(argument);
	if (count < 1)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("%s must be at least 1", name)));
	return (uint32) count;
}

static void
check_rows(const Baseline *baseline, int64 rows)
{
	if (rows < 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("rows must not be negative")));
	if (baseline->rows == 0 && rows > 0)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("%s has no rows to draw from", dp_relation_label(baseline->relation))));
}

/* dp_baseline(target anyelement, method text, rows bigint, parents integer, sweeps integer,
 * seed bigint) */
Datum
dp_baseline(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;
	Baseline baseline = {.keep = CurrentMemoryContext};
	DpBaselineTask task = {0};
	uint32 *levels;
	int64 rows;

	dp_check_not_null(fcinfo, 1, "method");
	task.method = method_of(text_to_cstring(PG_GETARG_TEXT_PP(1)));
	task.parents = count_argument(fcinfo, 3, "parents");
	task.sweeps = count_argument(fcinfo, 4, "sweeps");
	task.seed = dp_seed_argument(fcinfo, 5);
	baseline.relation = relation_of_target(fcinfo);
	InitMaterializedSRF(fcinfo, 0);
	baseline.row = result->setDesc;
	baseline.scratch =
		AllocSetContextCreate(CurrentMemoryContext, "dpsyn row", ALLOCSET_DEFAULT_SIZES);
	baseline_columns(&baseline);
	read_table(&baseline);
	rows = PG_ARGISNULL(2) ? (int64) baseline.rows : PG_GETARG_INT64(2);
	check_rows(&baseline, rows);
	if (rows == 0)
		return (Datum) 0;
	levels = make_codes(&baseline);
	task.rows = (DpBaselineRows){.rows = baseline.rows,
								 .attributes = baseline.columns,
								 .levels = levels,
								 .code = baseline.code};
	return_rows(&baseline, &task, rows, result);
	return (Datum) 0;
}
