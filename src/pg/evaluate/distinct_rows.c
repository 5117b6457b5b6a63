/*
 * distinct_rows.c -- one SELECT with GROUP BY, whose rows are received one by one.
 *
 * The executor groups, in parallel where it can, and in files where it must. So a table of
 * categories comes as few rows, however many it has. All names in the statement have their schema,
 * so that search_path does not matter.
 */
#include "pg/evaluate/distinct_rows.h"

#include <math.h>

#include "executor/spi.h"
#include "executor/tuptable.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "tcop/dest.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "pg/server/numbers.h"
#include "pg/server/catalog.h"
#include "pg/server/values.h"

#define ROWS_FIRST 1024
#define BYTES_MAX (UINT64CONST(4) << 30)
#define SECONDS_OF_DAY 86400.0

/* ---- columns ---- */

static Oid
type_of(Oid relation, const char *column)
{
	AttrNumber number = get_attnum(relation, column);

	if (number <= 0)
		dp_no_such_column(column, relation, NULL);
	return getBaseType(get_atttype(relation, number));
}

DpReadForm
dp_read_form(Oid relation, const char *column)
{
	Oid type = type_of(relation, column);

	if (dp_is_number(type))
		return DP_READ_NUMBER;
	return dp_is_time(type) ? DP_READ_TIME : DP_READ_TEXT;
}

DpReadColumn
dp_read_column(const char *name, DpReadForm form)
{
	DpReadColumn column = {.name = pstrdup(name), .form = form};

	if (form == DP_READ_TEXT)
		column.table = text_table_create(CurrentMemoryContext, 64, NULL);
	return column;
}

static void
check_form(Oid relation, const DpReadColumn *column)
{
	if (column->form != DP_READ_TEXT && dp_read_form(relation, column->name) != column->form)
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("column %s of %s is not of the kind that it is in the original",
						quote_identifier(column->name), dp_relation_label(relation)),
				 errdetail("There it is %s.",
						   column->form == DP_READ_NUMBER ? "a number" : "a date or a timestamp")));
}

/* Numbers that are categories are written in one way, whatever their type: 1.0 is 1. */
static void
append_column(StringInfo sql, Oid relation, const DpReadColumn *column)
{
	const char *name = quote_identifier(column->name);
	bool number = dp_read_form(relation, column->name) == DP_READ_NUMBER;

	switch (column->form)
	{
		case DP_READ_TEXT:
			appendStringInfo(
				sql, "%s COLLATE pg_catalog.\"C\"",
				dp_text_expression(number ? psprintf("%s::pg_catalog.float8", name) : name));
			break;
		case DP_READ_NUMBER:
			appendStringInfo(sql, "%s::pg_catalog.float8", name);
			break;
		case DP_READ_TIME:
			appendStringInfo(sql, "pg_catalog.date_part('epoch', %s)", name);
			break;
	}
}

/* ---- rows ---- */

typedef struct DistinctReceiver
{
	DestReceiver receiver; /* must be first */
	DpReadColumn *column;
	uint32 columns;
	DpDistinctRows *rows;
	uint64 allocated;
	MemoryContext context; /* of what is kept */
} DistinctReceiver;

static void
ignore_startup(DestReceiver *self, int operation, TupleDesc desc)
{
}

static void
ignore_end(DestReceiver *self)
{
}

static double
level_number(DpReadColumn *column, char *words, MemoryContext context)
{
	TextEntry *entry = text_table_entry(column->table, words, column->levels, context);

	if (entry->number == column->levels)
	{
		if (column->levels == column->levels_allocated)
		{
			column->levels_allocated = Max(64, column->levels_allocated * 2);
			column->level =
				column->level == NULL
					? MemoryContextAllocHuge(context, sizeof(char *) * column->levels_allocated)
					: repalloc_huge(column->level, sizeof(char *) * column->levels_allocated);
		}
		column->level[column->levels++] = entry->words;
	}
	return (double) entry->number;
}

