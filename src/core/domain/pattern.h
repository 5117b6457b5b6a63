/*
 * pattern.h -- texts for columns that are not modelled: a constant, or one in which {n} stands for
 * the number of the row, {n:4} for the same in four digits (0007), {place} for its number among the
 * rows that belong to one row of a parent, and {uuid} for a random uuid.
 *
 * Such a text is made of public facts, the number of the row and a seeded stream. It says nothing
 * of any data.
 */
#ifndef DP_PATTERN_H
#define DP_PATTERN_H

#include "core/base/prng.h"

#define DP_PATTERN_NUMBER "{n}"
#define DP_PATTERN_DIGITS_MAX 19 /* of {n:digits} */
#define DP_PATTERN_PLACE "{place}"
#define DP_PATTERN_UUID "{uuid}"
/* As the whole text: the column is NULL, by choice. */
#define DP_PATTERN_NULL "{null}"

extern bool dp_pattern_is_null(const char *pattern);
/* Whether texts of different rows differ: it holds {n}, {n:digits} or {uuid}. */
extern bool dp_pattern_is_unique(const char *pattern);
/* Whether it holds {place}. */
extern bool dp_pattern_has_place(const char *pattern);
/* Whether texts of all rows are the same. */
extern bool dp_pattern_is_constant(const char *pattern);
/* The digits of the shortest {n:digits}, beyond which numbers do not fit; 0: there is none. */
extern int dp_pattern_digits(const char *pattern);
/* Whether it draws from the stream: it holds {uuid}. */
extern bool dp_pattern_is_random(const char *pattern);
/* Bytes that suffice for the text of any row, with its NUL. */
extern size_t dp_pattern_bytes(const char *pattern);
/* A row: its number, and its place among the rows of one parent, which is 1 where it has none. Both
 * count from 1. */
typedef struct DpPatternRow
{
	uint64_t number;
	uint64_t place;
} DpPatternRow;

/* Writes the text of a row, and returns its length. prng: NULL where the pattern is not random. */
extern size_t dp_pattern_write(const char *pattern, DpPatternRow row, DpPrng *prng, char *to);

#endif
