/*
 * test_budget.c -- costs, sums, shares and remainders of budgets, at their edges.
 */
#include "core/accounting/budget.h"

#include "unit_budget.h"

static void
test_costs(void)
{
	int64_t rho = dp_rho_of_epsilon(500000000);

	CHECK(same_budget(dp_cost_pure(500000000), 500000000, 0, rho), "a pure cost has its rho");
	CHECK(same_budget(dp_cost_approximate((DpBudget){.epsilon_nano = 500000000, .delta_atto = 7}),
					  500000000, 7, rho),
		  "an approximate one has the same");
	CHECK(same_budget(dp_cost_concentrated(9), 0, 0, 9), "a concentrated one has nothing else");
}

static void
test_budget_errors(void)
{
	const DpBudget most = {INT64_MAX, DP_DELTA_ONE, INT64_MAX}, one = {1, 1, 1};
	const DpBudget some = {10, 20, 30};
	DpBudget out = {77, 77, 77};

	CHECK_STATUS(dp_budget_add(most, (DpBudget){1, 0, 0}, &out), DP_ERR_RANGE, "epsilon overflows");
	CHECK_STATUS(dp_budget_add(most, (DpBudget){0, 1, 0}, &out), DP_ERR_RANGE, "delta is over 1");
	CHECK_STATUS(dp_budget_add(most, (DpBudget){0, 0, 1}, &out), DP_ERR_RANGE, "rho overflows");
	CHECK_STATUS(dp_budget_add(some, (DpBudget){0, 0, -1}, &out), DP_ERR_ARGUMENT,
				 "a negative rho is refused");
	CHECK_STATUS(dp_budget_multiply(some, UINT64_MAX, &out), DP_ERR_RANGE, "times 2^64 - 1");
	CHECK_STATUS(dp_budget_multiply(one, (UINT64_C(1) << 63) + 1, &out), DP_ERR_RANGE,
				 "times 2^63 + 1 does not wrap");
	CHECK_STATUS(dp_budget_multiply((DpBudget){0, 0, 3}, UINT64_C(1) << 62, &out), DP_ERR_RANGE,
				 "nor does rho alone");
	CHECK_STATUS(dp_budget_subtract(one, some, &out), DP_ERR_OVERDRAW, "more than there is");
	CHECK_STATUS(dp_budget_subtract(some, (DpBudget){0, 21, 0}, &out), DP_ERR_OVERDRAW, "of delta");
	CHECK_STATUS(dp_budget_subtract(some, (DpBudget){0, 0, 31}, &out), DP_ERR_OVERDRAW, "of rho");
	CHECK_STATUS(dp_budget_subtract(some, (DpBudget){-1, 0, 0}, &out), DP_ERR_ARGUMENT,
				 "a negative cost is refused");
	CHECK_STATUS(dp_budget_left(some, (DpBudget){11, 0, 0}, &out), DP_ERR_OVERDRAW,
				 "a request's epsilon does not suffice");
	CHECK_STATUS(dp_budget_left(some, (DpBudget){0, 21, 0}, &out), DP_ERR_OVERDRAW,
				 "nor its delta");
	CHECK_STATUS(dp_budget_left(some, (DpBudget){1, 1, -1}, &out), DP_ERR_ARGUMENT,
				 "a negative rho is no cost there either");
	CHECK(same_budget(out, 77, 77, 77), "after an error the output is untouched");
}

static void
test_budgets(void)
{
	const DpBudget most = {INT64_MAX, DP_DELTA_ONE, INT64_MAX}, one = {1, 1, 1};
	const DpBudget some = {10, 20, 30};
	DpBudget out;

	CHECK(dp_budget_add(some, one, &out) == DP_OK && same_budget(out, 11, 21, 31), "10 + 1");
	CHECK(dp_budget_subtract(some, some, &out) == DP_OK && same_budget(out, 0, 0, 0), "10 - 10");
	CHECK(dp_budget_multiply(some, 3, &out) == DP_OK && same_budget(out, 30, 60, 90), "10 x 3");
	CHECK(dp_budget_multiply(some, 0, &out) == DP_OK && same_budget(out, 0, 0, 0), "10 x 0");
	CHECK(same_budget(dp_budget_divide(some, 3), 3, 6, 10), "10 / 3 rounds down");
	CHECK(same_budget(dp_budget_divide(most, UINT64_MAX), 0, 0, 0), "by 2^64 - 1");
	CHECK(same_budget(dp_budget_divide(some, 0), 0, 0, 0), "into no parts: nothing");
	CHECK(dp_budget_left((DpBudget){10, 20, 0}, (DpBudget){4, 5, 6}, &out) == DP_OK &&
			  same_budget(out, 6, 15, 0),
		  "a request has no rho to take a cost's from");
}

static void
test_shares(void)
{
	bool within = true;

	CHECK_I64(dp_share_floor(INT64_MAX, DP_EPSILON_ONE), INT64_MAX, "all of the most");
	CHECK_I64(dp_share_floor(INT64_MAX, 0), 0, "nothing of it");
	CHECK_I64(dp_share_floor(10, 333333333), 3, "a third of 10 rounds down");
	CHECK_I64(dp_share_floor(DP_DELTA_ONE, 1), 1000000000, "1e-9 of delta 1");
	CHECK_I64(dp_share_whole(3, 333333333), 9, "of what 3 is a third, rounded down");
	CHECK_I64(dp_share_whole(INT64_MAX, DP_EPSILON_ONE), INT64_MAX, "the most is all of itself");
	CHECK_I64(dp_share_whole(INT64_MAX, 1), INT64_MAX, "and no more than the most");
	for (int64_t share = 0; share <= DP_EPSILON_ONE; share += 12345677)
		within = within && dp_share_floor(999999999, share) +
								   dp_share_floor(999999999, DP_EPSILON_ONE - share) <=
							   999999999;
	CHECK(within, "two complementary shares never exceed the whole");
}

int
main(void)
{
	test_costs();
	test_budget_errors();
	test_budgets();
	test_shares();
	return unit_finish();
}
