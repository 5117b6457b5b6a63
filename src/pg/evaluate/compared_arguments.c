/*
 * compared_arguments.c -- which relations are compared: those that are named, or the tables of two
 * schemas that have the same names.
 */
#include "pg/evaluate/compared_tables.h"

#include "catalog/namespace.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "pg/server/arguments.h"
#include "pg/server/catalog.h"

/* The tables of a schema, but for partitions and what an extension brings. */
static List *
tables_of(Oid schema)
{
	MemoryContext context = CurrentMemoryContext, spi;
	DpUserContext user_context;
	List *tables = NIL;
	uint64 rows;

	dp_caller_open(&user_context, NIL);
	rows = dp_spi_read_as_caller(
		"SELECT c.oid FROM pg_catalog.pg_class c"
		" WHERE c.relnamespace = $1 AND c.relkind IN ('r', 'p', 'f') AND NOT c.relispartition"
		" AND NOT EXISTS (SELECT FROM pg_catalog.pg_depend e WHERE e.deptype = 'e'"
		"  AND e.classid = 'pg_catalog.pg_class'::pg_catalog.regclass AND e.objid = c.oid)"
		" ORDER BY c.relname COLLATE \"C\"",
		DP_ARGUMENTS(DP_OID(schema)));
	spi = MemoryContextSwitchTo(context);
	for (uint64 r = 0; r < rows; r++)
		tables = lappend_oid(tables, dp_spi_oid(r, 1));
	MemoryContextSwitchTo(spi);
	dp_caller_close(&user_context);
	return tables;
}

static void
notice_left_out(List *left_out, List *schemas)
{
	StringInfoData names;
	ListCell *cell;

	if (left_out == NIL)
		return;
	initStringInfo(&names);
	foreach (cell, left_out)
		appendStringInfo(&names, "%s%s", names.len > 0 ? ", " : "",
						 dp_relation_label(lfirst_oid(cell)));
	ereport(NOTICE, (errmsg("not compared, since schema \"%s\" has no such tables: %s",
							get_namespace_name(linitial_oid(schemas)), names.data)));
}

/* The table of this name in the first of some schemas that has one. */
static Oid
twin_of(Oid relation, List *schemas)
{
	ListCell *cell;

	foreach (cell, schemas)
	{
		Oid twin = get_relname_relid(get_rel_name(relation), lfirst_oid(cell));

		if (OidIsValid(twin))
			return twin;
	}
	return InvalidOid;
}

/* The tables that both schemas contain, in the order of their names. */
static void
match(List *const schemas[2], List **original, List **synthetic)
{
	List *left_out = NIL;
	ListCell *schema, *cell;

	*original = *synthetic = NIL;
	foreach (schema, schemas[DP_ORIGINAL])
		foreach (cell, tables_of(lfirst_oid(schema)))
		{
			Oid twin = twin_of(lfirst_oid(cell), schemas[DP_SYNTHETIC]);

			if (!OidIsValid(twin))
			{
				left_out = lappend_oid(left_out, lfirst_oid(cell));
				continue;
			}
			*original = lappend_oid(*original, lfirst_oid(cell));
			*synthetic = lappend_oid(*synthetic, twin);
		}
	if (*original == NIL)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("schemas \"%s\" and \"%s\" have no table of the same name",
							   get_namespace_name(linitial_oid(schemas[DP_ORIGINAL])),
							   get_namespace_name(linitial_oid(schemas[DP_SYNTHETIC])))));
	notice_left_out(left_out, schemas[DP_SYNTHETIC]);
}

bool
dp_compared_arguments(FunctionCallInfo fcinfo, List **original, List **synthetic)
{
	List *schemas[2];

	for (int side = 0; side < 2; side++)
		schemas[side] = dp_schemas_argument(fcinfo, side, false);
	if (schemas[DP_ORIGINAL] != NIL && schemas[DP_SYNTHETIC] != NIL)
	{
		match(schemas, original, synthetic);
		return true;
	}
	*original = schemas[DP_ORIGINAL] != NIL ? NIL : dp_relations_argument(fcinfo, 0);
	*synthetic = schemas[DP_SYNTHETIC] != NIL ? NIL : dp_relations_argument(fcinfo, 1);
	if (*original == NIL || *synthetic == NIL)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("one of original and synthetic is a schema, and the other is not"),
						errhint("Name two schemas, or relations of both.")));
	return list_length(*original) > 1 || list_length(*synthetic) > 1;
}
