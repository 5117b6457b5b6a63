/*
 * public_lookup.h -- columns of public tables in a query of a relation that refers to them: "part.brand"
 * in a query of items.
 *
 * Runs in any process; it sees public facts.
 */
#ifndef DPSYN_PUBLIC_LOOKUP_H
#define DPSYN_PUBLIC_LOOKUP_H

#include "pg/server/compat.h"

#include "pg/domain/public_keys.h"
#include "pg/domain/relation.h"

/* By which column of a relation which column of a public table is read. */
typedef struct DpPublicLookup
{
	Oid relation;
	const char *column;
	const DpPublicKeys *keys;
	const DpPublicColumn *of;
} DpPublicLookup;

/* Adds the column of this name if a public table that a modelled column refers to has it, and the
 * relation itself has none of this name. */
extern void dp_public_column_add(DpRelation *relation, const char *name);
/* What reads it in a row of the relation: by the operators of the foreign keys, one row at most. */
extern char *dp_public_lookup_expression(const DpPublicLookup *lookup, const char *of);
/* The public tables (OIDs) that are so read, each once. */
extern List *dp_public_lookups(const DpRelation *relation);
/* ERROR unless they still are what they were declared to be. */
extern void dp_check_public_lookups(const DpRelation *relation);

/* A digest of what columns of a relation hold of public tables: by it two processes know that they
 * have read the same. 0: none holds any. */
extern uint64 dp_public_digest(const DpRelation *relation);
/* All public tables (OIDs) that the relation's domain stands on: those, and those whose keys are modelled, or
 * group keys. */
extern List *dp_public_tables(const DpRelation *relation);
/* ERROR unless all public tables that the relation's domain stands on still are what they were
 * declared to be. */
extern void dp_check_public_tables(const DpRelation *relation);

#endif
