/*
 * test_account.c -- decimals, budgets and the meter, at their edges.
 */
#include "core/accounting/budget.h"
#include "core/base/decimal.h"
#include "core/accounting/meter.h"
#include "core/accounting/privacy_unit.h"

#include "unit.h"

typedef struct ParseCase
{
	const char *text;
	int digits;
	DpStatus status;
	int64_t down;
	int64_t up;
} ParseCase;

static const ParseCase parse_cases[] = {
	{"0.1", 9, DP_OK, 100000000, 100000000},
	{"1", 9, DP_OK, 1000000000, 1000000000},
	{"1e-9", 9, DP_OK, 1, 1},
	{"1E-9", 9, DP_OK, 1, 1},
	{"12.5e-3", 9, DP_OK, 12500000, 12500000},
	{"+.5", 9, DP_OK, 500000000, 500000000},
	{"5.", 9, DP_OK, 5000000000, 5000000000},
	{"0", 9, DP_OK, 0, 0},
	{"0.000", 9, DP_OK, 0, 0},
	{"000123.4500", 2, DP_OK, 12345, 12345},
	{"1e+3", 0, DP_OK, 1000, 1000},
	{"1.5", 0, DP_OK, 1, 2},
	{"1.0000000001", 9, DP_OK, 1000000000, 1000000001},
	{"1.0000000000000000000000000000000000001", 9, DP_OK, 1000000000, 1000000001},
	{"1e-10", 9, DP_OK, 0, 1},
	{"9.99e-10", 9, DP_OK, 0, 1},
	{"1e-1000000000000000000000", 9, DP_OK, 0, 1},
	{"0e1000000000000000000000", 9, DP_OK, 0, 0},
	{"0.0000000001e1", 9, DP_OK, 1, 1},
	{"1e-18", 18, DP_OK, 1, 1},
	{"1e-19", 18, DP_OK, 0, 1},
	{"0.999999999999999999", 18, DP_OK, 999999999999999999, 999999999999999999},
	{"0.9999999999999999999", 18, DP_OK, 999999999999999999, 1000000000000000000},
	{"9223372036854775807", 0, DP_OK, INT64_MAX, INT64_MAX},
	{"922337203685477580.7e1", 0, DP_OK, INT64_MAX, INT64_MAX},
	{"9223372036854775808", 0, DP_ERR_RANGE, 0, 0},
	{"10", 18, DP_ERR_RANGE, 0, 0},
	{"1e1000000000000000000000", 9, DP_ERR_RANGE, 0, 0},
	{"1e19", 0, DP_ERR_RANGE, 0, 0},
	{"", 9, DP_ERR_ARGUMENT, 0, 0},
	{" 1", 9, DP_ERR_ARGUMENT, 0, 0},
	{"1 ", 9, DP_ERR_ARGUMENT, 0, 0},
	{"1\t", 9, DP_ERR_ARGUMENT, 0, 0},
	{"-1", 9, DP_ERR_ARGUMENT, 0, 0},
	{"-0", 9, DP_ERR_ARGUMENT, 0, 0},
	{"+-1", 9, DP_ERR_ARGUMENT, 0, 0},
	{"++1", 9, DP_ERR_ARGUMENT, 0, 0},
	{"+", 9, DP_ERR_ARGUMENT, 0, 0},
	{".", 9, DP_ERR_ARGUMENT, 0, 0},
	{"+.", 9, DP_ERR_ARGUMENT, 0, 0},
	{".e1", 9, DP_ERR_ARGUMENT, 0, 0},
	{"e1", 9, DP_ERR_ARGUMENT, 0, 0},
	{"1e", 9, DP_ERR_ARGUMENT, 0, 0},
	{"1e+", 9, DP_ERR_ARGUMENT, 0, 0},
	{"1e-", 9, DP_ERR_ARGUMENT, 0, 0},
	{"1e1.5", 9, DP_ERR_ARGUMENT, 0, 0},
	{"1e1e1", 9, DP_ERR_ARGUMENT, 0, 0},
	{"1.2.3", 9, DP_ERR_ARGUMENT, 0, 0},
	{"1,5", 9, DP_ERR_ARGUMENT, 0, 0},
	{"1_000", 9, DP_ERR_ARGUMENT, 0, 0},
	{"0x10", 9, DP_ERR_ARGUMENT, 0, 0},
	{"NaN", 9, DP_ERR_ARGUMENT, 0, 0},
	{"Infinity", 9, DP_ERR_ARGUMENT, 0, 0},
	{"inf", 9, DP_ERR_ARGUMENT, 0, 0},
	{NULL, 9, DP_ERR_ARGUMENT, 0, 0},
};

