/*
 * foreign_key.h -- the foreign keys of a table, as statements write them. Runs in any process.
 */
#ifndef DPSYN_FOREIGN_KEY_H
#define DPSYN_FOREIGN_KEY_H

#include "pg/server/compat.h"

#include "nodes/pg_list.h"
#include "utils/relcache.h"

/*
 * Two values compared by an operator. Whatever types the columns have, it is this operator, and no
 * other of the same name: each value is written as one of the type that the operator takes.
 */
typedef struct DpForeignKeyOperator
{
	char *name;  /* OPERATOR(schema.=) */
	char *left;  /* what follows the value on the left: "::schema.type", or "" */
	char *right; /* and on the right */
} DpForeignKeyOperator;

typedef struct DpForeignKey
{
	Oid parent;
	int columns;
	char **column;               /* [columns] of the child */
	char **key;                  /* [columns] of the parent: UNIQUE together */
	DpForeignKeyOperator *equal; /* [columns] what PostgreSQL compares by: key = column */
	DpForeignKeyOperator *same;  /* [columns] the same for two rows of the parent: key = key */
	bool period;   /* the last operator is no equality: a row may refer to several of the parent */
	bool is_valid; /* rows were checked that stood when it was made: it is not NOT VALID */
	/* Why rows that lead to one row of the parent need not be one group by their columns, or may
	 * lead to several, as a sentence; NULL: one equality decides both */
	char *obstacle;
} DpForeignKey;

/* The columns of a foreign key by their numbers, with nothing said of its operators. */
typedef struct DpReference
{
	Oid parent;
	int columns;
	AttrNumber column[INDEX_MAX_KEYS]; /* [columns] of the child */
	AttrNumber key[INDEX_MAX_KEYS];    /* [columns] of the parent */
	bool is_enforced;
} DpReference;

/* Of DpReference: the foreign keys of a relation, and of a partitioned one those that its partitions
 * declare. */
extern List *dp_references(Relation child);
/* The one by which values of a type are grouped. */
extern DpForeignKeyOperator dp_equality_operator(Oid type);
/* Of DpForeignKey. One that is declared twice is there once, without an obstacle if one of the two
 * has none. What a partition declares is a key of the table. */
extern List *dp_foreign_keys(Oid child);
/* The place of a column of the child in the key; -1: it is not in it. */
extern int dp_foreign_key_place(const DpForeignKey *key, const char *column);
/* "v.patient, v.number": the columns of a child that a statement calls so; NULL: without its
 * name. */
extern char *dp_foreign_key_columns(const DpForeignKey *key, const char *child);
/* The condition that two values are equal by the operator. */
extern char *dp_foreign_key_compare(const DpForeignKeyOperator *operator, const char * left,
									const char *right);
/* The condition that a row of the child belongs to a row of the parent, by the names that a
 * statement gives the two. */
extern char *dp_foreign_key_condition(const DpForeignKey *key, const char *parent,
									  const char *child);

#endif
