/*
 * read_rows.c -- reading the rows of two relations as codes, once each.
 *
 * It is a SELECT of the caller, so that privileges on columns and row security are those of any
 * query. Values are coded as they come, with one dictionary a column for both relations.
 */
#include "pg/evaluate/evaluate.h"

#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "tcop/dest.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#include "pg/evaluate/numbers.h"
#include "pg/server/bridge.h"
#include "pg/server/catalog.h"
#include "pg/server/values.h"

#define CODES_SHARE 8  /* of the memory, for the codes of one relation */
#define VALUES_SHARE 2 /* for the values of the columns */
#define RESET_ROWS 512

typedef struct ColumnReader
{
	Oid type;
	FmgrInfo output; /* of a type whose values are no texts */
} ColumnReader;

typedef struct RowReader
{
	DestReceiver receiver; /* must be first */
	DpTwoTables *tables;
	DpSide side;
	ColumnReader *column;
	DpCodeRows *codes;
	MemoryContext batch; /* emptied now and then */
} RowReader;

/* ---- values ---- */

static bool
is_varlena_text(Oid type)
{
	return type == TEXTOID || type == VARCHAROID || type == BPCHAROID;
}

static void
reader_prepare(ColumnReader *reader, Oid type)
{
	Oid function;
	bool varlena;

	reader->type = type;
	if (is_varlena_text(type))
		return;
	getTypeOutputInfo(type, &function, &varlena);
	fmgr_info(function, &reader->output);
}

static DpText
text_of(ColumnReader *reader, Datum value)
{
	DpText text;

	if (!is_varlena_text(reader->type))
	{
		text.at = OutputFunctionCall(&reader->output, value);
		text.length = (uint32) strlen(text.at);
		return text;
	}
	value = PointerGetDatum(PG_DETOAST_DATUM_PACKED(value));
	text.at = VARDATA_ANY(DatumGetPointer(value));
	text.length = VARSIZE_ANY_EXHDR(DatumGetPointer(value));
	while (reader->type == BPCHAROID && text.length > 0 && text.at[text.length - 1] == ' ')
		text.length--;
	return text;
}

static DpStatus
code_of(RowReader *reader, uint32 c, Datum value, uint32 *code)
{
	DpComparedColumn *column = &reader->tables->column[c];
	ColumnReader *from = &reader->column[c];

	switch (column->kind)
	{
		case DP_KIND_NUMBER:
			return dp_value_codes_number(&column->values, dp_number_of_value(value, from->type),
										 reader->side, code);
		case DP_KIND_WORD:
			return dp_value_codes_number(&column->values, (double) dp_value_word(value, from->type),
										 reader->side, code);
		default:
			return dp_value_codes_text(&column->values, text_of(from, value), reader->side, code);
	}
}

/* ---- memory ---- */

/* Gives the column up whose values take the most memory. */
static void
give_up_largest(DpTwoTables *tables)
{
	DpComparedColumn *largest = NULL;
	uint64 most = 0;

	for (uint32 c = 0; c < tables->columns; c++)
	{
		DpComparedColumn *column = &tables->column[c];
		uint64 bytes = column->left_out != NULL ? 0 : dp_value_codes_bytes(&column->values);

		if (bytes > most)
		{
			most = bytes;
			largest = column;
		}
	}
	if (largest == NULL)
		elog(ERROR, "dpsyn: no memory for any column");
	largest->left_out = MemoryContextStrdup(
		tables->context, psprintf("its different values do not fit memory: more than %u of them; "
								  "raise the option memory",
								  largest->values.n - 1));
	dp_value_codes_free(&largest->values);
}

/* ---- rows ---- */

static uint32
code_value(RowReader *reader, uint32 c, Datum value)
{
	DpComparedColumn *column = &reader->tables->column[c];
	uint32 code = DP_CODE_NULL;

	while (column->left_out == NULL)
	{
		if (code_of(reader, c, value, &code) == DP_OK)
			return code;
		give_up_largest(reader->tables);
	}
	return DP_CODE_NULL;
}

