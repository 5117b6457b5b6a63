/*
 * sample_values.c -- what the rows of a sample hold column by column: each different value has a
 * number, and each row the numbers of its values. Values are compared by their bytes, so no code
 * of their types is run.
 */
#include "pg/domain/row_sample.h"

#include <math.h>

#include "access/transam.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "common/hashfn.h"
#include "funcapi.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/typcache.h"

PG_FUNCTION_INFO_V1(dp_repeats);
PG_FUNCTION_INFO_V1(dp_values_taken);
PG_FUNCTION_INFO_V1(dp_decides);
PG_FUNCTION_INFO_V1(dp_decided_by_two);

typedef struct Level
{
	Datum value; /* key */
	uint32 hash;
	char status;
	int number; /* from 1; 0 is NULL */
} Level;

typedef struct Column
{
	bool by_value;
	int16 length;
	int n;
	int allocated;
	Datum *value;             /* of numbers 1 to n, from place 1 */
	int64 *rows;              /* of numbers 0 to n */
	int *number;              /* of each row */
	struct level_hash *table; /* while they are numbered */
	Tuplestorestate *offered; /* value and number of rows; NULL: not asked for */
	TupleDesc row;            /* of offered */
} Column;

struct DpSampleValues
{
	int64 rows;
	int columns;
	Column column[FLEXIBLE_ARRAY_MEMBER];
};

typedef struct DpSampleValues Values;

#define COLUMN(tb) ((const Column *) (tb)->private_data)
#define SH_PREFIX level
#define SH_ELEMENT_TYPE Level
#define SH_KEY_TYPE Datum
#define SH_KEY value
#define SH_HASH_KEY(tb, key) datum_image_hash(key, COLUMN(tb)->by_value, COLUMN(tb)->length)
#define SH_EQUAL(tb, a, b) datum_image_eq(a, b, COLUMN(tb)->by_value, COLUMN(tb)->length)
#define SH_SCOPE static inline
#define SH_STORE_HASH
#define SH_GET_HASH(tb, a) (a)->hash
#define SH_DECLARE
#define SH_DEFINE
#include "lib/simplehash.h"

/* The number of a value. */
static int
number_in(Column *column, Datum value)
{
	bool found;
	Level *level = level_insert(column->table, value, &found);

	if (!found)
	{
		if (++column->n == column->allocated)
		{
			column->allocated *= 2;
			column->value = repalloc(column->value, sizeof(Datum) * column->allocated);
			column->rows = repalloc(column->rows, sizeof(int64) * column->allocated);
		}
		level->value = datumCopy(value, column->by_value, column->length);
		level->number = column->n;
		column->value[column->n] = level->value;
		column->rows[column->n] = 0;
	}
	return level->number;
}

static Values *
start_values(const DpRowSample *sample)
{
	Values *values =
		palloc0(offsetof(Values, column) + sizeof(Column) * Max(sample->row->natts, 1));

	values->rows = tuplestore_tuple_count(sample->rows);
	values->columns = sample->row->natts;
	for (int i = 0; i < values->columns; i++)
	{
		Form_pg_attribute attribute = TupleDescAttr(sample->row, i);
		Column *column = &values->column[i];

		column->by_value = attribute->attbyval;
		column->length = attribute->attlen;
		column->allocated = 64;
		column->value = palloc(sizeof(Datum) * column->allocated);
		column->rows = palloc0(sizeof(int64) * column->allocated);
		column->number = palloc(sizeof(int) * Max(values->rows, 1));
		column->table = level_create(CurrentMemoryContext, 64, column);
	}
	return values;
}

static void
read_values(const DpRowSample *sample, Values *values)
{
	TupleTableSlot *slot = MakeSingleTupleTableSlot(sample->row, &TTSOpsMinimalTuple);

	tuplestore_select_read_pointer(sample->rows, 0);
	tuplestore_rescan(sample->rows);
	for (int64 row = 0; tuplestore_gettupleslot(sample->rows, true, false, slot); row++)
	{
		CHECK_FOR_INTERRUPTS();
		slot_getallattrs(slot);
		for (int i = 0; i < values->columns; i++)
		{
			Column *column = &values->column[i];
			int number = slot->tts_isnull[i] ? 0 : number_in(column, slot->tts_values[i]);

			column->number[row] = number;
			column->rows[number]++;
		}
	}
	ExecDropSingleTupleTableSlot(slot);
	for (int i = 0; i < values->columns; i++) /* which would take most of the memory */
		level_destroy(values->column[i].table);
}

