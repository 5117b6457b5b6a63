/*
 * names.h -- that the names in a statement mean what was looked at.
 *
 * A statement is a text, and its names are looked up when it is analyzed. A lock keeps a relation
 * from being renamed, but not its schema, and no lock keeps a type or a function from it. So a name
 * could mean another object by then, with code of somebody else's, and its own again afterwards.
 * What the statement means is compared by OID after it was analyzed, when all relations that it
 * names are locked, and before it is rewritten, planned or run. Runs in any process.
 */
#ifndef DPSYN_NAMES_H
#define DPSYN_NAMES_H

#include "pg/server/compat.h"

#include "nodes/pg_list.h"

/* Whether a relation is one of those that were looked at. */
typedef bool (*DpNameTest)(Oid relation);

/*
 * ERROR if the next statement that is analyzed reads a relation that is not, calls a function for
 * which dp_may_call says no, or handles a type that can run code and is neither of a column, nor of
 * a row, of its relations. What that statement calls has statements of its own, which are not asked
 * about. To be called right before SPI.
 */
extern void dp_names_await(DpNameTest is_meant);
/* The same with a list of OIDs. */
extern void dp_names_await_these(const List *relations);
/* The same with dpsyn's own relations and PostgreSQL's. */
extern void dp_names_await_own(void);
/* Whether that was an error, in the life of this process. */
extern bool dp_names_were_changed(void);

/*
 * Whether a statement of ours may call a function: it is PostgreSQL's own, dpsyn's, a superuser's
 * in C, such as those of the types of extensions, or the current user's.
 */
extern bool dp_may_call(Oid function);

#endif
