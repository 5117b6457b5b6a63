/*
 * pattern.h -- texts for columns that are not modelled: a constant, or one in which {n} stands for
 * the number of the row, {n:4} for the same in four digits (0007), and {uuid} for a random uuid.
 *
 * Such a text is made of public facts, the number of the row and a seeded stream. It says nothing
 * of any data.
 */
#ifndef DP_PATTERN_H
#define DP_PATTERN_H

#include "core/base/prng.h"

#define DP_PATTERN_NUMBER "{n}"
#define DP_PATTERN_DIGITS_MAX 19 /* of {n:digits} */
#define DP_PATTERN_UUID "{uuid}"
/* As the whole text: the column is NULL, by choice. */
#define DP_PATTERN_NULL "{null}"

extern bool dp_pattern_is_null(const char *pattern);
/* Whether texts of different rows differ: it holds {n}, {n:digits} or {uuid}. */
extern bool dp_pattern_is_unique(const char *pattern);
/* The digits of the shortest {n:digits}, beyond which numbers do not fit; 0: there is none. */
extern int dp_pattern_digits(const char *pattern);
/* Whether it draws from the stream: it holds {uuid}. */
extern bool dp_pattern_is_random(const char *pattern);
/* Bytes that suffice for the text of any row, with its NUL. */
extern size_t dp_pattern_bytes(const char *pattern);
/* Writes the text of row n, which is at least 1, and returns its length. prng: NULL where
 * the pattern is not random. */
extern size_t dp_pattern_write(const char *pattern, uint64_t n, DpPrng *prng, char *to);

#endif
