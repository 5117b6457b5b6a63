/*
 * private_relation.h -- which relations of a statement its reader may not see, but ask about.
 */
#ifndef DPSYN_PRIVATE_RELATION_H
#define DPSYN_PRIVATE_RELATION_H

#include "pg/server/compat.h"

#include "nodes/parsenodes.h"

#include "pg/sql/question.h"

/* How the statements at hand are answered. */
typedef struct DpPrivateQueries
{
	DpAskFor ask;
	bool all; /* every protected relation, also one that the role may read */
} DpPrivateQueries;

/* What is looked at, and known of it already. */
typedef struct DpPrivacy
{
	DpPrivateQueries how;
	const char *text;  /* of the statement; NULL: unknown */
	List *protected;   /* OIDs */
	List *unprotected; /* OIDs */
} DpPrivacy;

/* Whether the relation of an entry is protected, and its reader may not read it; of all protected
 * relations, where the privacy says so. false for entries that are no relations. */
extern bool dp_entry_is_private(DpPrivacy *privacy, const Query *query, const RangeTblEntry *entry);
/* Turns private views that are protected back into relations, so that their definitions are not
 * read. */
extern void dp_restore_private_views(DpPrivacy *privacy, Query *query);
/* The first relation anywhere in a statement that is private; InvalidOid: there is none. */
extern Oid dp_find_private(DpPrivacy *privacy, Query *query);

#endif
