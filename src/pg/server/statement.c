/*
 * statement.c -- dp_catalog.dp_statement of SQL: a statement that functions in PL/pgSQL make.
 *
 * EXECUTE would run whatever the names in it mean by then.
 */
#include "pg/server/compat.h"

#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "utils/array.h"
#include "utils/builtins.h"

#include "pg/server/arguments.h"
#include "pg/server/catalog.h"

PG_FUNCTION_INFO_V1(dp_statement);

static List *
oids_of(Datum array)
{
	List *oids = NIL;
	bool *isnull;
	int n;
	Datum *value = dp_elements(array, &isnull, &n);

	for (int i = 0; i < n; i++)
		if (!isnull[i])
			oids = lappend_oid(oids, DatumGetObjectId(value[i]));
	return oids;
}

/* The values of the first row, as their types print them. */
static ArrayType *
first_row(void)
{
	int n = SPI_processed > 0 && SPI_tuptable != NULL ? SPI_tuptable->tupdesc->natts : 0;
	Datum *value = palloc0(sizeof(Datum) * Max(n, 1));
	bool *isnull = palloc0(sizeof(bool) * Max(n, 1));
	int dims[1] = {n}, low[1] = {1};

	for (int i = 0; i < n; i++)
	{
		char *printed = SPI_getvalue(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, i + 1);

		isnull[i] = printed == NULL;
		value[i] = printed == NULL ? (Datum) 0 : CStringGetTextDatum(printed);
	}
	return n == 0
			   ? construct_empty_array(TEXTOID)
			   : construct_md_array(value, isnull, 1, dims, low, TEXTOID, -1, false, TYPALIGN_INT);
}

Datum
dp_statement(PG_FUNCTION_ARGS)
{
	char *words = text_to_cstring(PG_GETARG_TEXT_PP(0));
	List *relations = oids_of(PG_GETARG_DATUM(1));
	MemoryContext caller = CurrentMemoryContext;
	DpUserContext user_context;
	MemoryContext spi;
	ArrayType *row;
	int result;

	if (relations == NIL)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("a statement names no relation that it may read")));
	dp_caller_open(&user_context, relations);
	result = SPI_execute(words, false, 0);
	if (result < 0)
		elog(ERROR, "dpsyn: a statement failed: %s", SPI_result_code_string(result));
	spi = MemoryContextSwitchTo(caller);
	row = first_row();
	MemoryContextSwitchTo(spi);
	dp_caller_close(&user_context);
	PG_RETURN_ARRAYTYPE_P(row);
}
