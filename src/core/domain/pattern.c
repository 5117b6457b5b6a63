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
	return strstr(pattern, DP_PATTERN_NUMBER) != NULL || dp_pattern_is_random(pattern);
}

size_t
dp_pattern_bytes(const char *pattern)
{
	size_t bytes = 1;

	while (*pattern)
	{
		if (begins(pattern, DP_PATTERN_NUMBER))
		{
			pattern += strlen(DP_PATTERN_NUMBER);
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
number_write(uint64_t n, char *to)
{
	char digits[NUMBER_BYTES];
	size_t length = 0;

	do
		digits[length++] = (char) ('0' + n % 10);
	while ((n /= 10) > 0);
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
dp_pattern_write(const char *pattern, uint64_t n, DpPrng *prng, char *to)
{
	size_t length = 0;

	while (*pattern)
	{
		if (begins(pattern, DP_PATTERN_NUMBER))
		{
			pattern += strlen(DP_PATTERN_NUMBER);
			length += number_write(n, to + length);
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
