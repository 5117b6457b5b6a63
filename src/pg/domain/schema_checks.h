/*
 * schema_checks.h -- the CHECK constraints that a column's values are known to pass, and what can
 * be read in them without running anybody's code.
 *
 * Runs in any process; it sees the schema and no data.
 */
#ifndef DPSYN_SCHEMA_CHECKS_H
#define DPSYN_SCHEMA_CHECKS_H

#include "pg/server/compat.h"

#include "access/tupdesc.h"
#include "nodes/primnodes.h"
#include "utils/relcache.h"

#include "pg/domain/checks.h"

/* The column that an expression is about. */
typedef struct DpSubject
{
	AttrNumber number;
	Oid type;
	int32 typmod;
	Oid collation;
	bool owner_code; /* the input function of the column's type may run, and so a domain's CHECK */
} DpSubject;

/* Whether a node is the column, or the column as a type that is the same underneath. */
extern bool dp_is_subject(Node *node, const DpSubject *subject);
/* The constant that a node folds to; NULL if it is none, or NULL, or if finding out would run what
 * a user wrote or take long. */
extern Const *dp_constant_of(Node *node);
/* The words of a DEFAULT as nodes; NULL: they are too long for a constant, or a sequence. */
extern Node *dp_default_read(const char *words);
/* The default of a column, where it is a constant; else NULL. */
extern Const *dp_constant_default(Relation relation, AttrNumber number);

/* Looks at the expression of one CHECK; true ends the visit. */
typedef bool (*DpCheckVisit)(Node *expression, const DpSubject *subject, void *context);

/*
 * Visits the CHECKs about the column that hold for every row of the relation, first those of the
 * table and then those of the column's domain types. True if a visit returned true.
 */
extern bool dp_checks_visit(DpChecks *checks, const DpSubject *subject, DpCheckVisit visit,
							void *context);

#endif
