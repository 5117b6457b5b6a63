/*
 * unit_order.c -- where the rows of one unit end, in rows that come unit by unit. RELEASE WORKER ONLY.
 *
 * The statement sorts by the columns that identify the unit, in the default order of their types.
 * Two rows are of one unit if these are equal in that order. Grouping by unit uses the same
 * equality.
 */
#include "pg/server/compat.h"

#include "access/tupdesc.h"
#include "utils/datum.h"
#include "utils/typcache.h"

#include "pg/worker/scan.h"

typedef struct UnitColumn
{
	FmgrInfo *equal;
	Oid collation;
	bool by_value;
	int16 length;
	Datum before;
} UnitColumn;

struct DpUnitOrder
{
	uint32 first;
	int columns;
	UnitColumn *column; /* [columns]; NULL: no row so far */
	MemoryContext context;
};

DpUnitOrder *
dp_unit_order_create(uint32 first)
{
	DpUnitOrder *order = palloc0(sizeof(DpUnitOrder));

	order->first = first;
	order->context = CurrentMemoryContext;
	return order;
}

static void
order_start(DpUnitOrder *order, TupleDesc desc)
{
	order->columns = desc->natts - (int) order->first;
	order->column = MemoryContextAllocZero(order->context, sizeof(UnitColumn) * order->columns);
	for (int i = 0; i < order->columns; i++)
	{
		Form_pg_attribute attribute = TupleDescAttr(desc, (int) order->first + i);
		TypeCacheEntry *type = lookup_type_cache(attribute->atttypid, TYPECACHE_EQ_OPR_FINFO);

		order->column[i] = (UnitColumn){.equal = &type->eq_opr_finfo,
										.collation = attribute->attcollation,
										.by_value = attribute->attbyval,
										.length = attribute->attlen};
	}
}

static void
column_keep(DpUnitOrder *order, UnitColumn *column, Datum value)
{
	MemoryContext caller = MemoryContextSwitchTo(order->context);

	column->before = datumCopy(value, column->by_value, column->length);
	MemoryContextSwitchTo(caller);
}

bool
dp_unit_order_next(DpUnitOrder *order, TupleTableSlot *slot)
{
	const Datum *value = slot->tts_values + order->first;
	bool starts = order->column == NULL, other = false;

	if (starts)
		order_start(order, slot->tts_tupleDescriptor);
	for (int i = 0; i < order->columns && !starts && !other; i++)
		other = !DatumGetBool(FunctionCall2Coll(order->column[i].equal, order->column[i].collation,
												order->column[i].before, value[i]));
	for (int i = 0; i < order->columns && (starts || other); i++)
	{
		UnitColumn *column = &order->column[i];

		if (!starts && !column->by_value)
			pfree(DatumGetPointer(column->before));
		column_keep(order, column, value[i]);
	}
	return other;
}
