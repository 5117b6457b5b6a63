/*
 * fill_capacity.h -- how many rows a pattern can number in a column of some type.
 *
 * Runs in any process; it sees the schema and no data.
 */
#ifndef DPSYN_FILL_CAPACITY_H
#define DPSYN_FILL_CAPACITY_H

#include "pg/server/compat.h"

/* The most characters of a text of the type; -1: any number, or the type is no text. */
extern int dp_fill_characters_max(Oid type, int32 typmod);
/* How many rows a pattern can number in a column of this type; UINT64_MAX: any number. */
extern uint64 dp_fill_capacity(const char *pattern, Oid type, int32 typmod);
/* Raises the error for more rows than the capacity. */
extern DP_NORETURN void dp_fill_too_many(const char *column, Oid type, int32 typmod,
										 uint64 capacity);

#endif
