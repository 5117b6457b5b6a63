/*
 * row_cache.h -- dp_row_cache: the rows of a query as bytes, by unit, in one scan that may be
 * parallel. core/exact/row_cache.h defines the form of a row.
 */
#ifndef DPSYN_ROW_CACHE_H
#define DPSYN_ROW_CACHE_H

#include "core/base/siphash.h"
#include "core/exact/row_cache.h"
#include "core/exact/spec.h"
#include "pg/server/compat.h"

/* so that the cached rows fit in one datum */
#define DP_ROW_CACHE_BYTES_MAX (UINT64CONST(256) << 20)

/* The spec of the aggregate: which of its arguments identify the unit, and which values of a row
 * are kept. */
typedef struct DpRowCacheSpec
{
	uint32 keys; /* number of leading arguments that identify the unit; 0: one unit */
	DpKeep keep; /* memory of rows and units; beyond it none are kept */
	/* the key of DP_FIELD_HASH, which the arguments that are not keys enter first */
	unsigned char key[DP_SIPHASH_KEY_BYTES];
	uint32 columns;
	DpRowField *column; /* [columns] */
	DpSpec coded;       /* the domain of the columns that are DP_FIELD_CODE, in this order */
} DpRowCacheSpec;

extern bytea *dp_row_cache_spec(const DpRowCacheSpec *spec);
/*
 * Reads the result of the aggregate in place, without a copy. False: the rows exceeded the memory.
 */
extern bool dp_row_cache_of_result(bytea *result, DpRowCache *rows);

/*
 * The keyed hash of a row's values, by which a release chooses which rows of a unit to count.
 * dp_row_order is the same as an SQL function.
 */

/* How values of a type are stored. */
typedef struct DpStorageForm
{
	Oid type;
	int16 length;
	bool by_value;
} DpStorageForm;

/* Adds the next value of a row to its hash. */
extern void dp_row_order_add(DpSiphash *hash, const NullableDatum *value,
							 const DpStorageForm *form);

#endif
