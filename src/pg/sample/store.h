/*
 * store.h -- stored releases.
 *
 * Runs in the caller's backend, on what was released.
 */
#ifndef DPSYN_STORE_H
#define DPSYN_STORE_H

#include "pg/server/compat.h"

#include "nodes/pg_list.h"
#include "utils/jsonb.h"

#include "core/plan/method.h"

/* A stored release, parsed and checked, in the memory context that was current. */
typedef struct DpStored
{
	int64 id;
	int32 sets;
	Oid relation; /* of whose rows it is; InvalidOid: it was dropped or unprotected */
	bool
		units_bounded; /* of a person, at most so many rows were counted as the model's unit says */
	unsigned char *bytes; /* the serialised model */
	size_t length;
	Jsonb *fill;    /* {"column": pattern} of columns that are filled */
	Jsonb *derived; /* columns that are made from others: pg/domain/derived.h */
	DpArena arena;
	DpModel model;
	const DpMethod *method;
} DpStored;

/* Whether it exists, and the current user may draw from it. */
extern bool dp_stored_may_draw(int64 release);
/* ERROR if it does not exist, or the current user may not draw from it. */
extern DpStored *dp_stored_get(int64 release);
/* The same; ERROR where it holds the answers of method query, whose tables are no counts. */
extern DpStored *dp_stored_get_counts(int64 release);
/*
 * The same of the tree that has the relation, or else one of its name, where several trees were
 * released together, of which release is one; InvalidOid: of release itself. ERROR where none of
 * several has it.
 */
extern DpStored *dp_stored_of(int64 release, Oid relation);
/* The trees of a stored release and of those that the same call made, in their order: of
 * DpStored. ERROR unless the current user may draw from all. */
extern List *dp_stored_together(int64 release);
/* The same as dp_stored_of, of counts. */
extern DpStored *dp_stored_counts_of(int64 release, Oid relation);
/* A relation that was released together with the root, whose release it is. */
typedef struct DpStoredPart
{
	int number;      /* from 1 */
	int parent;      /* number of its parent; 0: the root */
	Oid relation;    /* InvalidOid: it was dropped */
	char *name;      /* without its schema */
	char *root_name; /* that of the root, as its attributes are called here */
	int references;
	char **refers_by; /* [references] its columns that refer to its parent */
	char **refers_to; /* [references] the columns of its parent that these hold */
	DpStored stored;
} DpStoredPart;

/* The parts of a release that dp_stored_get has read, by their numbers; NIL: a release of one
 * relation. */
extern List *dp_stored_parts(const DpStored *stored);
/* Fills arena, model and method from bytes and length. */
extern void dp_stored_parse(DpStored *stored);

#endif
