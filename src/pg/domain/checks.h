/*
 * checks.h -- the CHECKs that PostgreSQL makes of every new row of a relation, and the expressions
 * of its generated columns.
 *
 * Runs in any process; it sees the schema and no data.
 */
#ifndef DPSYN_CHECKS_H
#define DPSYN_CHECKS_H

#include "pg/server/compat.h"

#include "nodes/bitmapset.h"
#include "nodes/pg_list.h"
#include "utils/relcache.h"

typedef struct DpCheck
{
	char *name;         /* of the constraint, or of the generated column */
	Bitmapset *columns; /* numbers of the columns that it reads */
	Node *expression;   /* planned, over Vars of the relation; NULL: it is not to be run */
	char *obstacle;     /* why it is not, a half sentence; NULL: it is */
	AttrNumber column;  /* of a generated column: its number */
	bool not_null;      /* of a generated column: it must not be NULL */
} DpCheck;

/*
 * The CHECKs, of the table and of the domain types of its columns, each a DpCheck. Those that hold
 * for new rows alone (NOT VALID) or for this table alone (NO INHERIT) are among them. Nothing of a
 * user's is run, neither here nor by evaluating the expressions: they have functions of PostgreSQL
 * itself only, written in C, which read nothing but their arguments.
 */
extern List *dp_checks_read(Relation relation);
/* The same for generated columns. The expression computes the column. */
extern List *dp_generated_read(Relation relation);

#endif
