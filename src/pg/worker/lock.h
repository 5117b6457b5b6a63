/*
 * lock.h -- what a release keeps from changing until its rows are read. RELEASE WORKER ONLY.
 */
#ifndef DPSYN_LOCK_H
#define DPSYN_LOCK_H

#include "pg/server/compat.h"

/* Locks the relation, and the enums of its columns, across transactions. Statements of the scan may
 * name it. */
extern void dp_lock(Oid relation);
/* The same of a public table, whose owner can be another role than the one that reads it: planning the
 * scan would fail with an index that calls functions of that owner. */
extern void dp_lock_public(Oid relation);
/* Locks a view, and what it reads, down to the tables and their partitions and children. No
 * statement of the scan names these. Does nothing where the relation is no view. */
extern void dp_lock_below(Oid relation);
/*
 * The next statement that is analyzed is one of the scan: ERROR if it means anything else than what
 * is held and the children of that (pg/server/names.h). A lock does not keep a schema from being
 * renamed, so that a name may mean another relation by then, and its own again afterwards.
 */
extern void dp_lock_names(void);
/* Gives all of that back. PostgreSQL does not do it when the worker ends between transactions. */
extern void dp_lock_end(void);

#endif
