/*
 * interval_function.c -- dp_low, dp_high and dp_std_error, which stand for columns of an answer.
 *
 * In a private query a column takes the place of each. So whoever calls one asks for the interval of
 * a number that has none.
 */
#include "pg/sql/expression_interval.h"

#include "access/htup_details.h"
#include "access/transam.h"
#include "catalog/pg_language.h"
#include "catalog/pg_proc.h"
#include "utils/syscache.h"

PG_FUNCTION_INFO_V1(dp_low);
PG_FUNCTION_INFO_V1(dp_high);
PG_FUNCTION_INFO_V1(dp_std_error);

static DP_NORETURN void
raise_not_private(const char *function)
{
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("%s stands in a private query only", function),
			 errdetail("Its argument is an aggregate of a protected relation that you may not "
					   "read, as in %s(count(*)).",
					   function),
			 errhint("Write the SELECT within dp_sql, or call dp_private_queries first.")));
}

Datum
dp_low(PG_FUNCTION_ARGS)
{
	raise_not_private("dp_low");
}

Datum
dp_high(PG_FUNCTION_ARGS)
{
	raise_not_private("dp_high");
}

Datum
dp_std_error(PG_FUNCTION_ARGS)
{
	raise_not_private("dp_std_error");
}

/* Written in C, and not by PostgreSQL. */
static bool
may_be_ours(Oid function)
{
	HeapTuple tuple;
	bool may_be;

	if (function < FirstNormalObjectId)
		return false;
	tuple = SearchSysCache1(PROCOID, ObjectIdGetDatum(function));
	if (!HeapTupleIsValid(tuple))
		return false;
	may_be = ((Form_pg_proc) GETSTRUCT(tuple))->prolang == ClanguageId &&
			 strncmp(NameStr(((Form_pg_proc) GETSTRUCT(tuple))->proname), "dp_", 3) == 0;
	ReleaseSysCache(tuple);
	return may_be;
}

bool
dp_interval_function(Oid function, DpAnswerPart *part)
{
	FmgrInfo info;

	if (!may_be_ours(function))
		return false;
	fmgr_info(function, &info);
	if (info.fn_addr == dp_low)
		*part = DP_PART_LOW;
	else if (info.fn_addr == dp_high)
		*part = DP_PART_HIGH;
	else if (info.fn_addr == dp_std_error)
		*part = DP_PART_STD_ERROR;
	else
		return false;
	return true;
}
