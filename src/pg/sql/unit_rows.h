/*
 * unit_rows.h -- sub-queries in FROM that aggregate the rows of each person first, as rows of a
 * question. Runs in the caller's backend.
 */
#ifndef DPSYN_UNIT_ROWS_H
#define DPSYN_UNIT_ROWS_H

#include "pg/server/compat.h"

#include "pg/budget/dataset.h"
#include "pg/sql/question.h"
#include "pg/sql/translate.h"

typedef struct DpUnitRows
{
	const Query *query;
	DpTranslation inner; /* of what stands within the sub-query */
	List *groups;        /* Node *, one for each of inner.asked->groups */
	List *keys;          /* Node *: groups that tell the unit */
	uint32 number;       /* of the relation that they are in the question */
	/* of those that are joined: the entry of the range table, the relation whose rows they sum up,
	 * what a row that they are joined to has as their key, and whether it may have none of them */
	int entry;
	Oid relation;
	const DpRowExpression *person;
	bool outer;
} DpUnitRows;

/* The sub-query that FROM is, and nothing else; NULL: it is not one. */
extern const Query *dp_unit_query(const DpQuestion *question);
/* Fills the translation of a question over it: relation 0 are rows of units. ERROR for what they
 * cannot be. */
extern void dp_unit_rows_plan(const Query *query, DpTranslation *translation, DpDataset *dataset,
							  DpRelation **counted);
/* Those that stand beside relations. */
extern const DpUnitJoins dp_unit_joins;
/* Whether a column tells one unit from another. */
extern bool dp_tells_unit(const DpAsked *asked, const DpDataset *dataset,
						  const DpRowExpression *column);

#endif
