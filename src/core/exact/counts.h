/*
 * counts.h -- exact counts of all sets of a spec, as one thing that grows by rows and merges
 * with others of its kind. SECRET, as DpMarginal is.
 *
 * Rows come as codes in batches, column by column. Dense sets are counted in 32-bit blocks
 * (view_selection.h), which are emptied into the 64-bit tables before they could overflow. Hashed
 * sets are counted in their tables at once.
 */
#ifndef DP_COUNTS_H
#define DP_COUNTS_H

#include "core/exact/marginal.h"
#include "core/exact/spec.h"
#include "core/exact/view_selection.h"

/*
 * The codes of the rows that a pass has counted, so that they can be counted again without a pass.
 * SECRET, as DpCounts is.
 *
 * Whoever finds bins must read a table twice: once to count the finest cells of its ranges, and
 * once to count what has these bins. The bin of a row follows from its cell, so the second time
 * its codes are enough. They take one to four bytes for each attribute. Where the rows do not fit,
 * none are kept, and the table is read again.
 */

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

typedef struct DpCounts
{
	DpArena *arena;     /* its bytes_max bounds everything */
	const DpTick *tick; /* every long loop below calls it */
	const DpSpec *spec;
	DpMarginal *table; /* [sets] all rows except the pending ones */
	bool changing;     /* a change has begun and not ended: the counts are of no more use */
	DpCodeCache kept;  /* all rows except the pending ones, if the spec says so */
	/* pending: in the batch */
	uint32_t rows;
	uint32_t **code; /* [attributes][DP_BATCH_ROWS]; the caller fills code[a][rows] */
	/* pending: in the blocks */
	uint64_t block_rows;
	bool block_tried;          /* they are made at the first full batch, if there is memory */
	DpViewSelection selection; /* blocks = 0: there are none */
	bool waits;                /* batches are kept until there are many: blocks have no tables */
	uint32_t **block_count;    /* [blocks][cells]; if batches wait, one for any block */
	uint16_t **narrow;         /* [attributes], NULL where no block needs it */
	const uint16_t **column;   /* scratch memory of a block */
} DpCounts;

/* Begins with no rows. spec is checked; it must stay, and so must tick (or NULL). DP_ERR_LIMIT
 * names the set for which memory does not suffice. Every function below that takes a DpError can
 * give that error. */
extern DpStatus dp_counts_init(DpCounts *counts, const DpSpec *spec, const DpTick *tick,
							   DpArena *arena, DpError *error) DP_MUST_USE;
/* Counts the batch: counts->rows rows in code. DP_ERR_ARGUMENT: a code is dp_code_outside.
 * DP_ERR_INTERNAL: a code is no level. */
extern DpStatus dp_counts_batch(DpCounts *counts, DpError *error) DP_MUST_USE;
/* Empties what is pending, so that table[] holds all rows. */
extern DpStatus dp_counts_finalize(DpCounts *counts, DpError *error) DP_MUST_USE;
/* Adds from to into. The caller sees to it that both are over equal specs and that 
 * from is flushed. */
extern DpStatus dp_counts_merge(DpCounts *into, const DpCounts *from, DpError *error) DP_MUST_USE;
/* Makes the error that names a set for which memory did not suffice. `failed` is the set where
 * it was noticed. */
extern DpStatus dp_counts_too_large(const DpCounts *counts, uint32_t failed, DpError *error);
/* Counts all rows of a cache: column[attributes of counts], which give levels of its spec. */
extern DpStatus dp_counts_add_cache(DpCounts *counts, const DpCodeCache *kept,
									const DpCachedColumn *column, DpError *error) DP_MUST_USE;
/* The number of rows, including the pending ones. */
extern int64_t dp_counts_rows(const DpCounts *counts);
/* Writes one code of the row that is being filled. */
static inline void
dp_counts_put(DpCounts *counts, uint32_t attribute, uint32_t code)
{
	counts->code[attribute][counts->rows] = code;
}

/* The code that stands for a value outside the domain of an attribute. It is the level
 * "other", if there is one. If not, it is the first level where the spec clamps, and otherwise a
 * code that is no level, which is an error. */
static inline uint32_t
dp_code_outside(const DpSpec *spec, uint32_t attribute)
{
	const DpAttribute *a = &spec->domain.attribute[attribute];

	if (a->has_other)
		return a->levels - 1;
	return spec->clamps ? 0 : a->levels;
}

/* ---- counts_bytes.c ---- */

typedef struct DpBytes
{
	const unsigned char *at;
	size_t length;
} DpBytes;

/* Writes flushed counts as bytes. spec is what dp_spec_serialise gave. */
extern DpStatus dp_counts_serialise(const DpCounts *counts, DpBytes spec, unsigned char **bytes,
									size_t *length, DpArena *arena, DpError *error) DP_MUST_USE;

/* Bounds that follow from public sizes and a number of rows. The first is for the bytes of
 * counts without those of their spec, the second for the memory that counting takes. */
extern uint64_t dp_spec_bytes_max(const DpSpec *spec, uint64_t rows);
extern uint64_t dp_spec_memory_max(const DpSpec *spec, uint64_t rows);

/* The places of things in the bytes of counts. */
typedef struct DpCountsView
{
	const unsigned char *spec_bytes;
	size_t spec_length;
	int64_t rows;
	uint32_t sections;            /* the sets, and the code cache */
	const unsigned char *lengths; /* varints */
	const unsigned char *first;   /* where the first set begins */
	const unsigned char *end;
} DpCountsView;

/* Finds these places. It does not read spec or sets. */
extern DpStatus dp_counts_view(const unsigned char *bytes, size_t length, DpCountsView *view,
							   DpError *error) DP_MUST_USE;
/* Reads everything and keeps only the spec. DP_OK means that dp_counts_add_bytes would go
 * through. */
extern DpStatus dp_counts_check(const DpCountsView *view, DpSpec *spec, const DpTick *tick,
								DpArena *arena, DpError *error) DP_MUST_USE;
/* Adds what the bytes hold to counts. Their spec must be that of counts. On an error the counts
 * are of no more use. */
extern DpStatus dp_counts_add_bytes(DpCounts *counts, const DpCountsView *view,
									DpError *error) DP_MUST_USE;
/* Reads one set alone, into an empty table of its shape. */
extern DpStatus dp_counts_read_set(const DpCountsView *view, const DpSpec *spec, uint32_t set,
								   DpMarginal *table, DpError *error) DP_MUST_USE;

#endif
