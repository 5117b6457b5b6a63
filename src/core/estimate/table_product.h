/*
 * table_product.h -- the product of two tables, summed over some of their attributes.
 */
#ifndef DP_TABLE_PRODUCT_H
#define DP_TABLE_PRODUCT_H

#include "arena.h"

#define DP_PRODUCT_AXES_MAX 64

/* One attribute. A step of 0: the table lacks it. */
typedef struct DpProductAxis
{
	uint32_t size;
	uint64_t a, b, out;
} DpProductAxis;

/*
 * out = sum of a x b over the axes that out lacks, each of which both a and b have; the same order of sums on
 * every CPU. Needs as much memory again as the three tables. DP_ERR_MEMORY; DP_ERR_INTERNAL:
 * an axis of some other kind, or too many.
 */
extern DpStatus dp_table_product(const DpProductAxis *axis, uint32_t axes, const double *a,
								 const double *b, double *out, DpArena *arena) DP_MUST_USE;

#endif
