/*
 * marginalization.h -- many margins of one table at a time: multiplied into it, or summed from it.
 *
 * Margins that overlap share work. A table over the attributes of several margins, if it is small
 * beside the whole table, is placed between these margins and the whole table. It may itself be
 * summed from a larger one that is placed in the same way. So the whole table is read a few times,
 * and not once for each margin.
 *
 * A large table is taken chunk by chunk, so that what is read a few times is in the cache of the
 * processor. A chunk is all cells with the same levels of the first attributes. Tables between are
 * those of one chunk.
 */
#ifndef DP_MARGINALIZATION_H
#define DP_MARGINALIZATION_H

#include "core/base/arena.h"
#include "core/domain/attribute_set.h"
#include "core/estimate/strides.h"

typedef struct DpMarginalizationTable
{
	uint64_t members; /* its attributes as bits: positions among those of a chunk */
	uint64_t cells;   /* 0: another table stands for it */
	uint32_t above;   /* number of the table that it is a margin of, or DP_MARGINALIZATION_WHOLE */
	bool first;       /* whether it is the first of those right below that table */
	bool begun;       /* whether some table is right below this one */
	double *cell;     /* [cells]; of a margin: set by the caller before each use */
	uint64_t *start;  /* [chunks] of a margin: its first cell that belongs to a chunk */
	DpWalk walk;      /* within a chunk: from the parent table to this one */
} DpMarginalizationTable;

#define DP_MARGINALIZATION_WHOLE UINT32_MAX

typedef struct DpMarginalization
{
	uint32_t margins, tables; /* margins come first; a table stands before the one above it */
	uint32_t capacity;
	uint64_t chunks, chunk_cells;
	DpMarginalizationTable *table;
	DpMarginalizationTable
		own; /* the margin that dp_marginalization_fill sums, and dp_marginalization_spread multiplies by */
} DpMarginalization;

/* The attributes of a whole table, and of margins of it. */
typedef struct DpMarginalizationSets
{
	const DpAttributeSet *whole, *own;
	const DpAttributeSet *const *margin; /* [n] */
	uint32_t n;
} DpMarginalizationSets;

/* Prepares the margins of a table. The tables between have no more cells together than a chunk. */
extern DpStatus dp_marginalization_init(DpMarginalization *marginalization, const uint32_t *levels,
										const DpMarginalizationSets *sets,
										DpArena *arena) DP_MUST_USE;
extern void dp_marginalization_free(DpMarginalization *marginalization, DpArena *arena);
/* The seconds of a fill and a spread by the prices of strides.h. */
extern double dp_marginalization_seconds(const DpMarginalization *marginalization);
/* Adds every margin to the whole table. */
extern void dp_marginalization_add(const DpMarginalization *marginalization, double *whole);
/* Sets each cell of the whole table to the product of what the margins hold for it, and sums it to
 * its own margin. */
extern void dp_marginalization_fill(const DpMarginalization *marginalization, double *whole);
/* Multiplies the whole table by its own margin, and sums it to every margin. */
extern void dp_marginalization_spread(const DpMarginalization *marginalization, double *whole);
/* Sums the whole table to every margin. The order of additions depends on the sets and sizes
 * alone, as it does in the others. */
extern void dp_marginalization_sum(const DpMarginalization *marginalization, const double *whole);

#endif
