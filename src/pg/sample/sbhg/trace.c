/*
 * trace.c -- dp_trace: how rows of a release come about, step by step.
 *
 * It draws the same rows as dp_sample from the same stored model, and shows the chain of each. What
 * it shows is made of released tables and random numbers of a seed, so it is post-processing: no
 * private row is read, and nothing is spent.
 */
#include "pg/server/compat.h"

#include "funcapi.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/tuplestore.h"

#include "core/sample/sbhg/sbhg_sampler.h"
#include "pg/sample/cell_json.h"
#include "pg/sample/store.h"
#include "pg/server/arguments.h"
#include "pg/server/bridge.h"

PG_FUNCTION_INFO_V1(dp_trace);

#define TRACE_COLUMNS 6

typedef struct Trace
{
	const DpModel *model;
	ReturnSetInfo *result;
	MemoryContext step; /* emptied after each */
	int32 row;          /* from 1 */
} Trace;

static Datum
value_of(const Trace *trace, uint32 attribute, uint32 code)
{
	DpAttributeSet set = {1, &attribute};

	return JsonbPGetDatum(dp_cell_json(dp_cell_writer(&trace->model->domain, &set), &code, NULL));
}

/* The values of the parents that a step used. */
static Datum
given_of(const Trace *trace, const DpChainStep *step, const uint32 *codes)
{
	const DpTable *table = &trace->model->table[step->attribute];
	DpAttributeSet set = {step->given, table->attribute};
	uint32 *code = palloc(sizeof(uint32) * Max(step->given, 1));

	for (uint32 k = 0; k < step->given; k++)
		code[k] = codes[table->attribute[k]];
	return JsonbPGetDatum(dp_cell_json(dp_cell_writer(&trace->model->domain, &set), code, NULL));
}

static void
put_step(void *context, const DpChainStep *step, const uint32 *codes)
{
	Trace *trace = context;
	MemoryContext caller = MemoryContextSwitchTo(trace->step);
	Datum values[TRACE_COLUMNS] = {
		Int32GetDatum(trace->row), Int32GetDatum((int32) step->sweep),
		DirectFunctionCall1(namein,
							CStringGetDatum(trace->model->domain.attribute[step->attribute].name))};
	bool nulls[TRACE_COLUMNS] = {false};

	CHECK_FOR_INTERRUPTS();
	nulls[3] = !step->drawn;
	if (step->drawn)
		values[3] = given_of(trace, step, codes);
	nulls[4] = step->sweep == 0;
	if (step->sweep > 0)
		values[4] = value_of(trace, step->attribute, step->before);
	values[5] = value_of(trace, step->attribute, step->after);
	tuplestore_putvalues(trace->result->setResult, trace->result->setDesc, values, nulls);
	MemoryContextSwitchTo(caller);
	MemoryContextReset(trace->step);
}

static void
check_chain(const DpStored *stored)
{
	if (stored->method->sampler != &dp_sbhg_sampler)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("rows of release " INT64_FORMAT " are not made by a chain", stored->id),
				 errdetail("Its method is %s.", stored->method->name),
				 errhint("dp_trace shows rows of method sbhg. Those of pegs are drawn from exact "
						 "counts, and nothing but them was paid for.")));
}

static void
check_range(const char *name, int32 value, int32 most)
{
	if (value < 1 || value > most)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("argument %s is out of range", name),
						errdetail("It must be 1 to %d.", most)));
}

/* dp_trace(release, rows, seed, set) */
Datum
dp_trace(PG_FUNCTION_ARGS)
{
	static const char *const name[] = {"release", "rows", "seed", "set"};
	Trace trace = {.result = (ReturnSetInfo *) fcinfo->resultinfo};
	DpChainView view = {&trace, put_step};
	DpError error = {0};
	DpStored *stored;
	DpModel model;
	DpStream stream;
	DpSbhgTrace *chains;
	uint32 *codes;
	int32 rows;

	for (int i = 0; i < 4; i++)
		dp_check_not_null(fcinfo, i, name[i]);
	stored = dp_stored_get(PG_GETARG_INT64(0));
	check_chain(stored);
	rows = PG_GETARG_INT32(1);
	check_range("rows", rows, DP_BLOCK_ROWS);
	check_range("set", PG_GETARG_INT32(3), stored->sets);
	InitMaterializedSRF(fcinfo, 0);
	if (dp_model_view(&stored->model, (uint32) PG_GETARG_INT32(3), &model) != DP_OK)
		elog(ERROR, "a stored release has fewer sets than its line says");
	if (dp_sbhg_trace_prepare(&model, &chains, &dp_interrupt_tick, &stored->arena, &error) != DP_OK)
		dp_raise(&error);
	trace.model = &model;
	trace.step = AllocSetContextCreate(CurrentMemoryContext, "dpsyn step", ALLOCSET_DEFAULT_SIZES);
	codes = palloc0(sizeof(uint32) * Max(model.domain.attributes, 1));
	/* the first block of dp_sample's rows */
	stream = (DpStream){(uint64) PG_GETARG_INT64(2), (uint64) PG_GETARG_INT32(3), 0};
	for (trace.row = 1; trace.row <= rows; trace.row++)
		dp_sbhg_trace(chains, &stream, (uint32) trace.row - 1, &view, codes);
	return (Datum) 0;
}
