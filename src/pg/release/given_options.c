/*
 * given_options.c -- the arguments of a function as the options of its release.
 */
#include "pg/server/compat.h"

#include "catalog/pg_type.h"
#include "fmgr.h"
#include "funcapi.h"
#include "nodes/makefuncs.h"
#include "utils/fmgroids.h"
#include "utils/fmgrprotos.h"

PG_FUNCTION_INFO_V1(dp_given_options);

/* A call of jsonb_build_object, which asks its expression for the types of its arguments. */
static Datum
build_object(const NullableDatum *argument, const Oid *type, int n)
{
	LOCAL_FCINFO(call, FUNC_MAX_ARGS);
	FmgrInfo function;
	List *types = NIL;

	if (n == 0) /* jsonb_build_object takes its arguments for one at least */
		return DirectFunctionCall1(jsonb_in, CStringGetDatum("{}"));
	for (int i = 0; i < n; i++)
		types = lappend(types, makeNullConst(type[i], -1, InvalidOid));
	fmgr_info(F_JSONB_BUILD_OBJECT_ANY, &function);
	fmgr_info_set_expr((Node *) makeFuncExpr(F_JSONB_BUILD_OBJECT_ANY, JSONBOID, types, InvalidOid,
											 InvalidOid, COERCE_EXPLICIT_CALL),
					   &function);
	InitFunctionCallInfoData(*call, &function, n, InvalidOid, NULL, NULL);
	memcpy(call->args, argument, sizeof(NullableDatum) * n);
	return FunctionCallInvoke(call);
}

/*
 * As jsonb_build_object, without the members whose value is an SQL NULL. What a value holds stays
 * as it is, whatever is null in it: it is what a user wrote.
 */
Datum
dp_given_options(PG_FUNCTION_ARGS)
{
	NullableDatum given[FUNC_MAX_ARGS];
	Oid type[FUNC_MAX_ARGS];
	Datum *values;
	bool *nulls;
	Oid *types;
	int n = extract_variadic_args(fcinfo, 0, true, &values, &types, &nulls), kept = 0;

	if (n < 0 || n % 2 != 0 || n > FUNC_MAX_ARGS)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("options must be given as pairs of a name and a value")));
	for (int i = 0; i < n; i++)
	{
		if (nulls[i | 1])
			continue;
		given[kept] = (NullableDatum){.value = values[i], .isnull = nulls[i]};
		type[kept++] = types[i];
	}
	PG_RETURN_DATUM(build_object(given, type, kept));
}
