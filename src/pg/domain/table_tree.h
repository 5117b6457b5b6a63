/*
 * table_tree.h -- tables that are released together: a root, and tables whose rows belong to its
 * rows.
 *
 * Runs in any process. It sees the schema and dpsyn's catalog, and no data.
 *
 * The model of a table is over its own attributes, which come first; then, for each table below it,
 * the number of rows there ("visits.count"); then what is known of a row before it is drawn: the
 * own attributes of the rows that it belongs to, up to the root ("patients.sex"), how many rows its
 * parent has ("visits.siblings"), and what its last siblings were ("visits.previous.ward",
 * "visits.again.ward"; struct DpPrevious).
 */
#ifndef DPSYN_TABLE_TREE_H
#define DPSYN_TABLE_TREE_H

#include "pg/server/compat.h"

#include "pg/budget/parent.h"
#include "pg/domain/relation.h"
#include "pg/domain/tree_names.h"

#define DP_TREE_TABLES_MAX 32
#define DP_TREE_ROWS_MAX 100   /* that belong to one row of the parent */
#define DP_TREE_ROWS_COUNTED 8 /* as which they are counted, at most, unless more count in full */

typedef struct DpTreeTable
{
	Oid relation;
	char *name; /* without its schema */
	DpDataset dataset;
	int parent;                    /* a smaller number; -1: it is the root */
	const DpForeignKey *reference; /* to its parent */
	/* the own attribute by which the rows of a parent follow each other, as was declared; -1:
	 * none */
	int order;
	char *key;   /* the column that tells them apart, in whose order they are else; NULL: none */
	uint32 full; /* rows per parent that count with full weight; more of them share it */
	uint32 full_most; /* it may be more than 1, up to this: that can be planned for, at one cost */
	uint32 full_row;  /* as how many rows one counts that counts in full */
	uint32 unit_rows; /* as how many rows those are counted that belong to one row of the root */
	uint32 unit_rows_most; /* the same, if all are full_most */
	DpRelation *facts;     /* filled by dp_tree_extend */
	uint32 own;            /* attributes of its own */
	int32 *known;          /* [attributes] DpKnown of each */
	int *from_parent;      /* [attributes] the attribute of the parent that each is; -1: none */
} DpTreeTable;

typedef struct DpTableTree
{
	int tables;
	DpTreeTable *table; /* [tables], the root first */
} DpTableTree;

/* The tree of these relations, in any order. ERROR unless they are one. */
extern DpTableTree *dp_tree_of(List *relations);
/* The error for a relation that is named without its parent. */
extern DP_NORETURN void dp_tree_parent_missing(Oid relation, Oid parent);
/* The error for relations of one name. */
extern DP_NORETURN void dp_tree_same_name(const char *name);
/* Says how many rows of one parent count in full (parents.md), after the same was said of those of
 * the parent. */
extern void dp_tree_count_full(DpTableTree *tree, int number, uint32 full);
/*
 * Removes columns from the facts of a table, modelled or not, that repeat a modelled column of an
 * ancestor. A key of several columns may have such columns, for instance a site and a number. They
 * are derived from the ancestor row. Marks the ancestor columns that descendants repeat. Call after
 * dp_tree_extend of the ancestors. ERROR if a derived value would differ.
 */
extern void dp_tree_inherit(const DpTableTree *tree, int number, DpRelation *facts);
/* Adds the facts of a table of the tree; those of its parent are known. */
extern void dp_tree_extend(DpTableTree *tree, int number, DpRelation *facts);
/* What the rows of a table hold that are not modelled, as a release keeps it: its columns that
 * refer to its parent hold what the parent's key does. ERROR unless they tell the rows of the
 * parent apart. */
extern char *dp_tree_fill(const DpTableTree *tree, int number);

/*
 * What is known of the siblings before a row, for an own attribute that is a category: what most of
 * the last three have, or else the last one ("previous"; the level "other": there is none),
 * and whether two of the last three have the same ("again"). Of an attribute with bins: the last
 * one.
 */
typedef struct DpPrevious
{
	int last;  /* which of the siblings before it is "previous": 1 is the one before; 0: none */
	bool same; /* "again" */
} DpPrevious;

/* alike[0]: the last one and the one before it have the same, alike[1]: the last and the third,
 * alike[2]: the second and the third. before: how many siblings there are before the row. */
static inline DpPrevious
dp_tree_previous(uint64 before, const bool alike[3])
{
	bool of_two = before > 1 && alike[0];
	bool of_three = before > 2 && (alike[1] || alike[2]);

	return (DpPrevious){.last = before == 0                         ? 0
								: before > 2 && !of_two && alike[2] ? 2
																	: 1,
						.same = of_two || of_three};
}

extern bool dp_tree_has_again(const DpAttribute *attribute);

#endif
