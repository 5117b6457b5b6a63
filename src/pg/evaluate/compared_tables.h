/*
 * compared_tables.h -- relations that belong together, original and synthetic: which they are, what
 * is compared of each, and the statements that join their rows.
 *
 * Foreign keys are those of the original relations. Keys that number or refer are not compared, and
 * of protected tables nothing is that is made up: fills, and what has no domain.
 */
#ifndef DPSYN_COMPARED_TABLES_H
#define DPSYN_COMPARED_TABLES_H

#include "pg/server/compat.h"

#include "fmgr.h"
#include "nodes/pg_list.h"

#include "pg/evaluate/side.h"
#include "pg/server/foreign_key.h"

typedef enum DpComparedRole
{
	DP_COMPARED_UNPROTECTED,
	DP_COMPARED_PUBLIC, /* nobody's data: copied, so that nothing of it is compared */
	DP_COMPARED_ROOT,   /* protected by itself */
	DP_COMPARED_MEMBER  /* protected, with rows that belong to those of another */
} DpComparedRole;

/* A column of a protected table that holds no values of a model. */
typedef struct DpMadeUpColumn
{
	const char *column;
	const char *what; /* what stands in it, in words */
} DpMadeUpColumn;

/* A foreign key to one of the tables. */
typedef struct DpComparedReference
{
	int parent;
	const DpForeignKey *key;
} DpComparedReference;

typedef struct DpComparedTable
{
	Oid relation[2];
	char *name; /* of the original, without its schema */
	DpComparedRole role;
	char *unit_column; /* of a root: rows with one value in it are one unit's; NULL: each is */
	uint32 rows_max;   /* of it that belong to one unit, or to one row of its parent */
	int parent;        /* whose rows its rows belong to; -1: none of the others */
	const DpForeignKey *link; /* to its parent */
	List *references;         /* of DpComparedReference *: all keys to the tables, with the link */
	List *key;                /* of char *: its primary key; NIL: it has none */
	int columns;              /* that both have */
	List *column;             /* of char *: what is compared */
	List *made_up;            /* of DpMadeUpColumn * */
} DpComparedTable;

typedef struct DpComparedTables
{
	int n;
	DpComparedTable *table; /* [n] */
} DpComparedTables;

/* Finds the foreign keys among the tables, and what is compared: of wanted, which has names of
 * tables in it, or everything for NIL. ERROR where the lists do not fit each other. */
extern DpComparedTables dp_compared_tables(List *original, List *synthetic, const List *wanted);
/*
 * Reads the first two arguments of a function, original and synthetic: relations as
 * dp_relations_argument reads them, or two schemas. Of schemas, these are the tables that both have
 * by name, and a NOTICE names what is left out (compared_arguments.c). true: they are several, or
 * schemas.
 */
extern bool dp_compared_arguments(FunctionCallInfo fcinfo, List **original, List **synthetic);

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
/* Rows of a table with those that they refer to by a key that is not the link to its parent: columns
 * of these have the names "visits.doctor.field". */
extern char *dp_rows_referred(const DpComparedTables *tables, const DpComparedReference *reference,
							  const DpComparedTable *table, const List *columns, DpSide side);
/* "visits.doctor", what names of columns begin with that are read by this key. */
extern char *dp_compared_reference_name(const DpComparedTable *table,
										const DpComparedReference *reference);
/* Rows of the parent with the number of rows that belong to each. */
extern char *dp_rows_counted(const DpComparedTables *tables, const DpComparedTable *table,
							 DpSide side);
/* Rows of a table with those that follow them among the rows of one parent. */
extern char *dp_rows_followed(const DpComparedTables *tables, const DpComparedTable *table,
							  DpSide side);

#endif
