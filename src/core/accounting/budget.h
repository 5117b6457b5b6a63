/*
 * budget.h -- budgets as exact integers: what mechanisms cost, splitting, composing.
 *
 * epsilon in nano (1e-9), delta in atto (1e-18), rho in pico (1e-12). Rounding
 * is always outward: a charge rounds up, a cap or a share rounds down.
 */
#ifndef DP_BUDGET_H
#define DP_BUDGET_H

#include "core/base/status.h"

#define DP_EPSILON_ONE INT64_C(1000000000)        /* epsilon = 1 in nano-epsilon */
#define DP_DELTA_ONE INT64_C(1000000000000000000) /* delta = 1 in atto */
#define DP_EPSILON_NANO_MAX                                                                        \
	(INT64_C(1000000) * DP_EPSILON_ONE) /* one charge or cap: epsilon <= 1e6 */

#define DP_RHO_ONE INT64_C(1000000000000)               /* rho = 1 in pico */
#define DP_RHO_PICO_MAX (INT64_C(1000000) * DP_RHO_ONE) /* one charge: rho <= 1e6 */

/*
 * What something costs, in two accounts at once: it is (epsilon, delta)-DP, and it is
 * delta-approximate rho-zCDP. Basic composition adds up epsilon and delta. zCDP composition
 * adds up rho and delta. Each account is true by itself.
 *
 * A cost is made by dp_cost_pure(), dp_cost_approximate() or dp_cost_concentrated() and by
 * no other means, so that no rho is forgotten. dp_cost_concentrated() sets epsilon to 0,
 * which means "by conversion": such a mechanism has an epsilon only at a delta. Its plan
 * chooses that delta and pays for all such stages together (dp_epsilon_of_rho).
 *
 * A budget that a user asks for, or a cap, has an epsilon and a delta, and rho is 0; see
 * dp_budget_left().
 */
typedef struct DpBudget
{
	int64_t epsilon_nano; /* >= 0 */
	int64_t delta_atto;   /* 0..DP_DELTA_ONE */
	int64_t rho_pico;     /* >= 0 */
} DpBudget;

/* The cost of an epsilon-DP mechanism is (epsilon, 0), and rho is dp_rho_of_epsilon(epsilon). */
extern DpBudget dp_cost_pure(int64_t epsilon_nano);
/*
 * The cost of an (epsilon, delta)-DP mechanism. Its rho is that of an epsilon-DP mechanism,
 * with probability 1 - delta; what `spent` says of rho is not looked at. The reason: one and the
 * same post-processing makes the mechanism's two distributions on neighbours from two simpler ones.
 * These give anything at all with probability delta, and are randomised response with epsilon
 * otherwise (Kairouz, Oh, Viswanath 2015).
 */
extern DpBudget dp_cost_approximate(DpBudget spent);
/* The cost of a rho-zCDP mechanism with no epsilon of its own: Gaussian noise. */
extern DpBudget dp_cost_concentrated(int64_t rho_pico);

/*
 * What any test of membership can win at most: the share of right answers among members, less that
 * of wrong ones among others. It is (e^epsilon - 1 + 2 delta)/(e^epsilon + 1), and no more than 1
 * (Kairouz, Oh, Viswanath 2015; docs/evaluate.md has the proof). epsilon, delta >= 0.
 */
extern double dp_membership_advantage(double epsilon, double delta);

/* Whether a budget is what the type promises. A negative cost that got through would fill a
 * meter up again. */
extern bool dp_budget_valid(DpBudget budget);
/* Sets *out to a + b. DP_ERR_RANGE: the sum overflows, and *out is untouched. */
extern DpStatus dp_budget_add(DpBudget a, DpBudget b, DpBudget *out) DP_MUST_USE;
/* One of `parts` equal shares, each rounded down, so that parts x share <= total. parts >= 1. */
extern DpBudget dp_budget_divide(DpBudget total, uint64_t parts);
/* Multiplies budget by times. DP_ERR_RANGE: the product overflows. */
extern DpStatus dp_budget_multiply(DpBudget budget, uint64_t times, DpBudget *out) DP_MUST_USE;
/* floor(total x share_nano / 1e9), share_nano in 0..1e9. A product of 128 bits makes it exact. */
extern int64_t dp_share_floor(int64_t total, int64_t share_nano);
/* The largest total of which `part` is at least such a share: floor(part x 1e9 / share_nano), and
 * no more than INT64_MAX. share_nano in 1..1e9. */
extern int64_t dp_share_whole(int64_t part, int64_t share_nano);
/* Sets *out to a - b. DP_ERR_OVERDRAW: a part of b is larger than that of a. */
extern DpStatus dp_budget_subtract(DpBudget a, DpBudget b, DpBudget *out) DP_MUST_USE;
/* Sets *left to what a cost leaves of a budget that a user asked for. `asked` names no rho, so
 * the cost's rho is not held against it, and *left has none. DP_ERR_OVERDRAW: too little is
 * left. */
extern DpStatus dp_budget_left(DpBudget budget, DpBudget cost, DpBudget *left) DP_MUST_USE;

/*
 * zCDP conversions (zcdp.c). Arguments that no budget can hold (negative, delta
 * over 1) count as the worst: rho and epsilon are INT64_MAX, what they buy is 0. Where
 * two amounts go in, they are parts of a DpBudget, whose third part is not looked at.
 */
/* The rho of an epsilon-DP mechanism, epsilon tanh(epsilon/2), rounded up. */
extern int64_t dp_rho_of_epsilon(int64_t epsilon_nano);
/* The epsilon that rho-zCDP gives at delta, rounded up. It is INT64_MAX where it does not fit,
 * and for delta 0 with rho > 0: zCDP alone gives no pure DP. */
extern int64_t dp_epsilon_of_rho(DpBudget rho_and_delta);
/* The largest rho whose epsilon at delta is at most epsilon, rounded down. It is 0 where delta
 * is 0. */
extern int64_t dp_rho_of_budget(DpBudget epsilon_and_delta);

#endif
