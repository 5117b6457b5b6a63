/*
 * account.h -- budgets as exact integers: parsing, splitting, composing.
 *
 * epsilon in nano (1e-9), delta in atto (1e-18). Rounding is always outward:
 * a charge rounds up, a cap or a share rounds down.
 */
#ifndef DP_ACCOUNT_H
#define DP_ACCOUNT_H

#include "status.h"

#define DP_EPSILON_ONE INT64_C(1000000000)        /* epsilon = 1 in nano-epsilon */
#define DP_DELTA_ONE INT64_C(1000000000000000000) /* delta = 1 in atto */
#define DP_EPSILON_NANO_MAX                                                                        \
	(INT64_C(1000000) * DP_EPSILON_ONE) /* one charge or cap: epsilon <= 1e6 */

typedef struct DpBudget
{
	int64_t epsilon_nano; /* >= 0 */
	int64_t delta_atto;   /* 0..DP_DELTA_ONE */
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

/* a + b; DP_ERR_RANGE on overflow, *out untouched. */
extern DpStatus dp_budget_add(DpBudget a, DpBudget b, DpBudget *out) DP_MUST_USE;
/* parts equal shares, each rounded down, so that parts x share <= total. parts >= 1. */
extern DpBudget dp_budget_divide(DpBudget total, uint64_t parts);
/* budget x times; DP_ERR_RANGE on overflow. */
extern DpStatus dp_budget_multiply(DpBudget budget, uint64_t times, DpBudget *out) DP_MUST_USE;
/* floor(total x share_nano / 1e9), share_nano in 0..1e9 (exact: 128-bit product), of one integer. */
extern int64_t dp_share_floor(int64_t total, int64_t share_nano);
/* a - b where both parts of b fit, else DP_ERR_OVERDRAW. */
extern DpStatus dp_budget_subtract(DpBudget a, DpBudget b, DpBudget *out) DP_MUST_USE;

/*
 * The meter of one release: holds the budget that was debited for it, and is
 * the only way to noise. Each mechanism charges it before it draws; a charge
 * that does not fit is DP_ERR_OVERDRAW, nothing is drawn, and the meter stays
 * broken: every later charge fails too. Basic composition: sums.
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
