/*
 * request_parts.h -- what preparing a release of one table and one of several share: for request.c
 * and request_tree.c alone.
 */
#ifndef DPSYN_REQUEST_PARTS_H
#define DPSYN_REQUEST_PARTS_H

#include "pg/release/prepared.h"

/* A table of those that are released together; tree NULL: it is released alone. */
typedef struct DpPartPlace
{
	DpTableTree *tree;
	int number;
	int64 share_nano; /* of the tree's budget; 0: the table has a budget of its own */
} DpPartPlace;

/* Facts and plan of one table. error: where its plan fails, the reason, and the result is NULL; an
 * error NULL: that is an ERROR. */
extern DpPrepared *dp_prepare_table(const DpReleaseRequest *request, DpPartPlace place,
									DpError *error);
/* Adds the table of the tree whose plan failed to the error, and a hint on leaving out its columns,
 * since the option "columns" is for one relation. */
extern void dp_say_of_table(DpError *error, const char *table);
/* ERROR where an option is for one relation, and several are released. */
extern void dp_check_together(const DpReleaseRequest *request);
/* All tables of a tree. error: as for one. */
extern DpPrepared *dp_prepare_tree(const DpReleaseRequest *request, DpError *error);
/* Whether more rows of a table of a tree than one of a parent may count in full at the same
 * cost. */
extern void dp_plan_full_rows(DpPrepared *prepared, const DpMethod *method, DpTableTree *tree,
							  int number);

#endif
