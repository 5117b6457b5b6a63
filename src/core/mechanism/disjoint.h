/*
 * mechanism_disjoint.h -- many private choices, each about rows of its own,
 * for the price of one.
 */
#ifndef DP_MECHANISM_DISJOINT_H
#define DP_MECHANISM_DISJOINT_H

#include "mechanism.h"

/*
 * chosen[g] of candidates for each of the groups, by dp_select on scores[g x
 * candidates + i]. Each row is in one group, and the scores of a group depend on
 * its rows alone: row_sensitivity is how far one of them moves when one row joins
 * or leaves the group. (epsilon, 0)-DP for all choices together; charges that.
 */
extern DpStatus dp_select_disjoint(DpMeter *meter, DpRng *rng, const int64_t *scores,
								   uint64_t groups, uint64_t candidates, int64_t epsilon_nano,
								   DpUnit unit, int64_t row_sensitivity, uint32_t *chosen,
								   const DpTick *tick) DP_MUST_USE;
/* Epsilon of one of these choices: epsilon_nano / L1, rounded down; 0 = too little. */
extern int64_t dp_disjoint_epsilon(int64_t epsilon_nano, DpUnit unit);

#endif
