/*
 * read_rows.c -- reading the rows of two relations as codes, once each.
 *
 * It is a SELECT of the caller, so that privileges on columns and row security are those of any
 * query. Values are coded as they come, with one dictionary a column for both relations.
 */
#include "pg/evaluate/two_tables.h"

#include "access/htup_details.h"
#include "access/tupmacs.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "tcop/dest.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#include "pg/server/numbers.h"
#include "pg/server/bridge.h"
#include "pg/server/catalog.h"
#include "pg/server/values.h"

#define CODES_SHARE 8  /* of the memory, for the codes of one relation */
#define VALUES_SHARE 2 /* for the values of the columns */
/* Bytes that a column of numbers may take for each of those that it keeps as they are, with the
 * rounded ones, and with what growing takes. */
#define NUMBER_BYTES 160
#define NUMBERS_LEAST 64
#define DATUMS_SEEN 256

typedef enum ValueForm
{
	FORM_VARLENA, /* a text */
	FORM_BPCHAR,  /* a text, without the blanks at its end */
	FORM_OUTPUT,  /* compared by its text form */
	FORM_NUMBER,
	FORM_WORD
} ValueForm;

/* A value that is in a Datum, and its code, which is never that of NULL. */
typedef struct SeenDatum
{
	Datum value;
	uint32 code; /* DP_CODE_NULL: the place is free */
} SeenDatum;

typedef struct ColumnReader
{
	Oid type;
	ValueForm form;
	FmgrInfo output;      /* FORM_OUTPUT */
	DpValueCodes *values; /* NULL: the column is left out */
	SeenDatum *seen;      /* [DATUMS_SEEN] values seen last, by a hash; NULL: none are noted */
	/* as it is in a tuple */
	int16 length;
	bool by_value;
	char align;
} ColumnReader;

typedef struct RowReader
{
	DestReceiver receiver; /* must be first */
	DpTwoTables *tables;
	DpSide side;
	ColumnReader *column;
	DpCodeRows *codes;
	MemoryContext batch; /* emptied with each batch of rows */
	bool begins_again;   /* with numbers that are rounded: their values do not fit memory */
} RowReader;

/* ---- values ---- */

/* rounds: a number that is seen again may be rounded to another one. */
static void
reader_prepare(ColumnReader *reader, DpComparedColumn *column, DpSide side, bool rounds)
{
	Oid type = column->type[side];
	Oid function;
	bool varlena;

	*reader =
		(ColumnReader){.type = type, .values = column->left_out == NULL ? &column->values : NULL};
	get_typlenbyvalalign(type, &reader->length, &reader->by_value, &reader->align);
	if (reader->by_value && !rounds)
		reader->seen = palloc0(sizeof(SeenDatum) * DATUMS_SEEN);
	if (column->kind == DP_KIND_NUMBER)
		reader->form = FORM_NUMBER;
	else if (column->kind == DP_KIND_WORD)
		reader->form = FORM_WORD;
	else if (type == TEXTOID || type == VARCHAROID)
		reader->form = FORM_VARLENA;
	else if (type == BPCHAROID)
		reader->form = FORM_BPCHAR;
	else
	{
		reader->form = FORM_OUTPUT;
		getTypeOutputInfo(type, &function, &varlena);
		fmgr_info(function, &reader->output);
	}
}

static inline DpText
text_of_varlena(Datum value)
{
	struct varlena *text = PG_DETOAST_DATUM_PACKED(value);

	return (DpText){VARDATA_ANY(text), (uint32_t) VARSIZE_ANY_EXHDR(text)};
}

static DpText
text_of_bpchar(Datum value)
{
	DpText text = text_of_varlena(value);

	while (text.length > 0 && text.at[text.length - 1] == ' ')
		text.length--;
	return text;
}

static DpText
text_of_output(ColumnReader *reader, Datum value)
{
	const char *words = OutputFunctionCall(&reader->output, value);

	return (DpText){words, (uint32_t) strlen(words)};
}

static DpStatus
seek_code(ColumnReader *from, Datum value, uint32 *code)
{
	switch (from->form)
	{
		case FORM_VARLENA:
			return dp_value_codes_text(from->values, text_of_varlena(value), code);
		case FORM_BPCHAR:
			return dp_value_codes_text(from->values, text_of_bpchar(value), code);
		case FORM_OUTPUT:
			return dp_value_codes_text(from->values, text_of_output(from, value), code);
		case FORM_NUMBER:
			return dp_value_codes_number(from->values, dp_number_of_value(value, from->type), code);
		default:
			return dp_value_codes_number(from->values, (double) dp_value_word(value, from->type),
										 code);
	}
}

