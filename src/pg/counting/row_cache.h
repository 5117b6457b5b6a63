/*
 * row_cache.h -- dp_row_cache: the rows of a query as bytes, by unit, in one pass that may be
 * parallel. row_cache.h of core/exact says what a row is.
 */
#ifndef DPSYN_ROW_CACHE_H
#define DPSYN_ROW_CACHE_H

#include "pg/server/compat.h"

#include "core/exact/spec.h"
#include "core/exact/row_cache.h"

#define DP_ROW_CACHE_BYTES_MAX (UINT64CONST(256) << 20) /* so that what is kept fits a value */

/* What the aggregate is given: which of its arguments tell the unit, and what a row keeps. */
typedef struct DpRowCacheSpec
{
	uint32 keys; /* the first so many arguments tell the unit; 0: there is one unit */
	DpKeep keep; /* of rows and units; beyond it none are kept */
	uint32 columns;
	DpRowField *column; /* [columns] */
	DpSpec coded;       /* the domain of those that are DP_FIELD_CODE, in this order */
} DpRowCacheSpec;

extern bytea *dp_row_cache_spec(const DpRowCacheSpec *spec);
/* What the aggregate gives, which stays where it is. False: there were too many rows. */
extern bool dp_row_cache_of_result(bytea *result, DpRowCache *rows);

#endif
