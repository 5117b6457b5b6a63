/*
 * row_cache.h -- rows as bytes, each with the number of its unit: what bounds the rows of a unit
 * needs no second pass over the relation then. SECRET.
 *
 * A row is the number of its unit (4 bytes) and what a query needs of each column, in as many bytes
 * as its public domain takes, the lowest first.
 */
#ifndef DP_ROW_CACHE_H
#define DP_ROW_CACHE_H

#include <string.h>

#include "core/base/siphash.h"
#include "core/domain/grid.h"

#define DP_UNIT_BYTES sizeof(uint32_t)

typedef enum DpRowFieldKind
{
	DP_FIELD_CODE = 0,       /* of its level */
	DP_FIELD_COORDINATE = 1, /* 1 + its distance from the first one of the grid; 0: it is missing */
	DP_FIELD_PRESENT = 2     /* 1: there is a value; 0: it is missing */
} DpRowFieldKind;

typedef struct DpRowField
{
	DpRowFieldKind kind;
	uint32_t argument; /* which of the values that a row arrives as */
	bool nullable;     /* what has no value is missing, and not the first one */
	uint32_t levels;   /* DP_FIELD_CODE */
	DpGrid grid;       /* DP_FIELD_COORDINATE */
} DpRowField;

typedef struct DpRowCache
{
	uint32_t bytes; /* of a row, its unit's number among them */
	uint64_t rows;
	const unsigned char *row; /* [rows x bytes] */
	uint32_t units;
	const uint32_t *hash; /* [units] of what tells the unit, whatever other units there are */
} DpRowCache;

/* The bytes of a column. */
extern uint32_t dp_row_field_bytes(const DpRowField *column);
/* The bytes of a row. */
extern uint32_t dp_row_cache_row_bytes(const DpRowField *column, uint32_t columns);

static inline void
dp_row_field_write(unsigned char *to, uint32_t bytes, uint64_t value)
{
	for (uint32_t i = 0; i < bytes; i++)
		to[i] = (unsigned char) (value >> (8 * i));
}

static inline uint64_t
dp_row_field_read(const unsigned char *from, uint32_t bytes)
{
	uint64_t value = 0;

	for (uint32_t i = 0; i < bytes; i++)
		value |= (uint64_t) from[i] << (8 * i);
	return value;
}

static inline uint32_t
dp_row_cache_unit(const DpRowCache *rows, uint64_t i)
{
	uint32_t unit;

	memcpy(&unit, rows->row + i * rows->bytes, sizeof(unit));
	return unit;
}

/* How many rows each unit has: count[units]. */
extern void dp_row_cache_count(const DpRowCache *rows, uint32_t *count);
/* The rows unit by unit: row[rows], of which those of unit u stand before end[u], and behind those of
 * unit u - 1. count: [units] rows of each. */
extern void dp_row_cache_by_unit(const DpRowCache *rows, const uint32_t *count, uint64_t *row,
								 uint64_t *end);
/*
 * Of units with more than rows_max rows, those that come first by a keyed hash are kept: drops[i] of
 * all other rows, and of no other ones. count: [units] rows of each; drops: [rows], zeroed.
 *
 * Which rows of a unit these are depends on its own rows, its hash and the key alone.
 */
extern DpStatus dp_row_cache_bound(const DpRowCache *rows, const uint32_t *count, uint32_t rows_max,
								   const unsigned char key[DP_SIPHASH_KEY_BYTES], bool *drops,
								   DpArena *arena) DP_MUST_USE;

#endif
