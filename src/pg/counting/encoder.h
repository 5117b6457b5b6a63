/*
 * encoder.h -- what an encoder is made of: for the files that make one, each for some kinds.
 */
#ifndef DPSYN_ENCODER_H
#define DPSYN_ENCODER_H

#include "pg/server/compat.h"

#include "core/domain/domain.h"
#include "core/domain/range.h"
#include "core/exact/bin_finder.h"
#include "pg/counting/text_words.h"
#include "pg/domain/grid.h"

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

/* What the common kinds need for each value stands first, in as few cache lines as can be. */
typedef struct DpEncoder
{
	EncoderKind kind;
	uint8 shift;  /* 64 - bits of an integer-like value */
	bool blanks;  /* ENCODE_BYTES: trailing blanks do not count */
	bool as_text; /* values arrive as text */
	uint32 other; /* code of "other": dp_code_outside */
	uint32 *map;  /* [n + 1] of listed categories: the level of each, and of "other"; NULL: none */
	/* ENCODE_TABLE, ENCODE_PLACE */
	int64 low;
	uint64 span;   /* low + span is the last one */
	uint32 *table; /* [span + 1] */
	/* categories: an open-addressing hash table of codes */
	ShortSlot *quick; /* ENCODE_BYTES: [mask + 1] */
	uint64 seed;      /* ENCODE_BYTES: of the hash */
	uint32 mask;
	uint32 n;
	uint32 *slot; /* code + 1; 0 = free */
	bool perfect; /* ENCODE_BYTES: no two categories want the same slot */
	uint32 below; /* ENCODE_TABLE, ENCODE_PLACE: code of what is below low */
	uint32 above; /* of what is above the last one */
	uint32 *hash; /* [n] */
	Bytes *bytes; /* [n], ENCODE_BYTES */
	Datum *value; /* [n], as the type has it; cstring for ENCODE_FORM */
	/* bins */
	DpBinFinder *finder; /* of integer-like edges, or of those of a range */
	/* ranges */
	const DpGridCoder *coder;
	const DpRange *range;
	DpGridCells cells;
	bool missing; /* values without a coordinate have the level of NULL */
	bool endless; /* infinite values do, of an integer-like type */
	/* functions of the type */
	Oid type;
	Oid collation;
	Oid input_parameter;
	FmgrInfo function; /* equality, output or comparison */
	FmgrInfo hasher;
	FmgrInfo input;
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
