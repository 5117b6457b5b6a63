/*
 * evaluate.h -- judging synthetic rows beside the original ones, with the rights of the caller.
 *
 * Runs in the caller's backend. Whoever calls it can read both relations; nothing here reads a row
 * by any other right, and nothing draws noise or spends budget.
 */
#ifndef DPSYN_EVALUATE_H
#define DPSYN_EVALUATE_H

#include "pg/server/compat.h"

/* ERROR unless the relation can be read as a table is: a table, a view, or the like. argument: the
 * name of the argument, for the message. */
extern void dp_evaluate_check_relation(Oid relation, const char *argument);

#endif
