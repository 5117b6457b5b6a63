/*
 * factor_product.h -- the product of two tables, summed over some of their attributes.
 */
#ifndef DP_FACTOR_PRODUCT_H
#define DP_FACTOR_PRODUCT_H

#include "core/base/arena.h"

#define DP_PRODUCT_AXES_MAX 64

/* One attribute, with its step in each table. The step is 0 in a table that lacks it. */
typedef struct DpProductAxis
{
	uint32_t size;
	uint64_t a, b, out;
} DpProductAxis;

/*
 * Sets out to the sum of a x b over the axes that out lacks. Both a and b must have each of these
 * axes. The order of additions is the same on every CPU. Needs as much memory again as the three
 * tables. DP_ERR_MEMORY. DP_ERR_INTERNAL: an axis is of some other kind, or there are too many.
 */
extern DpStatus dp_factor_product(const DpProductAxis *axis, uint32_t axes, const double *a,
								  const double *b, double *out, DpArena *arena) DP_MUST_USE;

#endif
