/*
 * test_universe.c -- public sets that are never written out: sizes up to 1e18,
 * values and indexes as exact inverses, what is refused.
 */
#include "core/base/prng.h"
#include "core/domain/universe.h"

#include "unit.h"

static uint64_t dropped;

static DpUniverse
strings(DpArena *arena, const char *alphabet, uint32_t shortest, uint32_t longest)
{
	uint32_t n = (uint32_t) strlen(alphabet);
	const char **symbol = dp_alloc(arena, n, sizeof(*symbol));
	DpUniverse u = {.size = 0};
	DpError error;

	for (uint32_t i = 0; i < n; i++)
	{
		char one[2] = {alphabet[i], '\0'};

		symbol[i] = dp_strdup(arena, one);
	}
	if (dp_universe_strings(
			&(DpStringRange){
				.symbol = symbol, .symbols = n, .length_min = shortest, .length_max = longest},
			&u, arena, &error) != DP_OK)
		u.size = 0;
	return u;
}

static DpUniverse
numbers(int64_t first, int64_t last, int64_t step, int digits)
{
	DpUniverse u = {.size = 0};
	DpError error;

	if (dp_universe_numbers(
			&(DpNumberRange){.first = first, .last = last, .step = step, .digits = digits}, &u,
			&error) != DP_OK)
		u.size = 0;
	return u;
}

static DpUniverse
dates(const char *first, const char *last, int64_t step)
{
	DpUniverse u = {.size = 0};
	DpError error;

	if (dp_universe_dates(first, last, step, &u, &error) != DP_OK)
		u.size = 0;
	return u;
}

static DpUniverse
list(DpArena *arena, const char *words)
{
	const char **value = dp_alloc(arena, strlen(words) + 1, sizeof(*value));
	char *copy = dp_strdup(arena, words);
	DpUniverse u = {.size = 0};
	uint64_t n = 0;
	DpError error;

	for (char *word = strtok(copy, " "); word != NULL; word = strtok(NULL, " "))
		value[n++] = word;
	if (dp_universe_list(value, n, &u, &dropped, arena, &error) != DP_OK)
		u.size = 0;
	return u;
}

static DpUniverse
product(DpArena *arena, const DpUniverse *a, const DpUniverse *b, char separator)
{
	const DpUniverse **part = dp_alloc(arena, 2, sizeof(*part));
	DpUniverse u = {.size = 0};
	DpError error;

	part[0] = a;
	part[1] = b;
	if (dp_universe_product(part, 2, separator, &u, &error) != DP_OK)
		u.size = 0;
	return u;
}

/* ---- both maps ---- */

static bool
goes_round(const DpUniverse *u, uint64_t index, char *text, char *scratch)
{
	size_t length = dp_universe_value(u, index, text);
	uint64_t found = UINT64_MAX;

	return length == strlen(text) && length <= u->text_bytes &&
		   dp_universe_find(u, text, length, scratch, &found) && found == index;
}

/* All values of a small universe, else the ends and random ones; none twice. */
static void
check_round(DpArena *arena, const DpUniverse *u, uint64_t size, const char *name)
{
	char *text = dp_alloc(arena, u->text_bytes + 1, 1);
	char *scratch = dp_alloc(arena, u->text_bytes + 1, 1);
	bool good = u->size == size && u->size > 0;
	DpPrng prng;

	dp_prng_seed(&prng, (DpStream){7, 0, 0});
	for (uint64_t i = 0; good && i < 20000 && i < u->size; i++)
	{
		good = goes_round(u, i, text, scratch) && goes_round(u, u->size - 1 - i, text, scratch);
		if (u->size > 20000)
			good = good && goes_round(u, dp_prng_u64(&prng) % u->size, text, scratch);
	}
	CHECK(good, "%s: %" PRIu64 " values, there and back", name, u->size);
}

