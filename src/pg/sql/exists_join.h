/*
 * exists_join.h -- joins that only ask whether there are rows, as EXISTS.
 */
#ifndef DPSYN_EXISTS_JOIN_H
#define DPSYN_EXISTS_JOIN_H

#include "pg/server/compat.h"

#include "nodes/parsenodes.h"

#include "pg/sql/private_relation.h"

/*
 * Changes LEFT JOIN b ON ... WHERE b.id IS NULL into NOT EXISTS, and a join of a relation with itself
 * into EXISTS where nothing is counted but what differs. Joins that depend on other columns of the
 * rows around them than those that are equal are left. Variables of joins are flattened.
 */
extern void dp_joins_as_exists(DpPrivacy *privacy, Query *query);
/* Makes the joins of a sub-select of IN or EXISTS, with public tables and with what rows belong to, IN
 * within it, if one relation is left then. */
extern void dp_joins_as_in(DpPrivacy *privacy, Query *query);

#endif
