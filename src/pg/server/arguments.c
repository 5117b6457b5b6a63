/*
 * arguments.c -- reading the arguments of SQL functions, and putting the rows of those that return
 * sets.
 */
#include "pg/server/arguments.h"

#include <ctype.h>

#include "access/htup_details.h"
#include "catalog/namespace.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "funcapi.h"
#include "nodes/execnodes.h"
#include "nodes/makefuncs.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/fmgrprotos.h"
#include "utils/jsonb.h"
#include "utils/syscache.h"
#include "utils/tuplestore.h"
#include "utils/varlena.h"

#include "pg/server/catalog.h"
#include "pg/server/dpsyn.h"
#include "pg/server/labels.h"

void
dp_refuse_null(const char *name)
{
	ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED), errmsg("%s must not be null", name)));
}

void
dp_check_not_null(FunctionCallInfo fcinfo, int argument, const char *name)
{
	if (PG_ARGISNULL(argument))
		dp_refuse_null(name);
}

void
dp_check_declared_array(FunctionCallInfo fcinfo, int argument, const char *name)
{
	if (PG_ARGISNULL(argument))
		ereport(
			ERROR,
			(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED), errmsg("%s must not be null", name),
			 errhint("To remove what was declared, write '{}'. array_agg of no rows is NULL.")));
}

/* As its CREATE FUNCTION names it. */
static const char *
argument_name(FunctionCallInfo fcinfo, int argument)
{
	HeapTuple tuple = SearchSysCache1(PROCOID, ObjectIdGetDatum(fcinfo->flinfo->fn_oid));
	char **names = NULL;
	char *modes;
	Oid *types;

	if (HeapTupleIsValid(tuple))
	{
		(void) get_func_arg_info(tuple, &types, &names, &modes);
		ReleaseSysCache(tuple);
	}
	return names == NULL ? "an argument" : names[argument];
}

void
dp_check_no_null(FunctionCallInfo fcinfo)
{
	dp_check_first_no_null(fcinfo, PG_NARGS());
}

void
dp_check_first_no_null(FunctionCallInfo fcinfo, int n)
{
	for (int i = 0; i < n; i++)
		if (PG_ARGISNULL(i))
			ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
							errmsg("%s must not be null", argument_name(fcinfo, i)),
							errdetail("Nothing was done."),
							errhint("A subquery that finds no row gives NULL.")));
}

Datum *
dp_elements(Datum array, bool **nulls, int *n)
{
	ArrayType *of = DatumGetArrayTypeP(array);
	Datum *elements;
	int16 length;
	bool by_value;
	char align;

	get_typlenbyvalalign(ARR_ELEMTYPE(of), &length, &by_value, &align);
	deconstruct_array(of, ARR_ELEMTYPE(of), length, by_value, align, &elements, nulls, n);
	return elements;
}

Datum
dp_text_array(Datum *texts, int n)
{
	return PointerGetDatum(construct_array(texts, n, TEXTOID, -1, false, TYPALIGN_INT));
}

void
dp_check_confidence(double confidence)
{
	if (!(confidence > 0 && confidence < 1))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("confidence must be between 0 and 1"), errhint("Give 0.95 for 95 %%.")));
}

double
dp_confidence_argument(FunctionCallInfo fcinfo, int argument)
{
	double confidence;

	dp_check_not_null(fcinfo, argument, "confidence");
	confidence = PG_GETARG_FLOAT8(argument);
	if (!(confidence >= 0.01 && confidence <= 0.999))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("confidence must be between 0.01 and 0.999")));
	return confidence;
}

int
dp_max_rows_argument(FunctionCallInfo fcinfo, int argument)
{
	int rows;

	if (PG_ARGISNULL(argument))
		return 0;
	rows = PG_GETARG_INT32(argument);
	if (rows < 1 || rows > DP_QUERY_ROWS_MAX)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("max_rows_per_unit must be between 1 and %d", DP_QUERY_ROWS_MAX)));
	return rows;
}

double
dp_max_sum_argument(FunctionCallInfo fcinfo, int argument)
{
	double sum;

	if (PG_ARGISNULL(argument))
		return 0;
	sum = PG_GETARG_FLOAT8(argument);
	if (!(sum >= 1e-9 && sum <= DP_QUERY_SUM_MAX))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("max_sum_per_unit must be between 0.000000001 and %.0f",
							   DP_QUERY_SUM_MAX)));
	return sum;
}

