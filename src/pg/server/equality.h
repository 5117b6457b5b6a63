/*
 * equality.h -- whether two columns tell their values apart by one equality.
 *
 * A release groups rows by the column that says whose they are: two values are one unit if the
 * default B-tree operator class of the column's type calls them equal under the column's collation.
 * What leads to such a value (a foreign key, the unique index that it refers to, the condition of a
 * join) and what shares a budget with it compares in its own way. Only if that is the same
 * equality, what one of them calls one unit is one unit for the other. Nobody else decides that.
 *
 * Runs in any process. It reads the catalogs, and no data.
 */
#ifndef DPSYN_EQUALITY_H
#define DPSYN_EQUALITY_H

#include "pg/server/compat.h"

/* What values are compared as. */
typedef struct DpComparable
{
	Oid type;      /* may be a domain */
	Oid collation; /* InvalidOid: the type has none */
} DpComparable;

/* Values of a column. */
extern DpComparable dp_comparable_column(Oid relation, AttrNumber column);
/*
 * Whether any two values are equal as the one if and only if they are equal as the other. Of one
 * and the same: whether sorting, hashing and comparing its values agree on what is equal.
 */
extern bool dp_one_equality(DpComparable a, DpComparable b);
/* Whether an operator, run under this collation, compares values by their own equality. */
extern bool dp_operator_is_equality_of(Oid number, Oid collation, DpComparable values);
/* 'type text, collation pg_catalog."C"', for messages. */
extern char *dp_comparable_words(DpComparable values);

#endif
