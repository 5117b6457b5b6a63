/*
 * row_sample.c -- some rows of a relation, read once, for the statements of dp_suggest_columns,
 * which use them instead of all rows of a large relation.
 */
#include "pg/domain/row_sample.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "tcop/dest.h"
#include "utils/builtins.h"
#include "utils/date.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/numeric.h"
#include "utils/timestamp.h"

#include "core/base/prng.h"
#include "pg/domain/grid.h"
#include "pg/server/catalog.h"
#include "pg/server/labels.h"
#include "pg/server/numbers.h"
#include "pg/server/rights.h"

PG_FUNCTION_INFO_V1(dp_take_rows);
PG_FUNCTION_INFO_V1(dp_rows_taken);

#define NAME_OF_ROWS "dp_sampled_rows"
#define FARTHEST 1e17 /* values beyond it are not used for ranges */

/* ---- what was taken ---- */

#define SAMPLE_ROWS 20000 /* unless others are asked for */
#define SAMPLE_MAX 1000000
#define SAMPLE_BYTES (256 << 20) /* of rows; where these are more, fewer rows are kept */
#define SAMPLE_VALUES 8000000    /* of rows of many columns */

static DpRowSample *taken; /* the sample of this transaction; NULL: none */

static void
forget(void *sample)
{
	if (taken == sample)
		taken = NULL;
}

DpRowSample *
dp_row_sample_offer(Oid relation)
{
	if (taken == NULL || taken->relation != relation)
		return NULL;
	dp_offer_rows(NAME_OF_ROWS, taken->row, taken->rows);
	dp_sample_values_offer(taken);
	return taken;
}

void
dp_offer_rows(const char *name, TupleDesc row, Tuplestorestate *rows)
{
	EphemeralNamedRelation offered = palloc0(sizeof(EphemeralNamedRelationData));

	offered->md.name = pstrdup(name);
	offered->md.tupdesc = row;
	offered->md.enrtype = ENR_NAMED_TUPLESTORE;
	offered->md.enrtuples = (double) tuplestore_tuple_count(rows);
	offered->reldata = rows;
	if (SPI_register_relation(offered) != SPI_OK_REL_REGISTER)
		elog(ERROR, "could not register the rows of a sample");
}

/* ---- taking it ---- */

typedef struct TakenRow
{
	MinimalTuple tuple;
	uint64 number;
} TakenRow;

/* The row with the least (sign = -1) or the greatest (sign = 1) value of a column. */
typedef struct EndRow
{
	AttrNumber column;
	Oid type; /* the base type of domains */
	int sign;
	double most;     /* sign times the value */
	Numeric numeric; /* the value, if it is one */
	TakenRow row;
} EndRow;

typedef struct RowTaker
{
	DestReceiver receiver; /* must be first */
	MemoryContext context; /* of what is kept */
	TupleDesc row;
	uint64 rows; /* received so far */
	uint64 size; /* most rows that are kept */
	uint64 bytes;
	TakenRow *kept;
	int ends;
	EndRow *end;
	DpPrng prng;
} RowTaker;

/* Converts a value to a number, to compare it within its column. False: it is not finite. */
static bool
number_of(Oid type, Datum value, double *number)
{
	switch (type)
	{
		case INT2OID:
			*number = DatumGetInt16(value);
			break;
		case INT4OID:
			*number = DatumGetInt32(value);
			break;
		case INT8OID:
		case CASHOID:
			*number = (double) DatumGetInt64(value);
			break;
		case FLOAT4OID:
			*number = DatumGetFloat4(value);
			break;
		case FLOAT8OID:
			*number = DatumGetFloat8(value);
			break;
		case NUMERICOID:
			*number = DatumGetFloat8(DirectFunctionCall1(numeric_float8_no_overflow, value));
			break;
		case DATEOID:
			*number = DatumGetDateADT(value);
			return !DATE_NOT_FINITE(DatumGetDateADT(value));
		default: /* timestamps */
			*number = (double) DatumGetTimestamp(value);
			return !TIMESTAMP_NOT_FINITE(DatumGetTimestamp(value));
	}
	return fabs(*number) <= FARTHEST;
}

static bool
has_ends(Oid type)
{
	return dp_is_number(type) || dp_is_time(type) || type == CASHOID;
}

static void
drop(RowTaker *taker, TakenRow *row)
{
	taker->bytes -= row->tuple->t_len;
	heap_free_minimal_tuple(row->tuple);
	row->tuple = NULL;
}

