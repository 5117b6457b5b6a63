/*
 * protected_parent.h -- the parent that a relation is protected with, for what compares tables. Runs
 * in any process; it sees the schema and dpsyn's catalog, and no data.
 */
#ifndef DPSYN_PROTECTED_PARENT_H
#define DPSYN_PROTECTED_PARENT_H

#include "pg/server/compat.h"

#include "pg/server/foreign_key.h"

/* The foreign key that says whose a row of a relation is; NULL: it is not protected with a parent. */
extern const DpForeignKey *dp_protected_reference(Oid relation);

#endif
