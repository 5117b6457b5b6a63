/*
 * equality.h -- whether two columns have the same equality.
 *
 * A release groups rows by the column that identifies their unit: two values are one unit if they
 * are equal by the default B-tree operator class of the column's type under the column's collation.
 * A foreign key to such a column, its unique index, the condition of a join, and a relation that
 * shares the budget each have an equality of their own. They agree on what one unit is only if
 * these equalities are the same. This file alone decides that.
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
