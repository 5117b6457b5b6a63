/*
 * decimal.c -- exact decimals: no floating point on the way.
 */
#include "core/base/decimal.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

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

/* Reads an exponent such as "e-12", up to the end of the text. */
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

/* Reads the first `keep` digits as an integer and adds zeros at the end where there are fewer.
 * *rest says whether a digit other than 0 stands after them. */
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
	for (; seen < keep && *value != 0; seen++) /* this ends by overflow after 19 steps at most */
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