static bool
receive_row(TupleTableSlot *slot, DestReceiver *self)
{
	RowReader *reader = (RowReader *) self;
	DpTwoTables *tables = reader->tables;
	MemoryContext caller = MemoryContextSwitchTo(reader->batch);

	slot_getallattrs(slot);
	for (uint32 c = 0; c < tables->columns; c++)
	{
		uint32 *place = dp_code_rows_place(reader->codes, c);

		*place = DP_CODE_NULL;
		if (slot->tts_isnull[c])
			tables->column[c].nulls[reader->side]++;
		else
			*place = code_value(reader, c, slot->tts_values[c]);
	}
	MemoryContextSwitchTo(caller);
	dp_code_rows_put(reader->codes);
	if (++tables->rows[reader->side] % RESET_ROWS == 0)
		MemoryContextReset(reader->batch);
	return true;
}

static void
check_startup(DestReceiver *self, int operation, TupleDesc desc)
{
	const RowReader *reader = (RowReader *) self;

	for (uint32 c = 0; c < reader->tables->columns; c++)
		if (getBaseType(TupleDescAttr(desc, c)->atttypid) != reader->column[c].type)
			elog(ERROR, "dpsyn: a column has changed its type meanwhile");
}

static void
ignore_end(DestReceiver *self)
{
}

static char *
select_statement(const DpTwoTables *tables, DpSide side)
{
	StringInfoData sql;

	initStringInfo(&sql);
	appendStringInfoString(&sql, "SELECT ");
	for (uint32 c = 0; c < tables->columns; c++)
		appendStringInfo(&sql, "%s%s", c ? ", " : "", quote_identifier(tables->column[c].name));
	appendStringInfo(&sql, " FROM %s",
					 tables->from[side] != NULL ? tables->from[side]
												: dp_relation_label(tables->relation[side]));
	return sql.data;
}

static void
read_side(DpTwoTables *tables, DpSide side)
{
	RowReader reader = {.receiver = {.receiveSlot = receive_row,
									 .rStartup = check_startup,
									 .rShutdown = ignore_end,
									 .rDestroy = ignore_end,
									 .mydest = DestTuplestore},
						.tables = tables,
						.side = side};
	SPIExecuteOptions options = {.read_only = true, .dest = &reader.receiver};
	int result;

	tables->codes[side] = dp_code_rows_create(tables->columns, tables->memory / CODES_SHARE);
	reader.codes = tables->codes[side];
	reader.column = palloc0(sizeof(ColumnReader) * tables->columns);
	reader.batch =
		AllocSetContextCreate(CurrentMemoryContext, "dpsyn batch", ALLOCSET_DEFAULT_SIZES);
	for (uint32 c = 0; c < tables->columns; c++)
		reader_prepare(&reader.column[c], tables->column[c].type[side]);
	SPI_connect();
	result = SPI_execute_extended(select_statement(tables, side), &options);
	if (result != SPI_OK_SELECT)
		elog(ERROR, "dpsyn: reading rows failed: %s", SPI_result_code_string(result));
	SPI_finish();
	dp_code_rows_end(reader.codes);
	MemoryContextDelete(reader.batch);
	if (tables->rows[side] == 0 && !tables->may_be_empty)
		ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
						errmsg("relation %s has no rows to compare",
							   dp_relation_label(tables->relation[side])),
						errhint("Rows that row security hides from you are not seen here.")));
}

void
dp_two_tables_read(DpTwoTables *tables)
{
	int level = dp_values_begin();
	DpError error = {0};

	tables->arena = dp_arena_for(tables->context);
	tables->arena.bytes_max = tables->memory / VALUES_SHARE;
	for (uint32 c = 0; c < tables->columns; c++)
	{
		DpComparedColumn *column = &tables->column[c];

		if (dp_value_codes_init(&column->values, column->kind == DP_KIND_TEXT, &tables->arena) !=
			DP_OK)
		{
			(void) dp_fail(&error, DP_ERR_LIMIT, "the values of %u columns do not fit memory",
						   tables->columns);
			dp_fail_hint(&error, "Raise the option memory, or name fewer columns.");
			dp_raise(&error);
		}
	}
	read_side(tables, DP_ORIGINAL);
	read_side(tables, DP_SYNTHETIC);
	dp_values_end(level);
}

uint64
dp_two_tables_memory_left(const DpTwoTables *tables)
{
	uint64 used = tables->memory / CODES_SHARE * 2 + tables->arena.bytes_used;

	return Max(tables->memory / CODES_SHARE, tables->memory - Min(used, tables->memory));
}

void
dp_two_tables_end(DpTwoTables *tables)
{
	dp_code_rows_free(tables->codes[DP_ORIGINAL]);
	dp_code_rows_free(tables->codes[DP_SYNTHETIC]);
}
