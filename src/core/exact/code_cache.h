/*
 * code_cache.h -- the codes of the rows that a pass has counted, so that they can be counted again
 * without a pass. SECRET, as DpCounts is.
 *
 * Whoever finds bins must read a table twice: once to count the finest cells of its ranges, and
 * once to count what has these bins. The bin of a row follows from its cell, so the second time its
 * codes are enough. They take one to four bytes for each attribute. Where the rows do not fit, none
 * are kept, and the table is read again.
 */
#ifndef DP_CODE_CACHE_H
#define DP_CODE_CACHE_H

#include "core/exact/spec.h"

typedef struct DpCodeChunk DpCodeChunk;

typedef struct DpCodeCache
{
	DpArena *arena;
	uint32_t attributes;
	uint8_t *width; /* [attributes] bytes of a code */
	uint32_t row_bytes;
	uint64_t rows;
	uint64_t rows_max;  /* of all */
	uint64_t added;     /* of rows, those that did not come with another cache */
	uint64_t added_max; /* of them */
	bool lost;          /* there were too many rows, or no memory: none is kept */
	DpCodeChunk *first;
	DpCodeChunk *last;
} DpCodeCache;

/* Bytes that a row of a domain takes. */
extern uint64_t dp_code_cache_row_bytes(const DpDomain *domain);
/* Begins with no rows, and with the bounds of spec->keep. */
extern DpStatus dp_code_cache_init(DpCodeCache *kept, const DpSpec *spec,
								   DpArena *arena) DP_MUST_USE;
/* Adds rows: code[attributes][rows], which are levels. */
extern void dp_code_cache_add(DpCodeCache *kept, const uint32_t *const *code, uint32_t rows);
/* Adds what another one has kept, of the same domain. The second form takes it away there, part by
 * part, so that no more than a part of it is there twice. */
extern void dp_code_cache_append(DpCodeCache *kept, const DpCodeCache *from);
extern void dp_code_cache_take(DpCodeCache *kept, DpCodeCache *from);

/* ---- as bytes: chunk by chunk, column by column ---- */

/* Length of the bytes, and the bytes. Nothing is written of rows that are lost. */
extern uint64_t dp_code_cache_length(const DpCodeCache *kept);
extern void dp_code_cache_write(const DpCodeCache *kept, unsigned char *bytes);
/* Adds the rows that were written; kept NULL: only checks them. False: they are not well-formed. */
extern bool dp_code_cache_read(DpCodeCache *kept, const DpSpec *spec, uint64_t rows,
							   const unsigned char *bytes, uint64_t length);

/* ---- reading again ---- */

/* Where the codes of an attribute come from. */
typedef struct DpCachedColumn
{
	uint32_t attribute;  /* of those that were kept */
	const uint32_t *map; /* [its levels] the level of each; NULL: it is the code itself */
} DpCachedColumn;

/* How far the cache was read: {kept} is before the first one. */
typedef struct DpCodeCacheReader
{
	const DpCodeCache *kept;
	const DpCodeChunk *chunk; /* NULL: at the beginning, or at the end */
	uint64_t row;             /* of the chunk, the next one */
	bool begun;
} DpCodeCacheReader;

/* Reads the next rows, DP_BATCH_ROWS at most, into code[columns][rows]. The result is how many; 0: there
 * are no more. */
extern uint32_t dp_code_cache_next(DpCodeCacheReader *reader, const DpCachedColumn *column,
								   uint32_t columns, uint32_t *const *code);

#endif
