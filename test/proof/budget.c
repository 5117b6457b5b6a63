/*
 * budget.c -- exact budgets: no sum, share or charge leaves its type, and none rounds inward.
 *
 * Where nothing else is said, a theorem is about all values that the types can hold.
 */
#include "core/accounting/budget.c"
#include "core/accounting/meter.c"
#include "core/accounting/privacy_unit.c"
#include "proof.h"

/* dp_rho_of_epsilon, which the harness zcdp.c looks at: here it is any function. */
int64_t
dp_rho_of_epsilon(int64_t epsilon_nano)
{
	int64_t rho_pico = nondet_int64();

	given(rho_pico >= 0);
	return epsilon_nano < 0 ? INT64_MAX : rho_pico;
}

static DpBudget
any_budget(void)
{
	return (DpBudget){nondet_int64(), nondet_int64(), nondet_int64()};
}

static bool
same(DpBudget a, DpBudget b)
{
	return a.epsilon_nano == b.epsilon_nano && a.delta_atto == b.delta_atto &&
		   a.rho_pico == b.rho_pico;
}

static bool
within(DpBudget a, DpBudget limit)
{
	return a.epsilon_nano <= limit.epsilon_nano && a.delta_atto <= limit.delta_atto &&
		   a.rho_pico <= limit.rho_pico;
}

/* Whether a + b = sum, in integers that cannot overflow. */
static bool
adds_up(DpBudget a, DpBudget b, DpBudget sum)
{
	return (__int128) a.epsilon_nano + b.epsilon_nano == sum.epsilon_nano &&
		   (__int128) a.delta_atto + b.delta_atto == sum.delta_atto &&
		   (__int128) a.rho_pico + b.rho_pico == sum.rho_pico;
}

/* The sum is exact and valid, or there is an error and the output is untouched. The error comes
 * only where an operand is invalid or the sum is no budget. */
void
prove_add(void)
{
	DpBudget a = any_budget(), b = any_budget(), out = any_budget(), before = out;
	DpStatus status = dp_budget_add(a, b, &out);

	if (status == DP_OK)
	{
		holds(dp_budget_valid(a) && dp_budget_valid(b) && dp_budget_valid(out));
		holds(adds_up(a, b, out));
		return;
	}
	holds(same(out, before));
	holds(!dp_budget_valid(a) || !dp_budget_valid(b) ||
		  (__int128) a.epsilon_nano + b.epsilon_nano > INT64_MAX ||
		  (__int128) a.delta_atto + b.delta_atto > DP_DELTA_ONE ||
		  (__int128) a.rho_pico + b.rho_pico > INT64_MAX);
}

/* The difference is exact and valid. It is an overdraw exactly where a part of b is larger. */
void
prove_subtract(void)
{
	DpBudget a = any_budget(), b = any_budget(), out = any_budget();
	DpStatus status = dp_budget_subtract(a, b, &out);

	holds((status == DP_ERR_ARGUMENT) == (!dp_budget_valid(a) || !dp_budget_valid(b)));
	if (status == DP_ERR_ARGUMENT)
		return;
	holds((status == DP_OK) == within(b, a));
	if (status == DP_OK)
		holds(dp_budget_valid(out) && adds_up(out, b, a));
}

/* What is left of a request is exact in epsilon and delta, and no rho is held against it. */
void
prove_left(void)
{
	DpBudget asked = any_budget(), cost = any_budget(), left = any_budget();

	given(dp_budget_valid(asked));
	given(dp_budget_valid(cost));
	if (dp_budget_left(asked, cost, &left) != DP_OK)
	{
		holds(cost.epsilon_nano > asked.epsilon_nano || cost.delta_atto > asked.delta_atto);
		return;
	}
	holds(left.epsilon_nano >= 0 && left.epsilon_nano == asked.epsilon_nano - cost.epsilon_nano);
	holds(left.delta_atto >= 0 && left.delta_atto == asked.delta_atto - cost.delta_atto);
	holds(left.rho_pico == 0);
}

/* One charge, from any state that a meter can be in: spent stays within the limit. A charge that
 * is accepted is added exactly. A charge that does not fit is refused, changes nothing that was
 * spent, and so are all charges after it. By induction this holds for any number of charges. */
void
prove_meter(void)
{
	DpMeter meter = {.limit = any_budget(), .spent = any_budget(), .broken = nondet_bool()};
	DpMeter before = meter;
	DpBudget cost = any_budget();
	DpStatus status;

	given(dp_budget_valid(meter.limit) || meter.broken);
	given(dp_budget_valid(meter.spent));
	given(within(meter.spent, meter.limit) || meter.broken);
	status = dp_meter_charge(&meter, cost);
	holds(status == DP_OK || status == DP_ERR_OVERDRAW);
	holds(same(meter.limit, before.limit));
	holds(meter.broken == (status != DP_OK));
	holds(meter.broken || (dp_budget_valid(meter.spent) && within(meter.spent, meter.limit)));
	if (status == DP_OK)
		holds(dp_budget_valid(cost) && adds_up(before.spent, cost, meter.spent));
	else
	{
		holds(same(meter.spent, before.spent));
		holds(before.broken || !dp_budget_valid(cost) ||
			  (__int128) before.spent.epsilon_nano + cost.epsilon_nano > meter.limit.epsilon_nano ||
			  (__int128) before.spent.delta_atto + cost.delta_atto > meter.limit.delta_atto ||
			  (__int128) before.spent.rho_pico + cost.rho_pico > meter.limit.rho_pico);
	}
}