static Values *
values_of(DpRowSample *sample)
{
	if (sample->values == NULL)
	{
		MemoryContext caller = MemoryContextSwitchTo(GetMemoryChunkContext(sample));
		Values *values = start_values(sample);

		read_values(sample, values);
		sample->values = values;
		MemoryContextSwitchTo(caller);
	}
	return sample->values;
}

/* The place of a column of that name. */
static int
place_of(const DpRowSample *sample, const char *name)
{
	for (int i = 0; i < sample->row->natts; i++)
		if (strcmp(NameStr(TupleDescAttr(sample->row, i)->attname), name) == 0)
			return i;
	ereport(ERROR,
			(errcode(ERRCODE_UNDEFINED_COLUMN), errmsg("column \"%s\" does not exist", name)));
}

static Column *
column_of(DpRowSample *sample, Name name)
{
	int place = place_of(sample, NameStr(*name));

	return &values_of(sample)->column[place];
}

/* ---- one column ---- */

/*
 * dp_repeats(relation, column, threshold, OUT n, OUT rows, OUT kept, OUT seldom, OUT missing): of a
 * sample of r rows with d values, f of which occur once, there are d r / (r - f + f / scale) values
 * in all, as ANALYZE has it.
 */
Datum
dp_repeats(PG_FUNCTION_ARGS)
{
	DpRowSample *sample = dp_row_sample(PG_GETARG_OID(0));
	const Column *column = column_of(sample, PG_GETARG_NAME(1));
	double threshold = PG_GETARG_FLOAT8(2), scale = sample->scale, kept = 0, once = 0, n = 0;
	int64 seldom = PG_INT64_MAX, all = sample->values->rows, known = all - column->rows[0];
	Datum values[5];
	bool nulls[5] = {false, false, false, column->n == 0, all == 0};
	TupleDesc row;

	for (int i = 1; i <= column->n; i++)
	{
		int64 rows = column->rows[i];

		once += rows == 1;
		kept += (double) rows * scale >= threshold ? (double) rows : 0;
		seldom = Min(seldom, rows);
	}
	if (known > 0)
		n = rint(column->n * (double) known / ((double) known - once + once / scale));
	values[0] = Int64GetDatum((int64) n);
	values[1] = Int64GetDatum((int64) rint((double) known * scale));
	values[2] = Int64GetDatum((int64) rint(kept * scale));
	values[3] = Int64GetDatum(column->n == 0 ? 0 : (int64) rint((double) seldom * scale));
	values[4] = Float8GetDatum((double) column->rows[0] / (double) Max(all, 1));
	(void) get_call_result_type(fcinfo, NULL, &row);
	return HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(row), values, nulls));
}

static char *
name_of_values(int place)
{
	return psprintf("dp_sampled_values_%d", place + 1);
}

/* The different values of a column, with the number of rows that have each. */
static void
store_values(const DpRowSample *sample, int place)
{
	Column *column = &sample->values->column[place];
	Form_pg_attribute attribute = TupleDescAttr(sample->row, place);
	TupleDesc row = CreateTemplateTupleDesc(2);
	Tuplestorestate *rows = tuplestore_begin_heap(true, false, INT_MAX);
	bool nulls[2] = {false, false};

	TupleDescInitEntry(row, 1, "v", attribute->atttypid, attribute->atttypmod, 0);
	TupleDescInitEntryCollation(row, 1, attribute->attcollation);
	TupleDescInitEntry(row, 2, "rows", INT8OID, -1, 0);
	DP_TUPLE_DESC_FINALIZE(row);
	for (int i = 1; i <= column->n; i++)
	{
		Datum values[2] = {column->value[i], Int64GetDatum(column->rows[i])};

		tuplestore_putvalues(rows, row, values, nulls);
	}
	column->row = row;
	column->offered = rows;
}

/* dp_values_taken(relation, column): what a statement of dp_read_as_owner reads for (v, rows). */
Datum
dp_values_taken(PG_FUNCTION_ARGS)
{
	DpRowSample *sample = dp_row_sample(PG_GETARG_OID(0));
	int place = place_of(sample, NameStr(*PG_GETARG_NAME(1)));

	if (values_of(sample)->column[place].offered == NULL)
	{
		MemoryContext caller = MemoryContextSwitchTo(GetMemoryChunkContext(sample));

		store_values(sample, place);
		MemoryContextSwitchTo(caller);
	}
	PG_RETURN_TEXT_P(cstring_to_text(name_of_values(place)));
}