static inline DpStatus
code_of(ColumnReader *from, Datum value, uint32 *code)
{
	SeenDatum *seen;

	if (from->seen == NULL)
		return seek_code(from, value, code);
	seen = &from->seen[((uint64) value * UINT64CONST(0x9e3779b97f4a7c15)) /
					   (PG_UINT64_MAX / DATUMS_SEEN + 1)];
	if (seen->code == DP_CODE_NULL || seen->value != value)
	{
		DpStatus status = seek_code(from, value, code);

		if (status != DP_OK)
			return status;
		*seen = (SeenDatum){value, *code};
	}
	*code = seen->code;
	return DP_OK;
}

/* ---- memory ---- */

/* The column whose values take the most memory. */
static DpComparedColumn *
largest_column(const DpTwoTables *tables)
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
	return largest;
}

/* Gives the column up whose values take the most memory. */
static void
give_up_largest(RowReader *reader)
{
	DpTwoTables *tables = reader->tables;
	DpComparedColumn *largest = largest_column(tables);

	largest->left_out = MemoryContextStrdup(
		tables->context, psprintf("its different values do not fit memory: more than %u of them; "
								  "raise the option memory",
								  largest->values.n - 1));
	dp_value_codes_free(&largest->values);
	reader->column[largest - tables->column].values = NULL;
}

/* ---- rows ---- */

/* The code of a value for which there may be no memory. */
static uint32
reserve(RowReader *reader, uint32 c, Datum value)
{
	uint32 code = DP_CODE_NULL;

	/* so many different numbers need not all be known, but the rows that were read have them */
	if (!reader->tables->rounds && largest_column(reader->tables)->kind == DP_KIND_NUMBER)
	{
		reader->begins_again = true;
		return DP_CODE_NULL;
	}
	do
	{
		give_up_largest(reader);
		if (reader->column[c].values == NULL)
			return DP_CODE_NULL;
	} while (code_of(&reader->column[c], value, &code) != DP_OK);
	return code;
}

static void
end_batch(RowReader *reader)
{
	uint32 rows = dp_code_rows_filled(reader->codes);

	for (uint32 c = 0; c < reader->tables->columns; c++)
		if (reader->column[c].values != NULL && !reader->column[c].values->texts)
			dp_value_codes_count(reader->column[c].values, reader->side,
								 dp_code_rows_column(reader->codes, c), rows);
	reader->tables->rows[reader->side] += rows;
	dp_code_rows_flush(reader->codes);
	MemoryContextReset(reader->batch);
}

static inline void
code_value(RowReader *reader, uint32 c, Datum value, uint32 *place)
{
	if (reader->column[c].values == NULL)
		*place = DP_CODE_NULL;
	else if (code_of(&reader->column[c], value, place) != DP_OK)
		*place = reserve(reader, c, value);
}

/* The code of a short text, before which there are 8 bytes that can be read. */
static inline void
code_short_text(RowReader *reader, uint32 c, const char *at, uint32 *place)
{
	DpText text = {VARDATA_1B(at), (uint32) VARSIZE_1B(at) - VARHDRSZ_SHORT};

	if (reader->column[c].values == NULL)
		*place = DP_CODE_NULL;
	else if (dp_value_codes_text_inside(reader->column[c].values, text, place) != DP_OK)
		*place = reserve(reader, c, PointerGetDatum(at));
}

/*
 * Codes the first columns of a row where they lie in the tuple on its page, up to the first value
 * that is not short. That takes half of the time of taking the row apart and coding its values.
 * Before a value there is the header of the tuple at least. Returns how many columns are done.
 */
static uint32
code_in_place(RowReader *reader, TupleTableSlot *slot)
{
	HeapTuple tuple = TTS_IS_BUFFERTUPLE(slot) ? ((HeapTupleTableSlot *) slot)->tuple : NULL;
	uint32 *place = dp_code_rows_place(reader->codes);
	const uint32 columns = reader->tables->columns;
	const bits8 *present;
	const char *at;
	uint32 c;

	if (tuple == NULL || HeapTupleHeaderGetNatts(tuple->t_data) < columns)
		return 0;
	present = HeapTupleHasNulls(tuple) ? tuple->t_data->t_bits : NULL;
	at = (const char *) tuple->t_data + tuple->t_data->t_hoff;
	for (c = 0; c < columns; c++, place += DP_CODES_STRIDE)
	{
		const ColumnReader *column = &reader->column[c];

		if (present != NULL && att_isnull(c, present))
		{
			*place = DP_CODE_NULL;
			reader->tables->column[c].nulls[reader->side]++;
		}
		else if (column->length > 0)
		{
			at = (const char *) att_align_nominal(at, column->align);
			code_value(reader, c, fetch_att(at, column->by_value, column->length), place);
			at += column->length;
		}
		else if (column->length == -1 && VARATT_IS_1B(at) && !VARATT_IS_1B_E(at))
		{
			if (column->form == FORM_VARLENA)
				code_short_text(reader, c, at, place);
			else
				code_value(reader, c, PointerGetDatum(at), place);
			at += VARSIZE_1B(at);
		}
		else
			break;
	}
	return c;
}