/* Keeps half of the rows, any of them. */
static void
halve(RowTaker *taker)
{
	uint64 n = Min(taker->rows, taker->size), half = (n + 1) / 2;

	for (uint64 i = 0; i < half; i++)
	{
		uint64 from = i + dp_prng_below(&taker->prng, n - i);
		TakenRow row = taker->kept[i];

		taker->kept[i] = taker->kept[from];
		taker->kept[from] = row;
	}
	for (uint64 i = half; i < n; i++)
		drop(taker, &taker->kept[i]);
	taker->size = half;
}

static void
replace(RowTaker *taker, TakenRow *row, TupleTableSlot *slot)
{
	MemoryContext caller = MemoryContextSwitchTo(taker->context);

	if (row->tuple != NULL)
		drop(taker, row);
	row->tuple = ExecCopySlotMinimalTuple(slot);
	taker->bytes += row->tuple->t_len;
	row->number = taker->rows;
	MemoryContextSwitchTo(caller);
}

/* Whether a numeric lies between the ends so far, and is none: a comparison is much faster than a
 * conversion. */
static bool
lies_between(const EndRow *low, const EndRow *high, Datum value)
{
	return low->numeric != NULL && high->numeric != NULL &&
		   DatumGetBool(DirectFunctionCall2(numeric_ge, value, NumericGetDatum(low->numeric))) &&
		   DatumGetBool(DirectFunctionCall2(numeric_le, value, NumericGetDatum(high->numeric)));
}

static void
take_end(RowTaker *taker, EndRow *end, double number, TupleTableSlot *slot)
{
	MemoryContext caller = MemoryContextSwitchTo(taker->context);

	replace(taker, &end->row, slot);
	end->most = end->sign * number;
	if (end->type == NUMERICOID)
	{
		if (end->numeric != NULL)
			pfree(end->numeric);
		end->numeric = DatumGetNumericCopy(slot->tts_values[end->column - 1]);
	}
	MemoryContextSwitchTo(caller);
}

static bool
take_row(TupleTableSlot *slot, DestReceiver *self)
{
	RowTaker *taker = (RowTaker *) self;
	uint64 place =
		taker->rows < taker->size ? taker->rows : dp_prng_below(&taker->prng, taker->rows + 1);

	if (place < taker->size)
		replace(taker, &taker->kept[place], slot);
	slot_getallattrs(slot);
	for (int i = 0; i < taker->ends; i += 2) /* both ends of a column */
	{
		EndRow *low = &taker->end[i], *high = low + 1;
		double number;

		if (slot->tts_isnull[low->column - 1] ||
			lies_between(low, high, slot->tts_values[low->column - 1]) ||
			!number_of(low->type, slot->tts_values[low->column - 1], &number))
			continue;
		for (EndRow *end = low; end <= high; end++)
			if (end->row.tuple == NULL || end->sign * number > end->most)
				take_end(taker, end, number, slot);
	}
	taker->rows++;
	while (taker->bytes > SAMPLE_BYTES && taker->size > 1)
		halve(taker);
	return true;
}

static void
start_taking(DestReceiver *self, int operation, TupleDesc row)
{
	RowTaker *taker = (RowTaker *) self;
	MemoryContext caller = MemoryContextSwitchTo(taker->context);

	taker->row = CreateTupleDescCopy(row);
	taker->size = Min(taker->size, SAMPLE_VALUES / (uint64) Max(row->natts, 1));
	taker->end = palloc0(sizeof(EndRow) * 2 * Max(row->natts, 1));
	for (int i = 0; i < row->natts; i++)
	{
		Oid type = getBaseType(TupleDescAttr(row, i)->atttypid);

		for (int sign = -1; has_ends(type) && sign <= 1; sign += 2)
			taker->end[taker->ends++] =
				(EndRow){.column = (AttrNumber) (i + 1), .type = type, .sign = sign};
	}
	MemoryContextSwitchTo(caller);
}

static void
ignore_end(DestReceiver *self)
{
}

static bool
is_kept(const RowTaker *taker, uint64 number)
{
	for (uint64 i = 0; i < Min(taker->rows, taker->size); i++)
		if (taker->kept[i].number == number)
			return true;
	return false;
}

/* Makes a tuplestore of the sample. It is in memory alone, since the rows are in memory already. So
 * no file remains if a statement fails. */
