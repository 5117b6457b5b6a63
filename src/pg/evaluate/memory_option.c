/*
 * memory_option.c -- how much memory an evaluation may take.
 */
#include "pg/evaluate/memory_option.h"

#include "miscadmin.h"

#include "pg/counting/object.h"

#define MEMORY_MIN_KB 1024

uint64
dp_memory_of_option(const char *words)
{
	const char *hint = NULL;
	int kilobytes;

	if (words == NULL)
		return Max(dp_counts_memory(), UINT64CONST(1024) * maintenance_work_mem);
	if (!parse_int(words, &kilobytes, GUC_UNIT_KB, &hint) || kilobytes < MEMORY_MIN_KB)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("option \"memory\" must be an amount of memory, at least %d kB",
							   MEMORY_MIN_KB),
						errhint("Write \"256MB\", for instance.")));
	return (uint64) kilobytes * 1024;
}
