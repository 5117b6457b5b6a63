/*
 * test_code_key.c -- codes packed into words: each comes back, none lies across two words, and
 * words are in the order of the codes.
 */
#include "core/base/code_key.h"

#include "unit.h"

#define N 5

static const uint32_t levels[N] = {1u << 31, 1, 1u << 31, 3, UINT32_MAX};

static void
pack(const DpKeyField *field, const uint32_t *code, uint64_t *key, uint32_t words)
{
	memset(key, 0, words * sizeof(*key));
	for (uint32_t k = 0; k < N; k++)
		dp_key_put(&field[k], code[k], key);
}

int
main(void)
{
	static const uint32_t one[N] = {7, 0, 9, 2, 1}, later[N] = {7, 0, 9, 2, 5},
						  most[N] = {(1u << 31) - 1, 0, (1u << 31) - 1, 2, UINT32_MAX - 1};
	DpKeyField field[N];
	uint64_t a[N], b[N];
	uint32_t words = dp_key_layout(levels, N, field), wrong = 0;

	CHECK_I64(words, 2, "two words hold 31 + 0 + 31 + 2 and 32 bits");
	CHECK(field[1].bits == 0 && field[1].shift == 0, "an attribute of one level takes no bits");
	CHECK(field[3].word == 0 && field[3].shift == 0, "a field may end the first word");
	CHECK(field[4].word == 1 && field[4].bits == 32, "none lies across two words");
	pack(field, most, a, words);
	for (uint32_t k = 0; k < N; k++)
		wrong += dp_key_get(&field[k], a) != most[k];
	CHECK_I64(wrong, 0, "the largest codes come back");
	CHECK(a[0] == UINT64_MAX - 1, "and fill the first word but for the bit of 2 of 3 levels");
	pack(field, one, a, words);
	pack(field, later, b, words);
	CHECK(dp_key_before(a, b, words) && !dp_key_before(b, a, words) && !dp_key_before(a, a, words),
		  "keys have the order of codes");
	CHECK(!dp_key_equal(a, b, words) && dp_key_equal(a, b, 1), "the first words are equal");
	CHECK(dp_key_hash(a, words) != dp_key_hash(b, words),
		  "keys that differ in a bit or two hash apart");
	CHECK_I64(dp_key_layout(levels + 1, 1, field), 1, "no code at all takes a word");
	return unit_finish();
}