static Tuplestorestate *
store_rows(const RowTaker *taker)
{
	TupleTableSlot *slot = MakeSingleTupleTableSlot(taker->row, &TTSOpsMinimalTuple);
	Tuplestorestate *rows = tuplestore_begin_heap(true, false, INT_MAX);

	for (uint64 i = 0; i < Min(taker->rows, taker->size); i++)
		tuplestore_puttupleslot(rows, ExecStoreMinimalTuple(taker->kept[i].tuple, slot, true));
	for (int i = 0; i < taker->ends; i++)
	{
		const EndRow *end = &taker->end[i];

		if (end->row.tuple != NULL && !is_kept(taker, end->row.number))
			tuplestore_puttupleslot(rows, ExecStoreMinimalTuple(end->row.tuple, slot, true));
	}
	ExecDropSingleTupleTableSlot(slot);
	return rows;
}

static void
read_relation(Oid relation, RowTaker *taker)
{
	SPIExecuteOptions options = {.read_only = true, .dest = &taker->receiver};
	DpUserContext user_context;

	dp_caller_open(&user_context, list_make1_oid(relation));
	if (SPI_execute_extended(psprintf("SELECT * FROM %s", dp_relation_label(relation)), &options) !=
		SPI_OK_SELECT)
		elog(ERROR, "could not read rows of a sample");
	dp_caller_close(&user_context);
}

static void
give_up(void)
{
	if (taken != NULL && taken->readers > 0)
		ereport(ERROR, (errcode(ERRCODE_OBJECT_IN_USE),
						errmsg("a statement reads the rows that were taken of relation \"%s\"",
							   dp_relation_words(taken->relation))));
	if (taken != NULL)
		MemoryContextDelete(GetMemoryChunkContext(taken));
}

static void
take_rows(Oid relation, int rows)
{
	MemoryContext context, caller;
	MemoryContextCallback *callback;
	DpRowSample *sample;
	RowTaker taker = {.receiver = {.receiveSlot = take_row,
								   .rStartup = start_taking,
								   .rShutdown = ignore_end,
								   .rDestroy = ignore_end,
								   .mydest = DestTuplestore}};

	give_up();
	taker.context =
		AllocSetContextCreate(CurrentMemoryContext, "rows that are taken", ALLOCSET_DEFAULT_SIZES);
	taker.size = (uint64) rows;
	taker.kept = MemoryContextAllocZero(taker.context, sizeof(TakenRow) * taker.size);
	dp_prng_seed(&taker.prng, (DpStream){0});
	read_relation(relation, &taker);

	context =
		AllocSetContextCreate(TopTransactionContext, "a sample of rows", ALLOCSET_DEFAULT_SIZES);
	caller = MemoryContextSwitchTo(context);
	sample = palloc(sizeof(DpRowSample));
	*sample = (DpRowSample){.relation = relation,
							.row = CreateTupleDescCopy(taker.row),
							.rows = store_rows(&taker),
							.scale = 1};
	if (taker.rows > taker.size)
		sample->scale = (double) taker.rows / (double) tuplestore_tuple_count(sample->rows);
	callback = palloc(sizeof(MemoryContextCallback));
	*callback = (MemoryContextCallback){.func = forget, .arg = sample};
	MemoryContextRegisterResetCallback(context, callback);
	MemoryContextSwitchTo(caller);
	MemoryContextDelete(taker.context);
	taken = sample;
}

DpRowSample *
dp_row_sample(Oid relation)
{
	dp_check_custodian(relation, "read it as its owner");
	if (taken == NULL || taken->relation != relation)
		take_rows(relation, SAMPLE_ROWS);
	return taken;
}

/* dp_take_rows(relation, rows): takes a sample; 0 rows: drops it. */
Datum
dp_take_rows(PG_FUNCTION_ARGS)
{
	Oid relation = PG_GETARG_OID(0);

	dp_check_custodian(relation, "read it as its owner");
	if (PG_GETARG_INT32(1) > 0)
		take_rows(relation, Min(PG_GETARG_INT32(1), SAMPLE_MAX));
	else
		give_up();
	PG_RETURN_VOID();
}

/* dp_rows_taken(relation, OUT source, OUT scale) */
Datum
dp_rows_taken(PG_FUNCTION_ARGS)
{
	Oid relation = PG_GETARG_OID(0);
	bool sampled =
		taken != NULL && taken->relation == relation && dp_is_custodian(relation, GetUserId());
	Datum values[2];
	bool nulls[2] = {false, false};
	TupleDesc row;

	(void) get_call_result_type(fcinfo, NULL, &row);
	values[0] = CStringGetTextDatum(sampled ? NAME_OF_ROWS : dp_relation_label(relation));
	values[1] = Float8GetDatum(sampled ? taken->scale : 1);
	return HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(row), values, nulls));
}
