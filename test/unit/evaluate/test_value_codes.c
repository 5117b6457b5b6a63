/*
 * test_value_codes.c -- numbers for values: equal values are one, memory that ends changes nothing,
 * the order is that of the values.
 */
#include "core/evaluate/value_codes.h"

#include "unit.h"

#define VALUES 5000

static DpText
text_of(char *buffer, uint32_t i)
{
	int length =
		snprintf(buffer, 64, "%.*s%u", (int) (i % 30), "a text that is long or short, ...", i);

	return (DpText){buffer, (uint32_t) length};
}

static void
check_texts(void)
{
	DpArena arena = dp_arena_malloc();
	DpValueCodes values;
	char buffer[64];
	uint32_t code;
	bool same = true;
	bool ordered = true;
	uint64_t *order = calloc(VALUES + 1, sizeof(*order));

	CHECK_STATUS(dp_value_codes_init(&values, true, &arena), DP_OK, "a dictionary begins");
	for (uint32_t round = 0; round < 2; round++)
	{
		for (uint32_t i = 0; i < VALUES; i++)
		{
			DpStatus status = dp_value_codes_text(&values, text_of(buffer, i), &code);

			same = same && status == DP_OK && code == i + 1;
			dp_value_codes_count(&values, round, &code, 1);
		}
	}
	CHECK(same, "a text has one number in both tables");
	CHECK_I64(values.n, VALUES + 1, "each text once, and NULL");
	CHECK(values.rows[0][17] == 1 && values.rows[1][17] == 1, "rows are counted by table");
	CHECK_STATUS(dp_value_codes_text(&values, (DpText){"", 0}, &code), DP_OK, "an empty text");
	CHECK_I64(code, VALUES + 1, "is a value too");
	CHECK_STATUS(dp_value_codes_order(&values, order, &arena), DP_OK, "texts are ordered");
	CHECK_I64((int64_t) order[0], VALUES + 1, "the empty one comes first");
	for (uint32_t i = 1; i + 1 < values.n; i++)
	{
		const DpValueText *a = &values.text[order[i - 1]];
		const DpValueText *b = &values.text[order[i]];
		uint32_t common = a->length < b->length ? a->length : b->length;
		int less = memcmp(values.bytes + a->at, values.bytes + b->at, common);

		ordered = ordered && (less < 0 || (less == 0 && a->length < b->length));
	}
	CHECK(ordered, "in the order of their bytes");
	free(order);
	dp_value_codes_free(&values);
	dp_arena_malloc_free(&arena);
}

/* Texts of all lengths, among them some that differ in one byte, are the same with what stands
 * before them or without. */
static void
check_inside(void)
{
	DpArena arena = dp_arena_malloc();
	DpValueCodes values;
	char buffer[64];
	uint32_t wrong = 0;

	CHECK_STATUS(dp_value_codes_init(&values, true, &arena), DP_OK, "a dictionary begins");
	for (uint32_t round = 0; round < 2000; round++)
	{
		uint32_t length = round % 40;
		uint32_t inside = 0, outside = 0;
		DpText text = {buffer + 8, length};

		memset(buffer, (int) (round % 251), 8);
		memset(buffer + 8, 'a', length);
		if (length > 0)
			buffer[8 + round / 40 % length] = (char) (round % 3);
		if (round % 2 == 0 && dp_value_codes_text(&values, text, &outside) != DP_OK)
			wrong++;
		if (dp_value_codes_text_inside(&values, text, &inside) != DP_OK ||
			dp_value_codes_text(&values, text, &outside) != DP_OK || inside != outside ||
			values.text[inside].length != length ||
			memcmp(values.bytes + values.text[inside].at, text.at, length) != 0)
			wrong++;
	}
	CHECK_I64(wrong, 0, "a text is the same where it lies in a tuple");
	dp_value_codes_free(&values);
	dp_arena_malloc_free(&arena);
}

static void
check_numbers(void)
{
	const double number[] = {3, -0.0, 0.0, NAN, -NAN, INFINITY, -INFINITY, 3, 1e-300};
	const uint32_t want[] = {1, 2, 2, 3, 3, 4, 5, 1, 6};
	const uint64_t want_order[] = {5, 2, 6, 1, 4, 3};
	DpArena arena = dp_arena_malloc();
	DpValueCodes values;
	uint64_t order[6];
	bool same = dp_value_codes_init(&values, false, &arena) == DP_OK;

	for (int i = 0; i < 9; i++)
	{
		uint32_t code = 0;

		same = same && dp_value_codes_number(&values, number[i], &code) == DP_OK && code == want[i];
	}
	CHECK(same, "zeros are one number, and so is all that is none");
	CHECK_STATUS(dp_value_codes_order(&values, order, &arena), DP_OK, "numbers are ordered");
	CHECK(memcmp(order, want_order, sizeof(order)) == 0, "with NaN at the end");
	dp_value_codes_free(&values);
	dp_arena_malloc_free(&arena);
}

static void
check_memory(void)
{
	DpArena arena = dp_arena_malloc();
	DpValueCodes values;
	uint32_t known = 0;
	uint32_t code;
	char buffer[64];

	arena.bytes_max = 20000;
	CHECK_STATUS(dp_value_codes_init(&values, true, &arena), DP_OK, "a small dictionary begins");
	while (dp_value_codes_text(&values, text_of(buffer, known), &code) == DP_OK)
		known++;
	CHECK(known > 20 && known < VALUES, "it is full some time");
	CHECK_I64(values.n, known + 1, "what did not fit is not there");
	CHECK_STATUS(dp_value_codes_text(&values, text_of(buffer, known - 1), &code), DP_OK,
				 "what fit is found");
	CHECK_I64(code, known, "under its number");
	CHECK(dp_value_codes_bytes(&values) <= arena.bytes_used, "it says what it takes");
	dp_value_codes_free(&values);
	CHECK_I64((int64_t) arena.bytes_used, 0, "all of it is given back");
	dp_arena_malloc_free(&arena);
}

int
main(void)
{
	check_texts();
	check_inside();
	check_numbers();
	check_memory();
	return unit_finish();
}
