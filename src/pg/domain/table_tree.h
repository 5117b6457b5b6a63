/*
 * table_tree.h -- tables that are released together: a root, and tables whose rows belong to its rows.
 *
 * Runs in any process. It sees the schema and dpsyn's catalog, and no data.
 *
 * The model of a table is over its own attributes, which come first; then, for each table below it,
 * the number of rows there ("visits.count"); then what is known of a row before it is drawn: the
 * parent's own attributes ("patients.sex"), how many rows its parent has ("visits.siblings"), and
 * the own attributes of the row before it of the same parent ("visits.previous.ward"), which in the
 * first row is the level for the rest.
 */
#ifndef DPSYN_TABLE_TREE_H
#define DPSYN_TABLE_TREE_H

#include "pg/server/compat.h"

#include "pg/budget/parent.h"
#include "pg/domain/relation.h"

#define DP_TREE_TABLES_MAX 32
#define DP_TREE_ROWS_MAX 100 /* that belong to one row of the parent */

typedef struct DpTreeTable
{
	Oid relation;
	char *name; /* without its schema */
	DpDataset dataset;
	int parent;            /* a smaller number; -1: it is the root */
	DpReference reference; /* to its parent */
	char *order;       /* the column by which the rows of a parent follow each other; NULL: none */
	DpRelation *facts; /* filled by dp_tree_extend */
	uint32 own;        /* attributes of its own */
} DpTreeTable;

typedef struct DpTableTree
{
	int tables;
	DpTreeTable *table; /* [tables], the root first */
} DpTableTree;

/* The tree of these relations, in any order. ERROR unless they are one. */
extern DpTableTree *dp_tree_of(List *relations);
/* Adds to what is known of a table of the tree, after that of its parent. */
extern void dp_tree_extend(DpTableTree *tree, int number, DpRelation *facts);
/* What the rows of a table hold that are not modelled, as a release keeps it: its column that refers
 * to its parent holds what the parent's key does. ERROR if that is not a number of the row. */
extern char *dp_tree_fill(const DpTableTree *tree, int number);

/* ---- names of attributes, which drawing reads again ---- */

extern char *dp_tree_count_name(const char *child);
extern char *dp_tree_siblings_name(const char *child);
extern char *dp_tree_parent_name(const char *parent, const char *attribute);
extern char *dp_tree_previous_name(const char *child, const char *attribute);

#endif
