/*
 * marginal_counts.h -- exact counts of all sets of a spec, as one thing that
 * grows by rows and merges with its like. SECRET, as DpMarginal is.
 *
 * Rows come as codes in batches, columns apart. Dense sets are counted in
 * 32-bit blocks (marginal_cover.h) that are emptied into the 64-bit tables
 * before they could overflow; hashed sets in their tables at once.
 */
#ifndef DP_MARGINAL_COUNTS_H
#define DP_MARGINAL_COUNTS_H

#include "marginal_cover.h"
#include "marginal_kernel.h"

typedef struct DpCounts
{
	DpArena *arena;     /* its bytes_max bounds everything */
	const DpTick *tick; /* answered to by everything below */
	const DpSpec *spec;
	DpMarginal *table; /* [sets] all rows but those that are pending */
	bool changing;     /* a change has begun and not ended: of no more use */
	/* pending: in the batch */
	uint32_t rows;
	uint32_t **code; /* [attributes][DP_BATCH_ROWS]; the caller fills code[a][rows] */
	/* pending: in the blocks */
	uint64_t block_rows;
	bool block_tried;        /* they are made at the first full batch, if there is memory */
	DpCover cover;           /* none: blocks = 0 */
	uint32_t **block_count;  /* [blocks][cells] */
	uint16_t **narrow;       /* [attributes], NULL where no block needs it */
	const uint16_t **column; /* scratch of a block */
} DpCounts;

/* No rows yet. spec is checked and stays, and so does tick (or NULL). DP_ERR_LIMIT names the set for which memory does not suffice;
 * that error is possible wherever a DpError is taken below. */
extern DpStatus dp_counts_init(DpCounts *counts, DpArena *arena, const DpSpec *spec,
							   const DpTick *tick, DpError *error) DP_MUST_USE;
/* Counts the batch: counts->rows rows in code. DP_ERR_ARGUMENT if a code is dp_code_outside; DP_ERR_INTERNAL if it
 * is no level. */
extern DpStatus dp_counts_batch(DpCounts *counts, DpError *error) DP_MUST_USE;
/* Nothing is pending after it: table[] holds all rows. */
extern DpStatus dp_counts_settle(DpCounts *counts, DpError *error) DP_MUST_USE;
/* into += from, both over equal specs (the caller sees to it) and from settled. */
extern DpStatus dp_counts_merge(DpCounts *into, const DpCounts *from, DpError *error) DP_MUST_USE;
/* The error that names a set for which memory did not suffice; failed: where it was noticed. */
extern DpStatus dp_counts_too_large(const DpCounts *counts, uint32_t failed, DpError *error);
/* Rows, the pending ones too. */
extern int64_t dp_counts_rows(const DpCounts *counts);
/* One code of the row that is being written. */
static inline void
dp_counts_put(DpCounts *counts, uint32_t attribute, uint32_t code)
{
	counts->code[attribute][counts->rows] = code;
}

/* What counts for a value outside the domain of an attribute: the level for the rest; else the first level, where
 * the spec clamps, or a code that is no level, and an error. */
static inline uint32_t
dp_code_outside(const DpSpec *spec, uint32_t attribute)
{
	const DpAttribute *a = &spec->domain.attribute[attribute];

	if (a->has_other)
		return a->levels - 1;
	return spec->clamps ? 0 : a->levels;
}

/* ---- marginal_bytes.c ---- */

/* Settled counts as bytes; spec_bytes as dp_spec_serialise gave them. */
extern DpStatus dp_counts_serialise(const DpCounts *counts, const unsigned char *spec_bytes,
									size_t spec_length, DpArena *arena, unsigned char **bytes,
									size_t *length, DpError *error) DP_MUST_USE;

/* Bounds from public sizes and a number of rows: of the bytes of counts without those of their spec, and of the
 * memory that counting takes. */
extern uint64_t dp_spec_bytes_max(const DpSpec *spec, uint64_t rows);
extern uint64_t dp_spec_memory_max(const DpSpec *spec, uint64_t rows);

/* Where things stand in the bytes of counts. */
typedef struct DpCountsView
{
	const unsigned char *spec_bytes;
	size_t spec_length;
	int64_t rows;
	uint32_t sets;
	const unsigned char *lengths; /* varints */
	const unsigned char *first;   /* of the first set */
	const unsigned char *end;
} DpCountsView;

/* Finds these, without reading spec or sets. */
extern DpStatus dp_counts_view(const unsigned char *bytes, size_t length, DpCountsView *view,
							   DpError *error) DP_MUST_USE;
/* Reads everything and keeps nothing but the spec: DP_OK if dp_counts_add_bytes would go through. */
extern DpStatus dp_counts_check(const DpCountsView *view, DpArena *arena, DpSpec *spec,
								const DpTick *tick, DpError *error) DP_MUST_USE;
/* counts += what the bytes hold; their spec is that of counts. On error counts are of no more use. */
extern DpStatus dp_counts_add_bytes(DpCounts *counts, const DpCountsView *view,
									DpError *error) DP_MUST_USE;
/* One set alone, into an empty table of its shape. */
extern DpStatus dp_counts_read_set(const DpCountsView *view, const DpSpec *spec, uint32_t set,
								   DpMarginal *table, DpError *error) DP_MUST_USE;

#endif
