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

#include "core/exact/view_selection.h"
#include "core/exact/code_cache.h"
#include "core/exact/marginal.h"

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
