/*
 * type.c -- the SQL type dp_counts: text and binary forms. What comes in is read to its end, and
 * every bound in it is checked.
 */
#include "pg/server/compat.h"

#include "libpq/pqformat.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

#include "pg/counting/object.h"
#include "pg/server/bridge.h"

PG_FUNCTION_INFO_V1(dp_counts_in);
PG_FUNCTION_INFO_V1(dp_counts_out);
PG_FUNCTION_INFO_V1(dp_counts_recv);
PG_FUNCTION_INFO_V1(dp_counts_send);

static bytea *
checked(bytea *counts)
{
	DpArena arena = dp_arena_for(CurrentMemoryContext);
	DpError error = {0};
	DpCountsView view;
	DpSpec spec;

	dp_counts_flat_view(PointerGetDatum(counts), &view);
	if (dp_counts_check(&view, &spec, &dp_interrupt_tick, &arena, &error) != DP_OK)
		dp_raise(&error);
	return counts;
}

/* The text form is that of bytea: "\x", and two hexadecimal digits a byte. */
Datum
dp_counts_in(PG_FUNCTION_ARGS)
{
	char *words = PG_GETARG_CSTRING(0);

	if (words[0] != '\\' || words[1] != 'x')
		ereport(ERROR, (errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
						errmsg("invalid input syntax for type %s", "dp_counts"),
						errdetail("It begins with \"\\x\", and hexadecimal digits follow.")));
	PG_RETURN_BYTEA_P(
		checked(DatumGetByteaP(DirectFunctionCall1(byteain, CStringGetDatum(words)))));
}

Datum
dp_counts_out(PG_FUNCTION_ARGS)
{
	bytea *counts = PG_GETARG_BYTEA_PP(0);
	size_t length = VARSIZE_ANY_EXHDR(counts);
	char *words;

	if (length > (MaxAllocSize - 3) / 2)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("the counts are too large for a text form")));
	words = palloc(2 * length + 3);
	memcpy(words, "\\x", 2);
	(void) hex_encode(VARDATA_ANY(counts), length, words + 2);
	words[2 * length + 2] = '\0';
	PG_RETURN_CSTRING(words);
}

Datum
dp_counts_recv(PG_FUNCTION_ARGS)
{
	PG_RETURN_BYTEA_P(checked(DatumGetByteaP(DirectFunctionCall1(bytearecv, PG_GETARG_DATUM(0)))));
}

Datum
dp_counts_send(PG_FUNCTION_ARGS)
{
	PG_RETURN_BYTEA_P(PG_GETARG_BYTEA_P_COPY(0));
}
