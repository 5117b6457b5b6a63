/*
 * null_counts.h -- num_nulls and num_nonnulls in CHECKs, as conditions that say which columns are NULL.
 * Runs in any process.
 */
#ifndef DPSYN_NULL_COUNTS_H
#define DPSYN_NULL_COUNTS_H

#include "pg/server/compat.h"

#include "nodes/pg_list.h"

/* Replaces a comparison of such a count of few columns with a constant by what it means, made of IS
 * NULL and IS NOT NULL. The second argument is for expression_tree_mutator. */
extern Node *dp_null_counts_as_tests(Node *expression, void *unused);

#endif