/* A meter begins in such a state, whatever its limit is. */
void
prove_meter_begins(void)
{
	DpBudget limit = any_budget();
	DpMeter meter;

	dp_meter_init(&meter, limit);
	holds(same(meter.limit, limit) && same(meter.spent, (DpBudget){0, 0, 0}));
	holds(meter.broken == !dp_budget_valid(limit));
	holds(meter.broken || within(meter.spent, meter.limit));
}

/* Four charges in a row, whatever they are: their exact sum is what the meter says. */
void
prove_meter_sums(void)
{
	DpMeter meter;
	__int128 epsilon_nano = 0, rho_pico = 0;

	dp_meter_init(&meter, any_budget());
	for (int i = 0; i < 4; i++)
	{
		DpBudget cost = any_budget();

		if (dp_meter_charge(&meter, cost) != DP_OK)
			continue;
		epsilon_nano += cost.epsilon_nano;
		rho_pico += cost.rho_pico;
	}
	holds(epsilon_nano == meter.spent.epsilon_nano && rho_pico == meter.spent.rho_pico);
	holds(epsilon_nano == 0 || epsilon_nano <= meter.limit.epsilon_nano);
	holds(rho_pico == 0 || rho_pico <= meter.limit.rho_pico);
}

/* No number of parts fails, and a share is a budget. */
void
prove_divide(void)
{
	DpBudget total = any_budget(), share;

	given(dp_budget_valid(total));
	share = dp_budget_divide(total, nondet_uint64());
	holds(dp_budget_valid(share));
}

/* Each of PARTS equal shares of any epsilon is rounded down, by less than one unit: all shares
 * together are within the total. */
void
prove_divide_rounds(void)
{
	DpBudget total = {.epsilon_nano = nondet_int64()}, share;

	given(total.epsilon_nano >= 0);
	share = dp_budget_divide(total, PARTS);
	holds((__int128) share.epsilon_nano * PARTS <= total.epsilon_nano);
	holds(((__int128) share.epsilon_nano + 1) * PARTS > total.epsilon_nano);
}

/* Up to 15 times a budget is exact, or refused. */
void
prove_multiply(void)
{
	DpBudget budget = any_budget(), out = any_budget();
	uint64_t times = nondet_uint64();

	given(times <= 15);
	if (dp_budget_multiply(budget, times, &out) != DP_OK)
		return;
	holds(dp_budget_valid(out));
	holds((__int128) budget.epsilon_nano * (__int128) times == out.epsilon_nano);
	holds((__int128) budget.delta_atto * (__int128) times == out.delta_atto);
	holds((__int128) budget.rho_pico * (__int128) times == out.rho_pico);
}

/* A share of any total is rounded down, by less than one unit, and no more than the total. */
void
prove_share_floor(void)
{
	int64_t total = nondet_int64(), part;

	given(total >= 0);
	part = dp_share_floor(total, SHARE);
	holds(part >= 0 && part <= total);
	holds((__int128) part * DP_EPSILON_ONE <= (__int128) total * SHARE);
	holds(((__int128) part + 1) * DP_EPSILON_ONE > (__int128) total * SHARE);
}

/* The whole of which a part is a share is rounded down, and has at least that part. */
void
prove_share_whole(void)
{
	int64_t part = nondet_int64(), whole;

	given(part >= 0);
	whole = dp_share_whole(part, SHARE);
	holds(whole >= part);
	holds((__int128) whole * SHARE <= (__int128) part * DP_EPSILON_ONE);
	holds(whole == INT64_MAX || ((__int128) whole + 1) * SHARE > (__int128) part * DP_EPSILON_ONE);
}

/* For all units, L1 is k or 2 k, and the square of L2 is not negative: it never wraps around. For
 * units of up to 255 rows it is k^2 or 2 k^2. */
void
prove_unit(void)
{
	unsigned char few = nondet_byte();
	DpUnit unit = {.neighbours = nondet_bool() ? DP_REPLACE_ONE : DP_ADD_REMOVE,
				   .rows_max = nondet_uint32(),
				   .rows_secret = nondet_bool()};
	int64_t factor = unit.neighbours == DP_REPLACE_ONE ? 2 : 1;

	holds(dp_unit_l1(&unit) == factor * (int64_t) unit.rows_max);
	holds(!dp_unit_valid(&unit) || dp_unit_l1(&unit) >= 1);
	holds(dp_unit_l2_squared(&unit) >= 0);
	unit.rows_max = few;
	holds(dp_unit_l2_squared(&unit) == factor * few * few);
}
