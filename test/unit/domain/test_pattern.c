/*
 * test_pattern.c -- texts for columns that are not modelled.
 */
#include "core/domain/pattern.h"

#include "unit.h"
#include "unit_arena.h"

static char text[256];

/* what a column named "first" holds; there is no other */
static const char *
write_row(const char *pattern, uint64_t n, uint64_t seed)
{
	DpArena arena = dp_arena_malloc();
	DpPattern *read = dp_pattern_read(pattern, &arena);
	const char *column[8] = {NULL};
	size_t length;

	if (read == NULL || dp_pattern_columns(read) > 8)
		return "(not read)";
	for (uint32_t i = 0; i < dp_pattern_columns(read); i++)
		if (strcmp(dp_pattern_column(read, i), "first") == 0)
			column[i] = "Ann";
	length = dp_pattern_write(read, (DpPatternRow){n, n % 7}, (DpStream){seed, 1, 0}, column, text);
	dp_arena_malloc_free(&arena);
	if (length != strlen(text) || length >= dp_pattern_facts(pattern).bytes)
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
	check_row("{first}.{last}{first}", 1, "Ann.{last}Ann");
	check_row("{\"{n}\"}", 1, "{n}");
	check_row("{\"a\\\"b, c\"}", 1, "a\"b, c");
	check_row("{[x]:3}{[\\]]}{[\xc3\xa4]:2}", 9, "xxx]\xc3\xa4\xc3\xa4");
	check_row("{[}{[b-a]}{[a]:0}{[a]:1001}", 1, "{[}{[b-a]}{[a]:0}{[a]:1001}");
}

static void
test_kinds(void)
{
	CHECK(dp_pattern_is_null("{null}") && !dp_pattern_is_null("{null} "), "{null} is NULL");
	CHECK(dp_pattern_facts("a{n:3}").unique && !dp_pattern_facts("{n:x}").unique, "so many digits");
	CHECK_I64(dp_pattern_facts("{n:7}-{n:3}{n}").digits, 3, "the shortest number");
	CHECK_I64(dp_pattern_facts("{n}").digits, 0, "a number of any length");
	CHECK(dp_pattern_facts("a{n}").unique && dp_pattern_facts("{uuid}b").unique, "unique patterns");
	CHECK(!dp_pattern_facts("{null}").unique && !dp_pattern_facts("n").unique, "and others");
	CHECK(dp_pattern_facts("line {place}").place && !dp_pattern_facts("{n}").place, "a place");
	CHECK(!dp_pattern_facts("{place}").unique && dp_pattern_facts("{n} {place}").unique,
		  "is not unique");
	CHECK(!dp_pattern_facts("{place}").constant && !dp_pattern_facts("{n}").constant &&
			  !dp_pattern_facts("{uuid}").constant && dp_pattern_facts("place").constant,
		  "constant patterns");
	CHECK(dp_pattern_facts("{uuid}").random && !dp_pattern_facts("{n}").random, "a uuid is random");
	CHECK(dp_pattern_is_list("{a,b}") && dp_pattern_is_list("{ a , \"b}\" }") &&
			  dp_pattern_is_list("{\"a\"}"),
		  "lists");
	CHECK(!dp_pattern_is_list("{a}") && !dp_pattern_is_list("{}") && !dp_pattern_is_list("{a,}") &&
			  !dp_pattern_is_list("{a,b}{c}") && !dp_pattern_is_list("{a,{n}}") &&
			  !dp_pattern_is_list("{\"a\": 1, \"b\": 2}") && !dp_pattern_is_list("{[a,b]:2}") &&
			  !dp_pattern_is_list("{a,b"),
		  "and what is none");
	CHECK(dp_pattern_facts("{\"a\"}").constant && !dp_pattern_facts("{a,b}").constant,
		  "of one value");
	CHECK(dp_pattern_facts("a{b}").column &&
			  !dp_pattern_facts("{n}{place}{uuid}{[a]:2}{null").column &&
			  !dp_pattern_facts("{null}").column,
		  "other columns");
	CHECK(dp_pattern_facts("{n:[a-c]:2}").unique && !dp_pattern_facts("{[a-c]:2}").unique,
		  "letters");
	CHECK(dp_pattern_facts("{n:[a-c]:2}-{n:[01]}{[a-z]:9}").capacity == 18,
		  "letters are one number");
	CHECK(dp_pattern_facts("{n:[0-9a-f]:32}").capacity == UINT64_MAX, "md5 tells any apart");
}

/* Numbers are shuffled, and none comes twice, also where letters could tell more apart than there
 * are numbers. */
