/*
 * code_rows.c -- rows as codes of their values: in memory, or where they do not fit in a temporary
 * file, to be read as often as there are passes.
 *
 * A batch of rows is one value of a tuplestore, column by column, each in the fewest bytes that
 * hold its codes.
 */
#include "pg/evaluate/two_tables.h"

#include "access/tupdesc.h"
#include "executor/executor.h"
#include "miscadmin.h"

#include "core/exact/count_kernel.h"

struct DpCodeRows
{
	uint32 columns;
	Tuplestorestate *store;
	TupleTableSlot *slot;
	/* the batch that is being filled */
	uint32 filled;
	uint32 *code; /* [columns][DP_CODES_STRIDE] */
	bytea *packed;
	/* the batch that is being read */
	const char *batch;
	const char **at; /* [columns] where each column begins, with its width */
	uint32 rows;
};

DpCodeRows *
dp_code_rows_create(uint32 columns, uint64 bytes)
{
	DpCodeRows *rows = palloc0(sizeof(DpCodeRows));
	TupleDesc desc = CreateTemplateTupleDesc(1);

	TupleDescInitEntry(desc, 1, "batch", BYTEAOID, -1, 0);
	DP_TUPLE_DESC_FINALIZE(desc);
	rows->columns = columns;
	rows->store = tuplestore_begin_heap(true, false, (int) Max(bytes / 1024, 64));
	rows->slot = MakeSingleTupleTableSlot(desc, &TTSOpsMinimalTuple);
	rows->code = palloc(sizeof(uint32) * DP_CODES_STRIDE * Max(columns, 1));
	rows->packed =
		palloc(VARHDRSZ + sizeof(uint32) + (1 + sizeof(uint32) * DP_BATCH_ROWS) * (Size) columns);
	rows->at = palloc(sizeof(char *) * Max(columns, 1));
	return rows;
}

uint32 *
dp_code_rows_place(DpCodeRows *rows)
{
	return rows->code + rows->filled;
}

bool
dp_code_rows_put(DpCodeRows *rows)
{
	return ++rows->filled == DP_BATCH_ROWS;
}

uint32
dp_code_rows_filled(const DpCodeRows *rows)
{
	return rows->filled;
}

const uint32 *
dp_code_rows_column(const DpCodeRows *rows, uint32 column)
{
	return rows->code + (Size) column * DP_CODES_STRIDE;
}

static uint8
width_of(const uint32 *code, uint32 n)
{
	uint32 all = 0;

	for (uint32 i = 0; i < n; i++)
		all |= code[i];
	return all <= PG_UINT8_MAX ? 1 : all <= PG_UINT16_MAX ? 2 : 4;
}

static char *
pack_column(const uint32 *code, uint32 n, char *at)
{
	uint8 width = width_of(code, n);

	*at++ = (char) width;
	if (width == 4)
		memcpy(at, code, sizeof(uint32) * n);
	for (uint32 i = 0; i < n && width == 1; i++)
		at[i] = (char) code[i];
	for (uint32 i = 0; i < n && width == 2; i++)
	{
		uint16 narrow = (uint16) code[i];

		memcpy(at + 2 * i, &narrow, 2);
	}
	return at + (Size) width * n;
}

void
dp_code_rows_flush(DpCodeRows *rows)
{
	char *at = VARDATA(rows->packed);
	Datum value = PointerGetDatum(rows->packed);
	bool isnull = false;

	if (rows->filled == 0)
		return;
	memcpy(at, &rows->filled, sizeof(uint32));
	at += sizeof(uint32);
	for (uint32 c = 0; c < rows->columns; c++)
		at = pack_column(rows->code + (Size) c * DP_CODES_STRIDE, rows->filled, at);
	SET_VARSIZE(rows->packed, at - (char *) rows->packed);
	tuplestore_putvalues(rows->store, rows->slot->tts_tupleDescriptor, &value, &isnull);
	rows->filled = 0;
}

void
dp_code_rows_rewind(DpCodeRows *rows)
{
	tuplestore_rescan(rows->store);
}

void
dp_code_rows_free(DpCodeRows *rows)
{
	ExecDropSingleTupleTableSlot(rows->slot);
	tuplestore_end(rows->store);
}

uint32
dp_code_rows_next(DpCodeRows *rows)
{
	const char *at;
	bool isnull;

	CHECK_FOR_INTERRUPTS();
	if (!tuplestore_gettupleslot(rows->store, true, false, rows->slot))
		return 0;
	at = VARDATA_ANY(DatumGetPointer(slot_getattr(rows->slot, 1, &isnull)));
	memcpy(&rows->rows, at, sizeof(uint32));
	at += sizeof(uint32);
	for (uint32 c = 0; c < rows->columns; c++)
	{
		rows->at[c] = at;
		at += 1 + (Size) (uint8) *at * rows->rows;
	}
	return rows->rows;
}

void
dp_code_rows_read(const DpCodeRows *rows, uint32 column, uint32 *code)
{
	const char *at = rows->at[column];
	uint8 width = (uint8) *at++;

	if (width == 4)
		memcpy(code, at, sizeof(uint32) * rows->rows);
	for (uint32 i = 0; i < rows->rows && width == 1; i++)
		code[i] = (uint8) at[i];
	for (uint32 i = 0; i < rows->rows && width == 2; i++)
	{
		uint16 narrow;

		memcpy(&narrow, at + 2 * i, 2);
		code[i] = narrow;
	}
}

/* ---- rows of levels ---- */

typedef struct LevelRows
{
	DpCodeRows *rows;
	const DpTwoTables *tables;
} LevelRows;

static void
levels_rewind(void *context)
{
	dp_code_rows_rewind(((LevelRows *) context)->rows);
}

static uint32
levels_next(void *context, uint32 *const *code)
{
	const LevelRows *from = context;
	const DpTwoTables *tables = from->tables;
	uint32 n = dp_code_rows_next(from->rows);

	for (uint32 a = 0; a < tables->domain.attributes && n > 0; a++)
	{
		uint32 column = tables->column_of[a];
		const uint32 *level = tables->column[column].level;

		dp_code_rows_read(from->rows, column, code[a]);
		for (uint32 i = 0; i < n; i++)
			code[a][i] = level[code[a][i]];
	}
	return n;
}

DpCodedRows
dp_two_tables_rows(DpTwoTables *tables, DpSide side)
{
	LevelRows *from = palloc(sizeof(LevelRows));

	from->rows = tables->codes[side];
	from->tables = tables;
	return (DpCodedRows){from, tables->rows[side], levels_rewind, levels_next};
}