static void
code_columns(RowReader *reader, TupleTableSlot *slot, uint32 first)
{
	uint32 *place = dp_code_rows_place(reader->codes) + first * DP_CODES_STRIDE;
	const uint32 columns = reader->tables->columns;

	slot_getallattrs(slot);
	for (uint32 c = first; c < columns; c++, place += DP_CODES_STRIDE)
	{
		*place = DP_CODE_NULL;
		if (slot->tts_isnull[c])
			reader->tables->column[c].nulls[reader->side]++;
		else
			code_value(reader, c, slot->tts_values[c], place);
	}
}

static bool
receive_row(TupleTableSlot *slot, DestReceiver *self)
{
	RowReader *reader = (RowReader *) self;
	MemoryContext caller = MemoryContextSwitchTo(reader->batch);
	uint32 done = code_in_place(reader, slot);

	if (done < reader->tables->columns)
		code_columns(reader, slot, done);
	MemoryContextSwitchTo(caller);
	if (dp_code_rows_put(reader->codes))
		end_batch(reader);
	return !reader->begins_again;
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

/* false: it ended where values did not fit memory. */
static bool
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
	DpUserContext user_context;
	int result;

	tables->codes[side] = dp_code_rows_create(tables->columns, tables->memory / CODES_SHARE);
	reader.codes = tables->codes[side];
	reader.column = palloc0(sizeof(ColumnReader) * tables->columns);
	reader.batch =
		AllocSetContextCreate(CurrentMemoryContext, "dpsyn batch", ALLOCSET_DEFAULT_SIZES);
	for (uint32 c = 0; c < tables->columns; c++)
		reader_prepare(&reader.column[c], &tables->column[c], side, tables->rounds);
	dp_caller_open(&user_context, dp_two_tables_sources(tables, side));
	result = SPI_execute_extended(select_statement(tables, side), &options);
	if (result != SPI_OK_SELECT)
		elog(ERROR, "dpsyn: reading rows failed: %s", SPI_result_code_string(result));
	dp_caller_close(&user_context);
	end_batch(&reader);
	MemoryContextDelete(reader.batch);
	if (reader.begins_again)
		return false;
	if (tables->rows[side] == 0 && !tables->may_be_empty)
		ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
						errmsg("relation \"%s\" has no rows to compare",
							   dp_relation_words(tables->relation[side])),
						errhint("Rows that row security hides from you are not seen here.")));
	return true;
}

static void
values_begin(DpTwoTables *tables)
{
	uint64 exact = tables->memory / VALUES_SHARE / NUMBER_BYTES / Max(tables->columns, 1);
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
		if (tables->rounds && column->kind == DP_KIND_NUMBER)
			dp_value_codes_round(&column->values,
								 (uint32) Min(Max(exact, NUMBERS_LEAST), PG_INT32_MAX));
	}
}

/* Forgets what was read. */
static void
values_end(DpTwoTables *tables)
{
	for (int side = 0; side < 2; side++)
	{
		if (tables->codes[side] != NULL)
			dp_code_rows_free(tables->codes[side]);
		tables->codes[side] = NULL;
		tables->rows[side] = 0;
	}
	for (uint32 c = 0; c < tables->columns; c++)
	{
		DpComparedColumn *column = &tables->column[c];

		dp_value_codes_free(&column->values);
		column->left_out = NULL;
		column->nulls[DP_ORIGINAL] = column->nulls[DP_SYNTHETIC] = 0;
	}
}

/* Where the values of all columns of numbers do not fit memory, the rows are read once more, and
 * their numbers are rounded. */
void
dp_two_tables_read(DpTwoTables *tables)
{
	int level = dp_values_begin();

	values_begin(tables);
	while (!read_side(tables, DP_ORIGINAL) || !read_side(tables, DP_SYNTHETIC))
	{
		values_end(tables);
		tables->rounds = true;
		values_begin(tables);
	}
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
