/*
 * mode.h -- how private queries are asked for: what a role's plain SELECT may spend, and in which
 * statements relations stand for private questions.
 *
 * Runs in the caller's backend.
 */
#ifndef DPSYN_MODE_H
#define DPSYN_MODE_H

#include "pg/server/compat.h"

#include "pg/sql/private_relation.h"

/*
 * Whether the session answers plain SELECTs of the current user privately, by its settings. Never
 * within a SECURITY DEFINER function, or where statements run as somebody else: these settings are
 * the caller's, and the budget would be another's.
 */
extern bool dp_private_queries_are_on(DpPrivateQueries *how);
/* Whether somebody else's rights hold now, of whom the settings of the session say nothing. */
extern bool dp_runs_as_other(void);
/* The planner's hook; called once, when the library is loaded. */
extern void dp_private_queries_init(void);

#endif
