/*
 * sortable.h -- values as bytes that are equal, and in order, as the values are: keys and what rows
 * are in order of, in caches of rows.
 */
#ifndef DPSYN_SORTABLE_H
#define DPSYN_SORTABLE_H

#include "pg/server/compat.h"

/* The bytes of each value of a type; 0: its order is not that of bytes. Integers of all widths have
 * the same form. */
extern uint32 dp_sortable_bytes(Oid type);
/* Writes so many bytes. type: the base type. NULL comes last. */
extern void dp_sortable_write(unsigned char *to, const NullableDatum *value, Oid type);

#endif
