/*
 * account.c -- exact budgets: decimals in and out, composition, and the meter.
 */
#include "account.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

int64_t
dp_unit_l1(const DpUnit *unit)
{
	return (int64_t) unit->rows_max * (unit->neighbours == DP_REPLACE_ONE ? 2 : 1);
}

int64_t
dp_unit_l2_squared(const DpUnit *unit)
{
	unsigned __int128 rows = unit->rows_max;
	unsigned __int128 squared = rows * rows * (unit->neighbours == DP_REPLACE_ONE ? 2 : 1);

	return squared > INT64_MAX ? INT64_MAX : (int64_t) squared;
}

bool
dp_unit_rows_public(const DpUnit *unit)
{
	return unit->neighbours == DP_REPLACE_ONE && unit->rows_max == 1;
}

/* The parts of a decimal: digits (with at most one point among them) and exponent. */
typedef struct Decimal
{
	const char *digits;
	size_t length;        /* of digits, the point included */
	int64_t digits_whole; /* digits before the point, once the exponent has moved it */
} Decimal;

static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Far outside what 63 bits can hold, and far from overflow when a length is added. */
#define EXPONENT_SATURATED INT64_C(1000000000000)

/* "e-12", up to the end of the text. */
static bool
scan_exponent(const char *text, int64_t *exponent)
{
	bool negative = text[1] == '-';
	int64_t value = 0;

	text += text[1] == '-' || text[1] == '+' ? 2 : 1;
	if (!is_digit(*text))
		return false;
	for (; is_digit(*text); text++)
		if (value < EXPONENT_SATURATED)
			value = value * 10 + (*text - '0');
	*exponent = negative ? -value : value;
	return *text == '\0';
}

/* Blanks, signs other than one plus, words and bare points are not numbers. */
static bool
scan_decimal(const char *text, Decimal *decimal)
{
	int64_t exponent = 0;
	size_t digits, fraction = 0;
	const char *end;

	decimal->digits = text + (*text == '+');
	digits = strspn(decimal->digits, "0123456789");
	decimal->digits_whole = (int64_t) digits;
	end = decimal->digits + digits;
	if (*end == '.')
	{
		fraction = strspn(end + 1, "0123456789");
		end += 1 + fraction;
	}
	decimal->length = (size_t) (end - decimal->digits);
	if (digits + fraction == 0)
		return false;
	if (*end == 'e' || *end == 'E')
	{
		if (!scan_exponent(end, &exponent))
			return false;
	}
	else if (*end != '\0')
		return false;
	decimal->digits_whole += exponent;
	return true;
}

static bool
push_digit(int64_t *value, int digit)
{
	return !__builtin_mul_overflow(*value, 10, value) &&
		   !__builtin_add_overflow(*value, digit, value);
}

/* The first keep digits as an integer, zeros added at the end where there are fewer;
 * *rest: a digit that is not 0 stands after them. */
static bool
keep_digits(const Decimal *decimal, int64_t keep, int64_t *value, bool *rest)
{
	int64_t seen = 0;

	*value = 0;
	*rest = false;
	for (size_t i = 0; i < decimal->length; i++)
	{
		if (decimal->digits[i] == '.')
			continue;
		if (seen++ >= keep)
			*rest |= decimal->digits[i] != '0';
		else if (!push_digit(value, decimal->digits[i] - '0'))
			return false;
	}
	for (; seen < keep && *value != 0; seen++) /* ends by overflow after 19 steps at most */
		if (!push_digit(value, 0))
			return false;
	return true;
}

DpStatus
dp_decimal_parse(const char *text, int digits, bool round_up, int64_t *out)
{
	Decimal decimal;
	int64_t value;
	bool rest;

	if (text == NULL || !scan_decimal(text, &decimal))
		return DP_ERR_ARGUMENT;
	if (!keep_digits(&decimal, decimal.digits_whole + digits, &value, &rest))
		return DP_ERR_RANGE;
	if (round_up && rest && __builtin_add_overflow(value, 1, &value))
		return DP_ERR_RANGE;
	*out = value;
	return DP_OK;
}

#define DIGITS_MAX 18 /* 10^18 is the largest power of ten that 63 bits hold */

char *
dp_decimal_print(int64_t value, int digits, char *buffer)
{
	uint64_t magnitude = value < 0 ? 0 - (uint64_t) value : (uint64_t) value;
	uint64_t one = 1;
	char *end;

	if (digits > DIGITS_MAX)
		digits = DIGITS_MAX;
	for (int i = 0; i < digits; i++)
		one *= 10;
	end = buffer +
		  snprintf(buffer, DP_DECIMAL_BYTES, "%s%" PRIu64, value < 0 ? "-" : "", magnitude / one);
	if (magnitude % one == 0)
		return buffer;
	end += snprintf(end, (size_t) (buffer + DP_DECIMAL_BYTES - end), ".%0*" PRIu64, digits,
					magnitude % one);
	while (end[-1] == '0')
		*--end = '\0';
	return buffer;
}

