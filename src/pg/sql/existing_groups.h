/*
 * existing_groups.h -- of groups by several columns of a public table, those that some row of it has.
 */
#ifndef DPSYN_EXISTING_GROUPS_H
#define DPSYN_EXISTING_GROUPS_H

#include "pg/server/compat.h"

#include "nodes/parsenodes.h"

#include "pg/sql/private_relation.h"

/* Conditions of the groups of a query, which PostgreSQL checks against public tables. */
extern List *dp_existing_groups(DpPrivacy *privacy, Query *query, const List *groups);

#endif
