/*
 * value_codes.h -- numbers for the values of a column as they are seen, in two tables at once.
 *
 * SECRET: exact values, of rows that the caller may read.
 *
 * Both tables share the numbers, so equal values have equal numbers wherever they stand. Numbers
 * are given out in the order of first sight: they are for one process, and never merged or stored.
 */
#ifndef DP_VALUE_CODES_H
#define DP_VALUE_CODES_H

#include <string.h>

#include "core/base/arena.h"
#include "core/base/slot_table.h"

#define DP_CODE_NULL 0 /* the number of NULL; the others begin at 1 */
#define DP_SIDES 2     /* the original and the synthetic table */

typedef struct DpText
{
	const char *at;
	uint32_t length;
} DpText;

/* A text of up to 24 bytes is all in its words; of a number, the first one has the bits. */
typedef struct DpValueWords
{
	uint64_t first, middle, last; /* 8 bytes each; all of a shorter text */
	uint32_t length;              /* in bytes */
	uint32_t code;                /* of the value */
} DpValueWords;

typedef struct DpValueText
{
	uint64_t at; /* in bytes */
	uint32_t length;
} DpValueText;

#define DP_VALUES_SEEN 256

typedef struct DpValueCodes
{
	DpArena *arena;
	bool texts;              /* values are bytes; otherwise they are numbers */
	uint32_t n;              /* numbers given out, with that of NULL */
	uint32_t capacity;       /* for how many there is memory */
	double *number;          /* [n] */
	DpValueText *text;       /* [n] */
	int64_t *rows[DP_SIDES]; /* [n] how many rows of each table have the value */
	DpSlotTable table;       /* of the values, whose first is that of number 1 */
	char *bytes;             /* of the texts, one after the other */
	uint64_t bytes_n, bytes_capacity;
	DpValueWords *seen; /* [DP_VALUES_SEEN] the value that was seen last, by a hash */
	/* of numbers: those that come when more than exact_max are known are rounded; 0: none are */
	uint32_t exact_max;
	uint32_t rounded_from; /* numbers given out when the present rounding began; 0: it has not */
	int bits;              /* of asinh of a number's distance from the centre, in scales */
	double centre, scale;
} DpValueCodes;

/* Begins without values. */
extern DpStatus dp_value_codes_init(DpValueCodes *values, bool texts, DpArena *arena) DP_MUST_USE;
/* The number of a value, a new one at first sight. DP_ERR_MEMORY: the value is new, and there is no
 * memory for it; nothing has changed. */
extern DpStatus dp_value_codes_number(DpValueCodes *values, double number,
									  uint32_t *code) DP_MUST_USE;
static inline DpStatus dp_value_codes_text(DpValueCodes *values, DpText text,
										   uint32_t *code) DP_MUST_USE;
/*
 * From now on a number that comes when so many are known takes the code of what it is rounded to, so
 * that there are not many more of them. Near the middle half of the numbers known by then it is
 * rounded to a part of their spread, 1/4096 or as many as that allows, and further out to such a part
 * of its distance, or less finely where that still gives too many. Numbers that are known stay as they are, and so values that many rows have.
 */
extern void dp_value_codes_round(DpValueCodes *values, uint32_t exact_max);
/* Counts rows of that side, whose values have these numbers. */
extern void dp_value_codes_count(DpValueCodes *values, uint32_t side, const uint32_t *code,
								 uint32_t rows);
extern void dp_value_codes_free(DpValueCodes *values);
/* The memory that it takes. */
extern uint64_t dp_value_codes_bytes(const DpValueCodes *values);
/* Lists the numbers of all values but NULL in ascending order of the values: order[n - 1]. NaN
 * stands last; texts are compared as bytes. */
extern DpStatus dp_value_codes_order(const DpValueCodes *values, uint64_t *order,
									 DpArena *arena) DP_MUST_USE;

/* ---- texts, within the loop of the caller ---- */

extern DpStatus dp_value_codes_seek_text(DpValueCodes *values, DpText text,
										 uint32_t *code) DP_MUST_USE;

/* The first byte is the lowest. */
static inline uint64_t
dp_load_8(const char *at)
{
	uint64_t word;

	memcpy(&word, at, 8);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	word = __builtin_bswap64(word);
#endif
	return word;
}

/* A text of less than 8 bytes as one word. */
static inline uint64_t
dp_load_short(DpText text)
{
	uint64_t word = 0;

	for (uint32_t i = text.length; i-- > 0;)
		word = word << 8 | (unsigned char) text.at[i];
	return word;
}

static inline DpValueWords
dp_words_of_text(DpText text)
{
	DpValueWords words = {.length = text.length};

	if (text.length < 8)
		words.first = words.middle = words.last = dp_load_short(text);
	else
	{
		words.first = dp_load_8(text.at);
		words.middle = dp_load_8(text.at + (text.length - 8) / 2);
		words.last = dp_load_8(text.at + text.length - 8);
	}
	return words;
}

/* The same of a text before which there are 8 bytes that can be read. Lengths change from row to
 * row, so there is no branch. */
static inline DpValueWords
dp_words_of_text_inside(DpText text)
{
	const int64_t beyond = (int64_t) text.length - 8;
	const int64_t brief = -(int64_t) (text.length < 8); /* all bits, or none */
	const char *first = text.at + (beyond & brief);
	const char *middle = text.at + (beyond >> (1 + brief));
	const char *tail = text.at + beyond;
	/* of the bits that stand before the text, in two steps as all 64 may be */
	const uint64_t half = (uint64_t) (-4 * (beyond & brief));

	return (DpValueWords){.first = dp_load_8(first) >> half >> half,
						  .middle = dp_load_8(middle) >> half >> half,
						  .last = dp_load_8(tail) >> half >> half,
						  .length = text.length};
}

/* Where a value is noted that was seen. */
static inline DpValueWords *
dp_value_codes_seen(const DpValueCodes *values, const DpValueWords *words)
{
	uint64_t hash =
		words->first * UINT64_C(0x9e3779b97f4a7c15) + words->last * UINT64_C(0xd6e8feb86659fd93);

	return &values->seen[hash / (UINT64_MAX / DP_VALUES_SEEN + 1)];
}

/* One branch for four comparisons. */
static inline bool
dp_same_words(const DpValueWords *a, const DpValueWords *b)
{
	return ((a->first ^ b->first) | (a->middle ^ b->middle) | (a->last ^ b->last) |
			(a->length ^ b->length)) == 0;
}

static inline bool
dp_value_was_seen(const DpValueCodes *values, DpValueWords words, uint32_t *code)
{
	const DpValueWords *seen = dp_value_codes_seen(values, &words);

	*code = seen->code;
	return seen->code != 0 && words.length <= 24 && dp_same_words(seen, &words);
}

static inline DpStatus
dp_value_codes_text(DpValueCodes *values, DpText text, uint32_t *code)
{
	if (dp_value_was_seen(values, dp_words_of_text(text), code))
		return DP_OK;
	return dp_value_codes_seek_text(values, text, code);
}

/* The same of a text before which there are 8 bytes that can be read. */
static inline DpStatus
dp_value_codes_text_inside(DpValueCodes *values, DpText text, uint32_t *code)
{
	if (dp_value_was_seen(values, dp_words_of_text_inside(text), code))
		return DP_OK;
	return dp_value_codes_seek_text(values, text, code);
}

#endif
