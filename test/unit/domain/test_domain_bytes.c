/*
 * test_domain_bytes.c -- the parts of stored formats: one form for each integer and text, faults
 * that end the reading, digests, and a domain that comes back.
 */
#include "core/domain/domain_bytes.h"

#include "unit_data.h"

static DpReader
reader_of(const unsigned char *bytes, size_t length, DpArena *arena, DpError *error)
{
	return (DpReader){
		.name = "a model", .at = bytes, .end = bytes + length, .arena = arena, .error = error};
}

static void
test_integers(DpArena *arena)
{
	static const uint64_t values[] = {0, 1, 127, 128, 16383, 16384, UINT64_MAX};
	static const int64_t signs[] = {0, -1, 1, -64, 64, INT64_MIN, INT64_MAX};
	unsigned char bytes[200];
	DpWriter writer = {.bytes = bytes};
	DpError error;
	DpReader reader;
	uint32_t wrong = 0;

	for (int i = 0; i < 7; i++)
	{
		dp_put_integer(&writer, values[i]);
		dp_put_signed(&writer, signs[i]);
	}
	reader = reader_of(bytes, writer.length, arena, &error);
	for (int i = 0; i < 7; i++)
	{
		wrong += dp_get_integer(&reader) != values[i];
		wrong += dp_get_signed(&reader) != signs[i];
	}
	CHECK(wrong == 0 && reader.status == DP_OK && dp_reader_left(&reader) == 0,
		  "integers come back");
	reader = reader_of((const unsigned char *) "\x80\x00", 2, arena, &error);
	(void) dp_get_integer(&reader);
	CHECK_STATUS(reader.status, DP_ERR_CORRUPT,
				 "an integer that is longer than need be is refused");
	reader = reader_of((const unsigned char *) "\x05\x07", 2, arena, &error);
	(void) dp_get_bounded(&reader, 4);
	CHECK_STATUS(reader.status, DP_ERR_CORRUPT, "so is one above its maximum");
	CHECK_I64(dp_get_integer(&reader), 0, "what is read after a fault is 0");
	reader = reader_of((const unsigned char *) "\x7f", 1, arena, &error);
	CHECK_I64(dp_get_count(&reader, 1000, 2), 0, "a count is no more than the bytes can hold");
	CHECK_STATUS(reader.status, DP_ERR_CORRUPT, "or it is a fault");
}

static bool
is_ascii(const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if ((unsigned char) text[i] > 127)
			return false;
	return true;
}

static void
test_texts(DpArena *arena)
{
	unsigned char bytes[20];
	DpWriter writer = {.bytes = bytes};
	DpError error;
	DpReader reader;
	const char *text;

	dp_put_text(&writer, "abc");
	dp_put_text(&writer, "\xc3\xa9");
	reader = reader_of(bytes, writer.length, arena, &error);
	dp_text_is_valid = is_ascii;
	text = dp_get_text(&reader);
	CHECK_STRING(text, "abc", "a text comes back");
	(void) dp_get_text(&reader);
	CHECK_STATUS(reader.status, DP_ERR_ENCODING, "a text that is not valid is refused");
	dp_text_is_valid = NULL;
	reader = reader_of((const unsigned char *) "\x02"
											   "a\0",
					   3, arena, &error);
	(void) dp_get_text(&reader);
	CHECK(reader.status != DP_OK, "so is a text with a zero byte");
}

static void
test_domain(DpArena *arena)
{
	static const uint32_t levels[] = {3, 2};
	DpDomain domain = unit_domain(arena, levels, 2), back = {0};
	DpWriter measure = {0}, writer = {0};
	DpError error;
	DpReader reader;

	dp_put_domain(&measure, &domain);
	dp_put_digest(&measure);
	writer.bytes = dp_alloc(arena, measure.length, 1);
	dp_put_domain(&writer, &domain);
	dp_put_digest(&writer);
	CHECK_I64(writer.length, measure.length, "the first pass finds the length");
	CHECK(dp_bytes_digest_holds(writer.bytes, writer.length), "the digest holds");
	reader = reader_of(writer.bytes, writer.length - DP_DIGEST_BYTES, arena, &error);
	dp_get_domain(&reader, &back);
	CHECK(reader.status == DP_OK && dp_reader_left(&reader) == 0, "the domain is read");
	CHECK_OK(dp_domain_check(&back, &error), "and valid");
	CHECK(back.attributes == 2 && back.attribute[0].levels == 3 &&
			  strcmp(back.attribute[1].name, domain.attribute[1].name) == 0,
		  "and the same");
	writer.bytes[1] ^= 1;
	CHECK(!dp_bytes_digest_holds(writer.bytes, writer.length), "a bit that differs is found");
	CHECK(!dp_bytes_digest_holds(writer.bytes, 3), "and a text without space for a digest");
}

int
main(void)
{
	DpArena malloced = dp_arena_malloc(), *arena = &malloced;

	test_integers(arena);
	test_texts(arena);
	test_domain(arena);
	dp_arena_malloc_free(arena);
	return unit_finish();
}
