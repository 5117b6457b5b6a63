/*
 * combine.c -- dp_combine_estimates and dp_combine_chi_square: inference from several synthetic
 * sets. It is arithmetic on what the caller computed, and reads nothing.
 */
#include "pg/server/compat.h"

#include "access/htup_details.h"
#include "catalog/pg_type.h"
#include "funcapi.h"
#include "utils/array.h"
#include "utils/builtins.h"

#include "core/estimate/combine.h"
#include "pg/server/arguments.h"
#include "pg/server/bridge.h"

PG_FUNCTION_INFO_V1(dp_combine_estimates);
PG_FUNCTION_INFO_V1(dp_combine_chi_square);

static double *
numbers_argument(ArrayType *array, const char *name, int *n)
{
	bool *nulls;
	Datum *elements = dp_elements(PointerGetDatum(array), &nulls, n);
	double *numbers = palloc(sizeof(double) * Max(*n, 1));

	for (int i = 0; i < *n; i++)
	{
		if (nulls[i])
			ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
							errmsg("%s must not contain null", name)));
		numbers[i] = DatumGetFloat8(elements[i]);
	}
	return numbers;
}

static void
check_sets(int n)
{
	if (n < 2)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("combining needs at least two sets"),
						errhint("Draw them with sets => m, or independent_sets => true.")));
}

static Datum
result_tuple(FunctionCallInfo fcinfo, const double *values, int n)
{
	bool nulls[8] = {false};
	Datum datums[8];
	TupleDesc row;

	if (get_call_result_type(fcinfo, NULL, &row) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");
	for (int i = 0; i < n; i++)
		datums[i] = Float8GetDatum(values[i]);
	return HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(row), datums, nulls));
}

static const DpWords rule_words = {
	.unknown = "unknown combining rule",
	.hint = "Use private or fully_synthetic.",
	.n = 2,
	.word = {[DP_COMBINE_PRIVATE] = "private", [DP_COMBINE_FULLY_SYNTHETIC] = "fully_synthetic"}};

Datum
dp_combine_estimates(PG_FUNCTION_ARGS)
{
	int n, errors_n;
	double *estimates = numbers_argument(PG_GETARG_ARRAYTYPE_P(0), "estimates", &n);
	double *errors = numbers_argument(PG_GETARG_ARRAYTYPE_P(1), "standard_errors", &errors_n);
	DpCombineRule rule = dp_word_find(&rule_words, text_to_cstring(PG_GETARG_TEXT_PP(3)));
	DpCombined combined;

	check_sets(n);
	if (n != errors_n)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("estimates and standard_errors must have the same length")));
	if (dp_combine_estimates_of(estimates, errors, (uint32) n, PG_GETARG_FLOAT8(2), rule,
								&combined) != DP_OK)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("estimates, standard errors or confidence are out of range"),
						errdetail("All must be finite, standard errors at least 0, confidence "
								  "between 0 and 1.")));
	return result_tuple(fcinfo,
						(double[]){combined.estimate, combined.standard_error, combined.df,
								   combined.low, combined.high},
						5);
}

Datum
dp_combine_chi_square(PG_FUNCTION_ARGS)
{
	int n;
	double *statistics = numbers_argument(PG_GETARG_ARRAYTYPE_P(0), "statistics", &n);
	DpCombinedTest test;

	check_sets(n);
	if (dp_combine_chi_square_of(statistics, (uint32) n, PG_GETARG_FLOAT8(1), &test) != DP_OK)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("statistics or degrees of freedom are out of range"),
						errdetail("All must be finite, statistics at least 0, degrees of freedom "
								  "above 0.")));
	return result_tuple(fcinfo, (double[]){test.statistic, test.df1, test.df2, test.p}, 4);
}
