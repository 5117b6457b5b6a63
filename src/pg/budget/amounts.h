/*
 * amounts.h -- epsilon, delta and limits as arguments of the custodian's functions.
 *
 * Runs in the custodian's backend; it sees no data.
 */
#ifndef DPSYN_AMOUNTS_H
#define DPSYN_AMOUNTS_H

#include "pg/server/compat.h"

#include "pg/budget/dataset.h"

/*
 * Arguments number epsilon and epsilon + 1, which is delta, both double precision and not NULL; no
 * rho. round_up: for what was spent; else they are rounded down, as a cap is. ERROR for a negative
 * number, or one that is too large.
 */
extern DpBudget dp_amounts_argument(FunctionCallInfo fcinfo, int epsilon, bool round_up);
/* ERROR unless these amounts can be a relation's total; WARNING where they promise little. */
extern void dp_check_total(DpAccountant accountant, DpBudget total);
/* A bound of the epsilon of one release, in units of 1e-9; 0 for none, which NULL and the number none
 * mean. name: of the argument. */
extern int64 dp_limit_argument(FunctionCallInfo fcinfo, int argument, const char *name,
							   double none);

#endif
