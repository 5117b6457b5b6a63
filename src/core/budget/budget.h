/*
 * account.h -- budgets as exact integers: parsing, splitting, composing.
 *
 * epsilon in nano (1e-9), delta in atto (1e-18), rho in pico (1e-12). Rounding
 * is always outward: a charge rounds up, a cap or a share rounds down.
 */
#ifndef DP_ACCOUNT_H
#define DP_ACCOUNT_H

#include "status.h"

#define DP_EPSILON_ONE INT64_C(1000000000)        /* epsilon = 1 in nano-epsilon */
#define DP_DELTA_ONE INT64_C(1000000000000000000) /* delta = 1 in atto */
#define DP_EPSILON_NANO_MAX                                                                        \
	(INT64_C(1000000) * DP_EPSILON_ONE) /* one charge or cap: epsilon <= 1e6 */

#define DP_RHO_ONE INT64_C(1000000000000)               /* rho = 1 in pico */
#define DP_RHO_PICO_MAX (INT64_C(1000000) * DP_RHO_ONE) /* one charge: rho <= 1e6 */

/*
 * What something costs, in two accounts at once: it is (epsilon, delta)-DP, and it
 * is delta-approximate rho-zCDP. Basic composition adds up epsilon and delta, zCDP
 * composition rho and delta, and each is true by itself.
 *
 * A cost is made by dp_cost_pure(), dp_cost_approximate() or dp_cost_concentrated()
 * and by no other means, so that no rho is forgotten. Of the last, epsilon is 0 and
 * means "by conversion": such a mechanism has an epsilon only at a delta, which its
 * plan chooses and pays for all such stages together (dp_epsilon_of_rho).
 *
 * A budget that a user asks for, or a cap, is epsilon and delta, with rho 0; see
 * dp_budget_left().
 */
typedef struct DpBudget
{
	int64_t epsilon_nano; /* >= 0 */
	int64_t delta_atto;   /* 0..DP_DELTA_ONE */
	int64_t rho_pico;     /* >= 0 */
} DpBudget;

typedef enum DpNeighbours
{
	DP_ADD_REMOVE = 0, /* one unit added or removed */
	DP_REPLACE_ONE = 1 /* one unit replaced */
} DpNeighbours;

/* What is protected: all rows of one unit (a person), at most rows_max of them. */
typedef struct DpUnit
{
	DpNeighbours neighbours;
	uint32_t rows_max; /* >= 1 */
} DpUnit;

/* L1 sensitivity, in rows, of one histogram in which each row sits in one cell:
 * rows_max under add/remove, 2 rows_max under replace. */
extern int64_t dp_unit_l1(const DpUnit *unit);
/*
 * Square of its L2 sensitivity, in rows^2: k^2 under add/remove, 2 k^2 under
 * replace, k = rows_max; INT64_MAX where that is more, which no mechanism takes.
 * All k rows of a unit may share one cell, which then moves by k. Counts that come
 * are u >= 0, those that go w >= 0, each with a sum of k at most, and |u - w|^2 =
 * |u|^2 + |w|^2 - 2 u.w <= k^2 + k^2, attained by two cells.
 */
extern int64_t dp_unit_l2_squared(const DpUnit *unit);
/* Whether neighbours have the same number of rows: one row replaced. A unit of several rows may be replaced
 * by one with more or fewer. */
extern bool dp_unit_rows_public(const DpUnit *unit);

/*
 * A decimal number as PostgreSQL's numeric prints it ("1", "0.05", "12.5e-3"
 * too) to an integer number of 10^-digits. round_up: toward +infinity, else
 * toward zero. DP_ERR_ARGUMENT: not a finite non-negative number (negative,
 * NaN, Infinity, empty); DP_ERR_RANGE: over 63 bits.
 */
extern DpStatus dp_decimal_parse(const char *text, int digits, bool round_up,
								 int64_t *out) DP_MUST_USE;
