/*
 * universe.h -- public sets of texts that are too large to write out: a size, and the two
 * maps between a value and its index. Examples are every English word, every pair of words,
 * every number of nine digits, every plate of six letters.
 *
 * A universe says nothing about the data: whoever asks asserts it, or the custodian declares
 * it. What lies outside it does not exist for a release that uses it. The two maps are exact
 * inverses: find(value(i)) = i, and value(find(t)) is t, byte for byte, unless t is not in
 * the universe.
 */
#ifndef DP_UNIVERSE_H
#define DP_UNIVERSE_H

#include "core/base/arena.h"

#define DP_TEXT_MAX (1 << 20)                              /* bytes of one label or name */
#define DP_UNIVERSE_SIZE_MAX UINT64_C(1000000000000000000) /* values of a universe: 1e18 */
#define DP_UNIVERSE_LIST_MAX 10000000 /* values of a list, which is kept in memory */
#define DP_UNIVERSE_DIGITS_MAX 18     /* digits of a number after the point */
#define DP_UNIVERSE_SYMBOLS_MAX 4096  /* symbols of an alphabet */
#define DP_UNIVERSE_PARTS_MAX 16      /* parts of a product */

typedef enum DpUniverseKind
{
	DP_UNIVERSE_LIST,    /* given values, in bytewise order */
	DP_UNIVERSE_NUMBERS, /* a grid of decimal numbers, or of integers if there are no digits */
	DP_UNIVERSE_DATES,   /* days as YYYY-MM-DD, years 1 to 9999 */
	DP_UNIVERSE_STRINGS, /* strings over an alphabet, shorter ones first */
	DP_UNIVERSE_PRODUCT  /* parts with separators between them; the last part runs fastest */
} DpUniverseKind;

typedef struct DpUniverse DpUniverse;
struct DpUniverse
{
	DpUniverseKind kind;
	uint64_t size;     /* 1..DP_UNIVERSE_SIZE_MAX */
	size_t text_bytes; /* bytes of the longest value at most, without the NUL */
	uint64_t memory_bytes;
	/* list */
	const char **value; /* [size] ascending */
	/* numbers, in 10^-digits; dates, in days since 1970-01-01 */
	int64_t first;
	int64_t step; /* >= 1 */
	int digits;
	/* strings */
	uint32_t symbols;
	const char **symbol; /* [symbols]; none starts with another */
	uint64_t *by_text;   /* [symbols]: numbers of symbols in bytewise order */
	uint32_t length_min;
	uint32_t length_max;
	/* product */
	uint32_t parts;
	const DpUniverse **part;
	char separator;
};

/*
 * Each of these makes a universe from what was asked for, and keeps what it is handed.
 * DP_ERR_ARGUMENT: the universe is empty, or not as described here. DP_ERR_LIMIT: it has
 * more than DP_UNIVERSE_SIZE_MAX values (or DP_UNIVERSE_LIST_MAX in a list), or texts over
 * DP_TEXT_MAX.
 */

/* Sorts value[n], which it keeps, and removes duplicates, so that each value is one cell.
 * *dropped is the number of duplicates. */
extern DpStatus dp_universe_list(const char **value, uint64_t n, DpUniverse *out, uint64_t *dropped,
								 DpArena *arena, DpError *error) DP_MUST_USE;
/* The numbers first, first + step, ... that are at most last, in 10^-digits. */
typedef struct DpNumberRange
{
	int64_t first, last, step;
	int digits;
} DpNumberRange;

extern DpStatus dp_universe_numbers(const DpNumberRange *range, DpUniverse *out,
									DpError *error) DP_MUST_USE;
/* Two dates as YYYY-MM-DD, and a step in days. */
extern DpStatus dp_universe_dates(const char *first, const char *last, int64_t step,
								  DpUniverse *out, DpError *error) DP_MUST_USE;
/* All strings of length_min..length_max symbols. A symbol is a character, or a longer text. */
typedef struct DpStringRange
{
	const char **symbol;
	uint32_t symbols;
	uint32_t length_min, length_max;
} DpStringRange;

extern DpStatus dp_universe_strings(const DpStringRange *range, DpUniverse *out, DpArena *arena,
									DpError *error) DP_MUST_USE;
/* The texts part[0] separator part[1] ... Only the last part may have a value that contains the
 * separator, so that a text is one combination only. The separator is an ASCII character other
 * than NUL. */
extern DpStatus dp_universe_product(const DpUniverse **part, uint32_t n, char separator,
									DpUniverse *out, DpError *error) DP_MUST_USE;

/* An upper bound of the bytes of all values together, each with its NUL. It saturates. */
extern uint64_t dp_universe_all_bytes(const DpUniverse *universe);

/* Reads a decimal number in 10^-digits; "007" and "1.50" are read too. The result is false if
 * the text is no number, or one that does not fit. */
extern bool dp_universe_read_number(const char *text, size_t length, int digits, int64_t *out);

/* Writes the value with that index (< size) into buffer, which has text_bytes + 1 bytes. Returns
 * its length. */
extern size_t dp_universe_value(const DpUniverse *universe, uint64_t index, char *buffer);
/* Whether text (length bytes) is a value, and its index. scratch has text_bytes + 1 bytes. */
extern bool dp_universe_find(const DpUniverse *universe, const char *text, size_t length,
							 char *scratch, uint64_t *index);

#endif
