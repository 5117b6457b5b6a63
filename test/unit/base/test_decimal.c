/*
 * test_decimal.c -- decimals as exact integers: what is read, how it is rounded, and one form that
 * is printed.
 */
#include "core/base/code_key.h"
#include "core/base/decimal.h"

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

int
main(void)
{
	test_parse();
	test_parse_long();
	test_print();
	return unit_finish();
}