static void
grow(DistinctReceiver *receiver)
{
	DpDistinctRows *rows = receiver->rows;
	uint64 wanted = receiver->allocated * 2;

	if (wanted * (rows->columns + 1) * sizeof(double) > BYTES_MAX)
		ereport(
			ERROR,
			(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED), errmsg("there are too many distinct rows"),
			 errdetail("They take more than %llu bytes of memory.", (unsigned long long) BYTES_MAX),
			 errhint("Choose fewer columns, or a sample of the rows by a view.")));
	rows->value = repalloc_huge(rows->value, sizeof(double) * wanted * rows->columns);
	rows->weight = repalloc_huge(rows->weight, sizeof(double) * wanted);
	receiver->allocated = wanted;
}

static double
value_of(DistinctReceiver *receiver, uint32 i, Datum datum)
{
	DpReadColumn *column = &receiver->column[i];
	double value;

	if (column->form == DP_READ_TEXT)
	{
		char *words = TextDatumGetCString(datum);

		value = level_number(column, words, receiver->context);
		pfree(words);
		return value;
	}
	value = DatumGetFloat8(datum) / (column->form == DP_READ_TIME ? SECONDS_OF_DAY : 1);
	return isfinite(value) ? value : NAN;
}

static bool
receive_row(TupleTableSlot *slot, DestReceiver *self)
{
	DistinctReceiver *receiver = (DistinctReceiver *) self;
	DpDistinctRows *rows = receiver->rows;
	double *value;

	CHECK_FOR_INTERRUPTS();
	if (rows->rows == receiver->allocated)
		grow(receiver);
	value = rows->value + rows->rows * rows->columns;
	slot_getallattrs(slot);
	for (uint32 i = 0; i < rows->columns; i++)
		value[i] = slot->tts_isnull[i] ? NAN : value_of(receiver, i, slot->tts_values[i]);
	rows->weight[rows->rows++] = (double) DatumGetInt64(slot->tts_values[rows->columns]);
	return true;
}

/* Nothing but the columns is selected, so column privileges suffice. */
static char *
statement_of(Oid relation, const DpReadColumn *column, uint32 n)
{
	StringInfoData sql;

	initStringInfo(&sql);
	appendStringInfoString(&sql, "SELECT ");
	for (uint32 i = 0; i < n; i++)
	{
		append_column(&sql, relation, &column[i]);
		appendStringInfoString(&sql, ", ");
	}
	appendStringInfo(&sql, "pg_catalog.count(*) FROM %s GROUP BY ", dp_relation_label(relation));
	for (uint32 i = 0; i < n; i++)
		appendStringInfo(&sql, "%s%u", i > 0 ? ", " : "", i + 1);
	return sql.data;
}

void
dp_distinct_read(Oid relation, DpReadColumn *column, uint32 n, DpDistinctRows *out)
{
	DistinctReceiver receiver = {.receiver = {.receiveSlot = receive_row,
											  .rStartup = ignore_startup,
											  .rShutdown = ignore_end,
											  .rDestroy = ignore_end,
											  .mydest = DestTuplestore}, /* like any tuple sink */
								 .column = column,
								 .columns = n,
								 .rows = out,
								 .allocated = ROWS_FIRST,
								 .context = CurrentMemoryContext};
	SPIExecuteOptions options = {.read_only = true, .dest = &receiver.receiver};
	DpUserContext user_context;

	*out = (DpDistinctRows){.columns = n,
							.value = palloc(sizeof(double) * ROWS_FIRST * n),
							.weight = palloc(sizeof(double) * ROWS_FIRST)};
	for (uint32 i = 0; i < n; i++)
	{
		(void) type_of(relation, column[i].name);
		check_form(relation, &column[i]);
	}
	dp_caller_open(&user_context, list_make1_oid(relation));
	if (SPI_execute_extended(statement_of(relation, column, n), &options) != SPI_OK_SELECT)
		elog(ERROR, "dpsyn: rows could not be read");
	dp_caller_close(&user_context);
}
