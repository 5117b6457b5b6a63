/*
 * check_digits.c -- check digits by trying: there are a hundred at most, and for each text one of
 * them fits.
 */
#include "core/domain/check_digits.h"

#include <stdbool.h>
#include <string.h>

#define IBAN_HEAD 4 /* the country and the check digits, which count as if they came last */

static const struct
{
	const char *name;
	size_t digits;
} kinds[] = {
	[DP_CHECK_LUHN] = {"luhn", 1}, [DP_CHECK_EAN] = {"ean", 1}, [DP_CHECK_IBAN] = {"iban", 2}};

DpCheckDigits
dp_check_digits_named(const char *name, size_t bytes)
{
	for (size_t k = DP_CHECK_LUHN; k <= DP_CHECK_IBAN; k++)
		if (strlen(kinds[k].name) == bytes && memcmp(kinds[k].name, name, bytes) == 0)
			return (DpCheckDigits) k;
	return DP_CHECK_NONE;
}

size_t
dp_check_digits_count(DpCheckDigits kind)
{
	return kinds[kind].digits;
}

static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* The digits from the right, every second one doubled or taken three times, add up to tens. */
static bool
is_in_tens(DpCheckDigits kind, const char *text, size_t length)
{
	unsigned sum = 0;
	bool second = false;

	for (size_t i = length; i-- > 0;)
	{
		unsigned digit;

		if (!is_digit(text[i]))
			continue;
		digit = (unsigned) (text[i] - '0') * (!second ? 1 : kind == DP_CHECK_LUHN ? 2 : 3);
		sum += kind == DP_CHECK_LUHN && digit > 9 ? digit - 9 : digit;
		second = !second;
	}
	return sum % 10 == 0;
}

/* The rest of a number modulo 97 once a character is added: a digit, or a letter as 10 to 35. */
static unsigned
rest_with(unsigned rest, char c)
{
	if (is_digit(c))
		return (rest * 10 + (unsigned) (c - '0')) % 97;
	if (c >= 'a' && c <= 'z')
		c = (char) (c - 'a' + 'A');
	return c >= 'A' && c <= 'Z' ? (rest * 100 + (unsigned) (c - 'A') + 10) % 97 : rest;
}

static bool
is_iban(const char *text, size_t length)
{
	size_t head = length < IBAN_HEAD ? length : IBAN_HEAD;
	unsigned rest = 0;

	for (size_t i = head; i < length; i++)
		rest = rest_with(rest, text[i]);
	for (size_t i = 0; i < head; i++)
		rest = rest_with(rest, text[i]);
	return rest == 1;
}

static void
put_number(char *to, size_t digits, unsigned number)
{
	for (size_t i = digits; i-- > 0; number /= 10)
		to[i] = (char) ('0' + number % 10);
}

void
dp_check_digits_write(DpCheckDigits kind, char *text, size_t length, size_t at)
{
	size_t digits = dp_check_digits_count(kind);
	unsigned most = kind == DP_CHECK_IBAN ? 98 : 9;

	for (unsigned number = kind == DP_CHECK_IBAN ? 2 : 0; number <= most; number++)
	{
		put_number(text + at, digits, number);
		if (kind == DP_CHECK_IBAN ? is_iban(text, length) : is_in_tens(kind, text, length))
			return;
	}
}
