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
#include "utils/sortsupport.h"
#include "utils/timestamp.h"
#include "utils/typcache.h"

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
	uint64 users; /* one if it is kept, and one for each end that it is */
	bool is_stored;
} TakenRow;

/* The row with the least (sign = -1) or the greatest (sign = 1) value of a column. */
typedef struct EndRow
{
	AttrNumber column;
	Oid type; /* the base type of domains */
	int sign;
	double most; /* sign times the value */
	SortSupport
		sort; /* of numeric: a comparison of abbreviations is much faster than a conversion */
	Datum abbreviated; /* the value, if it is a numeric */
	TakenRow *row;
} EndRow;

typedef struct RowTaker
{
	DestReceiver receiver; /* must be first */
	MemoryContext context; /* of what is kept */
	TupleDesc row;
	uint64 rows; /* received so far */
	uint64 size; /* most rows that are kept */
	uint64 bytes;
	TakenRow **kept;
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
	if (row == NULL || --row->users > 0)
		return;
	taker->bytes -= row->tuple->t_len;
	heap_free_minimal_tuple(row->tuple);
	pfree(row);
}

/* Keeps half of the rows, any of them. */
static void
halve(RowTaker *taker)
{
	uint64 n = Min(taker->rows, taker->size), half = (n + 1) / 2;

	for (uint64 i = 0; i < half; i++)
	{
		uint64 from = i + dp_prng_below(&taker->prng, n - i);
		TakenRow *row = taker->kept[i];

		taker->kept[i] = taker->kept[from];
		taker->kept[from] = row;
	}
	for (uint64 i = half; i < n; i++)
		drop(taker, taker->kept[i]);
	taker->size = half;
}

/* Copies the row that is received over one that nothing else uses, which has the same length: of a
 * column that ascends each row is an end. */
static bool
overwrite(TakenRow *old, TupleTableSlot *slot)
{
	bool is_copy;
	HeapTuple tuple;
	uint32 length;

	if (old == NULL || old->users != 1 || !TTS_IS_BUFFERTUPLE(slot))
		return false;
	tuple = ExecFetchSlotHeapTuple(slot, false, &is_copy);
	length = tuple->t_len - MINIMAL_TUPLE_OFFSET;
	if (is_copy || length != old->tuple->t_len)
		return false;
	memcpy(old->tuple, (char *) tuple->t_data + MINIMAL_TUPLE_OFFSET, length);
	old->tuple->t_len = length;
	return true;
}

/* Puts the row that is received in a place. *received: its one copy, NULL before it is made. */
static void
replace(RowTaker *taker, TakenRow **place, TupleTableSlot *slot, TakenRow **received)
{
	MemoryContext caller;

	if (*received == NULL && overwrite(*place, slot))
	{
		*received = *place;
		return;
	}
	caller = MemoryContextSwitchTo(taker->context);
	if (*received == NULL)
	{
		*received = palloc0(sizeof(TakenRow));
		(*received)->tuple = ExecCopySlotMinimalTuple(slot);
		taker->bytes += (*received)->tuple->t_len;
	}
	(*received)->users++;
	drop(taker, *place);
	*place = *received;
	MemoryContextSwitchTo(caller);
}

/* Whether a numeric lies between the ends so far, to 13 digits, and so is none. */
static bool
lies_between(const EndRow *low, const EndRow *high, Datum value)
{
	SortSupport sort = low->sort;
	Datum abbreviated;

	if (sort == NULL || low->row == NULL || high->row == NULL)
		return false;
	abbreviated = sort->abbrev_converter(value, sort);
	return sort->comparator(abbreviated, low->abbreviated, sort) >= 0 &&
		   sort->comparator(abbreviated, high->abbreviated, sort) <= 0;
}

static SortSupport
abbreviating(Oid type)
{
	SortSupport sort = palloc0(sizeof(SortSupportData));

	sort->ssup_cxt = CurrentMemoryContext;
	sort->abbreviate = true;
	PrepareSortSupportFromOrderingOp(lookup_type_cache(type, TYPECACHE_LT_OPR)->lt_opr, sort);
	return sort->abbrev_converter != NULL ? sort : NULL;
}

static void
take_end(RowTaker *taker, EndRow *end, double number, TupleTableSlot *slot, TakenRow **received)
{
	replace(taker, &end->row, slot, received);
	end->most = end->sign * number;
	if (end->sort != NULL)
		end->abbreviated =
			end->sort->abbrev_converter(slot->tts_values[end->column - 1], end->sort);
}

static bool
take_row(TupleTableSlot *slot, DestReceiver *self)
{
	RowTaker *taker = (RowTaker *) self;
	uint64 place =
		taker->rows < taker->size ? taker->rows : dp_prng_below(&taker->prng, taker->rows + 1);
	TakenRow *received = NULL;

	if (place < taker->size)
		replace(taker, &taker->kept[place], slot, &received);
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
			if (end->row == NULL || end->sign * number > end->most)
				take_end(taker, end, number, slot, &received);
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

		SortSupport sort = type == NUMERICOID ? abbreviating(type) : NULL;

		for (int sign = -1; has_ends(type) && sign <= 1; sign += 2)
			taker->end[taker->ends++] =
				(EndRow){.column = (AttrNumber) (i + 1), .type = type, .sign = sign, .sort = sort};
	}
	MemoryContextSwitchTo(caller);
}

static void
ignore_end(DestReceiver *self)
{
}

static void
store_row(TakenRow *row, TupleTableSlot *slot, Tuplestorestate *rows)
{
	if (row == NULL || row->is_stored)
		return;
	tuplestore_puttupleslot(rows, ExecStoreMinimalTuple(row->tuple, slot, false));
	row->is_stored = true;
}

/* Makes a tuplestore of the sample. It is in memory alone, since the rows are in memory already. So
 * no file remains if a statement fails. */
static Tuplestorestate *
store_rows(const RowTaker *taker)
{
	TupleTableSlot *slot = MakeSingleTupleTableSlot(taker->row, &TTSOpsMinimalTuple);
	Tuplestorestate *rows = tuplestore_begin_heap(true, false, INT_MAX);

	for (uint64 i = 0; i < Min(taker->rows, taker->size); i++)
		store_row(taker->kept[i], slot, rows);
	for (int i = 0; i < taker->ends; i++)
		store_row(taker->end[i].row, slot, rows);
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
	taker.kept = MemoryContextAllocZero(taker.context, sizeof(TakenRow *) * taker.size);
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
