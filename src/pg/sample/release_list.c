/*
 * release_list.c -- dp_release_list: the relations of a stored release, and of those that the same
 * call made.
 */
#include "pg/server/compat.h"

#include "funcapi.h"

#include "pg/sample/store.h"
#include "pg/server/arguments.h"
#include "pg/server/catalog.h"

PG_FUNCTION_INFO_V1(dp_release_list);

#define LIST_COLUMNS 5

static void
put_root(FunctionCallInfo fcinfo, const DpStored *root)
{
	Datum values[LIST_COLUMNS] = {ObjectIdGetDatum(root->relation), 0, 0, 0,
								  Int64GetDatum(root->id)};
	bool nulls[LIST_COLUMNS] = {!OidIsValid(root->relation), true, true, true, false};

	dp_put_row(fcinfo, values, nulls);
}

static void
put_part(FunctionCallInfo fcinfo, const DpStored *root, List *parts, const DpStoredPart *part)
{
	Oid parent = part->parent > 0
					 ? ((const DpStoredPart *) list_nth(parts, part->parent - 1))->relation
					 : root->relation;
	Datum values[LIST_COLUMNS] = {ObjectIdGetDatum(part->relation), ObjectIdGetDatum(parent),
								  dp_names_argument(part->refers_by, part->references).value,
								  dp_names_argument(part->refers_to, part->references).value,
								  Int64GetDatum(root->id)};
	bool nulls[LIST_COLUMNS] = {!OidIsValid(part->relation), !OidIsValid(parent), false, false,
								false};

	dp_put_row(fcinfo, values, nulls);
}

Datum
dp_release_list(PG_FUNCTION_ARGS)
{
	List *trees = dp_stored_together(PG_GETARG_INT64(0));
	ListCell *cell, *below;

	InitMaterializedSRF(fcinfo, 0);
	foreach (cell, trees)
	{
		const DpStored *root = lfirst(cell);
		List *parts = dp_stored_parts(root);

		put_root(fcinfo, root);
		foreach (below, parts)
			put_part(fcinfo, root, parts, lfirst(below));
	}
	return (Datum) 0;
}
