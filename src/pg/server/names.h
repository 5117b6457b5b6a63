/*
 * names.h -- what the names in a statement of ours mean, compared before any of it runs.
 *
 * A statement is made of words. Between the moment at which a relation was looked at and that at
 * which the statement is analyzed, its name can come to mean another relation: its owner renames
 * it, and so does the owner of a schema, which no lock prevents. So each statement that names
 * relations of users says by OID which ones it means. It is compared with them after it was
 * analyzed, when all relations that it names are locked, and before it is rewritten, planned or
 * run.
 */
#ifndef DPSYN_NAMES_H
#define DPSYN_NAMES_H

#include "pg/server/compat.h"

#include "nodes/pg_list.h"

/* Whether a relation is one that the statement may name. */
typedef bool (*DpMayName)(Oid relation);

/*
 * What the next statement that is analyzed may mean: ERROR (40001) if it names a relation for which
 * may_name says no, calls a function that is not to be trusted (may_call in names.c), or handles
 * values of a type that can run code and is neither of a column, nor of a row, of a relation that
 * it names.
 * text: the statement, which then is the only one to be compared; NULL: whatever comes next.
 * To be called right before SPI.
 */
extern void dp_expect_names(const char *text, DpMayName may_name);
/* The same for a statement that may name these relations. Returns text. */
extern const char *dp_expect_relations(const char *text, const List *relations);
/* The same for one relation. */
extern const char *dp_expect_relation(const char *text, Oid relation);
/* The same for a statement of dpsyn's own relations and PostgreSQL's. */
extern void dp_expect_own(void);
/* Whether some statement of this session meant something else. */
extern bool dp_names_changed(void);

#endif