static void
test_parse(void)
{
	int64_t value = 5;

	for (size_t i = 0; i < sizeof(parse_cases) / sizeof(*parse_cases); i++)
	{
		const ParseCase *c = &parse_cases[i];
		int64_t down = -7, up = -7, untouched = c->status == DP_OK ? 0 : -7;
		DpStatus a = dp_decimal_parse(c->text, c->digits, false, &down);
		DpStatus b = dp_decimal_parse(c->text, c->digits, true, &up);

		CHECK(a == c->status && b == c->status && down == c->down + untouched &&
				  up == c->up + untouched,
			  "parse \"%s\" to 10^-%d", c->text ? c->text : "(null)", c->digits);
	}
	CHECK_STATUS(dp_decimal_parse("9223372036854775807.1", 0, false, &value), DP_OK,
				 "2^63 - 1 and a bit rounds down");
	CHECK_STATUS(dp_decimal_parse("9223372036854775807.1", 0, true, &value), DP_ERR_RANGE,
				 "but not up");
	CHECK_I64(value, INT64_MAX, "which leaves the output alone");
}

/* Values of PostgreSQL's numeric can be this long. */
static void
test_parse_long(void)
{
	static char text[150000];
	int64_t value;

	memset(text, '0', sizeof(text) - 1);
	text[1] = '.';
	text[sizeof(text) - 2] = '1';
	CHECK(dp_decimal_parse(text, 18, true, &value) == DP_OK && value == 1,
		  "150,000 digits round up");
	memcpy(text + sizeof(text) - 9, "e149990", 8);
	text[sizeof(text) - 10] = '3';
	CHECK(dp_decimal_parse(text, 0, false, &value) == DP_OK && value == 30,
		  "an exponent brings a far digit back");
}

static void
test_print(void)
{
	const int64_t samples[] = {0, 1, 9, 10, 123456789, 1000000000, 1500000000, INT64_MAX};
	char buffer[32];
	bool round_trip = true;

	CHECK_STRING(dp_decimal_print(50000000, 9, buffer), "0.05", "print 0.05");
	CHECK_STRING(dp_decimal_print(1000000000, 9, buffer), "1", "print 1");
	CHECK_STRING(dp_decimal_print(0, 9, buffer), "0", "print 0");
	CHECK_STRING(dp_decimal_print(1, 18, buffer), "0.000000000000000001", "print 1e-18");
	CHECK_STRING(dp_decimal_print(INT64_MAX, 9, buffer), "9223372036.854775807", "print the most");
	CHECK_STRING(dp_decimal_print(INT64_MIN, 0, buffer), "-9223372036854775808", "print the least");
	CHECK_STRING(dp_decimal_print(-1500000000, 9, buffer), "-1.5", "print -1.5");
	CHECK_STRING(dp_decimal_print(120, 0, buffer), "120", "integers keep their zeros");
	for (size_t i = 0; i < sizeof(samples) / sizeof(*samples); i++)
		for (int digits = 0; digits <= 18; digits++)
		{
			int64_t back = -1;

			round_trip = round_trip &&
						 dp_decimal_parse(dp_decimal_print(samples[i], digits, buffer), digits,
										  true, &back) == DP_OK &&
						 back == samples[i];
		}
	CHECK(round_trip, "what is printed is parsed back exactly");
}

static bool
same_budget(DpBudget budget, int64_t epsilon_nano, int64_t delta_atto, int64_t rho_pico)
{
	return budget.epsilon_nano == epsilon_nano && budget.delta_atto == delta_atto &&
		   budget.rho_pico == rho_pico;
}

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

