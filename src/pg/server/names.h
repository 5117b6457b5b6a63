/*
 * names.h -- that the names in a statement mean the relations that were looked at.
 *
 * A statement is a text, and its names are looked up when it is analyzed. A lock keeps a relation
 * from being renamed, but not its schema. So a name could mean another relation by then, with columns
 * of other types and code of somebody else's, and its own again afterwards. Runs in any process.
 */
#ifndef DPSYN_NAMES_H
#define DPSYN_NAMES_H

#include "pg/server/compat.h"

#include "nodes/pg_list.h"

/* Whether a relation is one of those that were looked at. */
typedef bool (*DpNameTest)(Oid relation);

/* ERROR if the next statement that is analyzed reads a relation that is not. What that statement calls
 * has statements of its own, which are not asked about. */
extern void dp_names_await(DpNameTest is_meant);
/* The same with a list of OIDs. */
extern void dp_names_await_these(const List *relations);
/* Whether that was an error, in the life of this process. */
extern bool dp_names_were_changed(void);

#endif