DpBudget
dp_cost_approximate(int64_t epsilon_nano, int64_t delta_atto)
{
	return (DpBudget){
		.epsilon_nano = epsilon_nano,
		.delta_atto = delta_atto,
		.rho_pico = dp_rho_of_epsilon(epsilon_nano),
	};
}

DpBudget
dp_cost_pure(int64_t epsilon_nano)
{
	return dp_cost_approximate(epsilon_nano, 0);
}

DpBudget
dp_cost_concentrated(int64_t rho_pico)
{
	return (DpBudget){.rho_pico = rho_pico};
}

/* What the type promises. A negative cost, let through, would fill a meter up again. */
static bool
budget_valid(DpBudget budget)
{
	return budget.epsilon_nano >= 0 && budget.delta_atto >= 0 &&
		   budget.delta_atto <= DP_DELTA_ONE && budget.rho_pico >= 0;
}

DpStatus
dp_budget_add(DpBudget a, DpBudget b, DpBudget *out)
{
	DpBudget sum;

	if (!budget_valid(a) || !budget_valid(b))
		return DP_ERR_ARGUMENT;
	sum.delta_atto = a.delta_atto + b.delta_atto; /* at most 2e18: fits */
	if (__builtin_add_overflow(a.epsilon_nano, b.epsilon_nano, &sum.epsilon_nano) ||
		__builtin_add_overflow(a.rho_pico, b.rho_pico, &sum.rho_pico) || !budget_valid(sum))
		return DP_ERR_RANGE;
	*out = sum;
	return DP_OK;
}

DpBudget
dp_budget_divide(DpBudget total, uint64_t parts)
{
	if (parts == 0 || !budget_valid(total))
		return (DpBudget){.epsilon_nano = 0}; /* no budget is the safe share of a bad request */
	return (DpBudget){
		.epsilon_nano = (int64_t) ((uint64_t) total.epsilon_nano / parts),
		.delta_atto = (int64_t) ((uint64_t) total.delta_atto / parts),
		.rho_pico = (int64_t) ((uint64_t) total.rho_pico / parts),
	};
}

DpStatus
dp_budget_multiply(DpBudget budget, uint64_t times, DpBudget *out)
{
	DpBudget product;

	if (!budget_valid(budget))
		return DP_ERR_ARGUMENT;
	if (__builtin_mul_overflow(budget.epsilon_nano, times, &product.epsilon_nano) ||
		__builtin_mul_overflow(budget.delta_atto, times, &product.delta_atto) ||
		__builtin_mul_overflow(budget.rho_pico, times, &product.rho_pico) || !budget_valid(product))
		return DP_ERR_RANGE;
	*out = product;
	return DP_OK;
}

int64_t
dp_share_floor(int64_t total, int64_t share_nano)
{
	return (int64_t) ((__int128) total * share_nano / DP_EPSILON_ONE);
}

DpStatus
dp_budget_subtract(DpBudget a, DpBudget b, DpBudget *out)
{
	if (!budget_valid(a) || !budget_valid(b))
		return DP_ERR_ARGUMENT;
	if (b.epsilon_nano > a.epsilon_nano || b.delta_atto > a.delta_atto || b.rho_pico > a.rho_pico)
		return DP_ERR_OVERDRAW;
	out->epsilon_nano = a.epsilon_nano - b.epsilon_nano;
	out->delta_atto = a.delta_atto - b.delta_atto;
	out->rho_pico = a.rho_pico - b.rho_pico;
	return DP_OK;
}

DpStatus
dp_budget_left(DpBudget asked, DpBudget cost, DpBudget *left)
{
	if (!budget_valid(cost))
		return DP_ERR_ARGUMENT;
	asked.rho_pico = 0;
	cost.rho_pico = 0;
	return dp_budget_subtract(asked, cost, left);
}

void
dp_meter_init(DpMeter *meter, DpBudget limit)
{
	*meter = (DpMeter){.limit = limit, .broken = !budget_valid(limit)};
}

static bool
meter_covers(const DpMeter *meter, DpBudget cost, DpBudget *spent)
{
	return dp_budget_add(meter->spent, cost, spent) == DP_OK &&
		   spent->epsilon_nano <= meter->limit.epsilon_nano &&
		   spent->delta_atto <= meter->limit.delta_atto && spent->rho_pico <= meter->limit.rho_pico;
}

/*
 * A charge that does not fit means that a method's plan and its measure step
 * disagree. Nothing that follows can be trusted to be within the plan, so the
 * meter stays broken, even for a smaller charge that would fit.
 */
DpStatus
dp_meter_charge(DpMeter *meter, DpBudget cost)
{
	DpBudget spent;

	if (meter->broken || !meter_covers(meter, cost, &spent))
	{
		meter->broken = true;
		return DP_ERR_OVERDRAW;
	}
	meter->spent = spent;
	return DP_OK;
}
