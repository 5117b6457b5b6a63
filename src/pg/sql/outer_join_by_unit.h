/*
 * outer_join_by_unit.h -- persons LEFT JOIN their rows, as persons with what is computed of their rows.
 */
#ifndef DPSYN_OUTER_JOIN_BY_UNIT_H
#define DPSYN_OUTER_JOIN_BY_UNIT_H

#include "pg/server/compat.h"

#include "nodes/parsenodes.h"

#include "pg/sql/private_relation.h"

/* Changes a query that is such a one, and whose groups are columns of the person; else leaves it. */
extern void dp_outer_join_by_unit(DpPrivacy *privacy, Query *query);

#endif
