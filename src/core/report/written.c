/*
 * written.c -- numbers as a report writes them.
 */
#include "core/report/page.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define WITH_COMMAS_MAX 1e15
#define PERCENT "\xC2\xA0%%" /* a space that no line ends at, and the sign */

static DpWritten
unknown(void)
{
	return (DpWritten){"unknown"};
}

DpWritten
dp_written_count(double value)
{
	DpWritten written = {""};
	char digits[32];
	size_t length, at = 0;
	double whole = round(fabs(value));

	if (!isfinite(value))
		return unknown();
	if (whole >= WITH_COMMAS_MAX)
	{
		snprintf(written.text, sizeof(written.text), "%.3g", value);
		return written;
	}
	length = (size_t) snprintf(digits, sizeof(digits), "%.0f", whole);
	if (value < 0 && whole > 0)
		written.text[at++] = '-';
	for (size_t i = 0; i < length; i++)
	{
		if (i > 0 && (length - i) % 3 == 0)
			written.text[at++] = ',';
		written.text[at++] = digits[i];
	}
	return written;
}

/* So many digits after the point, and no zeros at the end. */
static DpWritten
with_digits(double value, int digits)
{
	DpWritten written = {""};
	size_t length = (size_t) snprintf(written.text, sizeof(written.text), "%.*f", digits, value);

	while (digits > 0 && written.text[length - 1] == '0')
		written.text[--length] = '\0';
	if (digits > 0 && written.text[length - 1] == '.')
		written.text[--length] = '\0';
	if (strcmp(written.text, "-0") == 0)
		return (DpWritten){"0"};
	return written;
}

DpWritten
dp_written_number(double value)
{
	DpWritten written = {""};
	double size = fabs(value);

	if (!isfinite(value))
		return unknown();
	if (size >= 999.5)
		return dp_written_count(value);
	if (value == 0 || size >= 1e-4)
		return with_digits(value, size >= 99.95    ? 0
								  : size >= 9.995  ? 1
								  : size >= 0.9995 ? 2
								  : size >= 0.01   ? 3
								  : size >= 0.001  ? 4
												   : 5);
	snprintf(written.text, sizeof(written.text), "%.3g", value);
	return written;
}

DpWritten
dp_written_percent(double share)
{
	DpWritten written = {""};
	double percent = 100 * share;

	if (!isfinite(share))
		return unknown();
	if (percent == 0 || (percent < 0 && percent > -0.05))
		return (DpWritten){"0\xC2\xA0%"};
	if (fabs(percent) >= 0.095)
		snprintf(written.text, sizeof(written.text),
				 fabs(percent) >= 99.95 ? "%.0f" PERCENT : "%.1f" PERCENT, percent);
	else
		snprintf(written.text, sizeof(written.text), "%.2g" PERCENT, percent);
	return written;
}
