/*
 * pattern.h -- patterns for the texts of columns that are not modelled. A pattern may contain:
 *
 *   {n}, {n:4}       the number of the row, the same in four digits (0007)
 *   {n:[a-z]:5}      the same, shuffled, in five of these characters; several of them together are
 *                    one number
 *   {[0-9a-f]:32}    32 random ones of these characters
 *   {place}          its number among the rows that belong to one row of a parent
 *   {uuid}           a random uuid
 *   {check:luhn}     a digit that makes a number of all digits of the text; ean; of iban two digits
 *   {null:30}        nothing, but 30 % of the rows are NULL; 0 to 100
 *   {first_name}     what another column of the row holds
 *
 * A pattern that is a list as a whole, {Anna,Ben} or {"Anna"}, in the syntax of PostgreSQL's
 * arrays, gives one of its values. Any other brace is literal.
 *
 * Such a text follows from public facts, the row number and a seeded stream. It reveals no data.
 */
#ifndef DP_PATTERN_H
#define DP_PATTERN_H

#include "core/base/arena.h"
#include "core/base/prng.h"

#define DP_PATTERN_NUMBER "{n}"
#define DP_PATTERN_DIGITS_MAX 19    /* of {n:digits} */
#define DP_PATTERN_LETTERS_MAX 1000 /* of {[a-z]:characters}, and of what is between brackets */
#define DP_PATTERN_PLACE "{place}"
#define DP_PATTERN_UUID "{uuid}"
/* As the whole text: the column is NULL, by choice. */
#define DP_PATTERN_NULL "{null}"

extern bool dp_pattern_is_null(const char *pattern);
/* Where {null:...} or {check:...} stands and says nothing that is known; NULL: nowhere. */
extern const char *dp_pattern_unread(const char *pattern);
/* Writes the pattern of the rows that are not NULL, {null:30} left out, with a 0 for each digit of
 * {check:luhn}: no more bytes than the pattern has. */
extern void dp_pattern_as_written(const char *pattern, char *written);
/* Whether it is a list of one or more values. */
extern bool dp_pattern_is_list(const char *pattern);

/* What all pieces of a pattern together say. */
typedef struct DpPatternFacts
{
	bool unique;      /* texts of different rows differ: it contains {n}, {n:...} or {uuid} */
	bool place;       /* it contains {place} */
	bool column;      /* it contains a word in braces that may be the name of another column */
	bool letters;     /* it contains characters of an alphabet, {[a-z]:5} */
	bool random;      /* it draws from the stream */
	bool constant;    /* texts of all rows are the same */
	int digits;       /* of the shortest {n:digits}, beyond which numbers do not fit; 0: none */
	int null_percent; /* how many of a hundred rows are NULL */
	/* row numbers that {n:[a-z]:5} can encode; UINT64_MAX: any number, or no such piece */
	uint64_t capacity;
	/* that suffice for the text of any row with its NUL, without the values of other columns */
	size_t bytes;
} DpPatternFacts;

extern DpPatternFacts dp_pattern_facts(const char *pattern);

/* A row: its number, and its place among the rows of one parent, which is 1 where it has none. Both
 * count from 1. */
typedef struct DpPatternRow
{
	uint64_t number;
	uint64_t place;
} DpPatternRow;

/* A pattern that has been read. */
typedef struct DpPattern DpPattern;

/* NULL: out of memory. */
extern DpPattern *dp_pattern_read(const char *text, DpArena *arena) DP_MUST_USE;
/* The number of values of a list. */
extern uint32_t dp_pattern_choices(const DpPattern *pattern);
extern const char *dp_pattern_choice(const DpPattern *pattern, uint32_t i);
/* The number of names in braces that may be columns, with repetitions. */
extern uint32_t dp_pattern_columns(const DpPattern *pattern);
extern const char *dp_pattern_column(const DpPattern *pattern, uint32_t i);
/*
 * Writes the text of a row, and returns its length. The text follows from the row number and from
 * the stream; the block of the stream is ignored. column: [dp_pattern_columns] values of the
 * columns; NULL: there is no such column, and the name in its braces is literal.
 */
extern size_t dp_pattern_write(const DpPattern *pattern, DpPatternRow row, DpStream stream,
							   const char *const *column, char *to);
/* Whether a row is NULL where so many of a hundred are. */
extern bool dp_pattern_is_missing(int percent, DpPatternRow row, DpStream stream);
/* Writes a value in the syntax of a list, in quotes if necessary or if always. Returns its length,
 * which is at most twice that of the value plus two. */
extern size_t dp_pattern_quote(const char *value, bool always, char *to);

#endif
