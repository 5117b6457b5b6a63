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

#include "core/base/arena.h"

#define DP_CODE_NULL 0 /* the number of NULL; the others begin at 1 */
#define DP_SIDES 2     /* the original and the synthetic table */

typedef struct DpText
{
	const char *at;
	uint32_t length;
} DpText;

/* A text of up to 16 bytes is all in (first, last, length). */
typedef struct DpValueText
{
	uint64_t first; /* the first 8 bytes, or all of a shorter text */
	uint64_t last;  /* the last 8 bytes */
	uint64_t at;    /* in bytes */
	uint32_t length;
} DpValueText;

typedef struct DpValueCodes
{
	DpArena *arena;
	bool texts;              /* values are bytes; otherwise they are numbers */
	uint32_t n;              /* numbers given out, with that of NULL */
	uint32_t room;           /* for how many there is memory */
	double *number;          /* [n] */
	DpValueText *text;       /* [n] */
	int64_t *rows[DP_SIDES]; /* [n] how many rows of each table have the value */
	uint32_t mask;           /* slots - 1 */
	uint32_t *slot;          /* [mask + 1] 0 = free */
	char *bytes;             /* of the texts, one after the other */
	uint64_t bytes_n, bytes_room;
} DpValueCodes;

/* Begins without values. */
extern DpStatus dp_value_codes_init(DpValueCodes *values, bool texts, DpArena *arena) DP_MUST_USE;
/* The number of a value, a new one at first sight; counts a row of that side. DP_ERR_MEMORY: the
 * value is new, and there is no room for it; nothing has changed. */
extern DpStatus dp_value_codes_number(DpValueCodes *values, double number, uint32_t side,
									  uint32_t *code) DP_MUST_USE;
extern DpStatus dp_value_codes_text(DpValueCodes *values, DpText text, uint32_t side,
									uint32_t *code) DP_MUST_USE;
extern void dp_value_codes_free(DpValueCodes *values);
/* The memory that it takes. */
extern uint64_t dp_value_codes_bytes(const DpValueCodes *values);
/* Lists the numbers of all values but NULL in ascending order of the values: order[n - 1]. NaN
 * stands last; texts are compared as bytes. */
extern DpStatus dp_value_codes_order(const DpValueCodes *values, uint64_t *order,
									 DpArena *arena) DP_MUST_USE;

#endif