uint64
dp_seed_argument(FunctionCallInfo fcinfo, int argument)
{
	uint64 seed;

	if (!PG_ARGISNULL(argument))
		return (uint64) PG_GETARG_INT64(argument);
	if (!pg_strong_random(&seed, sizeof(seed)))
		ereport(ERROR,
				(errcode(ERRCODE_INTERNAL_ERROR), errmsg("could not generate a random seed")));
	return seed;
}

/* ---- relations ---- */

/* NULL::line is of a type of PostgreSQL's, also where a table is called line. */
void
dp_refuse_target(Oid type)
{
	HeapTuple tuple = SearchSysCache1(TYPEOID, ObjectIdGetDatum(type));
	char *name = HeapTupleIsValid(tuple) ? NameStr(((Form_pg_type) GETSTRUCT(tuple))->typname) : "";
	Oid relation = RelnameGetRelid(name);

	if (OidIsValid(relation))
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH), errmsg("target must have a row type"),
				 errdetail("%s is a type of PostgreSQL's, which is found before the relation of "
						   "that name.",
						   format_type_be(type)),
				 errhint("Write NULL::%s.", dp_relation_label(relation))));
	ereport(ERROR, (errcode(ERRCODE_DATATYPE_MISMATCH), errmsg("target must have a row type"),
					errhint("Write NULL::name_of_the_table.")));
}

