/*
 * test_check_digits.c -- check digits of published numbers.
 */
#include "core/domain/check_digits.h"

#include "unit.h"

/* Blanks out the digits, writes them, and compares. */
static void
test_number(const char *name, const char *number, size_t at)
{
	DpCheckDigits kind = dp_check_digits_named(name, strlen(name));
	char text[40];

	strcpy(text, number);
	memset(text + at, '0', dp_check_digits_count(kind));
	dp_check_digits_write(kind, text, strlen(text), at);
	CHECK_STRING(text, number, "%s of %s", name, number);
}

int
main(void)
{
	test_number("luhn", "4111 1111 1111 1111", 18);
	test_number("luhn", "490154203237518", 14);  /* an IMEI */
	test_number("ean", "978-3-16-148410-0", 16); /* an ISBN */
	test_number("ean", "4006381333931", 12);
	test_number("iban", "DE89370400440532013000", 2);
	test_number("iban", "GB82WEST12345698765432", 2);
	test_number("iban", "gb82west12345698765432", 2);
	CHECK_I64(dp_check_digits_named("luhn5", 4), DP_CHECK_LUHN, "a name has the bytes that count");
	CHECK_I64(dp_check_digits_named("luh", 3), DP_CHECK_NONE, "a part of a name is none");
	CHECK_I64(dp_check_digits_named("crc", 3), DP_CHECK_NONE, "an unknown name");
	return unit_finish();
}