void
dp_sample_values_offer(const DpRowSample *sample)
{
	const Values *values = sample->values;

	for (int i = 0; values != NULL && i < values->columns; i++)
		if (values->column[i].offered != NULL)
			dp_offer_rows(name_of_values(i), values->column[i].row, values->column[i].offered);
}

/* ---- between columns ---- */

/* Whether rows that have the same number of one column have the same of another one. */
static bool
decides_by_value(const Column *by, const Column *of, int64 rows, bool with_nulls)
{
	int *first = palloc(sizeof(int) * ((size_t) by->n + 1));
	bool same = true;

	memset(first, -1, sizeof(int) * ((size_t) by->n + 1));
	for (int64 row = 0; row < rows && same; row++)
	{
		int *held = &first[by->number[row]];

		if (!with_nulls && of->number[row] == 0)
			continue;
		if (*held < 0)
			*held = of->number[row];
		same = *held == of->number[row];
	}
	pfree(first);
	return same;
}

/* Whether a column has one value where another one is NULL, and one where it is not. */
static bool
decides_by_missing(const Column *by, const Column *of, int64 rows)
{
	int held[2] = {0, 0};

	for (int64 row = 0; row < rows; row++)
	{
		int *one = &held[by->number[row] == 0];

		if (*one == 0)
			*one = of->number[row];
		if (of->number[row] == 0 || *one != of->number[row])
			return false;
	}
	return held[0] > 0 && held[1] > 0;
}

typedef struct Span
{
	bool known;
	Datum low, high;
} Span;

typedef struct Order
{
	Oid type;
	FmgrInfo *compare;
	Oid collation;
} Order;

/* The order of a column's values. False: it has none that is PostgreSQL's own, and code of others is
 * not run here. */
static bool
order_of(const DpRowSample *sample, Name column, Order *order)
{
	Form_pg_attribute attribute = TupleDescAttr(sample->row, place_of(sample, NameStr(*column)));
	TypeCacheEntry *entry;

	order->type = getBaseType(attribute->atttypid);
	if (order->type >= FirstNormalObjectId)
		return false;
	entry = lookup_type_cache(order->type, TYPECACHE_CMP_PROC_FINFO);
	order->compare = &entry->cmp_proc_finfo;
	order->collation = attribute->attcollation;
	return OidIsValid(entry->cmp_proc);
}

static int
compare(const Order *order, Datum a, Datum b)
{
	return DatumGetInt32(FunctionCall2Coll(order->compare, order->collation, a, b));
}

static int
compare_spans(const void *a, const void *b, void *order)
{
	return compare(order, ((const Span *) a)->low, ((const Span *) b)->low);
}

#define LOOK_ROWS 2000 /* which say that most pairs of columns are in no order */

/* Whether a column's values divide those of another one, in some rows, into stretches that do not
 * overlap. */
static bool
decides_by_order(const Column *by, const Column *of, int64 rows, const Order *order)
{
	Span *spans = palloc0(sizeof(Span) * ((size_t) of->n + 1));
	int n = 0;
	bool apart = true;

	for (int64 row = 0; row < Min(rows, LOOK_ROWS); row++)
	{
		Span *span = &spans[of->number[row]];
		Datum value;

		if (by->number[row] == 0)
			continue;
		value = by->value[by->number[row]];
		if (!span->known || compare(order, value, span->low) < 0)
			span->low = value;
		if (!span->known || compare(order, value, span->high) > 0)
			span->high = value;
		span->known = true;
	}
	for (int i = 0; i <= of->n; i++)
		if (spans[i].known)
			spans[n++] = spans[i];
	qsort_arg(spans, (size_t) n, sizeof(Span), compare_spans, (void *) order);
	for (int i = 1; i < n && apart; i++)
		apart = compare(order, spans[i].low, spans[i - 1].high) > 0;
	pfree(spans);
	return apart && n > 1;
}

#define BEFORE_LOOK 1000       /* rows */
#define BEFORE_SHARE_MOST 0.05 /* of rows that are against it */

/* Whether a column hardly ever lies before another one of its type. */
static bool
hardly_before(const Column *by, const Column *of, int64 rows, const Order *order)
{
	int64 n = Min(rows, BEFORE_LOOK), before = 0;

	for (int64 row = 0; row < n; row++)
		before += by->number[row] > 0 && of->number[row] > 0 &&
				  compare(order, of->value[of->number[row]], by->value[by->number[row]]) < 0;
	return (double) before <= BEFORE_SHARE_MOST * (double) n;
}

