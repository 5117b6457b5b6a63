/*
 * arguments.c -- reading the arguments of SQL functions.
 */
#include "pg/server/arguments.h"

#include "utils/array.h"

void
dp_check_not_null(FunctionCallInfo fcinfo, int argument, const char *name)
{
	if (PG_ARGISNULL(argument))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED), errmsg("%s must not be null", name)));
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
