/*
 * statement.h -- what CREATE and ALTER do, of relations by their OIDs.
 *
 * PostgreSQL's functions for these commands take trees, and trees can name a type, a table or an
 * expression by its OID or as it is stored. Event triggers fire as for any such command.
 */
#ifndef DPSYN_SYNTHETIC_STATEMENT_H
#define DPSYN_SYNTHETIC_STATEMENT_H

#include "pg/server/compat.h"

#include "catalog/objectaddress.h"
#include "nodes/parsenodes.h"

/* A command that makes one object, and returns its address. */
typedef ObjectAddress (*DpCommand)(Node *statement, void *context);

extern ObjectAddress dp_run_command(Node *statement, DpCommand command, void *context);
/* ALTER TABLE of one part, of a table of the current user's. */
extern void dp_alter_table(Oid table, AlterTableCmd *part);
/* ERROR unless it is a table that the current user owns. Locks it. */
extern void dp_lock_own_table(Oid table, LOCKMODE mode);

#endif
