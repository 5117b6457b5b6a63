/*
 * equal_values.h -- which texts of a column's values mean equal values.
 *
 * It sees released values alone, and compares them as encode.h does values of rows: so what is
 * found as one value is counted as one.
 */
#ifndef DPSYN_EQUAL_VALUES_H
#define DPSYN_EQUAL_VALUES_H

#include "pg/server/compat.h"

#include "pg/domain/relation.h"

/* Marks each of n values of an attribute of the relation that equals one before it. Where they
 * cannot be compared none is marked. The type's code runs as the relation's owner. */
extern void dp_mark_equal(const DpRelation *relation, const DpAttribute *attribute,
						  const char *const *value, uint64 n, bool *repeated);

#endif