static void
test_round(DpArena *arena)
{
	DpUniverse digits = strings(arena, "0123456789", 18, 18);
	DpUniverse letters = strings(arena, "ABCDEFGHIJKLMNOPQRSTUVWXYZ", 0, 12);
	DpUniverse tiny = strings(arena, "ab", 0, 3);
	DpUniverse unary = strings(arena, "x", 2, 5000);
	DpUniverse whole = numbers(-500000000000000000, 499999999999999999, 1, 0);
	DpUniverse cents = numbers(-100000, 100000, 5, 2);
	DpUniverse fine = numbers(-5, 999999999999999994, 1, 18);
	DpUniverse edge = numbers(INT64_MIN, INT64_MIN + 20, 7, 0);
	DpUniverse days = dates("0001-01-01", "9999-12-31", 1);
	DpUniverse weeks = dates("1999-12-27", "2020-02-29", 7);
	DpUniverse words = list(arena, "the a of zoo to a in the");
	DpUniverse pairs = product(arena, &words, &words, ' ');
	DpUniverse huge = product(arena, &digits, &words, ' ');
	DpUniverse keyed = product(arena, &pairs, &cents, '=');

	check_round(arena, &digits, UINT64_C(1000000000000000000), "18 digits");
	check_round(arena, &letters, UINT64_C(99246114928149463), "up to 12 letters");
	check_round(arena, &tiny, 15, "up to three of two letters");
	check_round(arena, &unary, 4999, "an alphabet of one letter");
	check_round(arena, &whole, DP_UNIVERSE_SIZE_MAX, "1e18 integers");
	check_round(arena, &cents, 40001, "steps of .05");
	check_round(arena, &fine, DP_UNIVERSE_SIZE_MAX, "18 digits after the point");
	check_round(arena, &edge, 3, "the lowest integers there are");
	check_round(arena, &days, 3652059, "all days of 9999 years");
	check_round(arena, &weeks, 1053, "weeks");
	check_round(arena, &words, 6, "a list with duplicates");
	check_round(arena, &pairs, 36, "pairs of words");
	check_round(arena, &keyed, 36 * 40001, "pairs of words and numbers");
	CHECK_I64(huge.size, 0, "6e18 values are too many");
}

static void
check_value(const DpUniverse *u, uint64_t index, const char *want)
{
	char text[64];

	(void) dp_universe_value(u, index, text);
	CHECK_STRING(text, want, "value %" PRIu64, index);
}

static void
test_values(DpArena *arena)
{
	DpUniverse tiny = strings(arena, "ab", 0, 3), cents = numbers(-125, 125, 5, 2);
	DpUniverse words = list(arena, "b a c a"), days = dates("2000-02-28", "2000-03-02", 1);
	DpUniverse pairs = product(arena, &words, &tiny, '-');

	CHECK_I64(dropped, 1, "a duplicate is dropped");
	check_value(&tiny, 0, "");
	check_value(&tiny, 2, "b");
	check_value(&tiny, 6, "bb");
	check_value(&tiny, 7, "aaa");
	check_value(&cents, 0, "-1.25");
	check_value(&cents, 25, "0");
	check_value(&cents, 26, "0.05");
	check_value(&cents, 45, "1");
	check_value(&words, 0, "a");
	check_value(&days, 1, "2000-02-29");
	check_value(&days, 3, "2000-03-02");
	check_value(&pairs, 15, "b-");
	check_value(&pairs, 16, "b-a");
}

/* ---- what is not in it ---- */

static void
check_absent(DpArena *arena, const DpUniverse *u, const char *const *text, uint32_t n,
			 const char *name)
{
	char *scratch = dp_alloc(arena, u->text_bytes + 1, 1);
	uint64_t index;
	bool absent = true;

	for (uint32_t i = 0; i < n; i++)
		if (dp_universe_find(u, text[i], strlen(text[i]), scratch, &index))
		{
			unit_note("found \"%s\"", text[i]);
			absent = false;
		}
	CHECK(absent, "%s: %u texts that are not in it", name, n);
}

#define ABSENT(u, name, ...)                                                                       \
	check_absent(arena, u, (const char *const[]){__VA_ARGS__},                                     \
				 sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *), name)

