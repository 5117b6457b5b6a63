/*
 * copied_code.c -- what the expressions of a table call, which dp_create_synthetic copies into a
 * table of the caller's, where they run with the caller's rights.
 *
 * pg_depend names the functions of users and of extensions, but not those of PostgreSQL itself, of
 * which some run a text as SQL (query_to_xml), read relations and so call what their views call
 * (table_to_xml), or change settings. So a function of PostgreSQL's own is copied if it is immutable;
 * if it is stable, unless it does one of these; and if it is on a short list of volatile ones that
 * defaults use. A function of an extension is copied if it is immutable and written in C.
 */
#include "pg/server/compat.h"

#include "access/htup_details.h"
#include "access/transam.h"
#include "catalog/pg_language.h"
#include "catalog/pg_proc.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "nodes/nodes.h"
#include "utils/builtins.h"
#include "utils/syscache.h"

PG_FUNCTION_INFO_V1(dp_is_harmless);

/* Volatile functions of PostgreSQL itself that defaults use. */
static bool
is_listed(const char *name)
{
	static const char *const listed[] = {"nextval", "random", "random_normal",   "gen_random_uuid",
										 "uuidv4",  "uuidv7", "clock_timestamp", "timeofday"};

	for (size_t i = 0; i < lengthof(listed); i++)
		if (strcmp(listed[i], name) == 0)
			return true;
	return false;
}

/* Whether a stable function of PostgreSQL itself can read a relation, or run a type's own code. */
static bool
reaches_out(Form_pg_proc form)
{
	for (int i = 0; i < form->proargtypes.dim1; i++)
		if (form->proargtypes.values[i] == REGCLASSOID ||
			form->proargtypes.values[i] == REFCURSOROID)
			return true;
	return form->prorettype == XMLOID || strncmp(NameStr(form->proname), "pg_input_", 9) == 0;
}

static bool
is_harmless(Form_pg_proc form)
{
	if (form->proretset || form->prokind != PROKIND_FUNCTION)
		return false;
	if (form->oid >= FirstNormalObjectId)
		return form->provolatile == PROVOLATILE_IMMUTABLE &&
			   (form->prolang == ClanguageId || form->prolang == INTERNALlanguageId);
	if (form->prolang != INTERNALlanguageId &&
		(form->prolang != SQLlanguageId || form->oid >= FirstUnpinnedObjectId))
		return false;
	if (form->provolatile == PROVOLATILE_VOLATILE)
		return is_listed(NameStr(form->proname));
	return form->provolatile == PROVOLATILE_IMMUTABLE || !reaches_out(form);
}

static bool
is_harmful_function(Oid function, void *context)
{
	HeapTuple tuple = SearchSysCache1(PROCOID, ObjectIdGetDatum(function));
	bool harmless;

	(void) context;
	if (!HeapTupleIsValid(tuple))
		return true;
	harmless = is_harmless((Form_pg_proc) GETSTRUCT(tuple));
	ReleaseSysCache(tuple);
	return !harmless;
}

static bool
find_harm(Node *node, void *context)
{
	if (node == NULL)
		return false;
	check_stack_depth();
	return check_functions_in_node(node, is_harmful_function, context) ||
		   expression_tree_walker(node, find_harm, context);
}

Datum
dp_is_harmless(PG_FUNCTION_ARGS)
{
	char *tree = text_to_cstring(PG_GETARG_TEXT_PP(0));

	PG_RETURN_BOOL(!find_harm((Node *) stringToNode(tree), NULL));
}
