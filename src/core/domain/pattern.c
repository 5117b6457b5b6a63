/*
 * pattern.c -- texts for columns that are not modelled. A brace that opens nothing known stands for
 * itself, so '{}' is the empty array and the empty object.
 */
#include "core/domain/pattern.h"

#include <string.h>

#define NUMBER_BYTES 20 /* digits of 2^64 - 1 */
#define UUID_BYTES 36

static bool
begins(const char *text, const char *word)
{
	return strncmp(text, word, strlen(word)) == 0;
}

/* The bytes of {n} or {n:digits} at the beginning of a text, and its digits, 0 for {n}; 0: another
 * text. */
static size_t
number_at(const char *text, int *digits)
{
	const char *at = text + 3;

	*digits = 0;
	if (begins(text, DP_PATTERN_NUMBER))
		return strlen(DP_PATTERN_NUMBER);
	if (!begins(text, "{n:") || *at < '1' || *at > '9')
		return 0;
	for (; *at >= '0' && *at <= '9' && *digits <= DP_PATTERN_DIGITS_MAX; at++)
		*digits = *digits * 10 + (*at - '0');
	return *at == '}' && *digits <= DP_PATTERN_DIGITS_MAX ? (size_t) (at - text) + 1 : 0;
}

int
dp_pattern_digits(const char *pattern)
{
	int least = 0, digits;

	for (; *pattern; pattern++)
		if (number_at(pattern, &digits) > 0 && digits > 0 && (least == 0 || digits < least))
			least = digits;
	return least;
}

static bool
has_number(const char *pattern)
{
	int digits;

	while (*pattern && number_at(pattern, &digits) == 0)
		pattern++;
	return *pattern != '\0';
}

bool
dp_pattern_is_null(const char *pattern)
{
	return strcmp(pattern, DP_PATTERN_NULL) == 0;
}

bool
dp_pattern_is_random(const char *pattern)
{
	return strstr(pattern, DP_PATTERN_UUID) != NULL;
}

bool
dp_pattern_is_unique(const char *pattern)
{
	return has_number(pattern) || dp_pattern_is_random(pattern);
}

bool
dp_pattern_has_place(const char *pattern)
{
	return strstr(pattern, DP_PATTERN_PLACE) != NULL;
}

bool
dp_pattern_is_constant(const char *pattern)
{
	return !dp_pattern_is_unique(pattern) && !dp_pattern_has_place(pattern);
}

size_t
dp_pattern_bytes(const char *pattern)
{
	size_t bytes = 1;
	int digits;

	while (*pattern)
	{
		size_t number = number_at(pattern, &digits);

		if (number > 0)
		{
			pattern += number;
			bytes += NUMBER_BYTES;
		}
		else if (begins(pattern, DP_PATTERN_PLACE))
		{
			pattern += strlen(DP_PATTERN_PLACE);
			bytes += NUMBER_BYTES;
		}
		else if (begins(pattern, DP_PATTERN_UUID))
		{
			pattern += strlen(DP_PATTERN_UUID);
			bytes += UUID_BYTES;
		}
		else
		{
			pattern++;
			bytes++;
		}
	}
	return bytes;
}

static size_t
number_write(uint64_t n, int width, char *to)
{
	char digits[NUMBER_BYTES];
	size_t length = 0;

	for (; n > 0 || length == 0 || length < (size_t) width; n /= 10)
		digits[length++] = (char) ('0' + n % 10);
	for (size_t i = 0; i < length; i++)
		to[i] = digits[length - 1 - i];
	return length;
}

/* Version 4 of RFC 9562: 122 random bits, four that say "4", two that say "this layout". */
static size_t
uuid_write(DpPrng *prng, char *to)
{
	uint64_t high = (dp_prng_u64(prng) & ~UINT64_C(0xf000)) | UINT64_C(0x4000);
	uint64_t low = (dp_prng_u64(prng) >> 2) | UINT64_C(0x8000000000000000);
	size_t length = 0;

	for (int i = 0; i < 32; i++)
	{
		uint64_t half = i < 16 ? high : low;

		if (i == 8 || i == 12 || i == 16 || i == 20)
			to[length++] = '-';
		to[length++] = "0123456789abcdef"[half >> (60 - 4 * (i % 16)) & 15];
	}
	return length;
}

size_t
dp_pattern_write(const char *pattern, DpPatternRow row, DpPrng *prng, char *to)
{
	size_t length = 0;
	int digits;

	while (*pattern)
	{
		size_t number = number_at(pattern, &digits);

		if (number > 0)
		{
			pattern += number;
			length += number_write(row.number, digits, to + length);
		}
		else if (begins(pattern, DP_PATTERN_PLACE))
		{
			pattern += strlen(DP_PATTERN_PLACE);
			length += number_write(row.place, 0, to + length);
		}
		else if (begins(pattern, DP_PATTERN_UUID))
		{
			pattern += strlen(DP_PATTERN_UUID);
			length += uuid_write(prng, to + length);
		}
		else
			to[length++] = *pattern++;
	}
	to[length] = '\0';
	return length;
}
