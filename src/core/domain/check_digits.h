/*
 * check_digits.h -- digits by which a number tells whether it was mistyped.
 *
 * Texts that are made up (pattern.h) can hold them, so that they pass where a program looks at them.
 */
#ifndef DP_CHECK_DIGITS_H
#define DP_CHECK_DIGITS_H

#include <stddef.h>

typedef enum DpCheckDigits
{
	DP_CHECK_NONE,
	DP_CHECK_LUHN, /* one digit: cards, IMEI */
	DP_CHECK_EAN,  /* one digit, weights 1 and 3 from the right: EAN, UPC, ISBN-13 */
	DP_CHECK_IBAN /* two digits, modulo 97, of the text without its first four characters and these */
} DpCheckDigits;

#define DP_CHECK_DIGITS_MAX 2

/* The kind of a name of so many bytes, luhn, ean or iban. */
extern DpCheckDigits dp_check_digits_named(const char *name, size_t bytes);
/* How many digits there are. */
extern size_t dp_check_digits_count(DpCheckDigits kind);
/* Writes the digits to their place in a text; all else of it is there already. */
extern void dp_check_digits_write(DpCheckDigits kind, char *text, size_t length, size_t at);

#endif
