/*
 * row_order.h -- the keyed hash of a row's values, by which a release chooses which rows of a unit
 * to count. dp_row_order is the same as an SQL function.
 */
#ifndef DPSYN_ROW_ORDER_H
#define DPSYN_ROW_ORDER_H

#include "pg/server/compat.h"

#include "core/base/siphash.h"

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
