/*
 * nested_sums.h -- many margins of one table at a time: added to it, or summed from it.
 *
 * Margins that overlap share work. A table over the attributes of several margins, if it is small
 * beside the whole table, is placed between these margins and the whole table. It may itself be
 * summed from a larger one that is placed in the same way. So the whole table is read a few times,
 * and not once for each margin.
 */
#ifndef DP_NESTED_SUMS_H
#define DP_NESTED_SUMS_H

#include "core/base/arena.h"
#include "core/domain/attribute_set.h"
#include "core/estimate/strides.h"

typedef struct DpNestTable
{
	uint64_t members; /* its attributes as bits: positions among those of the whole table */
	uint64_t cells;   /* 0: another table stands for it */
	uint32_t above;   /* number of the table that it is a margin of, or DP_NEST_WHOLE */
	bool first;       /* whether it is the first of those right below that table */
	bool begun;       /* whether some table is right below this one */
	double *cell;     /* [cells]; of a margin: set by the caller before each use */
	DpWalk walk;      /* from the table above to this one */
} DpNestTable;

#define DP_NEST_WHOLE UINT32_MAX

typedef struct DpNest
{
	uint32_t margins, tables; /* margins come first; a table stands before the one above it */
	uint32_t capacity;
	DpNestTable *table;
} DpNest;

/* Prepares the margins over set[0..n-1] of the table over whole, which contains these sets. The
 * tables between have no more cells together than the whole table. */
extern DpStatus dp_nest_init(DpNest *nest, const uint32_t *levels, const DpAttributeSet *whole,
							 const DpAttributeSet *const *set, uint32_t n,
							 DpArena *arena) DP_MUST_USE;
extern void dp_nest_free(DpNest *nest, DpArena *arena);
/* Adds every margin to the whole table. */
extern void dp_nest_add(const DpNest *nest, double *whole);
/* Sets each cell of the whole table to the product of what the margins hold for it. */
extern void dp_nest_multiply(const DpNest *nest, double *whole, uint64_t cells);
/* Sums the whole table to every margin. The order of additions depends on the sets and sizes
 * alone. */
extern void dp_nest_sum(const DpNest *nest, const double *whole);

#endif
