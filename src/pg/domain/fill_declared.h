/*
 * fill_declared.h -- the pattern that a custodian declares for a column, in the form that is
 * stored.
 *
 * Runs in the caller's backend; it sees the schema, and public tables.
 */
#ifndef DPSYN_FILL_DECLARED_H
#define DPSYN_FILL_DECLARED_H

#include "pg/server/compat.h"

#include "pg/domain/declared_values.h"

#define DP_FILL_LIST_MAX 100000 /* values of a list */

/*
 * The pattern that a custodian declares for a column, in a form that does not depend on the
 * session's settings. ERROR unless the column can hold its texts, the texts differ in each row if
 * they must, and the columns that it names exist. key: the texts must differ.
 */
extern const char *dp_fill_declared(Oid relation, const DpNamedColumn *column, const char *words,
									bool key);
/* The values of a column of a public table, "public.first_names(name)", as a list. Reads them with
 * the rights of the current user; ERROR for a table that is not declared public. */
extern const char *dp_fill_from(const char *words, const char *column);

#endif
