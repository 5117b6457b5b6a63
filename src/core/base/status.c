/*
 * status.c -- filling a DpError.
 */
#include "core/base/status.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/*
 * Names in a message are the user's and may be long. A text that was cut must
 * not end inside a character of UTF-8: the glue would hand the server a string
 * that is not valid in its encoding.
 */
static void
mark_cut(char *text, size_t size)
{
	size_t end = size - sizeof("...");

	while (end > 0 && ((unsigned char) text[end] & 0xC0) == 0x80)
		end--;
	memcpy(text + end, "...", sizeof("..."));
}

static void DP_PRINTF(3, 0)
	format_text(char *text, size_t size, const char *format, va_list arguments)
{
	int length = vsnprintf(text, size, format, arguments);

	if (length < 0)
		text[0] = '\0';
	else if ((size_t) length >= size)
		mark_cut(text, size);
}

DpStatus
dp_fail(DpError *error, DpStatus status, const char *format, ...)
{
	va_list arguments;

	if (error == NULL)
		return status;
	error->status = status;
	error->detail[0] = '\0';
	error->hint[0] = '\0';
	va_start(arguments, format);
	format_text(error->message, sizeof(error->message), format, arguments);
	va_end(arguments);
	return status;
}

void
dp_fail_detail(DpError *error, const char *format, ...)
{
	va_list arguments;

	if (error == NULL)
		return;
	va_start(arguments, format);
	format_text(error->detail, sizeof(error->detail), format, arguments);
	va_end(arguments);
}

void
dp_fail_hint(DpError *error, const char *format, ...)
{
	va_list arguments;

	if (error == NULL)
		return;
	va_start(arguments, format);
	format_text(error->hint, sizeof(error->hint), format, arguments);
	va_end(arguments);
}

const char *
dp_status_text(DpStatus status)
{
	switch (status)
	{
		case DP_OK:
			return "no error";
		case DP_ERR_MEMORY:
			return "out of memory";
		case DP_ERR_RANGE:
			return "a number is out of range";
		case DP_ERR_ARGUMENT:
			return "an argument is invalid";
		case DP_ERR_UNDEFINED:
			return "a name does not exist";
		case DP_ERR_LIMIT:
			return "a limit is exceeded";
		case DP_ERR_OVERDRAW:
			return "the privacy budget does not cover this";
		case DP_ERR_CORRUPT:
			return "stored bytes are not valid";
		case DP_ERR_ENCODING:
			return "a text is not valid in its encoding";
		case DP_ERR_RANDOM:
			return "the random source failed";
		case DP_ERR_INTERNAL:
			return "an internal invariant is broken";
	}
	return "unknown status";
}

DpStatus
dp_fail_filled(DpError *error, DpStatus status)
{
	if (status == DP_OK || error == NULL || error->status == status)
		return status;
	return dp_fail(error, status, "%s", dp_status_text(status));
}
