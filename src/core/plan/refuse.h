/*
 * refuse.h -- the reasons why a plan is refused, worded once for all methods. Each function fills
 * the error and returns its status. A remedy continues a sentence that begins with a verb, and has
 * no full stop.
 */
#ifndef DP_REFUSE_H
#define DP_REFUSE_H

#include "core/plan/plan.h"

/* The noise or the selections of a stage cannot be calibrated. DP_ERR_ARGUMENT. */
extern DpStatus dp_refuse_budget(const char *stage, DpError *error);
/* A stability histogram has no delta. DP_ERR_ARGUMENT. */
extern DpStatus dp_refuse_delta(const char *stage, const char *remedy, DpError *error);
/* The tables of a stage can have more cells together than the limit. DP_ERR_LIMIT. */
extern DpStatus dp_refuse_cells(const char *stage, uint64_t limit, const char *remedy,
								DpError *error);
/* The sensitivity of a selection does not fit its arithmetic. DP_ERR_LIMIT. */
extern DpStatus dp_refuse_unit(const char *stage, DpError *error);
/* Returns DP_OK if no column is open, else DP_ERR_ARGUMENT. A method that takes no open column
 * says why. */
extern DpStatus dp_refuse_open(const DpPlan *plan, const char *why, DpError *error);
/* Returns DP_OK if no column has a range whose bins are still to be found, else DP_ERR_ARGUMENT. */
extern DpStatus dp_refuse_ranges(const DpPlan *plan, DpError *error);

#endif
