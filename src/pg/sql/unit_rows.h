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
	int entry;           /* of the range table, of those that are joined; 0: they are counted */
} DpUnitRows;

/* The sub-query that FROM is, and nothing else; NULL: it is not one. */
extern const Query *dp_unit_query(const DpQuestion *question);
/* Fills the translation of a question over it: relation 0 are rows of units. ERROR for what they
 * cannot be. */
extern void dp_unit_rows_plan(const Query *query, DpTranslation *translation, DpDataset *dataset,
							  DpRelation **counted);
/* The same of a sub-query that stands beside the counted relation. */
extern DpUnitRows *dp_unit_rows_join(const Query *query, int entry, DpTranslation *translation,
									 DpDataset *dataset);
/* What its HAVING says, of the row of a unit; NULL: nothing. The translation has its relation. */
extern DpRowExpression *dp_unit_rows_having(DpUnitRows *units, DpTranslation *translation);
/* Whether a column of the sub-query is the person. */
extern bool dp_unit_rows_is_key(const DpUnitRows *units, AttrNumber number);
/* Whether a column is the key of the unit by which rows of another relation of the tree tell theirs. */
extern bool dp_tells_unit_of(const DpAsked *asked, const DpDataset *dataset,
							 const DpRowExpression *column, Oid relation);
/* Whether a column tells one unit from another. */
extern bool dp_tells_unit(const DpAsked *asked, const DpDataset *dataset,
						  const DpRowExpression *column);

#endif