static void
test_absent(DpArena *arena)
{
	DpUniverse whole = numbers(-10, 1000, 10, 0), cents = numbers(0, 1000, 25, 2);
	DpUniverse days = dates("2000-01-01", "2001-01-01", 2), words = list(arena, "an and ant");
	DpUniverse plates = strings(arena, "AB", 2, 3), pairs = product(arena, &words, &words, ' ');

	ABSENT(&whole, "numbers", "", "-", "+10", "010", "-0", "10.0", "10.", "1e1", " 10", "10 ", "5",
		   "-20", "1010", "99999999999999999999", "-99999999999999999999", "0x10");
	ABSENT(&cents, "decimals", "0.250", ".25", "0.26", "1.00", "0.255", "10.25", "0..25");
	ABSENT(&days, "dates", "2000-01-02", "2000-02-30", "2001-01-02", "1999-12-31", "2000-1-01",
		   "2000-13-01", "2000-00-01", "20000101", "2000-01-01 ", "2000/01/01");
	ABSENT(&words, "words", "", "a", "an ", "ante", "b", "A", "andant");
	ABSENT(&plates, "strings", "", "A", "AC", "ABAB", "ab");
	ABSENT(&pairs, "pairs", "an", "an ", " an", "an  and", "an and ant", "an b", "anand");
}

/* Random bytes neither crash nor are found, unless they are what is printed. */
static void
test_hostile(DpArena *arena)
{
	DpUniverse words = list(arena, "a 1 -1 2000-01-01"),
			   days = dates("1990-01-01", "2010-01-01", 1);
	DpUniverse whole = numbers(-50, 50, 1, 1), plates = strings(arena, "-01.", 0, 9);
	DpUniverse pairs = product(arena, &days, &plates, ' ');
	const DpUniverse *all[] = {&words, &days, &whole, &plates, &pairs};
	static const char bytes[] = "-.0129 aAZ\xff\x80";
	char text[64], scratch[128];
	bool exact = true;
	uint64_t found = 0;
	DpPrng prng;

	dp_prng_seed(&prng, (DpStream){11, 0, 0});
	for (int round = 0; round < 300000; round++)
	{
		const DpUniverse *u = all[round % 5];
		size_t length = dp_prng_below(&prng, 16);
		uint64_t index;

		for (size_t i = 0; i < length; i++)
			text[i] = bytes[dp_prng_below(&prng, sizeof(bytes) - 1)];
		if (!dp_universe_find(u, text, length, scratch, &index))
			continue;
		found++;
		exact = exact && index < u->size && dp_universe_value(u, index, scratch) == length &&
				memcmp(scratch, text, length) == 0;
	}
	CHECK(exact && found > 1000, "%" PRIu64 " of 300000 random texts are values, and print so",
		  found);
}

/* ---- many characters ---- */

/* Number i as three characters, in an order that is not that of bytes. */
static const char *
symbol_of(DpArena *arena, uint32_t i)
{
	char text[4] = {(char) ('a' + i / 256), (char) (1 + i * 37 % 256), (char) (1 + i % 7), '\0'};

	text[1] = (char) (text[1] == '\0' ? -1 : text[1]);
	return dp_strdup(arena, text);
}

/* Found wherever it stands, and not what begins or ends like it. */
static void
test_alphabet(DpArena *arena)
{
	enum
	{
		N = DP_UNIVERSE_SYMBOLS_MAX
	};
	const char **symbol = dp_alloc(arena, N, sizeof(*symbol));
	DpUniverse u = {.size = 0};
	const char *kept;
	DpError error;

	for (uint32_t i = 0; i < N; i++)
		symbol[i] = symbol_of(arena, i);
	if (!CHECK(
			dp_universe_strings(
				&(DpStringRange){.symbol = symbol, .symbols = N, .length_min = 0, .length_max = 2},
				&u, arena, &error) == DP_OK,
			"4096 characters"))
		return;
	check_round(arena, &u, 1 + N + (uint64_t) N * N, "strings of 4096 characters");
	ABSENT(&u, "strings of 4096 characters", "a", "b", "a\001", "zzz", "\001", "a\001\001\001",
		   "\xff\xff\xff");
	kept = symbol[N - 1];
	symbol[N - 1] = symbol[1000];
	CHECK_STATUS(
		dp_universe_strings(
			&(DpStringRange){.symbol = symbol, .symbols = N, .length_min = 0, .length_max = 2}, &u,
			arena, &error),
		DP_ERR_ARGUMENT, "one of 4096 twice");
	symbol[N - 1] = "c";
	CHECK_STATUS(
		dp_universe_strings(
			&(DpStringRange){.symbol = symbol, .symbols = N, .length_min = 0, .length_max = 2}, &u,
			arena, &error),
		DP_ERR_ARGUMENT, "256 of 4096 begin with one");
	symbol[N - 1] = kept;
	symbol[0] = "";
	CHECK_STATUS(
		dp_universe_strings(
			&(DpStringRange){.symbol = symbol, .symbols = N, .length_min = 0, .length_max = 2}, &u,
			arena, &error),
		DP_ERR_ARGUMENT, "an empty one of 4096");
}

