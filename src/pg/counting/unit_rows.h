/*
 * unit_rows.h -- dp_unit_rows: the rows of a query as bytes, by unit, in one pass that may be
 * parallel. unit_rows.h of core/exact says what a row is.
 */
#ifndef DPSYN_UNIT_ROWS_H
#define DPSYN_UNIT_ROWS_H

#include "pg/server/compat.h"

#include "core/exact/spec.h"
#include "core/exact/unit_rows.h"

#define DP_UNIT_ROWS_BYTES_MAX (UINT64CONST(256) << 20) /* so that what is kept fits a value */

/* What the aggregate is told: which of its arguments tell the unit, and what a row keeps. */
typedef struct DpUnitSpec
{
	uint32 keys;      /* the first so many arguments tell the unit */
	uint64 bytes_max; /* of all rows and units that one process keeps; beyond it none are kept */
	uint32 columns;
	DpUnitColumn *column; /* [columns] */
	DpSpec coded;         /* the domain of those that are DP_UNIT_CODE, in this order */
} DpUnitSpec;

extern bytea *dp_unit_spec_to_bytea(const DpUnitSpec *spec);
/* What the aggregate gives, which stays where it is. False: there were too many rows. */
extern bool dp_unit_rows_of_result(bytea *result, DpUnitRows *rows);

#endif
