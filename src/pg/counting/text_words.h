/*
 * text_words.h -- short texts as words, so that hashing or comparing one takes no loop.
 */
#ifndef DPSYN_TEXT_WORDS_H
#define DPSYN_TEXT_WORDS_H

#include "pg/server/compat.h"

#include "common/hashfn.h"

/* A text as words: up to 16 bytes of it are all in (first, last, length). */
typedef struct Bytes
{
	uint64 first; /* the first 8 bytes, or all of a shorter text */
	uint64 last;  /* the last 8 bytes */
	uint32 length;
	const char *at;
} Bytes;

static inline uint64
load_8(const char *at)
{
	uint64 word;

	memcpy(&word, at, 8);
	return word;
}

static inline uint32
load_4(const char *at)
{
	uint32 word;

	memcpy(&word, at, 4);
	return word;
}

/* The loads overlap, so that there is no loop, and stay within the text. */
static inline Bytes
bytes_of(const char *at, uint32 length)
{
	Bytes bytes = {.length = length, .at = at};

	if (length >= 8)
	{
		bytes.first = load_8(at);
		bytes.last = load_8(at + length - 8);
	}
	else if (length >= 4)
		bytes.first = load_4(at) | (uint64) load_4(at + length - 4) << 32;
	else if (length > 0)
		bytes.first = (unsigned char) at[0] | (unsigned char) at[length / 2] << 8 |
					  (unsigned char) at[length - 1] << 16;
	return bytes;
}

static inline uint32
bytes_hash(const Bytes *bytes, uint64 seed)
{
	uint64 hash = (bytes->first ^ bytes->length) * seed;

	/* texts differ most in their last byte, the highest one of a word, and a product carries only
	 * upwards: so the halves of that word are swapped first */
	hash ^= hash >> 32;
	hash ^= bytes->last >> 32 | bytes->last << 32;
	hash *= UINT64CONST(0xd6e8feb86659fd93);
	if (unlikely(bytes->length > 16))
		hash ^= (uint64) hash_bytes((const unsigned char *) bytes->at, (int) bytes->length) << 32;
	return (uint32) (hash >> 32);
}

static inline bool
bytes_equal(const Bytes *a, const Bytes *b)
{
	return a->first == b->first && a->last == b->last && a->length == b->length &&
		   (a->length <= 16 || memcmp(a->at + 8, b->at + 8, a->length - 16) == 0);
}

#endif
