/*
 * spending.h -- whether a call may spend, for reasons that have nothing to do with its budget.
 *
 * Runs in the caller's backend. What it refuses are mistakes: a role can get round all of it.
 */
#ifndef DPSYN_SPENDING_H
#define DPSYN_SPENDING_H

#include "pg/server/compat.h"

/* ERROR unless a call may spend here: in this transaction, with these settings. */
extern void dp_check_spending(void);

#endif
