/*
 * test_pattern.c -- texts for columns that are not modelled.
 */
#include "core/domain/pattern.h"

#include "unit.h"

static char text[256];

static const char *
write_row(const char *pattern, uint64_t n, uint64_t seed)
{
	DpPrng prng;
	size_t length;

	dp_prng_seed(&prng, (DpStream){seed, 1, 0});
	length = dp_pattern_write(pattern, (DpPatternRow){n, n % 7}, &prng, text);
	if (length != strlen(text) || length >= dp_pattern_bytes(pattern))
		return "(a wrong length)";
	return text;
}

static void
check_row(const char *pattern, uint64_t n, const char *expected)
{
	const char *got = write_row(pattern, n, 0);

	CHECK(strcmp(got, expected) == 0, "\"%s\" of row %" PRIu64 " is \"%s\", got \"%s\"", pattern, n,
		  expected, got);
}

static void
test_numbers(void)
{
	check_row("", 1, "");
	check_row("unknown", 7, "unknown");
	check_row("{n}", 1, "1");
	check_row("{n}", UINT64_MAX, "18446744073709551615");
	check_row("user{n}@example.org", 1000, "user1000@example.org");
	check_row("{n}-{n}", 42, "42-42");
	check_row("A{n:4}", 7, "A0007");
	check_row("{n:2}{n:19}", 123, "1230000000000000000123");
	check_row("{n:0}{n:20}{n:}{n:4", 1, "{n:0}{n:20}{n:}{n:4");
	check_row("{}", 1, "{}");
	check_row("{\"a\": {n}}", 3, "{\"a\": 3}");
	check_row("{n", 1, "{n");
	check_row("{m} {N} {{n}}", 5, "{m} {N} {5}");
	check_row("{place}", 10, "3");
	check_row("{n}.{place} {place", 12, "12.5 {place");
}

static void
test_kinds(void)
{
	CHECK(dp_pattern_is_null("{null}") && !dp_pattern_is_null("{null} "), "{null} is NULL");
	CHECK(dp_pattern_is_unique("a{n:3}") && !dp_pattern_is_unique("{n:x}"), "so many digits");
	CHECK_I64(dp_pattern_digits("{n:7}-{n:3}{n}"), 3, "the shortest number");
	CHECK_I64(dp_pattern_digits("{n}"), 0, "a number of any length");
	CHECK(dp_pattern_is_unique("a{n}") && dp_pattern_is_unique("{uuid}b"), "unique patterns");
	CHECK(!dp_pattern_is_unique("{null}") && !dp_pattern_is_unique("n"), "and others");
	CHECK(dp_pattern_has_place("line {place}") && !dp_pattern_has_place("{n}"), "a place");
	CHECK(!dp_pattern_is_unique("{place}") && dp_pattern_is_unique("{n} {place}"), "is not unique");
	CHECK(!dp_pattern_is_constant("{place}") && !dp_pattern_is_constant("{n}") &&
			  !dp_pattern_is_constant("{uuid}") && dp_pattern_is_constant("place"),
		  "constant patterns");
	CHECK(dp_pattern_is_random("{uuid}") && !dp_pattern_is_random("{n}"), "a uuid is random");
}

/* Version 4, layout 10, lower case, and nothing but that fixed. */
static void
test_uuid(void)
{
	char first[64];
	unsigned char ones[36] = {0}, zeros[36] = {0};
	bool formed = true;

	strcpy(first, write_row("{uuid}", 1, 1));
	CHECK(strcmp(first, write_row("{uuid}", 2, 1)) == 0, "the stream alone decides");
	CHECK(strcmp(first, write_row("{uuid}", 1, 2)) != 0, "another seed is another uuid");
	for (uint64_t seed = 0; seed < 2000; seed++)
	{
		const char *uuid = write_row("{uuid}", 1, seed);

		formed = formed && strlen(uuid) == 36 && uuid[14] == '4' && strchr("89ab", uuid[19]);
		for (int i = 0; i < 36; i++)
		{
			bool dash = i == 8 || i == 13 || i == 18 || i == 23;

			formed =
				formed && (dash ? uuid[i] == '-' : strchr("0123456789abcdef", uuid[i]) != NULL);
			ones[i] |= uuid[i] != '0';
			zeros[i] |= uuid[i] == '0';
		}
	}
	CHECK(formed, "2000 uuids are well formed");
	for (int i = 0; i < 36; i++)
		if (i != 8 && i != 13 && i != 14 && i != 18 && i != 19 && i != 23)
			formed = formed && ones[i] && zeros[i];
	CHECK(formed, "every other digit varies");
	dp_pattern_write("{uuid} {uuid}", (DpPatternRow){1, 1}, &(DpPrng){{1, 2, 3, 4}}, text);
	CHECK(strncmp(text, text + 37, 36) != 0, "two uuids in one text differ");
}

int
main(void)
{
	test_numbers();
	test_kinds();
	test_uuid();
	return unit_finish();
}
