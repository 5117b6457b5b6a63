/*
 * fill_declared.h -- what a custodian wrote that a column holds, in the form that is kept.
 *
 * Runs in the caller's backend; it sees the schema, and public tables.
 */
#ifndef DPSYN_FILL_DECLARED_H
#define DPSYN_FILL_DECLARED_H

#include "pg/server/compat.h"

#include "pg/domain/declared_values.h"

#define DP_FILL_LIST_MAX 100000 /* values of a list */

/*
 * The pattern that a custodian wrote for a column, in a form that every session reads. ERROR unless
 * the column can hold what it says, differs in each row where it must, and takes from columns that
 * there are. key: it must differ.
 */
extern const char *dp_fill_declared(Oid relation, const DpNamedColumn *column, const char *words,
									bool key);
/* The values of a column of a public table, "public.first_names(name)", as a list. Reads them with
 * the rights of the current user; ERROR for a table that is not declared public. */
extern const char *dp_fill_from(const char *words, const char *column);

#endif
