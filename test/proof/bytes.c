/*
 * bytes.c -- what the stored formats are made of: integers, counts, texts, runs of zeros. They are
 * read from any bytes without a look behind their end, and are what was written.
 */
#define BYTES_MAX 64
#include "proof_stub.h"

#include "core/domain/domain_bytes.c"

/* A reader of up to LENGTH bytes, whatever they are, in an object of just that size. */
static DpReader
any_reader(void)
{
	size_t length = nondet_byte();
	unsigned char *bytes;

	given(length <= LENGTH);
	bytes = malloc(length);
	given(bytes != NULL);
	return (DpReader){.name = "", .at = bytes, .end = bytes + length};
}

static bool
sound(const DpReader *reader)
{
	return reader->at <= reader->end && (reader->status == DP_OK || reader->at == reader->end);
}

/* An integer: the reader stands within its input afterwards. A fault gives 0 and empties the
 * input. What is not a fault is the one form of its value: it is written as the bytes read. */
void
prove_integer(void)
{
	DpReader reader = any_reader();
	const unsigned char *first = reader.at;
	unsigned char written[10];
	DpWriter writer = {.bytes = written};
	uint64_t value = dp_get_integer(&reader);
	size_t k = nondet_byte();

	holds(sound(&reader));
	if (reader.status != DP_OK)
	{
		holds(reader.status == DP_ERR_CORRUPT && value == 0);
		return;
	}
	dp_put_integer(&writer, value);
	holds(writer.length == (size_t) (reader.at - first));
	given(k < writer.length);
	holds(written[k] == first[k]);
}

/* All 64-bit numbers are written in at most 10 bytes, and read back, all bytes of them. */
void
prove_integer_back(void)
{
	unsigned char written[10];
	DpWriter writer = {.bytes = written};
	uint64_t value = nondet_uint64();
	DpReader reader = {.at = written};

	dp_put_integer(&writer, value);
	holds(writer.length >= 1 && writer.length <= sizeof(written));
	reader.end = written + writer.length;
	holds(dp_get_integer(&reader) == value);
	holds(reader.status == DP_OK && reader.at == reader.end);
}

/* So are signed ones. */
void
prove_signed_back(void)
{
	unsigned char written[10];
	DpWriter writer = {.bytes = written};
	int64_t value = nondet_int64();
	DpReader reader = {.at = written};

	dp_put_signed(&writer, value);
	holds(writer.length >= 1 && writer.length <= sizeof(written));
	reader.end = written + writer.length;
	holds(dp_get_signed(&reader) == value);
	holds(reader.status == DP_OK && reader.at == reader.end);
}

/* A bounded number keeps to its bound, and so many things as are announced can be there. */
void
prove_bounds(void)
{
	DpReader reader = any_reader();
	uint64_t maximum = nondet_uint64(), each = nondet_byte();
	uint64_t value;

	given(each >= 1);
	value = nondet_bool() ? dp_get_bounded(&reader, maximum) : dp_get_count(&reader, maximum, each);
	holds(value <= maximum && sound(&reader));
	holds(reader.status == DP_OK || value == 0);
}

void
prove_count(void)
{
	DpReader reader = any_reader();
	uint64_t maximum = nondet_uint64(), each = nondet_byte();
	uint64_t count;

	given(each >= 1 && each <= 3);
	count = dp_get_count(&reader, maximum, each);
	holds(count <= LENGTH && count * each <= dp_reader_left(&reader));
}

/* A text ends with a zero, has none before, and takes as many bytes as it says. */
void
prove_text(void)
{
	DpReader reader = any_reader();
	const char *text = dp_get_text(&reader);
	size_t length = strlen(text);

	holds(sound(&reader) && length <= LENGTH);
	holds(reader.status == DP_OK || reader.status == DP_ERR_CORRUPT ||
		  reader.status == DP_ERR_MEMORY);
}

/* A text of up to 3 bytes is read back. */
void
prove_text_back(void)
{
	unsigned char written[8];
	char text[4];
	DpWriter writer = {.bytes = written};
	DpReader reader = {.at = written};
	const char *back;

	for (int i = 0; i < 3; i++)
		text[i] = nondet_char();
	text[3] = '\0';
	dp_put_text(&writer, text);
	reader.end = written + writer.length;
	back = dp_get_text(&reader);
	if (reader.status == DP_ERR_MEMORY)
		return;
	holds(reader.status == DP_OK && reader.at == reader.end);
	for (int i = 0; i < 4 && (i == 0 || text[i - 1] != '\0'); i++)
		holds(back[i] == text[i]);
}

/* The digest of up to one byte, whatever it is, holds where it was written. */
void
prove_digest(void)
{
	unsigned char written[1 + DP_DIGEST_BYTES];
	DpWriter writer = {.bytes = written};
	size_t length = nondet_byte();

	given(length <= 1);
	for (size_t i = 0; i < length; i++)
		dp_put_byte(&writer, nondet_byte());
	dp_put_digest(&writer);
	holds(writer.length == length + DP_DIGEST_BYTES);
	holds(dp_bytes_digest_holds(written, writer.length));
}

/* Any bytes may be asked for a digest, however few they are. */
void
prove_digest_any(void)
{
	DpReader reader = any_reader();

	(void) dp_bytes_digest_holds(reader.at, dp_reader_left(&reader));
}
