/*
 * checks.h -- the CHECKs of a relation, each read once, and the expressions of its generated
 * columns.
 *
 * Runs in any process; it sees the schema and no data.
 */
#ifndef DPSYN_CHECKS_H
#define DPSYN_CHECKS_H

#include "pg/server/compat.h"

#include "datatype/timestamp.h"
#include "nodes/bitmapset.h"
#include "nodes/pg_list.h"
#include "utils/relcache.h"

#include "pg/server/expression_work.h"

typedef struct DpCheck
{
	char *name;           /* of the constraint, or of the generated column */
	Bitmapset *columns;   /* numbers of the columns that it reads, as far as that is known */
	Node *written;        /* as it was declared, over Vars of the relation; NULL: it was not read */
	double bytes;         /* of its words */
	Node *expression;     /* planned; NULL: it is not to be run */
	char *obstacle;       /* why it is not, a half sentence; NULL: it is */
	AttrNumber column;    /* of a generated column: its number */
	bool not_null;        /* of a generated column: it must not be NULL */
	bool is_long;         /* evaluating it is more work than is allowed */
	bool holds;           /* of a CHECK: for every row that there is */
	bool of_type;         /* it is of the column's domain type */
	bool of_now;          /* the time of the release stands for now() in it (moment.h) */
	bool broken_by_nulls; /* where filled columns are NULL in some rows; fill.c looks */
} DpCheck;

/* All CHECKs of a relation, and what of its work is left (pg/server/expression_work.h). */
typedef struct DpChecks
{
	/* of DpCheck: the CHECKs of the table, then those of the columns' domain types */
	List *all;
	bool of_now;       /* one of them is about the time of the release */
	bool enforced;     /* PostgreSQL enforces the constraints of the table for every row of it */
	Bitmapset *unseen; /* columns of CHECKs that were not looked at, and of enums */
	DpWork work;
} DpChecks;

/*
 * Those of the table and of the domain types of its columns. Those that hold for new rows alone
 * (NOT VALID) or for this table alone (NO INHERIT) are among them. Nothing of a user's is run,
 * neither here nor by evaluating the expressions: they have functions of PostgreSQL itself only,
 * written in C, which read nothing but their arguments, and whose work is bounded.
 */
extern DpChecks *dp_checks_read(Relation relation);
/* The same as of the time of a release; 0: now. */
extern DpChecks *dp_checks_read_at(Relation relation, TimestampTz now);
/* The DpChecks that PostgreSQL makes of every new row of the relation. */
extern List *dp_checks_of_rows(Relation relation, const DpChecks *checks);
/* The same as CHECKs for generated columns. The expression computes the column. */
extern List *dp_generated_read(Relation relation, DpWork *work);
/* The same for a column of this number that a release computes. */
extern DpCheck *dp_check_of_value(const char *column, AttrNumber number, Node *value);
/* Whether a type is a domain over a domain, and so on, for more steps than are looked at. */
extern bool dp_domain_is_deep(Oid type);
/* The type that a domain is directly over. */
extern Oid dp_domain_base(Oid domain);

#endif
