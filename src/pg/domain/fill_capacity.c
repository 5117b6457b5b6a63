/*
 * fill_capacity.c -- how many rows a pattern can number in a column of some type.
 */
#include "pg/domain/fill_capacity.h"

#include "catalog/pg_type.h"
#include "mb/pg_wchar.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "core/domain/pattern.h"

int
dp_fill_characters_max(Oid type, int32 typmod)
{
	Oid base = getBaseTypeAndTypmod(type, &typmod);

	if ((base == VARCHAROID || base == BPCHAROID) && typmod >= (int32) VARHDRSZ)
		return typmod - (int32) VARHDRSZ;
	return base == NAMEOID ? NAMEDATALEN - 1 : -1;
}

/* The largest number with the given number of digits; UINT64_MAX if it does not fit. */
static uint64
number_of_digits(int digits)
{
	uint64 bound = 1;

	if (digits < 1)
		return 0;
	if (digits > 18)
		return PG_UINT64_MAX;
	for (int i = 0; i < digits; i++)
		bound *= 10;
	return bound - 1;
}

uint64
dp_fill_capacity(const char *pattern, Oid type, int32 typmod)
{
	Oid base = getBaseTypeAndTypmod(type, &typmod);
	int limit = dp_fill_characters_max(base, typmod);
	int digits = dp_pattern_facts(pattern).digits;
	char *written = palloc(strlen(pattern) + 1);
	int constant;

	dp_pattern_as_written(pattern, written);
	pattern = written;
	constant = pg_mbstrlen(pattern) - (int) strlen(DP_PATTERN_NUMBER);
	if (digits > 0 && !dp_pattern_facts(pattern).random)
		return number_of_digits(digits);
	if (dp_pattern_facts(pattern).capacity != PG_UINT64_MAX)
		return dp_pattern_facts(pattern).capacity;
	if (strcmp(pattern, DP_PATTERN_NUMBER) == 0 && base == INT2OID)
		return PG_INT16_MAX;
	if (strcmp(pattern, DP_PATTERN_NUMBER) == 0 && base == INT4OID)
		return PG_INT32_MAX;
	if (strcmp(pattern, DP_PATTERN_NUMBER) == 0 && base == NUMERICOID &&
		typmod >= (int32) VARHDRSZ) /* as numeric.c packs precision and scale */
		return number_of_digits(((typmod - (int32) VARHDRSZ) >> 16 & 0xffff) -
								((((typmod - (int32) VARHDRSZ) & 0x7ff) ^ 1024) - 1024));
	if (limit < 0 || strstr(pattern, DP_PATTERN_NUMBER) == NULL || dp_pattern_facts(pattern).random)
		return PG_UINT64_MAX;
	return number_of_digits(limit - constant);
}

void
dp_fill_too_many(const char *column, Oid type, int32 typmod, uint64 capacity)
{
	ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
					errmsg("column \"%s\" of type %s cannot number so many rows", column,
						   format_type_with_typemod(type, typmod)),
					errdetail("It has values for " UINT64_FORMAT " rows.", capacity),
					errhint("Ask for fewer rows.")));
}
