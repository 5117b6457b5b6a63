/*
 * lock.h -- what a release keeps from changing until its rows are read. RELEASE WORKER ONLY.
 */
#ifndef DPSYN_HOLD_H
#define DPSYN_HOLD_H

#include "pg/server/compat.h"

/* Locks the relation, and the enums of its columns, across transactions. */
extern void dp_lock(Oid relation);
/*
 * The next statement that is analyzed is one of the scan: ERROR if it means anything else than what
 * is held and the children of that (pg/server/names.h). A lock does not keep a schema from being
 * renamed, so that a name may mean another relation by then, and its own again afterwards.
 */
extern void dp_lock_names(void);
/* Gives all of that back. PostgreSQL does not do it when the worker ends between transactions. */
extern void dp_lock_end(void);

#endif