/* At most: what is printed is never more. */
static void
test_bytes(DpArena *arena)
{
	DpUniverse words = list(arena, "a bb cccc"), tiny = strings(arena, "ab", 0, 3);
	DpUniverse days = dates("2000-02-28", "2000-03-02", 1), cents = numbers(-125, 125, 5, 2);
	DpUniverse pairs = product(arena, &words, &words, ' '),
			   keyed = product(arena, &days, &tiny, ' ');
	DpUniverse endless = strings(arena, "x", 0, 1 << 20);
	const DpUniverse *all[] = {&words, &tiny, &days, &cents, &pairs, &keyed};
	char text[64];

	for (uint32_t k = 0; k < sizeof(all) / sizeof(all[0]); k++)
	{
		uint64_t bytes = 0;

		for (uint64_t i = 0; i < all[k]->size; i++)
			bytes += dp_universe_value(all[k], i, text) + 1;
		CHECK(dp_universe_all_bytes(all[k]) >= bytes && dp_universe_all_bytes(all[k]) <= 10 * bytes,
			  "%" PRIu64 " values have at most %" PRIu64 " bytes, and %" PRIu64, all[k]->size,
			  dp_universe_all_bytes(all[k]), bytes);
	}
	CHECK(dp_universe_all_bytes(&endless) > UINT64_C(1) << 39, "few values of many bytes");
}

/* ---- what is refused ---- */

