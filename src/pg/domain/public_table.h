/*
 * public_table.h -- the rows of a public table, and of those that it refers to.
 *
 * Runs in any process. What it reads was declared to be nobody's data (budget/public_relation.h).
 */
#ifndef DPSYN_PUBLIC_TABLE_H
#define DPSYN_PUBLIC_TABLE_H

#include "pg/server/compat.h"

#include "nodes/pg_list.h"

#define DP_PUBLIC_VALUES_MAX 4096 /* of a column that can be asked for, or group keys */
#define DP_PUBLIC_NO_VALUE PG_UINT32_MAX

/* A column of a public table, with the value that each row of the table below it has. */
typedef struct DpPublicColumn
{
	Oid relation; /* whose column it is: the table, or one above it */
	const char *table;
	const char *name;
	AttrNumber number;
	Oid type;
	int32 typmod;
	Oid collation;
	int depth; /* 0: of the table itself; 1: of one that it refers to; ... */
	/* the values, as their type prints them, each once, in order */
	uint32 values;
	const char **value;
	uint32 *code; /* [rows] of each row: its value, or DP_PUBLIC_NO_VALUE for NULL */
	bool refers;  /* it refers to another public table by itself */
	/* the column that leads to its table, and the column there that this one refers to; NULL: it is of
	 * the table itself */
	const struct DpPublicColumn *via;
	AttrNumber via_key;
} DpPublicColumn;

typedef struct DpPublicTable
{
	Oid relation;
	List *relations; /* OIDs: it, and those above it that were read */
	uint32 rows;
	const char **key; /* [rows] the key that other tables refer to, in order */
	List *columns; /* of DpPublicColumn: its own, each followed by those above that it leads to */
} DpPublicTable;

/*
 * Reads the rows of a table by a column that is UNIQUE and to which other tables refer. NULL: it is
 * not to be read, or has too many rows, or none. wait: for whoever holds a lock in the way, as long as
 * lock_timeout allows; else it is not to be read then.
 */
extern DpPublicTable *dp_public_table_read(Oid relation, AttrNumber key, bool wait);
/* The same with the first of the keys alone: NULL where that is, in a fraction of the time. */
extern DpPublicTable *dp_public_table_read_first(Oid relation, AttrNumber key);

#endif
