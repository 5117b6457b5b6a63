/*
 * from_clause.h -- the relations of a question: which of them is counted, and what the others give to
 * its rows. Runs in the caller's backend.
 */
#ifndef DPSYN_FROM_CLAUSE_H
#define DPSYN_FROM_CLAUSE_H

#include "pg/server/compat.h"

#include "pg/budget/dataset.h"
#include "pg/sql/question.h"
#include "pg/sql/translate.h"

/* Fills dataset with that of the counted relation, the translation with all relations, and what they
 * are joined on and filtered by. ERROR for a join that no question can have. */
extern void dp_from_clause(const DpQuestion *question, DpTranslation *translation,
						   DpDataset *dataset, DpRelation **counted);

/* A column of this query, as another type or not; NULL: it is something else. */
extern const Var *dp_plain_var(const Node *node);

/* What the FROM of one entry filters by; NULL: nothing. */
extern DpRowExpression *dp_where_clause(const FromExpr *jointree, DpTranslation *translation);

#endif
