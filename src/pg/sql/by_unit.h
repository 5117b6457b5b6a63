/*
 * by_unit.h -- sub-queries that aggregate the rows of each unit first.
 */
#ifndef DPSYN_BY_UNIT_H
#define DPSYN_BY_UNIT_H

#include "pg/server/compat.h"

#include "nodes/parsenodes.h"

#include "pg/sql/private_relation.h"

/*
 * Whether a query groups private rows by what says whose they are: a unit column, a foreign key to a
 * parent, or a primary key. Its rows are no answer: each is of one unit, and a query around it can
 * aggregate them. Variables of joins are flattened.
 */
extern bool dp_groups_by_unit(DpPrivacy *privacy, const Query *query);

#endif
