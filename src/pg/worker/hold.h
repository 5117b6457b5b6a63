/*
 * hold.h -- what a release keeps from changing until its rows are read. RELEASE WORKER ONLY.
 */
#ifndef DPSYN_HOLD_H
#define DPSYN_HOLD_H

#include "pg/server/compat.h"

/* Locks the relation, and the enums of its columns, across transactions. */
extern void dp_hold(Oid relation);
/* Gives all of that back. PostgreSQL does not do it when the worker ends between transactions. */
extern void dp_hold_end(void);

#endif