static void
test_unit(void)
{
	const DpUnit most = {DP_REPLACE_ONE, UINT32_MAX};

	CHECK_I64(dp_unit_l1(&(DpUnit){DP_ADD_REMOVE, 1}), 1, "L1: add or remove a row");
	CHECK_I64(dp_unit_l1(&(DpUnit){DP_REPLACE_ONE, 1}), 2, "L1: replace a row");
	CHECK_I64(dp_unit_l1(&(DpUnit){DP_ADD_REMOVE, 7}), 7, "L1: a unit of 7 rows");
	CHECK_I64(dp_unit_l1(&most), INT64_C(8589934590), "L1 does not wrap at 32 bits");
	CHECK_I64(dp_unit_l2_squared(&(DpUnit){DP_ADD_REMOVE, 1}), 1, "L2^2: add or remove a row");
	CHECK_I64(dp_unit_l2_squared(&(DpUnit){DP_REPLACE_ONE, 1}), 2, "L2^2: replace a row");
	CHECK_I64(dp_unit_l2_squared(&(DpUnit){DP_ADD_REMOVE, 7}), 49, "L2^2: 7 rows in one cell");
	CHECK_I64(dp_unit_l2_squared(&(DpUnit){DP_ADD_REMOVE, 3037000499}),
			  INT64_C(9223372030926249001), "L2^2: the most that fits");
	CHECK_I64(dp_unit_l2_squared(&(DpUnit){DP_ADD_REMOVE, 3037000500}), INT64_MAX, "and more");
	CHECK_I64(dp_unit_l2_squared(&most), INT64_MAX, "2 (2^32 - 1)^2 does not wrap at 64 bits");
}

/* The largest |u - w|^2 over all ways to put up to rows rows of each unit into three cells. */
static int64_t
worst_l2_squared(DpUnit unit)
{
	const int64_t k = unit.rows_max, other = unit.neighbours == DP_REPLACE_ONE ? k : 0;
	int64_t worst = 0;

	for (int64_t u = 0; u < (k + 1) * (k + 1) * (k + 1); u++)
		for (int64_t w = 0; w < (other + 1) * (other + 1) * (other + 1); w++)
		{
			int64_t come[] = {u % (k + 1), u / (k + 1) % (k + 1), u / (k + 1) / (k + 1)};
			int64_t go[] = {w % (other + 1), w / (other + 1) % (other + 1),
							w / (other + 1) / (other + 1)};
			int64_t sum = 0;

			if (come[0] + come[1] + come[2] > k || go[0] + go[1] + go[2] > other)
				continue;
			for (int i = 0; i < 3; i++)
				sum += (come[i] - go[i]) * (come[i] - go[i]);
			worst = sum > worst ? sum : worst;
		}
	return worst;
}

static void
test_unit_l2(void)
{
	bool attained = true;

	for (uint32_t k = 1; k <= 4; k++)
		for (int neighbours = 0; neighbours < 2; neighbours++)
		{
			DpUnit unit = {(DpNeighbours) neighbours, k};

			attained = attained && dp_unit_l2_squared(&unit) == worst_l2_squared(unit);
		}
	CHECK(attained, "L2^2 is the most that neighbours differ by, by enumeration");
}

static void
test_meter_rho(void)
{
	const DpBudget half = dp_cost_pure(500000000);
	DpMeter meter;

	dp_meter_init(&meter, (DpBudget){1000000000, 0, 2 * half.rho_pico});
	CHECK_OK(dp_meter_charge(&meter, half), "half of epsilon and of rho");
	CHECK_OK(dp_meter_charge(&meter, half), "and the other half");
	CHECK(same_budget(meter.spent, 1000000000, 0, 2 * half.rho_pico), "all three are added up");
	dp_meter_init(&meter, (DpBudget){1000000000, 0, half.rho_pico - 1});
	CHECK_STATUS(dp_meter_charge(&meter, half), DP_ERR_OVERDRAW, "an overdraw of rho is one");
	CHECK(meter.broken && same_budget(meter.spent, 0, 0, 0), "it breaks the meter");
	dp_meter_init(&meter, (DpBudget){0, 0, 10});
	CHECK_OK(dp_meter_charge(&meter, dp_cost_concentrated(10)), "rho alone");
	CHECK_STATUS(dp_meter_charge(&meter, dp_cost_concentrated(1)), DP_ERR_OVERDRAW,
				 "one pico more");
	dp_meter_init(&meter, (DpBudget){0, 0, -1});
	CHECK_STATUS(dp_meter_charge(&meter, dp_cost_concentrated(0)), DP_ERR_OVERDRAW,
				 "a negative limit of rho covers nothing");
}

