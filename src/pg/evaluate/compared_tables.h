/*
 * compared_tables.h -- relations that belong together, original and synthetic: which they are, what
 * is compared of each, and the statements that join their rows.
 *
 * Foreign keys are those of the original relations. Keys themselves are not compared.
 */
#ifndef DPSYN_COMPARED_TABLES_H
#define DPSYN_COMPARED_TABLES_H

#include "pg/evaluate/two_tables.h"
#include "pg/server/foreign_key.h"

typedef struct DpComparedTable
{
	Oid relation[2];
	char *name;               /* of the original, without its schema */
	int parent;               /* -1: none of the others */
	const DpForeignKey *link; /* to its parent */
	List *key;                /* of char *: its primary key; NIL: it has none */
	List *column;             /* of char *: what is compared */
} DpComparedTable;

typedef struct DpComparedTables
{
	int n;
	DpComparedTable *table; /* [n] */
} DpComparedTables;

/* Finds the foreign keys among the tables, and what is compared: of wanted, which has names of
 * tables in it, or everything for NIL. ERROR where the lists do not fit each other. */
extern DpComparedTables dp_compared_tables(List *original, List *synthetic, const List *wanted);

/* "visits.ward" of a column. */
extern const char *dp_compared_name(const DpComparedTable *table, const char *column);
/* "visits.next.ward": of the row that follows. */
extern char *dp_compared_next_name(const DpComparedTable *table, const char *column);

/* ---- statements, and parts of them ---- */

/* A relation of one side. */
extern char *dp_compared_label(const DpComparedTable *table, DpSide side);
/* The relations of one side, which are all that statements read. */
extern List *dp_compared_sources(const DpComparedTables *tables, DpSide side);
/* A condition: the row refers to one of the parent. */
extern char *dp_compared_refers(const DpComparedTable *table, const char *alias);
/* Rows of a table with those of one above it. */
extern char *dp_rows_across(const DpComparedTables *tables, const DpComparedTable *above,
							const DpComparedTable *table, DpSide side);
/* Rows of the parent with the number of rows that belong to each. */
extern char *dp_rows_counted(const DpComparedTables *tables, const DpComparedTable *parent,
							 const DpComparedTable *table, DpSide side);
/* Rows of a table with those that follow them among the rows of one parent. */
extern char *dp_rows_followed(const DpComparedTables *tables, const DpComparedTable *parent,
							  const DpComparedTable *table, DpSide side);

#endif
