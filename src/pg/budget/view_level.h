/*
 * view_level.h -- what is known of one query of a view, while it is walked.
 *
 * view_facts.c walks the queries and follows the unit through joins; view_constructs.c refuses what
 * none of them may have. They run in any process, and read no data.
 */
#ifndef DPSYN_VIEW_LEVEL_H
#define DPSYN_VIEW_LEVEL_H

#include "pg/server/compat.h"

#include "nodes/bitmapset.h"
#include "nodes/parsenodes.h"

/* A column of a relation in FROM, by its number in the query's range table. */
typedef struct DpViewPlace
{
	int entry; /* 0: none */
	AttrNumber column;
} DpViewPlace;

/* A column that tells the rows of a relation apart. */
typedef struct DpViewKey
{
	Oid relation; /* InvalidOid: none */
	AttrNumber column;
} DpViewKey;

typedef struct DpViewWalk
{
	List *public_relations;
	List *bases; /* the tables below the view, kept by view_facts.c */
} DpViewWalk;

/* One query: of a view, or a sub-select in FROM. */
typedef struct DpViewLevel
{
	DpViewWalk *walk;
	Oid view; /* whose definition has it */
	Query *query;
	Bitmapset *secret;   /* entries of relations that are not public */
	Bitmapset *nullable; /* entries that an outer join fills with NULL */
	List *equalities;    /* of columns that must all hold */
	DpViewPlace *tie;    /* of each entry: how the unit reaches it */
	DpViewKey *parent;   /* of each entry: the key to whose row it refers */
	bool alone;          /* no join along the unit is above it */
} DpViewLevel;

/* ---- view_constructs.c ---- */

extern DP_NORETURN void dp_view_refuse(Oid view, const char *construct);

/* ERROR where a query that reads what is not public has an aggregate, LIMIT or the like. */
extern void dp_view_check_constructs(Oid view, const Query *query);

/* ERROR where an expression is not immutable, or sees more than the row. A walker: false. */
extern bool dp_view_check_expression(Node *node, DpViewLevel *level);

/* Whether a query reads a relation that is not public. A walker. */
extern bool dp_view_reads_secret(Node *node, DpViewLevel *level);

#endif
