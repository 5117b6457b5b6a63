/*
 * ancestor_columns.h -- columns of the rows that rows of a relation belong to, as a query of the
 * relation names them: "patients.sex" in a query of visits.
 *
 * Runs in any process. It sees the schema and dpsyn's catalog, and no data.
 */
#ifndef DPSYN_ANCESTOR_COLUMNS_H
#define DPSYN_ANCESTOR_COLUMNS_H

#include "pg/server/compat.h"

#include "pg/budget/dataset.h"
#include "pg/domain/relation.h"

/*
 * Adds the column of this name, if it is one of an ancestor of the relation, and the
 * relation has none that is called so. ERROR if that table has no such column with a public domain.
 */
extern void dp_column_above_add(DpRelation *relation, const DpDataset *dataset, const char *name);
/* The relations whose columns were added, each once. */
extern List *dp_relations_above(const DpRelation *relation);

#endif