static void
test_letters(void)
{
	static const char *const patterns[] = {
		"{n:[a-c]:3}",     "{n:[a-z]}-{n:[0-9]:2}", "{n:[\xc3\xa4\xc3\xb6x]:5}",
		"{n:[0-9a-f]:32}", "{n:[01]:63}{[a-z]:3}",  "{n:[01]:64}"};
	static char seen[2600][80];

	for (size_t p = 0; p < sizeof(patterns) / sizeof(patterns[0]); p++)
	{
		uint64_t n = dp_pattern_facts(patterns[p]).capacity;
		bool differ = true, in_order = true;

		n = n < 2600 ? n : 2600;
		for (uint64_t i = 0; i < n; i++)
		{
			strcpy(seen[i], write_row(patterns[p], i + 1, 3));
			in_order = in_order && (i == 0 || strcmp(seen[i - 1], seen[i]) < 0);
			for (uint64_t k = 0; k < i; k++)
				differ = differ && strcmp(seen[k], seen[i]) != 0;
		}
		CHECK(differ && !in_order, "%s differs in %" PRIu64 " rows", patterns[p], n);
	}
	strcpy(seen[0], write_row("{[a-z]:20}", 1, 1));
	CHECK(strcmp(seen[0], write_row("{[a-z]:20}", 2, 1)) != 0, "random letters differ by row");
	CHECK(strcmp(seen[0], write_row("{[a-z]:20}", 1, 1)) == 0, "and follow from it");
}

/* Each value of a list comes as often as the others. */
static void
test_lists(void)
{
	int count[3] = {0};

	for (uint64_t n = 1; n <= 3000; n++)
	{
		const char *value = write_row("{Ann, \"B,en\",C}", n, 5);

		count[0] += strcmp(value, "Ann") == 0;
		count[1] += strcmp(value, "B,en") == 0;
		count[2] += strcmp(value, "C") == 0;
	}
	CHECK_I64(count[0] + count[1] + count[2], 3000, "nothing else comes");
	for (int i = 0; i < 3; i++) /* five standard deviations */
		CHECK(count[i] > 870 && count[i] < 1130, "value %d came %d times", i, count[i]);
	dp_pattern_quote("a\"b\\", false, text);
	CHECK(strcmp(text, "\"a\\\"b\\\\\"") == 0, "quoted where it must be: %s", text);
	dp_pattern_quote("Ann", false, text);
	CHECK(strcmp(text, "Ann") == 0, "and else not");
}

/* Version 4, layout 10, lower case, and nothing but that fixed. */
static void
test_uuid(void)
{
	char first[64];
	unsigned char ones[36] = {0}, zeros[36] = {0};
	bool formed = true;

	strcpy(first, write_row("{uuid}", 1, 1));
	CHECK(strcmp(first, write_row("{uuid}", 2, 1)) != 0, "another row is another uuid");
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
	(void) write_row("{uuid} {uuid}", 1, 1);
	CHECK(strncmp(text, text + 37, 36) != 0, "two uuids in one text differ");
}

static void
test_check_digits(void)
{
	uint32_t missing = 0;

	CHECK(strcmp(write_row("7992739871{check:luhn}", 1, 1), "79927398713") == 0, "Luhn");
	CHECK(strcmp(write_row("4006381{check:ean}33931", 1, 1), "4006381333931") == 0, "EAN");
	CHECK(strcmp(write_row("{check:ean}-306-40615-7", 1, 1), "6-306-40615-7") == 0, "in front");
	CHECK(strcmp(write_row("DE{check:iban}370400440532013000", 1, 1), "DE89370400440532013000") ==
			  0,
		  "IBAN");
	CHECK(strcmp(write_row("GB{check:iban}WEST12345698765432", 1, 1), "GB82WEST12345698765432") ==
			  0,
		  "IBAN with letters");
	CHECK(strcmp(write_row("{check:nope}", 1, 1), "{check:nope}") == 0,
		  "any other stands for itself");
	CHECK(!dp_pattern_facts("{check:luhn}").unique &&
			  dp_pattern_facts("{n:8}{check:luhn}").unique &&
			  dp_pattern_facts("DE{check:iban}").bytes == 5,
		  "what they say");
	CHECK(dp_pattern_facts("a{null:30}").null_percent == 30 &&
			  dp_pattern_facts("{null:100}").null_percent == 100 &&
			  dp_pattern_facts("a{null:0}").null_percent == 0 &&
			  dp_pattern_facts("{null}").null_percent == 0,
		  "percent");
	CHECK(strcmp(write_row("a{null:0}", 1, 1), "a") == 0 &&
			  strcmp(write_row("a{null:100}", 1, 1), "a") == 0,
		  "none and all");
	CHECK(dp_pattern_unread("a{null:30}{null:0}{null:100}{check:luhn}{x}{") == NULL &&
			  strcmp(dp_pattern_unread("a{null:101}b"), "{null:101}b") == 0 &&
			  dp_pattern_unread("{null:}") != NULL && dp_pattern_unread("{check:nope}") != NULL,
		  "what is not read");
	CHECK(strcmp(write_row("a{null:30}", 1, 1), "a") == 0, "it writes nothing");
	for (uint64_t row = 1; row <= 10000; row++)
		missing += dp_pattern_is_missing(30, (DpPatternRow){row, 1}, (DpStream){7, 1, 0});
	CHECK(missing > 2800 && missing < 3200, "%u of 10000 rows", (unsigned) missing);
}

int
main(void)
{
	test_numbers();
	test_check_digits();
	test_kinds();
	test_uuid();
	test_letters();
	test_lists();
	return unit_finish();
}