/* The shortest exact decimal of value x 10^-digits, into buffer (DP_DECIMAL_BYTES): "0.05", "1". */
#define DP_DECIMAL_BYTES 32
extern char *dp_decimal_print(int64_t value, int digits, char *buffer);

/* The cost of an epsilon-DP mechanism: (epsilon, 0), and rho = dp_rho_of_epsilon(epsilon). */
extern DpBudget dp_cost_pure(int64_t epsilon_nano);
/*
 * The cost of an (epsilon, delta)-DP mechanism: its rho is that of an epsilon-DP one,
 * with probability 1 - delta. For then the mechanism's two laws on neighbours are
 * made, by one and the same post-processing, from two laws that give anything at all
 * with probability delta, and randomised response with epsilon otherwise (Kairouz,
 * Oh, Viswanath 2015).
 */
extern DpBudget dp_cost_approximate(int64_t epsilon_nano, int64_t delta_atto);
/* The cost of a rho-zCDP mechanism with no epsilon of its own: Gaussian noise. */
extern DpBudget dp_cost_concentrated(int64_t rho_pico);

/* a + b; DP_ERR_RANGE on overflow, *out untouched. */
extern DpStatus dp_budget_add(DpBudget a, DpBudget b, DpBudget *out) DP_MUST_USE;
/* parts equal shares, each rounded down, so that parts x share <= total. parts >= 1. */
extern DpBudget dp_budget_divide(DpBudget total, uint64_t parts);
/* budget x times; DP_ERR_RANGE on overflow. */
extern DpStatus dp_budget_multiply(DpBudget budget, uint64_t times, DpBudget *out) DP_MUST_USE;
/* floor(total x share_nano / 1e9), share_nano in 0..1e9 (exact: 128-bit product), of one integer. */
extern int64_t dp_share_floor(int64_t total, int64_t share_nano);
/* a - b where all three parts of b fit, else DP_ERR_OVERDRAW. */
extern DpStatus dp_budget_subtract(DpBudget a, DpBudget b, DpBudget *out) DP_MUST_USE;
/* What a cost leaves of a budget that a user asked for: asked names no rho, so the cost's is not
 * held against it, and *left has none. DP_ERR_OVERDRAW. */
extern DpStatus dp_budget_left(DpBudget asked, DpBudget cost, DpBudget *left) DP_MUST_USE;

/*
 * zCDP conversions (account_zcdp.c). Arguments that no budget can hold (negative, delta
 * over 1) count as the worst: rho and epsilon are INT64_MAX, what they buy is 0.
 */
/* The rho of an epsilon-DP mechanism, epsilon tanh(epsilon/2), rounded up. */
extern int64_t dp_rho_of_epsilon(int64_t epsilon_nano);
/* The epsilon that rho-zCDP gives at delta, rounded up; INT64_MAX where it is more, as for
 * delta 0 and rho > 0: zCDP alone gives no pure DP. */
extern int64_t dp_epsilon_of_rho(int64_t rho_pico, int64_t delta_atto);
/* The largest rho whose epsilon at delta is at most epsilon, rounded down: 0 where delta is 0. */
extern int64_t dp_rho_of_budget(int64_t epsilon_nano, int64_t delta_atto);

/*
 * The meter of one release: holds the budget that was debited for it, and is
 * the only way to noise. Each mechanism charges it before it draws; a charge
 * that does not fit is DP_ERR_OVERDRAW, nothing is drawn, and the meter stays
 * broken: every later charge fails too. Sums of all three parts: an overdraw of
 * rho is one, too.
 */
typedef struct DpMeter
{
	DpBudget limit;
	DpBudget spent;
	bool broken;
} DpMeter;

extern void dp_meter_init(DpMeter *meter, DpBudget limit);
extern DpStatus dp_meter_charge(DpMeter *meter, DpBudget cost) DP_MUST_USE;

#endif
