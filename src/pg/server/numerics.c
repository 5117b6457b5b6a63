/*
 * numerics.c -- exact arithmetic with numeric, for what is computed a few times and may be large.
 */
#include "pg/server/numbers.h"

#include "utils/builtins.h"
#include "utils/fmgrprotos.h"

Numeric
dp_numeric(const char *words)
{
	return DatumGetNumeric(DirectFunctionCall3(numeric_in, CStringGetDatum(words),
											   ObjectIdGetDatum(InvalidOid), Int32GetDatum(-1)));
}

Numeric
dp_numeric_whole(int64 value)
{
	return int64_to_numeric(value);
}

Numeric
dp_numeric_call(PGFunction function, Numeric a, Numeric b)
{
	return DatumGetNumeric(DirectFunctionCall2(function, NumericGetDatum(a), NumericGetDatum(b)));
}

int
dp_numeric_compare(Numeric a, Numeric b)
{
	return DatumGetInt32(DirectFunctionCall2(numeric_cmp, NumericGetDatum(a), NumericGetDatum(b)));
}

char *
dp_numeric_words(Numeric value)
{
	return DatumGetCString(DirectFunctionCall1(
		numeric_out, DirectFunctionCall1(numeric_trim_scale, NumericGetDatum(value))));
}

Numeric
dp_numeric_power_of_ten(int exponent)
{
	return dp_numeric(psprintf("1e%d", exponent));
}

int
dp_numeric_digits(Numeric value)
{
	return DatumGetInt32(DirectFunctionCall1(numeric_min_scale, NumericGetDatum(value)));
}

bool
dp_numeric_to_int64(Numeric value, int64 *out)
{
	if (dp_numeric_compare(value, dp_numeric_whole(PG_INT64_MIN)) < 0 ||
		dp_numeric_compare(value, dp_numeric_whole(PG_INT64_MAX)) > 0)
		return false;
	*out = DatumGetInt64(DirectFunctionCall1(numeric_int8, NumericGetDatum(value)));
	return true;
}
