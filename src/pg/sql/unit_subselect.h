/*
 * unit_subselect.h -- sub-selects that tell something of the person of a row, as joins with what is
 * computed of each person.
 */
#ifndef DPSYN_UNIT_SUBSELECT_H
#define DPSYN_UNIT_SUBSELECT_H

#include "pg/server/compat.h"

#include "nodes/parsenodes.h"

#include "pg/budget/dataset.h"
#include "pg/sql/private_relation.h"

/* A query that is to become one by person. */
typedef struct DpUnitSubselect
{
	Query *query;  /* of the rows */
	Var *person;   /* of the query around it */
	Var *key;      /* of the rows, which is equal to it */
	OpExpr *equal; /* the comparison */
} DpUnitSubselect;

/*
 * Rewrites IN and EXISTS over rows of the same person, and scalar sub-queries and LATERAL that
 * compute one number from them, as outer joins by person. EXISTS over children of a row, and IN
 * over its ancestors, are left: they are conditions of a question as they are.
 */
extern void dp_join_unit_subselects(DpPrivacy *privacy, Query *query);

/* ---- how they are joined ---- */

/* Makes it SELECT key, values, count(*) ... GROUP BY key. false: that is not by person. */
extern bool dp_unit_subselect_group(DpPrivacy *privacy, DpUnitSubselect *of, const List *values);
/* Adds it to a query, by an outer join. Returns the number of its entry. */
extern int dp_unit_subselect_join(Query *query, const DpUnitSubselect *of);
/* A value, also of a person without rows: what the aggregates of the expression are then. */
extern Node *dp_unit_subselect_value(const DpUnitSubselect *of, int number, int column,
									 Node *expression);
/* The same, with `none` as the value for a person without rows; it reads no column. */
extern Node *dp_unit_subselect_value_or(const DpUnitSubselect *of, int number, int column,
										Node *none);
/* Whether an entry is a relation that is protected now. */
extern bool dp_entry_is_protected(const RangeTblEntry *entry, DpDataset *dataset);
/* a = b, by an operator that is one of types with an order */
extern bool dp_is_equality(const Node *node);
/* Whether a column says to whom a private row belongs, or is its primary key. *below: its relation is
 * one below that of the units, whose column does not name them. */
extern bool dp_says_whose(DpPrivacy *privacy, const Query *query, const Var *column, bool *below);
/* Whether a sub-query aggregates the rows of each unit: one of its groups says whose they are. */
extern bool dp_groups_by_unit(DpPrivacy *privacy, const Query *query);
/* Whether count(DISTINCT person) is asked for. Variables of joins are flattened. */
extern bool dp_counts_units(DpPrivacy *privacy, const Query *query);

#endif
