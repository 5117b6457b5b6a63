/*
 * universe.h -- public sets of texts that are too large to write out: a size,
 * and the two maps between a value and its index. Every English word, every
 * pair of them, every number of nine digits, every plate of six letters.
 *
 * A universe says nothing of the data: it is asserted by whoever asks, or
 * declared by the custodian. What lies outside it does not exist for a release
 * that uses it. Both maps are exact inverses: find(value(i)) = i, and value(find(t))
 * is t, byte for byte, or t is not in it.
 */
#ifndef DP_UNIVERSE_H
#define DP_UNIVERSE_H

#include "arena.h"

#define DP_UNIVERSE_SIZE_MAX UINT64_C(1000000000000000000) /* 1e18 values */
#define DP_UNIVERSE_LIST_MAX 10000000                      /* of a list, which is kept in memory */
#define DP_UNIVERSE_DIGITS_MAX 18                          /* of numbers, after the point */
#define DP_UNIVERSE_SYMBOLS_MAX 4096                       /* of an alphabet */
#define DP_UNIVERSE_PARTS_MAX 16                           /* of a product */

typedef enum DpUniverseKind
{
	DP_UNIVERSE_LIST,    /* given values, in bytewise order */
	DP_UNIVERSE_NUMBERS, /* a grid of decimal numbers; without digits after the point, of integers */
	DP_UNIVERSE_DATES,   /* days as YYYY-MM-DD, years 1 to 9999 */
	DP_UNIVERSE_STRINGS, /* strings over an alphabet, shorter ones first */
	DP_UNIVERSE_PRODUCT /* parts with a separator between two of them, the last part running fastest */
} DpUniverseKind;

typedef struct DpUniverse DpUniverse;
struct DpUniverse
{
	DpUniverseKind kind;
	uint64_t size;     /* 1..DP_UNIVERSE_SIZE_MAX */
	size_t text_bytes; /* of the longest value at most, without the NUL */
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
 * DP_ERR_ARGUMENT: empty, or not as said here; DP_ERR_LIMIT: more than
 * DP_UNIVERSE_SIZE_MAX values (or DP_UNIVERSE_LIST_MAX in a list), or texts over DP_TEXT_MAX.
 */

/* Sorts value[n], which it keeps, and removes duplicates: each value is one cell. *dropped of them. */
extern DpStatus dp_universe_list(DpArena *arena, const char **value, uint64_t n, DpUniverse *out,
								 uint64_t *dropped, DpError *error) DP_MUST_USE;
/* first, first + step, ... up to last at most, in 10^-digits. */
extern DpStatus dp_universe_numbers(int64_t first, int64_t last, int64_t step, int digits,
									DpUniverse *out, DpError *error) DP_MUST_USE;
/* Two dates as YYYY-MM-DD, and a step in days. */
extern DpStatus dp_universe_dates(const char *first, const char *last, int64_t step,
								  DpUniverse *out, DpError *error) DP_MUST_USE;
/* All strings of length_min..length_max of the n symbols (characters, or longer texts). */
extern DpStatus dp_universe_strings(DpArena *arena, const char **symbol, uint32_t n,
									uint32_t length_min, uint32_t length_max, DpUniverse *out,
									DpError *error) DP_MUST_USE;
/* part[0] separator part[1] ...; no part but the last may have a value with the separator in it, so
 * that a text is one combination only. An ASCII character, not NUL. */
extern DpStatus dp_universe_product(const DpUniverse **part, uint32_t n, char separator,
									DpUniverse *out, DpError *error) DP_MUST_USE;

/* Bytes of all values together, each with its NUL: at most, saturated. */
extern uint64_t dp_universe_all_bytes(const DpUniverse *universe);

/* A decimal number in 10^-digits; false if it is none, or does not fit. Also "007" and "1.50". */
extern bool dp_universe_read_number(const char *text, size_t length, int digits, int64_t *out);

/* Value number index < size into buffer of text_bytes + 1; returns its length. */
extern size_t dp_universe_value(const DpUniverse *universe, uint64_t index, char *buffer);
/* Whether text (length bytes) is a value, and which. scratch: text_bytes + 1 bytes. */
extern bool dp_universe_find(const DpUniverse *universe, const char *text, size_t length,
							 char *scratch, uint64_t *index);

#endif
