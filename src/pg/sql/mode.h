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

/* The planner's hook; called once, when the library is loaded. */
extern void dp_private_queries_init(void);

/* The scan that asks a question when its plan runs, and hands out the answer. */

/* The planner's hook on paths; called once, when the library is loaded. */
extern void dp_question_scan_init(void);

#endif
