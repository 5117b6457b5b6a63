/*
 * domain_bytes.h -- what the stored formats are made of: LEB128 integers (zigzag where
 * signed), texts, domains, and a digest at the end.
 *
 * A thing has one form, so that equal things are equal bytes: an integer that is written
 * longer than need be is refused.
 */
#ifndef DP_DOMAIN_BYTES_H
#define DP_DOMAIN_BYTES_H

#include "core/domain/domain.h"

#define DP_DIGEST_BYTES 8

/* FNV-1a, 64 bits (Fowler, Noll, Vo): finds accidents, not forgers. */
extern uint64_t dp_bytes_digest(const unsigned char *bytes, size_t length);
/* Whether the last DP_DIGEST_BYTES are the digest of all before. */
extern bool dp_bytes_digest_holds(const unsigned char *bytes, size_t length);

/* ---- writing: one pass with bytes = NULL finds the length, a second fills it ---- */

typedef struct DpWriter
{
	unsigned char *bytes;
	size_t length;
	const DpTick *tick; /* domains can have very many labels; may be NULL */
} DpWriter;

static inline void
dp_put_byte(DpWriter *writer, unsigned char byte)
{
	if (writer->bytes != NULL)
		writer->bytes[writer->length] = byte;
	writer->length++;
}

static inline void
dp_put_integer(DpWriter *writer, uint64_t value)
{
	for (; value >= 0x80; value >>= 7)
		dp_put_byte(writer, (unsigned char) (value | 0x80));
	dp_put_byte(writer, (unsigned char) value);
}

static inline void
dp_put_signed(DpWriter *writer, int64_t value)
{
	dp_put_integer(writer, ((uint64_t) value << 1) ^ (value < 0 ? UINT64_MAX : 0));
}

extern void dp_put_bytes(DpWriter *writer, const void *bytes, size_t length);
/* The text's length and then its bytes. */
extern void dp_put_text(DpWriter *writer, const char *text);
extern void dp_put_domain(DpWriter *writer, const DpDomain *domain);
/* The digest of all that was written. */
extern void dp_put_digest(DpWriter *writer);

/*
 * ---- reading ----
 *
 * The first fault is kept in status and empties the input, so that what is read
 * after it is 0 and every loop ends.
 */

/*
 * Whether bytes are a text in the encoding in use. Whoever knows the encoding sets this once,
 * before anything is read; while it is NULL, any bytes are taken for a text. The bytes can come
 * from anybody, so the reader refuses a text that is not valid: PostgreSQL would store it, and then
 * refuse it when a dump is restored.
 */
extern bool (*dp_text_is_valid)(const char *text, size_t length);

typedef struct DpReader
{
	const char *name; /* name of the thing, for messages */
	const unsigned char *at;
	const unsigned char *end;
	DpArena *arena;
	const DpTick *tick; /* may be NULL, as a writer's */
	DpError *error;
	DpStatus status;
} DpReader;

extern void dp_reader_fault(DpReader *reader, DpStatus status, const char *what);

static inline uint64_t
dp_reader_left(const DpReader *reader)
{
	return (uint64_t) (reader->end - reader->at);
}

static inline unsigned char
dp_get_byte(DpReader *reader)
{
	if (dp_reader_left(reader) == 0)
	{
		dp_reader_fault(reader, DP_ERR_CORRUPT, "it ends too early");
		return 0;
	}
	return *reader->at++;
}

/* Reads an integer of two or more bytes. */
extern uint64_t dp_get_long_integer(DpReader *reader);

static inline uint64_t
dp_get_integer(DpReader *reader)
{
	if (reader->at < reader->end && *reader->at < 0x80)
		return *reader->at++;
	return dp_get_long_integer(reader);
}

/* An integer in 0..maximum. */
extern uint64_t dp_get_bounded(DpReader *reader, uint64_t maximum);
/* Reads how many things follow, each of which takes at least bytes_each. The number is never
 * larger than the rest of the input can hold. */
extern uint64_t dp_get_count(DpReader *reader, uint64_t maximum, uint64_t bytes_each);
extern int64_t dp_get_signed(DpReader *reader);
extern void *dp_get_memory(DpReader *reader, uint64_t count, size_t size);
/* The text is valid as dp_text_is_valid says, and has no zero byte. */
extern const char *dp_get_text(DpReader *reader);
/* Every index and count in the domain is in bounds then. The caller has to call
 * dp_domain_check(). */
extern void dp_get_domain(DpReader *reader, DpDomain *domain);

#endif
