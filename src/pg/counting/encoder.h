/*
 * encoder.h -- what an encoder is made of: for the files that make one, each for some kinds.
 */
#ifndef DPSYN_ENCODER_H
#define DPSYN_ENCODER_H

#include "postgres.h"

#include "common/hashfn.h"

#include "core/domain/domain.h"
#include "core/domain/range.h"
#include "core/exact/bin_finder.h"
#include "pg/domain/grid.h"
#include "pg/server/compat.h"

/* Short texts as words, so that hashing or comparing one takes no loop. */

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

typedef enum EncoderKind
{
	ENCODE_TABLE, /* integer-like, of a small range: categories or bins */
	ENCODE_PLACE, /* integers, each of which is a finest cell of a range */
	ENCODE_BYTES, /* text, varchar and char under a deterministic collation */
	ENCODE_WORD,  /* integer-like categories */
	ENCODE_EQUAL, /* the type's own hash and equality */
	ENCODE_FORM,  /* text form */
	ENCODE_CELLS, /* the finest public cells of a range */
	ENCODE_RANGE, /* the bins of a range */
	ENCODE_STEPS, /* bins of an integer-like type */
	ENCODE_ORDER  /* bins of any other ordered type */
} EncoderKind;

/* A category of up to 16 bytes in the slot of its hash, so that one comparison finds it. */
typedef struct ShortSlot
{
	uint64 first;
	uint64 last;
	uint32 length; /* UINT32_MAX: free */
	uint32 code;
} ShortSlot;

/* ENCODE_TABLE and, without codes, ENCODE_PLACE */
typedef struct EncoderTable
{
	int64 low;
	uint64 span;  /* low + span is the last one */
	uint32 *code; /* [span + 1] */
	uint32 below; /* code of values below low */
	uint32 above; /* of what is above the last one */
} EncoderTable;

/* An open-addressing hash table of the codes of categories. */
typedef struct EncoderHash
{
	ShortSlot *quick; /* ENCODE_BYTES: [mask + 1] */
	uint64 seed;      /* ENCODE_BYTES: of the hash */
	uint32 mask;
	bool perfect;   /* ENCODE_BYTES: no two categories want the same slot */
	bool blanks;    /* ENCODE_BYTES: trailing blanks do not count */
	uint32 *slot;   /* [mask + 1] code + 1; 0 = free */
	uint32 *number; /* [n] the hash of each category */
	Bytes *bytes;   /* [n], ENCODE_BYTES */
} EncoderHash;

/* ENCODE_CELLS, ENCODE_RANGE */
typedef struct EncoderRange
{
	const DpGridCoder *coder;
	DpGridCells cells;
	bool missing; /* values without a coordinate have the level of NULL */
} EncoderRange;

/* The type of the values, and its functions. */
typedef struct EncoderType
{
	Oid id;
	Oid collation;
	Oid input_parameter;
	FmgrInfo function; /* equality, output or comparison */
	FmgrInfo hasher;
	FmgrInfo input;
} EncoderType;

/* What the common kinds need for each value stands first, in as few cache lines as can be. */
typedef struct DpEncoder
{
	EncoderKind kind;
	uint8 shift;   /* 64 - bits of an integer-like value */
	bool endless;  /* infinite values of an integer-like type have the level of NULL */
	bool as_text;  /* values arrive as text */
	bool indirect; /* as_text, or with a map */
	uint32 other;  /* code of "other": dp_code_outside */
	uint32 *map;   /* [n + 1] of listed categories: the level of each, and of "other"; NULL: none */
	EncoderTable table;
	EncoderHash hash;
	uint32 n;
	Datum *value; /* [n] categories or edges, as the type has them; cstring for ENCODE_FORM */
	DpBinFinder *finder; /* of integer-like edges, or of those of a range */
	EncoderRange range;
	EncoderType type;
} DpEncoder;

/* The value as a signed integer. (An OID above 2^31 comes out negative: equal ones stay equal.) */
static inline int64
word_of(const DpEncoder *encoder, Datum value)
{
	return (int64) ((uint64) value << encoder->shift) >> encoder->shift;
}

/* Whether the value is infinite, and so has the level of NULL. */
static inline bool
is_endless(const DpEncoder *encoder, int64 word)
{
	return encoder->endless &&
		   (word == PG_INT64_MIN >> encoder->shift || word == PG_INT64_MAX >> encoder->shift);
}

/* 64 - bits; -1 if the type is not integer-like: passed by value, equal where the bits are. */
extern int dp_encoder_word_shift(Oid type);
/* Whether low .. high is worth a table for n levels; then allocates it. */
extern bool dp_encoder_table_begin(DpEncoder *encoder, int64 low, int64 high, uint32 n);

/* ---- encode_categories.c ---- */

/* labels: [encoder->n] */
extern void dp_encoder_of_categories(DpEncoder *encoder, const char **labels);
/* The code of a category of any kind but ENCODE_TABLE. */
extern uint32 dp_encode_category(DpEncoder *encoder, Datum value);
/* The code of a text of ENCODE_BYTES that is not in its quick slot: a long, toasted or unlisted
 * one, or one that shares its slot. */
extern uint32 dp_encode_text(const DpEncoder *encoder, Datum value);

/* ---- encode_bins.c ---- */

extern void dp_encoder_of_bins(DpEncoder *encoder, const DpAttribute *attribute);
extern void dp_encoder_of_range(DpEncoder *encoder, const DpAttribute *attribute);
/* Of a range of places in a list of categories. */
extern void dp_encoder_of_listed(DpEncoder *encoder, const DpRange *range);
/* The bin of a value of ENCODE_STEPS or ENCODE_ORDER. */
extern uint32 dp_encode_bin(DpEncoder *encoder, Datum value);
/* The cell or the bin of a value of ENCODE_CELLS or ENCODE_RANGE. */
extern uint32 dp_encode_range(const DpEncoder *encoder, Datum value);

#endif