/* dp_decides(relation, by, of, way): whether the values of a column (way value), whether it is NULL
 * (missing), or where its values lie (order) say what another column holds, as far as the rows of
 * the sample tell; after: whether it hardly ever lies after the other one, which has its type.
 * order, after: false for types of users. */
Datum
dp_decides(PG_FUNCTION_ARGS)
{
	DpRowSample *sample = dp_row_sample(PG_GETARG_OID(0));
	const Column *by = column_of(sample, PG_GETARG_NAME(1)),
				 *of = column_of(sample, PG_GETARG_NAME(2));
	const char *way = text_to_cstring(PG_GETARG_TEXT_PP(3));
	int64 rows = sample->values->rows;
	Order order, other;

	if (strcmp(way, "order") == 0)
		PG_RETURN_BOOL(order_of(sample, PG_GETARG_NAME(1), &order) &&
					   decides_by_order(by, of, rows, &order));
	if (strcmp(way, "after") == 0)
		PG_RETURN_BOOL(order_of(sample, PG_GETARG_NAME(1), &order) &&
					   order_of(sample, PG_GETARG_NAME(2), &other) && order.type == other.type &&
					   hardly_before(by, of, rows, &order));
	PG_RETURN_BOOL(strcmp(way, "missing") == 0 ? decides_by_missing(by, of, rows)
											   : decides_by_value(by, of, rows, true));
}

/* The combinations of two columns, as a column. */
static Column
combine(const Column *first, const Column *second, int64 rows)
{
	Column both = {.n = 0, .number = palloc(sizeof(int) * (size_t) Max(rows, 1))};
	int *numbers = palloc0(sizeof(int) * (size_t) first->n * (size_t) second->n);

	for (int64 row = 0; row < rows; row++)
	{
		int a = first->number[row], b = second->number[row];
		int *number = a > 0 && b > 0 ? &numbers[(size_t) (a - 1) * second->n + (b - 1)] : NULL;

		if (number != NULL && *number == 0)
			*number = ++both.n;
		both.number[row] = number != NULL ? *number : 0;
	}
	pfree(numbers);
	return both;
}

#define COMBINATIONS_MAX 4000000

/* dp_decided_by_two(relation, first, second, others, OUT decided, OUT combinations): which columns
 * two others decide together in the rows of the sample that have both, and neither alone. NULL:
 * rows have too many combinations to tell. */
Datum
dp_decided_by_two(PG_FUNCTION_ARGS)
{
	DpRowSample *sample = dp_row_sample(PG_GETARG_OID(0));
	const Column *first = column_of(sample, PG_GETARG_NAME(1)),
				 *second = column_of(sample, PG_GETARG_NAME(2));
	ArrayType *names = PG_GETARG_ARRAYTYPE_P(3);
	int64 rows = sample->values->rows, known = 0;
	Datum *name, values[2];
	bool nulls[2] = {true, false};
	int n, decided = 0;
	TupleDesc row;
	Column both = {0};

	deconstruct_array(names, NAMEOID, NAMEDATALEN, false, TYPALIGN_CHAR, &name, NULL, &n);
	if ((int64) first->n * second->n <= COMBINATIONS_MAX && first->n > 0 && second->n > 0)
		both = combine(first, second, rows);
	for (int64 i = 0; i < rows && both.n > 0; i++)
		known += both.number[i] > 0;
	for (int i = 0; i < n && (int64) both.n * 5 <= known && both.n > 0; i++)
	{
		const Column *of = column_of(sample, DatumGetName(name[i]));
		Column with_both = *of; /* NULL where the combination is */

		if (of == first || of == second)
			continue;
		with_both.number = palloc(sizeof(int) * (size_t) rows);
		for (int64 j = 0; j < rows; j++)
			with_both.number[j] = both.number[j] > 0 ? of->number[j] : 0;
		if (decides_by_value(&both, &with_both, rows, false) &&
			!decides_by_value(first, of, rows, false) && !decides_by_value(second, of, rows, false))
			name[decided++] = name[i];
		pfree(with_both.number);
	}
	nulls[0] = decided == 0;
	if (decided > 0)
		values[0] = PointerGetDatum(
			construct_array(name, decided, NAMEOID, NAMEDATALEN, false, TYPALIGN_CHAR));
	values[1] = Int64GetDatum(both.n);
	(void) get_call_result_type(fcinfo, NULL, &row);
	return HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(row), values, nulls));
}
