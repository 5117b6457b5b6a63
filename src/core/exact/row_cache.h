/*
 * row_cache.h -- rows as bytes, each with the number of its unit, so that bounding the rows of
 * units needs no second scan of the relation. SECRET.
 *
 * A row consists of the number of its unit (4 bytes) and of the measured value of each column, in
 * as many bytes as its public domain needs, least significant byte first.
 */
#ifndef DP_ROW_CACHE_H
#define DP_ROW_CACHE_H

#include <stdbool.h>
#include <string.h>

#include "core/base/siphash.h"
#include "core/domain/grid.h"

#define DP_UNIT_BYTES sizeof(uint32_t)

typedef enum DpRowFieldKind
{
	DP_FIELD_CODE = 0,       /* the level's code */
	DP_FIELD_COORDINATE = 1, /* 1 + its distance from the first one of the grid; 0: it is missing */
	DP_FIELD_PRESENT = 2,    /* 1: there is a value; 0: missing */
	DP_FIELD_HASH = 3,       /* a keyed hash of all arguments of the row; belongs to none of them */
	DP_FIELD_SORTABLE = 4    /* bytes that are equal, and in order, as the values are */
} DpRowFieldKind;

typedef struct DpRowField
{
	DpRowFieldKind kind;
	uint32_t argument; /* index among the arguments of a row */
	bool nullable;     /* NULL is missing, and does not count as the first coordinate */
	uint32_t levels;   /* DP_FIELD_CODE; DP_FIELD_SORTABLE: the number of bytes */
	DpGrid grid;       /* DP_FIELD_COORDINATE */
} DpRowField;

typedef struct DpRowCache
{
	uint32_t bytes; /* of a row, with the number of its unit */
	uint64_t rows;
	const unsigned char *row; /* [rows x bytes] */
	bool hashed; /* the first column is the hash by which rows are chosen; else it is made here */
	uint32_t units;
	const uint32_t *hash; /* [units] of the identifying columns, independent of other units */
} DpRowCache;

/* The bytes of a column. */
extern uint32_t dp_row_field_bytes(const DpRowField *column);

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
/* Sorts the rows by unit into row[rows]: the rows of unit u are those before end[u] that follow the
 * rows of the previous unit. count: [units] rows of each. */
extern void dp_row_cache_by_unit(const DpRowCache *rows, const uint32_t *count, uint64_t *row,
								 uint64_t *end);
/*
 * Bounds the rows of units: keeps the rows_max rows of a unit that come first by a keyed hash, and
 * sets drops[i] for all others. count: [units] rows of each; drops: [rows], zeroed.
 *
 * Which rows of a unit are kept depends on its own rows, its hash and the key alone.
 */
extern DpStatus dp_row_cache_bound(const DpRowCache *rows, const uint32_t *count, uint32_t rows_max,
								   const unsigned char key[DP_SIPHASH_KEY_BYTES], bool *drops,
								   DpArena *arena) DP_MUST_USE;

#endif
