/*
 * image_equality.c -- dp_image_equal: whether two values are the same, for types that have no
 * equality. By it a release of several tables tells whether siblings are alike
 * (src/pg/worker/source_tree.c).
 */
#include "pg/server/compat.h"

#include "utils/datum.h"
#include "utils/lsyscache.h"

PG_FUNCTION_INFO_V1(dp_image_equal);

typedef struct Storage
{
	int16 length;
	bool by_value;
} Storage;

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

Datum
dp_image_equal(PG_FUNCTION_ARGS)
{
	const Storage *storage;

	if (PG_ARGISNULL(0) || PG_ARGISNULL(1))
		PG_RETURN_BOOL(PG_ARGISNULL(0) && PG_ARGISNULL(1));
	storage = storage_of(fcinfo);
	PG_RETURN_BOOL(
		datum_image_eq(PG_GETARG_DATUM(0), PG_GETARG_DATUM(1), storage->by_value, storage->length));
}