static List *
list_of(ArrayType *array)
{
	List *relations = NIL;
	bool *isnull;
	int n;
	Datum *element = dp_elements(PointerGetDatum(array), &isnull, &n);

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

/* The relation of this name as it stands, with letters and blanks as they are. */
static Oid
relation_exactly(const char *name)
{
	char *words = pstrdup(name);
	List *parts = NIL;

	if (*name == '\0')
		return InvalidOid;
	for (char *part = words; part != NULL;)
	{
		char *dot = strchr(part, '.');

		if (dot != NULL)
			*dot++ = '\0';
		parts = lappend(parts, makeString(part));
		part = dot;
	}
	return list_length(parts) <= 2 ? RangeVarGetRelid(makeRangeVarFromNameList(parts), NoLock, true)
								   : InvalidOid;
}

/* The relation that a statement would mean by it; ERROR where it is no name. */
static Oid
relation_folded(const char *name)
{
	if (isdigit((unsigned char) *name)) /* an OID */
		return InvalidOid;
	return RangeVarGetRelid(
		makeRangeVarFromNameList(textToQualifiedNameList(cstring_to_text(name))), NoLock, true);
}

/*
 * An array takes the quotes of {"People"} for its own. So an element that has some there means the
 * name as it stands first, and any other one what it would mean in a statement.
 */
static Oid
relation_meant(const char *array, const char *name)
{
	bool quoted = strstr(array, psprintf("\"%s\"", name)) != NULL;
	Oid found = quoted ? relation_exactly(name) : relation_folded(name);

	return OidIsValid(found) || quoted ? found : relation_exactly(name);
}

static Oid
relation_of_element(const char *array, const char *name)
{
	Oid found = relation_meant(array, name);

	return OidIsValid(found)
			   ? found
			   : DatumGetObjectId(DirectFunctionCall1(regclassin, CStringGetDatum(name)));
}

/* Whether names are quoted as in a statement, {public."People"}, which no array is. */
static bool
quotes_names(const char *words)
{
	return strchr(words, '\\') == NULL &&
		   (strstr(words, ".\"") != NULL || strstr(words, "\".") != NULL);
}

/* The relations of {a,public."B"}: each as a statement means it. */
static List *
relations_as_written(const char *words)
{
	char *copy = pstrdup(strchr(words, '{') + 1), *begin = copy;
	List *relations = NIL;
	bool quoted = false;

	for (char *at = copy; *at != '\0'; at++)
	{
		bool end = !quoted && *at == '}';

		quoted = quoted != (*at == '"');
		if (quoted || (*at != ',' && !end))
			continue;
		*at = '\0';
		relations = list_append_unique_oid(
			relations, DatumGetObjectId(DirectFunctionCall1(regclassin, CStringGetDatum(begin))));
		begin = at + 1;
		if (end)
			return relations;
	}
	ereport(ERROR, (errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
					errmsg("malformed list of relations: \"%s\"", words), errhint("Write {a,b}.")));
}

/* The elements of {a,b} as texts. */
static Datum *
elements_of(const char *words, bool **isnull, int *n)
{
	return dp_elements(OidInputFunctionCall(F_ARRAY_IN, unconstify(char *, words), TEXTOID, -1),
					   isnull, n);
}

static List *
relations_of_array(const char *words)
{
	bool *isnull;
	int n;
	Datum *element = elements_of(words, &isnull, &n);

	for (int i = 0; i < n; i++)
		if (!isnull[i])
			element[i] =
				ObjectIdGetDatum(relation_of_element(words, TextDatumGetCString(element[i])));
	return list_of(construct_md_array(element, isnull, 1, &n, (int[]){1}, REGCLASSOID, sizeof(Oid),
									  true, TYPALIGN_INT));
}

static bool
is_list(const char *words)
{
	return words[strspn(words, " \t\n\r\v\f")] == '{';
}

/* The schemas of {a,b}; NIL: not all are schemas, or one is the name of a relation, which comes first. */
static List *
schemas_of_array(const char *words, bool alone)
{
	bool *isnull;
	int n;
	Datum *element = elements_of(words, &isnull, &n);
	List *schemas = NIL;

	for (int i = 0; i < n; i++)
	{
		const char *name = isnull[i] ? "" : TextDatumGetCString(element[i]);
		Oid schema = get_namespace_oid(name, true);

		if (!OidIsValid(schema) || (!alone && OidIsValid(relation_meant(words, name))))
			return NIL;
		schemas = list_append_unique_oid(schemas, schema);
	}
	return schemas;
}

static List *
schemas_of(const char *words, bool alone)
{
	List *name;
	Oid schema;

	if (is_list(words))
		return quotes_names(words) ? NIL : schemas_of_array(words, alone);
	if (OidIsValid(schema = alone ? get_namespace_oid(words, true) : InvalidOid))
		return list_make1_oid(schema);
	if (isdigit((unsigned char) *words) || (!alone && OidIsValid(relation_folded(words))))
		return NIL;
	name = textToQualifiedNameList(cstring_to_text(words));
	schema = list_length(name) == 1 ? get_namespace_oid(strVal(linitial(name)), true) : InvalidOid;
	return OidIsValid(schema) ? list_make1_oid(schema) : NIL;
}

List *
dp_schemas_argument(FunctionCallInfo fcinfo, int argument, bool alone)
{
	return get_fn_expr_argtype(fcinfo->flinfo, argument) == TEXTOID
			   ? schemas_of(text_to_cstring(PG_GETARG_TEXT_PP(argument)), alone)
			   : NIL;
}

Datum
dp_oid_array(const List *oids, Oid type)
{
	Datum *values = palloc(sizeof(Datum) * Max(list_length(oids), 1));

	for (int i = 0; i < list_length(oids); i++)
		values[i] = ObjectIdGetDatum(list_nth_oid(oids, i));
	return PointerGetDatum(
		construct_array(values, list_length(oids), type, sizeof(Oid), true, TYPALIGN_INT));
}

List *
dp_relations_argument(FunctionCallInfo fcinfo, int argument)
{
	Oid type = get_fn_expr_argtype(fcinfo->flinfo, argument);
	List *schemas = dp_schemas_argument(fcinfo, argument, false);
	char *words;

	if (type == REGCLASSARRAYOID)
		return list_of(PG_GETARG_ARRAYTYPE_P(argument));
	if (type != TEXTOID)
		return list_make1_oid(PG_GETARG_OID(argument));
	if (schemas != NIL)
		return list_of(DatumGetArrayTypeP(
			OidFunctionCall1(dp_function_inside("dp_tables_of_schemas", OIDARRAYOID),
							 dp_oid_array(schemas, OIDOID))));
	words = text_to_cstring(PG_GETARG_TEXT_PP(argument));
	if (is_list(words))
		return quotes_names(words) ? relations_as_written(words) : relations_of_array(words);
	return list_make1_oid(
		DatumGetObjectId(DirectFunctionCall1(regclassin, CStringGetDatum(words))));
}

void
dp_put_row(FunctionCallInfo fcinfo, const Datum *values, const bool *nulls)
{
	const ReturnSetInfo *result = (const ReturnSetInfo *) fcinfo->resultinfo;

	tuplestore_putvalues(result->setResult, result->setDesc, unconstify(Datum *, values),
						 unconstify(bool *, nulls));
}

char *
dp_options_argument(FunctionCallInfo fcinfo, int argument)
{
	Jsonb *options = PG_GETARG_JSONB_P(argument);

	return JsonbToCString(NULL, &options->root, VARSIZE_ANY_EXHDR(options));
}
