/*
 * several.c -- which relations a call names.
 *
 * PostgreSQL cannot tell from the call whether 'visits' is a relation or a list of them, so that a
 * literal comes as a text. It is read here as the types read it, in the caller's search_path.
 */
#include "pg/release/several.h"

#include "catalog/pg_type.h"
#include "lib/stringinfo.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/fmgrprotos.h"

#include "pg/domain/table_tree.h"

static List *
list_of(ArrayType *array)
{
	List *relations = NIL;
	Datum *element;
	bool *isnull;
	int n;

	deconstruct_array(array, REGCLASSOID, sizeof(Oid), true, TYPALIGN_INT, &element, &isnull, &n);
	for (int i = 0; i < n; i++)
	{
		if (isnull[i])
			ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
							errmsg("relations must not hold NULL")));
		relations = list_append_unique_oid(relations, DatumGetObjectId(element[i]));
	}
	if (relations == NIL)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("no relation is named")));
	return relations;
}

List *
dp_relations_argument(FunctionCallInfo fcinfo)
{
	Oid type = get_fn_expr_argtype(fcinfo->flinfo, 0);
	char *words;

	if (type == REGCLASSARRAYOID)
		return list_of(PG_GETARG_ARRAYTYPE_P(0));
	if (type != TEXTOID)
		return list_make1_oid(PG_GETARG_OID(0));
	words = text_to_cstring(PG_GETARG_TEXT_PP(0));
	if (words[strspn(words, " \t\n\r\v\f")] == '{')
		return list_of(
			DatumGetArrayTypeP(OidInputFunctionCall(F_ARRAY_IN, words, REGCLASSOID, -1)));
	return list_make1_oid(
		DatumGetObjectId(DirectFunctionCall1(regclassin, CStringGetDatum(words))));
}

void
dp_request_relations(DpReleaseRequest *request, List *relations)
{
	StringInfoData words;
	const DpTableTree *tree;

	request->relation = linitial_oid(relations);
	if (list_length(relations) == 1)
		return;
	tree = dp_tree_of(relations);
	request->relation = tree->table[0].relation;
	initStringInfo(&words);
	for (int i = 0; i < tree->tables; i++)
		appendStringInfo(&words, "%s%u", i > 0 ? " " : "", tree->table[i].relation);
	request->tree = words.data;
	if (strcmp(request->method, "auto") == 0)
		request->method = pstrdup("aim");
}
