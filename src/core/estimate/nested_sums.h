/*
 * nested_sums.h -- many margins of one table at a time: added to it, or summed from it.
 *
 * Margins that overlap share the way: a table over the attributes of several of them, where it is small
 * beside the whole one, stands between these and the whole table, and is itself summed from one that is
 * larger. So the whole table is read a few times, not once for each margin.
 */
#ifndef DP_NESTED_SUMS_H
#define DP_NESTED_SUMS_H

#include "junction_tree.h"
#include "strides.h"

typedef struct DpNestTable
{
	uint64_t members; /* positions among the whole table's attributes, as bits */
	uint64_t cells;   /* 0: another stands for it */
	uint32_t above;   /* number of the table that it is a margin of; DP_NEST_WHOLE */
	double *cell;     /* [cells] of a margin the caller's, to be set before each use */
	DpWalk walk;      /* from the one above to it */
} DpNestTable;

#define DP_NEST_WHOLE UINT32_MAX

typedef struct DpNest
{
	uint32_t margins, tables; /* the margins come first; each table before the one above it */
	uint32_t capacity;
	DpNestTable *table;
} DpNest;

/* Of the table over whole the margins over set[n], within it. What stands between has no more cells in all
 * than the whole table. */
extern DpStatus dp_nest_init(DpNest *nest, const uint32_t *levels, const DpAttributeSet *whole,
							 const DpAttributeSet *const *set, uint32_t n,
							 DpArena *arena) DP_MUST_USE;
extern void dp_nest_free(DpNest *nest, DpArena *arena);
/* Adds every margin to the whole table. */
extern void dp_nest_add(const DpNest *nest, double *whole);
/* Sums the whole table to every margin. The order depends on the sets and sizes alone. */
extern void dp_nest_sum(const DpNest *nest, const double *whole);

#endif