static void
test_refused(DpArena *arena)
{
	static const char *twice[] = {"a", "b", "a"}, *prefix[] = {"a", "ab"}, *none[] = {""};
	static char huge[DP_UNIVERSE_SYMBOLS_MAX + 1][2];
	DpUniverse words = list(arena, "a b"), spaced = list(arena, "x y"), u;
	const DpUniverse *part[DP_UNIVERSE_PARTS_MAX + 1];
	const char **many = dp_alloc(arena, DP_UNIVERSE_SYMBOLS_MAX + 1, sizeof(*many));
	DpError error;

	spaced.value[0] = "x y";
	for (int i = 0; i <= DP_UNIVERSE_PARTS_MAX; i++)
		part[i] = &words;
	for (int i = 0; i <= DP_UNIVERSE_SYMBOLS_MAX; i++)
		many[i] = huge[i];
	CHECK_STATUS(dp_universe_list(NULL, 0, &u, &dropped, arena, &error), DP_ERR_ARGUMENT,
				 "an empty list");
	CHECK_STATUS(dp_universe_list(NULL, DP_UNIVERSE_LIST_MAX + 1, &u, &dropped, arena, &error),
				 DP_ERR_LIMIT, "a list that is too long");
	CHECK_STATUS(dp_universe_numbers(
					 &(DpNumberRange){.first = 2, .last = 1, .step = 1, .digits = 0}, &u, &error),
				 DP_ERR_ARGUMENT, "an empty range");
	CHECK_STATUS(dp_universe_numbers(
					 &(DpNumberRange){.first = 1, .last = 2, .step = 0, .digits = 0}, &u, &error),
				 DP_ERR_ARGUMENT, "a step of 0");
	CHECK_STATUS(dp_universe_numbers(
					 &(DpNumberRange){.first = 1, .last = 2, .step = 1, .digits = 19}, &u, &error),
				 DP_ERR_ARGUMENT, "19 digits");
	CHECK_STATUS(
		dp_universe_numbers(
			&(DpNumberRange){.first = INT64_MIN, .last = INT64_MAX, .step = 1, .digits = 0}, &u,
			&error),
		DP_ERR_LIMIT, "all integers there are");
	CHECK_STATUS(dp_universe_numbers(
					 &(DpNumberRange){
						 .first = 0, .last = INT64_C(1000000000000000000), .step = 1, .digits = 0},
					 &u, &error),
				 DP_ERR_LIMIT, "1e18 + 1 integers");
	CHECK_STATUS(dp_universe_dates("2000-02-30", "2001-01-01", 1, &u, &error), DP_ERR_ARGUMENT,
				 "no such date");
	CHECK_STATUS(dp_universe_dates("2001-01-01", "2000-01-01", 1, &u, &error), DP_ERR_ARGUMENT,
				 "no dates");
	CHECK_STATUS(
		dp_universe_strings(
			&(DpStringRange){.symbol = twice, .symbols = 3, .length_min = 1, .length_max = 1}, &u,
			arena, &error),
		DP_ERR_ARGUMENT, "a character twice");
	CHECK_STATUS(
		dp_universe_strings(
			&(DpStringRange){.symbol = prefix, .symbols = 2, .length_min = 1, .length_max = 1}, &u,
			arena, &error),
		DP_ERR_ARGUMENT, "one character begins another");
	CHECK_STATUS(
		dp_universe_strings(
			&(DpStringRange){.symbol = none, .symbols = 1, .length_min = 1, .length_max = 1}, &u,
			arena, &error),
		DP_ERR_ARGUMENT, "an empty character");
	CHECK_STATUS(
		dp_universe_strings(
			&(DpStringRange){.symbol = none, .symbols = 0, .length_min = 0, .length_max = 5}, &u,
			arena, &error),
		DP_ERR_ARGUMENT, "no characters");
	CHECK_STATUS(
		dp_universe_strings(
			&(DpStringRange){.symbol = twice, .symbols = 2, .length_min = 60, .length_max = 60}, &u,
			arena, &error),
		DP_ERR_LIMIT, "2^60 strings");
	CHECK_STATUS(dp_universe_strings(
					 &(DpStringRange){
						 .symbol = twice, .symbols = 1, .length_min = 0, .length_max = UINT32_MAX},
					 &u, arena, &error),
				 DP_ERR_LIMIT, "strings that are too long");
	CHECK_STATUS(
		dp_universe_strings(
			&(DpStringRange){.symbol = twice, .symbols = 2, .length_min = 5, .length_max = 4}, &u,
			arena, &error),
		DP_ERR_ARGUMENT, "no length in between");
	CHECK_STATUS(dp_universe_strings(&(DpStringRange){.symbol = many,
													  .symbols = DP_UNIVERSE_SYMBOLS_MAX + 1,
													  .length_min = 1,
													  .length_max = 1},
									 &u, arena, &error),
				 DP_ERR_LIMIT, "an alphabet that is too large");
	CHECK_STATUS(dp_universe_product(part, 0, ' ', &u, &error), DP_ERR_ARGUMENT, "no parts");
	CHECK_STATUS(dp_universe_product(part, DP_UNIVERSE_PARTS_MAX + 1, ' ', &u, &error),
				 DP_ERR_LIMIT, "too many parts");
	CHECK_STATUS(dp_universe_product(part, 2, 'a', &u, &error), DP_ERR_ARGUMENT,
				 "a separator that occurs in a value");
	CHECK_STATUS(dp_universe_product(part, 2, '\0', &u, &error), DP_ERR_ARGUMENT, "no separator");
	part[1] = &spaced;
	CHECK_STATUS(dp_universe_product(part, 2, ' ', &u, &error), DP_OK, "in the last part it may");
	part[0] = &spaced;
	CHECK_STATUS(dp_universe_product(part, 2, ' ', &u, &error), DP_ERR_ARGUMENT,
				 "not in the one before");
}

int
main(void)
{
	DpArena arena = dp_arena_malloc();

	test_round(&arena);
	test_values(&arena);
	test_absent(&arena);
	test_hostile(&arena);
	test_alphabet(&arena);
	test_bytes(&arena);
	test_refused(&arena);
	dp_arena_malloc_free(&arena);
	return unit_finish();
}
