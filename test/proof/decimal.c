/*
 * decimal.c -- decimals as exact integers: every text is read within its bounds, a request rounds
 * up, a cap rounds down, and what is printed is read back.
 */
#include <stdarg.h>

#include "proof.h"

/* The C library's strspn for a set of digits, and its snprintf for the two formats of decimal.c. */
static size_t
proof_span(const char *text, const char *digits)
{
	size_t n = 0;

	(void) digits;
	while (text[n] >= '0' && text[n] <= '9')
		n++;
	return n;
}

static int
proof_put(char *buffer, size_t size, uint64_t value, int width)
{
	char digit[20];
	int n = 0, written = 0;

	do
	{
		digit[n++] = (char) ('0' + value % 10);
		value /= 10;
	} while (value > 0 || n < width);
	while (n > 0)
	{
		holds((size_t) written + 1 < size);
		buffer[written++] = digit[--n];
	}
	buffer[written] = '\0';
	return written;
}

static int
proof_print(char *buffer, size_t size, const char *format, ...)
{
	va_list arguments;
	int written = 0;

	va_start(arguments, format);
	if (format[0] == '%')
	{
		const char *sign = va_arg(arguments, const char *);

		if (sign[0] == '-')
			buffer[written++] = '-';
		written +=
			proof_put(buffer + written, size - (size_t) written, va_arg(arguments, uint64_t), 1);
	}
	else
	{
		int width = va_arg(arguments, int);

		buffer[written++] = '.';
		written += proof_put(buffer + 1, size - 1, va_arg(arguments, uint64_t), width);
	}
	va_end(arguments);
	return written;
}

#define strspn proof_span
#define snprintf proof_print
#include "core/base/decimal.c"

#ifndef TEXT
#define TEXT 8 /* bytes of a text, without the zero at its end */
#endif

static void
any_text(char *text)
{
	for (int i = 0; i < TEXT; i++)
		text[i] = nondet_char();
	text[TEXT] = '\0';
}

static int
any_digits(int most)
{
	int digits = (int) nondet_byte();

	given(digits <= most);
	return digits;
}

/* For all texts of up to TEXT bytes, whatever they are, 0 to 18 digits and either rounding: reading
 * ends, and reads nothing behind the zero at the end. A number that is read is not negative, and
 * where none is read the output is untouched. */
void
prove_parse(void)
{
	char text[TEXT + 1];
	int64_t value = -1;
	DpStatus status;

	any_text(text);
	status = dp_decimal_parse(text, any_digits(18), nondet_bool(), &value);
	holds(status == DP_OK || status == DP_ERR_ARGUMENT || status == DP_ERR_RANGE);
	holds((status == DP_OK) == (value >= 0));
}

/* For all texts of up to TEXT bytes and 0 to 2 digits: rounded up, a number is the same or one
 * more; one more only where a digit that is not kept is none of 0. */
void
prove_roundings_agree(void)
{
	char text[TEXT + 1];
	int64_t down = -1, up = -1;
	int digits = any_digits(2);
	bool rest = false;

	any_text(text);
	for (int i = 0; i < TEXT; i++)
	{
		given(text[i] != 'e' && text[i] != 'E');
		rest |= text[i] >= '1' && text[i] <= '9';
	}
	(void) dp_decimal_parse(text, digits, false, &down);
	(void) dp_decimal_parse(text, digits, true, &up);
	holds((down < 0) == (up < 0));
	holds(up == down || (up == down + 1 && rest));
}

#ifndef BEHIND
#define BEHIND 2
#define KEPT 1
#endif

/*
 * For all numbers of one digit before the point and BEHIND behind it, and 0 to KEPT digits that are
 * kept: what is read is the number times 10^digits, rounded down, or rounded up.
 */
void
prove_rounds(void)
{
	char text[BEHIND + 3];
	int32_t number = 0, unit = 1,
			power = 1; /* the number in units of 10^-BEHIND; 10^BEHIND, 10^digits */
	int64_t down, up;
	int digits = any_digits(KEPT);

	for (int i = 0; i < BEHIND + 2; i++)
	{
		if (i == 1)
		{
			text[i] = '.';
			continue;
		}
		text[i] = nondet_char();
		given(text[i] >= '0' && text[i] <= '9');
		number = 10 * number + (text[i] - '0');
		unit *= i > 1 ? 10 : 1;
	}
	text[BEHIND + 2] = '\0';
	for (int i = 0; i < digits; i++)
		power *= 10;
	holds(dp_decimal_parse(text, digits, false, &down) == DP_OK);
	holds(dp_decimal_parse(text, digits, true, &up) == DP_OK);
	holds(down >= 0 && up >= 0 && down <= 10 * power && up <= 10 * power);
	holds((int32_t) down * unit <= number * power && ((int32_t) down + 1) * unit > number * power);
	holds((int32_t) up * unit >= number * power && ((int32_t) up - 1) * unit < number * power);
}

#ifndef VALUE
#define VALUE 1000
#endif

/* For all values from 0 to VALUE and 0 to 18 digits: the text that is printed fits the buffer, and
 * is read back as the same value by either rounding. */
void
prove_print(void)
{
	char buffer[DP_DECIMAL_BYTES];
	int64_t value = nondet_int64(), down, up;
	int digits = any_digits(DIGITS);

	given(value >= 0 && value <= VALUE);
	holds(dp_decimal_print(value, digits, buffer) == buffer);
	holds(dp_decimal_parse(buffer, digits, false, &down) == DP_OK && down == value);
	holds(dp_decimal_parse(buffer, digits, true, &up) == DP_OK && up == value);
}
