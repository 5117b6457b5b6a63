/*
 * arguments.c -- reading the arguments of SQL functions, and putting the rows of those that return
 * sets.
 */
#include "pg/server/arguments.h"

#include "access/htup_details.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "funcapi.h"
#include "nodes/execnodes.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/fmgrprotos.h"
#include "utils/jsonb.h"
#include "utils/syscache.h"
#include "utils/tuplestore.h"

PG_FUNCTION_INFO_V1(dp_required);

void
dp_check_not_null(FunctionCallInfo fcinfo, int argument, const char *name)
{
	if (PG_ARGISNULL(argument))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED), errmsg("%s must not be null", name)));
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
	for (int i = 0; i < PG_NARGS(); i++)
		if (PG_ARGISNULL(i))
			ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
							errmsg("%s must not be null", argument_name(fcinfo, i)),
							errdetail("Nothing was done."),
							errhint("A subquery that finds no row gives NULL.")));
}

Datum
dp_required(PG_FUNCTION_ARGS)
{
	if (PG_ARGISNULL(0))
		ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
						errmsg("%s must not be null",
							   PG_ARGISNULL(1) ? "an argument" : NameStr(*PG_GETARG_NAME(1))),
						errhint("A subquery that finds no row gives NULL.")));
	PG_RETURN_DATUM(PG_GETARG_DATUM(0));
}

Datum *
dp_text_elements(Datum array, bool **nulls, int *n)
{
	Datum *elements;

	deconstruct_array(DatumGetArrayTypeP(array), TEXTOID, -1, false, TYPALIGN_INT, &elements, nulls,
					  n);
	return elements;
}

Datum *
dp_name_elements(Datum array, bool **nulls, int *n)
{
	Datum *elements;

	deconstruct_array(DatumGetArrayTypeP(array), NAMEOID, NAMEDATALEN, false, TYPALIGN_CHAR,
					  &elements, nulls, n);
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
dp_relations_argument(FunctionCallInfo fcinfo, int argument)
{
	Oid type = get_fn_expr_argtype(fcinfo->flinfo, argument);
	char *words;

	if (type == REGCLASSARRAYOID)
		return list_of(PG_GETARG_ARRAYTYPE_P(argument));
	if (type != TEXTOID)
		return list_make1_oid(PG_GETARG_OID(argument));
	words = text_to_cstring(PG_GETARG_TEXT_PP(argument));
	if (words[strspn(words, " \t\n\r\v\f")] == '{')
		return list_of(
			DatumGetArrayTypeP(OidInputFunctionCall(F_ARRAY_IN, words, REGCLASSOID, -1)));
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
