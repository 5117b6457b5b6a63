/*
 * siblings.c -- window functions over the child rows of one parent row. With them a release of
 * several tables reads the values of siblings in one scan (source_tree.c).
 *
 * A partition has the rows of one parent. Each function keeps the values that it needs in the
 * memory of the partition, and reads the current row only, which costs a fraction of going back in
 * the partition. PostgreSQL calls it once for each row, in order.
 */
#include "pg/server/compat.h"

#include "utils/datum.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "windowapi.h"

#include "pg/domain/table_tree.h"

PG_FUNCTION_INFO_V1(dp_sibling_count);
PG_FUNCTION_INFO_V1(dp_sibling_place);
PG_FUNCTION_INFO_V1(dp_sibling_last);
PG_FUNCTION_INFO_V1(dp_sibling_previous);
PG_FUNCTION_INFO_V1(dp_sibling_again);

#define LAST 3 /* earlier siblings that are kept: see DpPrevious */

/* ---- places ---- */

typedef struct Hashed
{
	int64 hash;
	int64 position;
} Hashed;

typedef struct Places
{
	int64 *of; /* [rows of the partition]; NULL: not known yet */
} Places;

static int
hashed_compare(const void *left, const void *right)
{
	const Hashed *a = left, *b = right;

	if (a->hash != b->hash)
		return a->hash < b->hash ? -1 : 1;
	return a->position < b->position ? -1 : a->position > b->position;
}

/* Numbers the rows of a partition in the order of their hashes. */
static int64 *
places_of(WindowObject window, MemoryContext context)
{
	int64 rows = WinGetPartitionRowCount(window);
	Hashed *hashed = MemoryContextAllocHuge(context, sizeof(Hashed) * rows);
	int64 *place = MemoryContextAllocHuge(context, sizeof(int64) * rows);

	for (int64 i = 0; i < rows; i++)
	{
		bool isnull, isout;

		hashed[i].position = i;
		hashed[i].hash = DatumGetInt64(
			WinGetFuncArgInPartition(window, 0, (int) i, WINDOW_SEEK_HEAD, false, &isnull, &isout));
	}
	qsort(hashed, rows, sizeof(Hashed), hashed_compare);
	for (int64 i = 0; i < rows; i++)
		place[hashed[i].position] = i + 1;
	pfree(hashed);
	return place;
}

Datum
dp_sibling_place(PG_FUNCTION_ARGS)
{
	WindowObject window = PG_WINDOW_OBJECT();
	Places *places = WinGetPartitionLocalMemory(window, sizeof(Places));

	if (places->of == NULL)
		places->of = places_of(window, GetMemoryChunkContext(places));
	PG_RETURN_INT64(places->of[WinGetCurrentPosition(window)]);
}

Datum
dp_sibling_count(PG_FUNCTION_ARGS)
{
	PG_RETURN_INT64(WinGetPartitionRowCount(PG_WINDOW_OBJECT()));
}

/* ---- what siblings were ---- */

typedef struct Storage
{
	int16 length;
	bool by_value;
} Storage;

typedef struct Value
{
	Datum value;
	bool isnull;
} Value;

typedef struct Siblings
{
	uint64 before;    /* rows of the partition before the current one */
	Value last[LAST]; /* the last first */
} Siblings;

static const Storage *
storage_of(FunctionCallInfo fcinfo)
{
	if (fcinfo->flinfo->fn_extra == NULL)
	{
		Storage *storage = MemoryContextAlloc(fcinfo->flinfo->fn_mcxt, sizeof(Storage));

		get_typlenbyval(get_fn_expr_argtype(fcinfo->flinfo, 0), &storage->length,
						&storage->by_value);
		fcinfo->flinfo->fn_extra = storage;
	}
	return fcinfo->flinfo->fn_extra;
}

static Siblings *
siblings_of(FunctionCallInfo fcinfo)
{
	return WinGetPartitionLocalMemory(PG_WINDOW_OBJECT(), sizeof(Siblings));
}

/* Appends a row to its siblings. */
static void
siblings_add(FunctionCallInfo fcinfo, Siblings *siblings)
{
	const Storage *storage = storage_of(fcinfo);
	Value *last = siblings->last, *oldest = &last[LAST - 1], value;

	value.value = WinGetFuncArgCurrent(PG_WINDOW_OBJECT(), 0, &value.isnull);
	if (!storage->by_value && !value.isnull)
	{
		MemoryContext caller = MemoryContextSwitchTo(GetMemoryChunkContext(siblings));

		value.value = datumCopy(value.value, false, storage->length);
		MemoryContextSwitchTo(caller);
	}
	if (!storage->by_value && !oldest->isnull && siblings->before >= LAST)
		pfree(DatumGetPointer(oldest->value));
	memmove(last + 1, last, sizeof(Value) * (LAST - 1));
	last[0] = value;
	siblings->before++;
}

/* Whether two values have equal bytes, regardless of the equality of their type. */
static bool
is_same(const Value *a, const Value *b, const Storage *storage)
{
	if (a->isnull || b->isnull)
		return a->isnull && b->isnull;
	return datum_image_eq(a->value, b->value, storage->by_value, storage->length);
}

static DpPrevious
previous_of(FunctionCallInfo fcinfo, const Siblings *siblings)
{
	const Storage *storage = storage_of(fcinfo);
	const Value *last = siblings->last;
	bool two = siblings->before > 1, three = siblings->before > 2;
	const bool same[3] = {two && is_same(&last[0], &last[1], storage),
						  three && is_same(&last[0], &last[2], storage),
						  three && is_same(&last[1], &last[2], storage)};

	return dp_tree_previous(siblings->before, same);
}

/* Returns one of the earlier siblings of a row, or NULL, and then adds the row to the siblings. */
static Datum
sibling_return(FunctionCallInfo fcinfo, Siblings *siblings, int which)
{
	const Storage *storage = storage_of(fcinfo);
	Value value = which > 0 ? siblings->last[which - 1] : (Value){.isnull = true};

	if (!value.isnull) /* the kept value may be freed before the result is used */
		value.value = datumCopy(value.value, storage->by_value, storage->length);
	siblings_add(fcinfo, siblings);
	if (value.isnull)
		PG_RETURN_NULL();
	PG_RETURN_DATUM(value.value);
}

Datum
dp_sibling_last(PG_FUNCTION_ARGS)
{
	Siblings *siblings = siblings_of(fcinfo);

	return sibling_return(fcinfo, siblings, siblings->before > 0);
}

Datum
dp_sibling_previous(PG_FUNCTION_ARGS)
{
	Siblings *siblings = siblings_of(fcinfo);

	return sibling_return(fcinfo, siblings, previous_of(fcinfo, siblings).last);
}

Datum
dp_sibling_again(PG_FUNCTION_ARGS)
{
	Siblings *siblings = siblings_of(fcinfo);
	bool again = previous_of(fcinfo, siblings).same;

	siblings_add(fcinfo, siblings);
	PG_RETURN_BOOL(again);
}
