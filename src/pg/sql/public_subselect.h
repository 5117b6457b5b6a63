/*
 * public_subselect.h -- sub-selects of a question that read public tables alone. Runs in the caller's
 * backend, with the caller's rights.
 */
#ifndef DPSYN_PUBLIC_SUBSELECT_H
#define DPSYN_PUBLIC_SUBSELECT_H

#include "pg/server/compat.h"

#include "nodes/parsenodes.h"

#define DP_SUBSELECT_ROWS_MAX 10000

/* Whether it reads nothing but tables that are declared public, and depends on no row. */
extern bool dp_subselect_is_public(const Query *query);
/* The values of its first column, as Const *. ERROR: there are too many. */
extern List *dp_subselect_values(const Query *query);

#endif