static void
test_meter(void)
{
	DpMeter meter;

	dp_meter_init(&meter, (DpBudget){100, 10, 0});
	CHECK_OK(dp_meter_charge(&meter, (DpBudget){60, 10, 0}), "a charge within the limit");
	CHECK_OK(dp_meter_charge(&meter, (DpBudget){40, 0, 0}), "exactly what is left");
	CHECK_OK(dp_meter_charge(&meter, (DpBudget){0, 0, 0}),
			 "a full meter gives nothing for nothing");
	CHECK_STATUS(dp_meter_charge(&meter, (DpBudget){1, 0, 0}), DP_ERR_OVERDRAW, "one nano more");
	CHECK(meter.broken && same_budget(meter.spent, 100, 10, 0), "breaks it and charges nothing");
	CHECK_STATUS(dp_meter_charge(&meter, (DpBudget){0, 0, 0}), DP_ERR_OVERDRAW, "for good");

	dp_meter_init(&meter, (DpBudget){100, 10, 0});
	CHECK_STATUS(dp_meter_charge(&meter, (DpBudget){1, 11, 0}), DP_ERR_OVERDRAW,
				 "delta alone counts");
	CHECK_STATUS(dp_meter_charge(&meter, (DpBudget){1, 1, 0}), DP_ERR_OVERDRAW,
				 "a smaller charge does not mend it");
	dp_meter_init(&meter, (DpBudget){100, 10, 0});
	CHECK_STATUS(dp_meter_charge(&meter, (DpBudget){-5, 0, 0}), DP_ERR_OVERDRAW,
				 "a negative charge is no refill");
	CHECK(meter.broken && same_budget(meter.spent, 0, 0, 0), "it breaks the meter too");
	dp_meter_init(&meter, (DpBudget){INT64_MAX, DP_DELTA_ONE, 0});
	CHECK_OK(dp_meter_charge(&meter, (DpBudget){INT64_MAX, 0, 0}), "the largest charge");
	CHECK_STATUS(dp_meter_charge(&meter, (DpBudget){1, 0, 0}), DP_ERR_OVERDRAW, "does not wrap");
	dp_meter_init(&meter, (DpBudget){-1, 0, 0});
	CHECK_STATUS(dp_meter_charge(&meter, (DpBudget){0, 0, 0}), DP_ERR_OVERDRAW,
				 "an invalid limit covers nothing");
}

static void
test_rows_public(void)
{
	CHECK(dp_unit_rows_public(&(DpUnit){DP_REPLACE_ONE, 1}), "one row replaced: rows are public");
	CHECK(!dp_unit_rows_public(&(DpUnit){DP_REPLACE_ONE, 2}) &&
			  !dp_unit_rows_public(&(DpUnit){DP_ADD_REMOVE, 1}) &&
			  !dp_unit_rows_public(&(DpUnit){DP_REPLACE_ONE, 1, true}),
		  "they are not where a unit can have more or fewer");
	CHECK(!dp_unit_valid(&(DpUnit){DP_ADD_REMOVE, 1, true}), "one unit more is one row more");
}

int
main(void)
{
	test_rows_public();
	test_parse();
	test_parse_long();
	test_print();
	test_costs();
	test_budget_errors();
	test_budgets();
	test_shares();
	test_unit();
	test_unit_l2();
	test_meter();
	test_meter_rho();
	return unit_finish();
}
